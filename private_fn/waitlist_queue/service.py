"""Handles messages from the public function: decodes the request, runs its script, and encodes the
answer.
"""

import logging
import time
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import msgspec

from waitlist_queue.operations import call_of, parts_of, results_of
from waitlist_queue.results import Message, encoded, failure
from waitlist_queue.store import RedisStore, Reply, ScriptFailed
from waitlist_shared import contracts as c
from waitlist_shared.decoding import warm_decoders
from waitlist_shared.errors import (
    Expiring,
    InternalError,
    InvalidRequest,
    UnsupportedVersion,
    WaitlistError,
)
from waitlist_shared.limits import MAX_BATCH

# Expired claims and offers are ended in batches of at least 200. No batch begins after
# EXPIRING_SECONDS, so that Lambda does not stop the function in the middle of a batch.
EXPIRING_TURNS = 20
EXPIRING_SECONDS = 0.5
logger = logging.getLogger(__name__)


class Rows(c.Request, frozen=True, kw_only=True, tag="batch"):
    """A batch whose requests have not been decoded yet.

    The requests are decoded separately from the batch, so that an invalid request does not make the
    whole batch fail.
    """

    requests: Annotated[list[Any], msgspec.Meta(max_length=MAX_BATCH)]


warm_decoders(Rows, c.AnyRequest)


class QueueService:
    """Answers messages by running scripts on Redis."""

    def __init__(self, store: RedisStore, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._monotonic = monotonic

    def handle(self, message: object) -> Message:
        """Return the answer to a message: a result with `ok: true`, or a failure with a `code`."""
        try:
            return self._answer(_decode(message))
        except WaitlistError as error:
            return failure(error)
        except ScriptFailed:
            logger.exception("a script failed")
            return failure(InternalError())

    def _answer(self, request: c.Request) -> Message:
        if isinstance(request, Rows):
            results = self._batch(request.requests)
            # The batch's results have already been encoded, so add them to the answer unchanged.
            return {**encoded(c.BatchResult(outcome="batch", results=[])), "results": results}
        if isinstance(request, c.OnWaitlist):
            return self._run(request)
        self._store.ping()
        return encoded(c.PingResult(outcome="pong"))

    def _run(self, request: c.OnWaitlist) -> Message:
        [result] = results_of([request], self._store.run(call_of([request])))
        if not _is_expiring(result):
            return result
        [result] = self._end_holds([request], [result])
        return result

    def _batch(self, rows: list[Any]) -> list[Message]:
        decoded = _decode_rows(rows)
        requests = [row for row in decoded if isinstance(row, c.OnWaitlist)]
        results = iter(self._end_holds(requests, self._run_many(requests)))
        return [next(results) if isinstance(row, c.OnWaitlist) else row for row in decoded]

    def _run_many(self, requests: Sequence[c.OnWaitlist]) -> list[Message]:
        parts = list(parts_of(requests))
        replies = self._store.run_many([call_of(part) for part in parts])
        settled: list[Message] = []
        for part, reply in zip(parts, replies, strict=True):
            settled += _results_or_failures(part, reply)
        return settled

    def _end_holds(self, requests: Sequence[c.OnWaitlist], results: list[Message]) -> list[Message]:
        """End expired claims and offers, then retry the requests that a script refused with
        `expiring`.
        """
        end = self._monotonic() + EXPIRING_SECONDS
        for turn in range(EXPIRING_TURNS):
            late = [number for number, result in enumerate(results) if _is_expiring(result)]
            if not late or (turn and self._monotonic() > end):
                break
            waitlist_ids = {requests[number].waitlist_id: None for number in late}
            self._run_many(
                [c.Expire(waitlist_id=waitlist_id, limit=1) for waitlist_id in waitlist_ids]
            )
            again = self._run_many([requests[number] for number in late])
            for number, result in zip(late, again, strict=True):
                results[number] = result
        return results


def _is_expiring(result: Message) -> bool:
    return result.get("code") == Expiring.code


def _results_or_failures(part: list[c.OnWaitlist], reply: Reply | WaitlistError) -> list[Message]:
    if isinstance(reply, WaitlistError):
        return [failure(reply) for _ in part]
    return results_of(part, reply)


def _decode_rows(rows: list[Any]) -> list[c.OnWaitlist | Message]:
    """Decode the requests in a batch. In the returned list, a failure takes the place of each
    invalid request.
    """
    try:
        requests = msgspec.convert({"op": "batch", "requests": rows}, c.Batch).requests
    except (msgspec.ValidationError, UnicodeEncodeError):
        # At least one request in the batch is invalid. Decode each request separately to find out
        # which of them are invalid.
        return [_decode_row(row) for row in rows]
    return [_check_row(request) for request in requests]


def _decode_row(row: object) -> c.OnWaitlist | Message:
    try:
        return _check_row(_decode(row))
    except WaitlistError as error:
        return failure(error)


def _check_row(request: c.Request) -> c.OnWaitlist | Message:
    """Return the request, or a failure if requests of this type are not allowed in a batch."""
    if not isinstance(request, c.OnWaitlist):
        return failure(InvalidRequest("a batch may contain only operations on waitlists"))
    return request if request.v == c.VERSION else failure(UnsupportedVersion())


def _decode(message: object) -> c.Request:
    try:
        request: c.Request = msgspec.convert(message, _type_of(message))
    except msgspec.ValidationError as error:
        raise InvalidRequest(str(error)) from error
    except UnicodeEncodeError as error:
        # The JSON string contains one half of a surrogate pair (such as \ud800) without the other
        # half. Python cannot encode such a string.
        raise InvalidRequest("a string is not valid Unicode") from error
    if request.v != c.VERSION:
        raise UnsupportedVersion
    return request


def _type_of(message: Any) -> Any:
    """Return the struct type of a message. The `op` field contains the name of the operation."""
    # Look the type up first, because decoding a known struct is much faster than decoding the union
    # of all structs.
    try:
        op = message["op"]
        return Rows if op == "batch" else c.REQUESTS[op]
    except (LookupError, TypeError):  # the operation is unknown, or the message is not an object
        return c.AnyRequest
