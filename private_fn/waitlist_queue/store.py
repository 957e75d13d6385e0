"""Runs the scripts on Redis."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, cast

from redis import RedisError, exceptions
from redis.cluster import ClusterNode, RedisCluster

from waitlist_queue.connections import Client, deadline
from waitlist_queue.error_hints import with_hint
from waitlist_queue.scripts import Script
from waitlist_shared.errors import QueueUnavailable

logger = logging.getLogger(__name__)
Reply = list[Any]
# Refusals that pass without a change: a failover, a restart, a full memory that drains.
PASSING = (
    exceptions.ClusterDownError,
    exceptions.ReadOnlyError,
    exceptions.TryAgainError,
    exceptions.OutOfMemoryError,
)
# Refusals that the operator must end; the log has a hint.
REFUSED = (exceptions.NoPermissionError,)
# Errors of one command in a pipeline that the same command, sent alone, can get past.
FINDS_ITS_WAY = (
    exceptions.NoScriptError,
    exceptions.AskError,  # and MovedError
    exceptions.ClusterDownError,
    exceptions.TryAgainError,
    exceptions.ConnectionError,
    exceptions.TimeoutError,
)


class ScriptFailed(Exception):
    """A script broke: a defect, not an outage."""


class Call(NamedTuple):
    """One run of one script."""

    script: Script
    keys: tuple[str, ...]
    arguments: tuple[str | int, ...]


class RedisStore:
    """Runs scripts by EVALSHA, and sends a script that the server does not have."""

    def __init__(
        self,
        connect: Callable[[], Client],
        now_micros: Callable[[], int | str] = lambda: "",
        server_run_id: Callable[[], str] = lambda: "",
    ) -> None:
        self._connect = connect
        self._client: Client | None = None
        self._added = {"now": now_micros, "server_run_id": server_run_id}
        self.waited_seconds = 0.0

    def ping(self) -> None:
        """Raise QueueUnavailable unless Redis answers."""
        self._guarded(lambda client: client.execute_command("PING"))

    def run(self, call: Call) -> Reply:
        """Run one script, in one round trip."""
        reply: Reply = self._guarded(self._run, call)
        return reply

    def run_many(self, calls: Sequence[Call]) -> list[Reply | QueueUnavailable]:
        """Run many scripts in one round trip (per node), in order; each fails for itself."""
        return cast(
            list[Reply | QueueUnavailable],
            self._guarded(self._run_many, calls),
        )

    def _run(self, client: Client, call: Call) -> Reply:
        if deadline.left() <= 0:
            raise exceptions.TimeoutError("the time of the call is up")
        tail = self._tail(call)
        try:
            reply: Reply = client.execute_command("EVALSHA", call.script.sha, *tail)
            return reply
        except exceptions.NoScriptError:
            return cast(Reply, client.execute_command("EVAL", call.script.source, *tail))

    def _run_many(self, client: Client, calls: Sequence[Call]) -> list[Reply | QueueUnavailable]:
        replies = self._sent(client, calls) if calls else []
        # Calls that a node did not answer come last: asking it again may take all the time left.
        order = sorted(range(len(calls)), key=lambda number: _is_lost(replies[number]))
        outcomes = {
            number: self._settled(client, calls[number], replies[number]) for number in order
        }
        settled = [outcomes[number] for number in range(len(calls))]
        failed = [reply for reply in settled if isinstance(reply, QueueUnavailable)]
        if failed:
            reason = with_hint(failed[0].__cause__ or failed[0])
            logger.warning(
                "Redis does not answer %d of %d calls, first: %s", len(failed), len(calls), reason
            )
        if calls and len(failed) == len(calls):
            raise QueueUnavailable
        return settled

    def _sent(self, client: Client, calls: Sequence[Call]) -> list[object]:
        """Return what came of each call: a reply, or the error that it met."""
        if not isinstance(client, RedisCluster):
            return self._pipelined(client, None, calls)
        replies: dict[int, object] = {}
        for node, numbers in _by_node(client, calls).items():
            found = self._pipelined(client, node, [calls[number] for number in numbers])
            replies.update(zip(numbers, found, strict=True))
        return [replies[number] for number in range(len(calls))]

    def _pipelined(
        self, client: Any, node: ClusterNode | None, calls: Sequence[Call]
    ) -> list[object]:
        server = client.get_redis_connection(node) if node else client
        pipeline = server.pipeline(transaction=False)
        for command in self._in_order(calls):
            pipeline.execute_command(*command)
        try:
            return cast(list[object], pipeline.execute(raise_on_error=False))
        except (exceptions.ConnectionError, exceptions.TimeoutError) as error:
            if node:  # Ask the other nodes which one has taken over.
                client.nodes_manager.initialize(last_failed_node_name=node.name)
            return [error] * len(calls)

    def _in_order(self, calls: Sequence[Call]) -> Iterator[tuple[str | int, ...]]:
        """Yield commands that run in this order also where the server has forgotten the scripts."""
        sent: set[str] = set()
        for number, call in enumerate(calls, 1):
            script = call.script
            # The whole script the first time: a script that is sent again would run after the
            # commands behind it. The last command has none behind it.
            is_short = script.sha in sent or number == len(calls)
            sent.add(script.sha)
            which = ("EVALSHA", script.sha) if is_short else ("EVAL", script.source)
            yield (*which, *self._tail(call))

    def _settled(self, client: Client, call: Call, reply: object) -> Reply | QueueUnavailable:
        if not isinstance(reply, Exception):
            return cast(Reply, reply)
        try:
            if isinstance(reply, FINDS_ITS_WAY):
                return self._run(client, call)
            raise reply
        except (RedisError, exceptions.RedisClusterException) as error:
            return _unavailable(error, logging.DEBUG)

    def _tail(self, call: Call) -> tuple[str | int, ...]:
        added = [self._added[name]() for name in call.script.added]
        return (len(call.keys), *call.keys, *call.arguments, *added)

    def _guarded(self, action: Callable[..., Any], *arguments: object) -> Any:
        began = time.perf_counter()
        try:
            with deadline:
                if self._client is None:
                    self._client = self._connect()
                return action(self._client, *arguments)
        except exceptions.RedisClusterException as error:
            self._client = None  # Its map of the cluster is out of date.
            raise _unavailable(error) from error
        except (RedisError, OSError) as error:
            raise _unavailable(error) from error
        finally:
            self.waited_seconds += time.perf_counter() - began


def _is_lost(reply: object) -> bool:
    return isinstance(reply, exceptions.ConnectionError | exceptions.TimeoutError)


def _by_node(client: RedisCluster, calls: Sequence[Call]) -> dict[ClusterNode, list[int]]:
    """Return the numbers of the calls that go to each node."""
    numbers: dict[ClusterNode, list[int]] = {}
    for number, call in enumerate(calls):
        node = client.get_node_from_key(call.keys[0])  # type: ignore[no-untyped-call]
        numbers.setdefault(node, []).append(number)
    return numbers


def _unavailable(error: Exception, level: int = logging.WARNING) -> QueueUnavailable:
    """Return what to answer; a script's own failure is a defect and is raised as such."""
    if isinstance(error, exceptions.ResponseError) and not isinstance(error, PASSING + REFUSED):
        raise ScriptFailed(with_hint(error)) from error
    logger.log(level, "Redis does not answer: %s", with_hint(error))
    unavailable = QueueUnavailable()
    unavailable.__cause__ = error
    return unavailable
