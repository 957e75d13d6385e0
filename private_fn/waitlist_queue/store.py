"""Runs the scripts on Redis; the only module that knows the client library."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from redis import Redis, RedisError, exceptions
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.retry import Retry

from waitlist_queue.config import Config
from waitlist_queue.scripts import Script
from waitlist_shared.errors import QueueUnavailable

# A call must fail within 2 seconds, so that the public function can still answer: one wait for
# an answer, not repeated (a time-out is the caller's to retry; a lost connection is ours).
ANSWER_SECONDS = 0.9
CONNECT_SECONDS = 0.7

logger = logging.getLogger(__name__)
Reply = list[Any]
# Refusals that pass by themselves: a failover, a restart, a full memory that drains.
PASSING = (
    exceptions.BusyLoadingError,
    exceptions.ReadOnlyError,
    exceptions.TryAgainError,
    exceptions.OutOfMemoryError,
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


@dataclass(frozen=True)
class Call:
    """One run of one script."""

    script: Script
    keys: tuple[str, ...]
    arguments: tuple[str | int, ...]


def connect(config: Config) -> Client:
    """Return a client of the server or cluster at `redis_url`."""
    options: dict[str, Any] = {
        "decode_responses": True,
        "protocol": 2,
        "socket_timeout": ANSWER_SECONDS,
        "socket_connect_timeout": CONNECT_SECONDS,
        "socket_keepalive": True,
    }
    if config.redis_cluster:
        retry = Retry(NoBackoff(), 1)
        return cast(Client, RedisCluster.from_url(config.redis_url, retry=retry, **options))
    retry = Retry(NoBackoff(), 1, supported_errors=(exceptions.ConnectionError,))
    return cast(Client, Redis.from_url(config.redis_url, retry=retry, **options))


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
        """Run many scripts in one round trip (per node); each fails for itself."""
        return cast(
            list[Reply | QueueUnavailable],
            self._guarded(lambda client: self._run_many(client, calls)),
        )

    def _run(self, client: Client, call: Call) -> Reply:
        tail = (len(call.keys), *call.keys, *self._arguments(call))
        try:
            return cast(Reply, client.execute_command("EVALSHA", call.script.sha, *tail))
        except exceptions.NoScriptError:
            return cast(Reply, client.execute_command("EVAL", call.script.source, *tail))

    def _run_many(self, client: Client, calls: Sequence[Call]) -> list[Reply | QueueUnavailable]:
        pipeline = client.pipeline(transaction=False)
        for call in calls:
            tail = (len(call.keys), *call.keys, *self._arguments(call))
            pipeline.execute_command("EVALSHA", call.script.sha, *tail)
        replies = pipeline.execute(raise_on_error=False)
        return [
            self._settled(client, call, reply) for call, reply in zip(calls, replies, strict=True)
        ]

    def _settled(self, client: Client, call: Call, reply: Any) -> Reply | QueueUnavailable:
        try:
            if isinstance(reply, exceptions.NoScriptError):
                return self._run(client, call)
            if isinstance(reply, Exception):
                raise reply
        except RedisError as error:
            return _unavailable(error)
        return cast(Reply, reply)

    def _arguments(self, call: Call) -> tuple[str | int, ...]:
        if call.script.arguments[-1:] == ("now",):
            return (*call.arguments, self._now_micros())
        return call.arguments

    def _guarded(self, action: Callable[[Client], object]) -> object:
        try:
            if self._client is None:
                self._client = self._connect()
            return action(self._client)
        except (RedisError, OSError) as error:
            raise _unavailable(error) from error


def _unavailable(error: Exception) -> QueueUnavailable:
    """Return what to answer; a script's own failure is a defect and is raised as such."""
    if isinstance(error, exceptions.ResponseError) and not isinstance(error, PASSING):
        raise ScriptFailed(str(error)) from error
    logger.warning("Redis does not answer: %s: %s", type(error).__name__, error)
    return QueueUnavailable()
