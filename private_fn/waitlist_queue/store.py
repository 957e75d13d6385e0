"""Runs the scripts on Redis; the only module that knows the client library."""

import logging
import os
import socket
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, cast

from hiredis import pack_command
from redis import Redis, RedisError, exceptions
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.connection import Connection, ConnectionPool, SSLConnection
from redis.retry import Retry

from waitlist_queue.call_time import CallTime
from waitlist_queue.config import Config
from waitlist_queue.scripts import Script
from waitlist_shared.errors import QueueUnavailable

# A call must fail within 2 seconds, so that the public function can still answer (see
# docs/time-budgets.md). No single wait takes all of it: after one, a cluster's client still asks
# who has taken over.
CALL_SECONDS = 1.4
ANSWER_SECONDS = 0.8
CONNECT_SECONDS = 0.6
RETRIES = 1
# At the most, before a connection is made again: a server that is back is not met by all at once.
PAUSE_SECONDS = 0.05

logger = logging.getLogger(__name__)
Reply = list[Any]
# Refusals that pass by themselves: a failover, a restart, a full memory that drains.
PASSING = (
    exceptions.ClusterDownError,
    exceptions.ReadOnlyError,
    exceptions.TryAgainError,
    exceptions.OutOfMemoryError,
)
# What one command of a pipeline may meet where the same command by itself finds its way.
FINDS_ITS_WAY = (
    exceptions.NoScriptError,
    exceptions.AskError,  # and MovedError
    exceptions.ClusterDownError,
    exceptions.TryAgainError,
    exceptions.ConnectionError,
    exceptions.TimeoutError,
)


class Pipeline(Protocol):
    def execute_command(self, *arguments: object) -> Any: ...

    def execute(self, raise_on_error: bool) -> list[Any]: ...


class Client(Protocol):
    """What a single server's client and a cluster's have in common."""

    def execute_command(self, *arguments: object) -> Any: ...

    def pipeline(self, transaction: bool) -> Pipeline: ...


class ScriptFailed(Exception):
    """A script broke: a defect, not an outage."""


class Call(NamedTuple):
    """One run of one script."""

    script: Script
    keys: tuple[str, ...]
    arguments: tuple[str | int, ...]


_time = CallTime(CALL_SECONDS)


class _PunctualConnection(Connection):
    """Waits no longer than the call has time left, however many waits the client adds up."""

    _is_known = False

    @property
    def socket_connect_timeout(self) -> float:
        """Asked for each address that the host's name stands for."""
        return _time.at_most(CONNECT_SECONDS)

    @socket_connect_timeout.setter
    def socket_connect_timeout(self, _seconds: float) -> None: ...

    @property
    def socket_timeout(self) -> float:
        return _time.at_most(ANSWER_SECONDS)

    @socket_timeout.setter
    def socket_timeout(self, _seconds: float) -> None: ...

    def _connect(self) -> Any:
        if self._is_known:
            _time.pause(PAUSE_SECONDS)
        self._is_known = True
        if _time.left() <= 0:
            raise TimeoutError("the time of the call is up")
        return super()._connect()  # type: ignore[no-untyped-call]

    def read_response(self, *arguments: Any, **options: Any) -> Any:
        sock = cast("socket.socket | None", self._sock)
        if sock and sock.gettimeout() != (seconds := self.socket_timeout):
            sock.settimeout(seconds)
        return super().read_response(*arguments, **options)


class _PunctualTlsConnection(_PunctualConnection, SSLConnection):
    pass


class _PunctualPool(ConnectionPool):
    def __init__(self, connection_class: type = Connection, **options: Any) -> None:
        with_tls = issubclass(connection_class, SSLConnection)
        super().__init__(_PunctualTlsConnection if with_tls else _PunctualConnection, **options)


