"""Answers messages: decodes a request, carries it out, encodes its result or its refusal."""

import logging
from typing import Any, cast

import msgspec

from waitlist_queue.operations import call_of, result_of
from waitlist_queue.store import RedisStore, ScriptFailed
from waitlist_shared import contracts as c
from waitlist_shared.errors import (
    Expiring,
    InternalError,
    InvalidRequest,
    UnsupportedVersion,
    WaitlistError,
)

Message = dict[str, Any]
# Holds that end in one turn times this: 4,000 at once.
EXPIRING_TURNS = 20
logger = logging.getLogger(__name__)


class QueueService:
    """The private contract on one store; never answers with a traceback."""

    def __init__(self, store: RedisStore) -> None:
        self._store = store

    def handle(self, message: object) -> Message:
        """Answer one message: a result with `ok` true, or a failure with a `code`."""
        try:
            return _encode(self._answer(_decode(message)))
        except WaitlistError as error:
            return _failure(error)
        except ScriptFailed:
            logger.exception("a script failed")
            return _failure(InternalError())

    def _answer(self, request: c.AnyRequest) -> c.Result:
        if isinstance(request, c.Batch):
            return c.BatchResult(outcome="batch", results=self._batch(request.requests))
        if isinstance(request, c.Ping):
            self._store.ping()
            return c.PingResult(outcome="pong")
        return self._run(request)

    def _run(self, request: c.OnWaitlist) -> c.Result:
        for _ in range(EXPIRING_TURNS):
            try:
                return result_of(request, self._store.run(call_of(request)))
            except Expiring:
                # Each turn ends a bounded number of holds; nobody may be claimed before them.
                continue
        raise Expiring

    def _batch(self, requests: list[c.Single]) -> list[Message]:
        on_waitlists = [_on_waitlist(request) for request in requests]
        replies = self._store.run_many([call_of(request) for request in on_waitlists])
        return [
            _settle(request, reply) for request, reply in zip(on_waitlists, replies, strict=True)
        ]


def _settle(request: c.OnWaitlist, reply: object) -> Message:
    if isinstance(reply, WaitlistError):
        return _failure(reply)
    try:
        return _encode(result_of(request, cast(list[Any], reply)))
    except WaitlistError as error:
        return _failure(error)


def _on_waitlist(request: c.Single) -> c.OnWaitlist:
    if isinstance(request, c.Ping):
        raise InvalidRequest("a batch holds operations on waitlists only, no ping")
    return request


def _decode(message: object) -> c.AnyRequest:
    try:
        request: c.AnyRequest = msgspec.convert(message, c.AnyRequest)
    except msgspec.ValidationError as error:
        raise InvalidRequest(str(error)) from error
    except UnicodeEncodeError as error:
        # JSON can escape half a character (\ud800), which no string of the contract holds.
        raise InvalidRequest("a string is not valid Unicode") from error
    requests = request.requests if isinstance(request, c.Batch) else []
    if any(one.v > c.VERSION for one in (request, *requests)):
        raise UnsupportedVersion
    return request


def _encode(result: c.Result | c.Failure) -> Message:
    return cast(Message, msgspec.to_builtins(result))


def _failure(error: WaitlistError) -> Message:
    return _encode(c.Failure(code=error.code, message=error.message))
