"""Runs the Lua scripts on Redis."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, cast

from redis import RedisError, exceptions
from redis.cluster import ClusterNode, RedisCluster

from waitlist_queue.connections import Client, deadline
from waitlist_queue.error_hints import with_hint
from waitlist_queue.scripts import Script
from waitlist_shared.errors import QueueUnavailable

logger = logging.getLogger(__name__)
Reply = list[Any]
# Temporary errors, for example during a Redis failover or restart.
TRANSIENT_ERRORS = (
    exceptions.ClusterDownError,
    exceptions.ReadOnlyError,
    exceptions.TryAgainError,
    exceptions.OutOfMemoryError,
)
# Errors that only an operator can resolve. The log contains a hint for each of them.
OPERATOR_ERRORS = (exceptions.NoPermissionError,)
# If a command in a pipeline fails with one of these errors, the store sends the command a second
# time.
RETRIED_ALONE = (
    exceptions.NoScriptError,
    exceptions.AskError,  # also covers MovedError
    exceptions.ClusterDownError,
    exceptions.TryAgainError,
    exceptions.ConnectionError,
    exceptions.TimeoutError,
)


class ScriptFailed(Exception):
    """A script failed because of a defect, although Redis is available."""


class Call(NamedTuple):
    """A script to run, with its keys and arguments."""

    script: Script
    keys: tuple[str, ...]
    arguments: tuple[str | int, ...]


class RedisStore:
    """Runs scripts with the EVALSHA command.

    If Redis does not know a script, the store sends the script's source.
    """

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
        self._call_redis(lambda client: client.execute_command("PING"))

    def run(self, call: Call) -> Reply:
        """Run one script in one round trip."""
        reply: Reply = self._call_redis(self._run, call)
        return reply

    def run_many(self, calls: Sequence[Call]) -> list[Reply | QueueUnavailable]:
        """Run many scripts in the given order, with one round trip for each Redis node.

        Each script succeeds or fails independently.
        """
        return cast(
            list[Reply | QueueUnavailable],
            self._call_redis(self._run_many, calls),
        )

    def _run(self, client: Client, call: Call) -> Reply:
        if deadline.left() <= 0:
            raise exceptions.TimeoutError("the deadline of the call has passed")
        tail = self._tail(call)
        try:
            reply: Reply = client.execute_command("EVALSHA", call.script.sha, *tail)
            return reply
        except exceptions.NoScriptError:
            return cast(Reply, client.execute_command("EVAL", call.script.source, *tail))

    def _run_many(self, client: Client, calls: Sequence[Call]) -> list[Reply | QueueUnavailable]:
        replies = self._send(client, calls) if calls else []
        # First retry the calls that Redis answered with an error. Calls whose connection was lost
        # come last, because retrying them can use up the remaining time.
        order = sorted(range(len(calls)), key=lambda number: _is_lost(replies[number]))
        outcomes = {
            number: self._resolve_reply(client, calls[number], replies[number]) for number in order
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

    def _send(self, client: Client, calls: Sequence[Call]) -> list[object]:
        """Send the calls, and return a reply or an error for each call."""
        if not isinstance(client, RedisCluster):
            return self._send_pipeline(client, None, calls)
        replies: dict[int, object] = {}
        for node, numbers in _by_node(client, calls).items():
            found = self._send_pipeline(client, node, [calls[number] for number in numbers])
            replies.update(zip(numbers, found, strict=True))
        return [replies[number] for number in range(len(calls))]

    def _send_pipeline(
        self, client: Any, node: ClusterNode | None, calls: Sequence[Call]
    ) -> list[object]:
        server = client.get_redis_connection(node) if node else client
        pipeline = server.pipeline(transaction=False)
        for command in self._commands_for(calls):
            pipeline.execute_command(*command)
        try:
            return cast(list[object], pipeline.execute(raise_on_error=False))
        except (exceptions.ConnectionError, exceptions.TimeoutError) as error:
            if node:  # Ask the other nodes which node has taken over.
                client.nodes_manager.initialize(last_failed_node_name=node.name)
            return [error] * len(calls)

    def _commands_for(self, calls: Sequence[Call]) -> Iterator[tuple[str | int, ...]]:
        """Yield one Redis command for each call, in the given order. The commands are chosen so
        that Redis also runs the calls in this order.
        """
        sent: set[str] = set()
        for number, call in enumerate(calls, 1):
            script = call.script
            # Send the script's source with the first call to each script. If this call contained
            # only the hash and Redis did not have the script, the call would fail and be repeated
            # out of order, after all other calls. The last call can always be sent by hash, because
            # no other call comes after it.
            is_short = script.sha in sent or number == len(calls)
            sent.add(script.sha)
            which = ("EVALSHA", script.sha) if is_short else ("EVAL", script.source)
            yield (*which, *self._tail(call))

    def _resolve_reply(self, client: Client, call: Call, reply: object) -> Reply | QueueUnavailable:
        if not isinstance(reply, Exception):
            return cast(Reply, reply)
        try:
            if isinstance(reply, RETRIED_ALONE):
                return self._run(client, call)
            raise reply
        except (RedisError, exceptions.RedisClusterException) as error:
            return _unavailable(error, logging.DEBUG)

    def _tail(self, call: Call) -> tuple[str | int, ...]:
        added = [self._added[name]() for name in call.script.added]
        return (len(call.keys), *call.keys, *call.arguments, *added)

    def _call_redis(self, action: Callable[..., Any], *arguments: object) -> Any:
        began = time.perf_counter()
        try:
            with deadline:
                with suppress(exceptions.SlotNotCoveredError):
                    if self._client is not None:
                        return action(self._client, *arguments)
                # The client's map of the cluster has no node for the waitlist's hash slot. The map
                # may be outdated, so create a new client, which reads the current map.
                self._client = self._connect()
                return action(self._client, *arguments)
        except exceptions.RedisClusterException as error:
            self._client = None  # The client's map of the cluster is out of date.
            raise _unavailable(error) from error
        except (RedisError, OSError) as error:
            raise _unavailable(error) from error
        finally:
            self.waited_seconds += time.perf_counter() - began


def _is_lost(reply: object) -> bool:
    return isinstance(reply, exceptions.ConnectionError | exceptions.TimeoutError)


def _by_node(client: RedisCluster, calls: Sequence[Call]) -> dict[ClusterNode, list[int]]:
    """Return the indexes of the calls that each Redis node must run."""
    numbers: dict[ClusterNode, list[int]] = {}
    for number, call in enumerate(calls):
        node = client.get_node_from_key(call.keys[0])  # type: ignore[no-untyped-call]
        numbers.setdefault(node, []).append(number)
    return numbers


def _unavailable(error: Exception, level: int = logging.WARNING) -> QueueUnavailable:
    """Log the error, and return a QueueUnavailable error.

    Raise ScriptFailed if the script has a defect.
    """
    if isinstance(error, exceptions.ResponseError) and not isinstance(
        error, TRANSIENT_ERRORS + OPERATOR_ERRORS
    ):
        raise ScriptFailed(with_hint(error)) from error
    logger.log(level, "Redis does not answer: %s", with_hint(error))
    unavailable = QueueUnavailable()
    unavailable.__cause__ = error
    return unavailable