class _ScriptRedis(Redis):
    """Runs scripts without redis-py's bookkeeping, which costs as much as a script does.

    The connections they use stay taken from the pool: as many as ever ran scripts at once.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._idle: list[Any] = []  # whose pop and append are atomic
        os.register_at_fork(after_in_child=self._idle.clear)

    def execute_command(self, *arguments: Any, **options: Any) -> Any:
        if arguments[0] != "EVALSHA":
            return super().execute_command(*arguments, **options)  # type: ignore[no-untyped-call]
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self.connection_pool.get_connection()

        try:
            try:
                return _ask(connection, arguments)
            except exceptions.ConnectionError:
                connection.disconnect()
                return _ask(connection, arguments)
        except exceptions.ResponseError:
            raise
        except BaseException:
            connection.disconnect()  # an answer still to come must not be the next script's
            raise
        finally:
            self._idle.append(connection)


def _ask(connection: Any, command: Any) -> Any:
    connection.send_packed_command((pack_command(command),), check_health=False)
    return connection.read_response()


def connect(config: Config) -> Client:
    """Return a client of the server or cluster at `redis_url`."""
    options: dict[str, Any] = {"decode_responses": True, "protocol": 2, "socket_keepalive": True}
    if config.redis_cluster:
        options.update(retry=Retry(NoBackoff(), RETRIES), connection_pool_class=_PunctualPool)
        # Slots that nobody serves are no reason to refuse the others.
        options.update(require_full_coverage=False)
        return cast(Client, RedisCluster.from_url(config.redis_url, **options))
    # A lost connection is ours to retry, a time-out is the caller's.
    retry = Retry(NoBackoff(), RETRIES, supported_errors=(exceptions.ConnectionError,))
    pool = _PunctualPool.from_url(config.redis_url, retry=retry, **options)
    return cast(Client, _ScriptRedis.from_pool(pool))


class RedisStore:
    """Scripts by EVALSHA; one that the server has forgotten is sent whole."""

    def __init__(
        self, connect: Callable[[], Client], now_micros: Callable[[], int | str] = lambda: ""
    ) -> None:
        self._connect = connect
        self._client: Client | None = None
        self._now_micros = now_micros

    def ping(self) -> None:
        """Raise QueueUnavailable unless Redis answers."""
        self._guarded(lambda client: client.execute_command("PING"))

    def run(self, call: Call) -> Reply:
        """Run one script, in one round trip."""
        return cast(Reply, self._guarded(lambda client: self._run(client, call)))

    def run_many(self, calls: Sequence[Call]) -> list[Reply | QueueUnavailable]:
        """Run many scripts in one round trip (per node), in order; each fails for itself."""
        return cast(
            list[Reply | QueueUnavailable],
            self._guarded(lambda client: self._run_many(client, calls)),
        )

    def _run(self, client: Client, call: Call) -> Reply:
        if _time.left() <= 0:
            raise exceptions.TimeoutError("the time of the call is up")
        tail = self._tail(call)
        try:
            return cast(Reply, client.execute_command("EVALSHA", call.script.sha, *tail))
        except exceptions.NoScriptError:
            return cast(Reply, client.execute_command("EVAL", call.script.source, *tail))

    def _run_many(self, client: Client, calls: Sequence[Call]) -> list[Reply | QueueUnavailable]:
        replies: dict[int, object] = {}
        for node, numbers in _by_node(client, calls).items():
            found = self._pipelined(client, node, [calls[number] for number in numbers])
            replies.update(zip(numbers, found, strict=True))
        settled = [self._settled(client, call, replies[n]) for n, call in enumerate(calls)]
        failed = [reply for reply in settled if isinstance(reply, QueueUnavailable)]
        if failed:
            logger.warning("Redis does not answer %d of %d calls", len(failed), len(calls))
        if calls and len(failed) == len(calls):
            raise QueueUnavailable
        return settled

    def _pipelined(self, client: Any, node: ClusterNode | None, calls: list[Call]) -> list[object]:
        server = client.get_redis_connection(node) if node else client
        pipeline = server.pipeline(transaction=False)
        sent: set[str] = set()
        for call in calls:
            script = call.script
            # Sent whole the first time: a script that had to be sent again would come too late,
            # after those behind it.
            known = ("EVALSHA", script.sha) if script.sha in sent else ("EVAL", script.source)
            sent.add(script.sha)
            pipeline.execute_command(*known, *self._tail(call))
        try:
            return cast(list[object], pipeline.execute(raise_on_error=False))
        except (exceptions.ConnectionError, exceptions.TimeoutError) as error:
            if node:  # Ask the others who has taken over.
                client.nodes_manager.initialize(last_failed_node_name=node.name)
            return [error] * len(calls)

    def _settled(self, client: Client, call: Call, reply: object) -> Reply | QueueUnavailable:
        try:
            if isinstance(reply, FINDS_ITS_WAY):
                return self._run(client, call)
            if isinstance(reply, Exception):
                raise reply
        except (RedisError, exceptions.RedisClusterException) as error:
            return _unavailable(error, logging.DEBUG)
        return cast(Reply, reply)

    def _tail(self, call: Call) -> tuple[str | int, ...]:
        now = (self._now_micros(),) if call.script.arguments[-1:] == ("now",) else ()
        return (len(call.keys), *call.keys, *call.arguments, *now)

    def _guarded(self, action: Callable[[Client], object]) -> object:
        try:
            with _time:
                if self._client is None:
                    self._client = self._connect()
                return action(self._client)
        except exceptions.RedisClusterException as error:
            self._client = None  # What it knows of the cluster no longer holds.
            raise _unavailable(error) from error
        except (RedisError, OSError) as error:
            raise _unavailable(error) from error


def _by_node(client: Client, calls: Sequence[Call]) -> dict[ClusterNode | None, list[int]]:
    """Return the numbers of the calls that go to each node; a server alone is None."""
    numbers: dict[ClusterNode | None, list[int]] = {}
    if not isinstance(client, RedisCluster):
        return {None: list(range(len(calls)))}
    for number, call in enumerate(calls):
        node = client.get_node_from_key(call.keys[0])  # type: ignore[no-untyped-call]
        numbers.setdefault(node, []).append(number)
    return numbers


def _unavailable(error: Exception, level: int = logging.WARNING) -> QueueUnavailable:
    """Return what to answer; a script's own failure is a defect and is raised as such."""
    if isinstance(error, exceptions.ResponseError) and not isinstance(error, PASSING):
        raise ScriptFailed(str(error)) from error
    logger.log(level, "Redis does not answer: %s: %s", type(error).__name__, error)
    return QueueUnavailable()
