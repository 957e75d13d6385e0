"""Runs the scripts on Redis."""

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

from redis import RedisError, exceptions
from redis.cluster import ClusterNode, RedisCluster

from waitlist_queue.connections import HERE, Client, call_time
from waitlist_queue.remedies import with_remedy
from waitlist_queue.scripts import Script
from waitlist_shared.errors import QueueUnavailable

logger = logging.getLogger(__name__)
Reply = list[Any]
# Refusals that pass by themselves: a failover, a restart, a full memory that drains.
PASSING = (
    exceptions.ClusterDownError,
    exceptions.ReadOnlyError,
    exceptions.TryAgainError,
    exceptions.OutOfMemoryError,
)
# Refusals that somebody has to end; the log says how.
REFUSED = (exceptions.NoPermissionError,)
# What one command of a pipeline may meet where the same command by itself finds its way.
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
    """Scripts by EVALSHA; one that the server has forgotten is sent whole."""

    def __init__(
        self,
        connect: Callable[[], Client],
        now_micros: Callable[[], int | str] = lambda: "",
        here: Callable[[], str] = lambda: HERE,
    ) -> None:
        self._connect = connect
        self._client: Client | None = None
        self._added = {"now": now_micros, "here": here}
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
        if call_time.left() <= 0:
            raise exceptions.TimeoutError("the time of the call is up")
        tail = self._tail(call)
        try:
            reply: Reply = client.execute_command("EVALSHA", call.script.sha, *tail)
            return reply
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
            reason = with_remedy(failed[0].__cause__ or failed[0])
            logger.warning(
                "Redis does not answer %d of %d calls, first: %s", len(failed), len(calls), reason
            )
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
        added = [self._added[name]() for name in call.script.added]
        return (len(call.keys), *call.keys, *call.arguments, *added)

    def _guarded(self, action: Callable[..., Any], *arguments: object) -> Any:
        began = time.perf_counter()
        try:
            with call_time:
                if self._client is None:
                    self._client = self._connect()
                return action(self._client, *arguments)
        except exceptions.RedisClusterException as error:
            self._client = None  # What it knows of the cluster no longer holds.
            raise _unavailable(error) from error
        except (RedisError, OSError) as error:
            raise _unavailable(error) from error
        finally:
            self.waited_seconds += time.perf_counter() - began


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
    if isinstance(error, exceptions.ResponseError) and not isinstance(error, PASSING + REFUSED):
        raise ScriptFailed(with_remedy(error)) from error
    logger.log(level, "Redis does not answer: %s", with_remedy(error))
    unavailable = QueueUnavailable()
    unavailable.__cause__ = error
    return unavailable
