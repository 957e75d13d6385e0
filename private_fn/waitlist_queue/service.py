"""Handles private messages: decodes a request, runs it, encodes its result or its refusal."""

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

# One turn ends at least 200 holds of a waitlist, so one call ends at least 4,000. No turn begins
# after EXPIRING_SECONDS, so that the last one is over before Lambda would stop the function.
EXPIRING_TURNS = 20
EXPIRING_SECONDS = 0.5
logger = logging.getLogger(__name__)


class Rows(c.Request, frozen=True, kw_only=True, tag="batch"):
    """A batch before its rows are decoded: each row is decoded, and can fail, by itself."""

    requests: Annotated[list[Any], msgspec.Meta(max_length=MAX_BATCH)]


warm_decoders(Rows, c.AnyRequest)


class QueueService:
    """The private contract on one store. A defect is answered as `internal_error`."""

    def __init__(self, store: RedisStore, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._monotonic = monotonic

    def handle(self, message: object) -> Message:
        """Answer one message: a result with `ok` true, or a failure with a `code`."""
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
            # Its results are encoded already.
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
        requests = [one for one in decoded if isinstance(one, c.OnWaitlist)]
        results = iter(self._end_holds(requests, self._run_many(requests)))
        return [next(results) if isinstance(one, c.OnWaitlist) else one for one in decoded]

    def _run_many(self, requests: Sequence[c.OnWaitlist]) -> list[Message]:
        parts = list(parts_of(requests))
        replies = self._store.run_many([call_of(part) for part in parts])
        settled: list[Message] = []
        for part, reply in zip(parts, replies, strict=True):
            settled += _settle(part, reply)
        return settled

    def _end_holds(self, requests: Sequence[c.OnWaitlist], results: list[Message]) -> list[Message]:
        """End expired holds, and repeat the requests that these holds have kept from their answer.

        Some requests of a run may have been carried out. The requests that wait for the end of
        holds are repeated in their order.
        """
        end = self._monotonic() + EXPIRING_SECONDS
        for turn in range(EXPIRING_TURNS):
            late = [number for number, result in enumerate(results) if _is_expiring(result)]
            if not late or (turn and self._monotonic() > end):
                break
            waitlist_ids = {requests[number].waitlist_id: None for number in late}
            self._run_many([c.Expire(waitlist_id=one, limit=1) for one in waitlist_ids])
            again = self._run_many([requests[number] for number in late])
            for number, result in zip(late, again, strict=True):
                results[number] = result
        return results


def _is_expiring(result: Message) -> bool:
    return result.get("code") == Expiring.code


def _settle(part: list[c.OnWaitlist], reply: Reply | WaitlistError) -> list[Message]:
    if isinstance(reply, WaitlistError):
        return [failure(reply) for _ in part]
    return results_of(part, reply)


def _decode_rows(rows: list[Any]) -> list[c.OnWaitlist | Message]:
    """Decode each row of a batch, or say why it is refused."""
    try:
        requests = msgspec.convert({"op": "batch", "requests": rows}, c.Batch).requests
    except (msgspec.ValidationError, UnicodeEncodeError):
        # One row or more is refused. To decode each by itself takes a quarter longer.
        return [_decode_row(row) for row in rows]
    return [_accepted(request) for request in requests]


def _decode_row(row: object) -> c.OnWaitlist | Message:
    try:
        return _accepted(_decode(row))
    except WaitlistError as error:
        return failure(error)


def _accepted(request: c.Request) -> c.OnWaitlist | Message:
    """Return a row of a batch, or why it is refused."""
    if not isinstance(request, c.OnWaitlist):
        return failure(InvalidRequest("a batch holds operations on waitlists only"))
    return request if request.v == c.VERSION else failure(UnsupportedVersion())


def _decode(message: object) -> c.Request:
    try:
        request: c.Request = msgspec.convert(message, _type_of(message))
    except msgspec.ValidationError as error:
        raise InvalidRequest(str(error)) from error
    except UnicodeEncodeError as error:
        # JSON can escape half a character (\ud800), which no string of the contract holds.
        raise InvalidRequest("a string is not valid Unicode") from error
    if request.v != c.VERSION:
        raise UnsupportedVersion
    return request


def _type_of(message: Any) -> Any:
    """Return the struct that `op` names; converting to the union of all costs much more."""
    try:
        op = message["op"]
        return Rows if op == "batch" else c.REQUESTS[op]
    except (LookupError, TypeError):  # an unknown operation, or no message at all
        return c.AnyRequest
