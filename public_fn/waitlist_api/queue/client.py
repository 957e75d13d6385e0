"""Invoke the private function and other Lambda functions. No other module invokes functions."""

import json
import logging
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar, cast

import msgspec
from botocore.exceptions import BotoCoreError, ClientError
from msgspec import Struct, field

from waitlist_api.errors import NoMessages
from waitlist_shared import contracts as c
from waitlist_shared.correlation import FIELD, Correlation
from waitlist_shared.decoding import warm_decoders
from waitlist_shared.errors import (
    BY_CODE,
    Gone,
    InternalError,
    QueueUnavailable,
    Throttled,
    WaitlistError,
)
from waitlist_shared.limits import MAX_BATCH

warm_decoders(*c.RESULTS.values())
logger = logging.getLogger(__name__)
R = TypeVar("R", bound=c.Result)

# The error codes that Lambda returns when the function or the account is throttled.
THROTTLING = frozenset({"TooManyRequestsException", "ThrottlingException", "EC2ThrottledException"})


class Queue(Protocol):
    """An object that can send requests to the private function."""

    def send(self, request: c.Request) -> Any:
        """Return the result of a request, or raise the error in the response."""


class QueueClient(Struct, frozen=True):
    """Invokes the private function and other functions of the stack."""

    client: Any
    private_function: str
    maintenance_function: str = ""
    correlation: Correlation = field(default_factory=Correlation)
    messages_function: str = ""

    def send(self, request: c.Request) -> Any:
        """Send a request to the private function.

        Return the result, or raise the error in the response.
        """
        if self.correlation.id:
            request = msgspec.structs.replace(request, correlation_id=self.correlation.id)
        payload = self._invoke(self.private_function, msgspec.json.encode(request))
        return result_of(request, payload)

    def start_maintenance(self, waitlist_id: str) -> None:
        """Start a maintenance run for a single waitlist, without waiting for it to finish."""
        if not self.maintenance_function:
            return
        event = {"waitlist_id": waitlist_id}
        if self.correlation.id:
            event[FIELD] = self.correlation.id
        try:
            self.client.invoke(
                FunctionName=self.maintenance_function,
                InvocationType="Event",
                Payload=json.dumps(event).encode(),
            )
        except (ClientError, BotoCoreError) as error:
            # The caller need not know about this error, because the next scheduled maintenance run
            # does the same work.
            logger.warning("maintenance was not started: %s", type(error).__name__)

    def send_message(self, event: dict[str, Any]) -> Any:
        """Invoke the function that sends messages, and return its response.

        Raise NoMessages if the stack does not have this function.
        """
        if not self.messages_function:
            raise NoMessages
        return self._invoke(self.messages_function, msgspec.json.encode(event))

    def _invoke(self, function: str, payload: bytes) -> Any:
        try:
            answer = self.client.invoke(FunctionName=function, Payload=payload)
            body = answer["Payload"].read()
        except ClientError as error:
            if error.response["Error"]["Code"] in THROTTLING:
                raise Throttled from error
            raise QueueUnavailable from error
        except BotoCoreError as error:
            raise QueueUnavailable from error
        if "FunctionError" in answer:
            # The private function has timed out or crashed, possibly after carrying out the
            # request.
            raise QueueUnavailable
        return msgspec.json.decode(body)


def result_of(request: c.Request, message: Any) -> Any:
    """Decode the response to a request, or raise the error in the response."""
    if not message.get("ok"):
        raise failure_of(message)
    return msgspec.convert(message, c.RESULTS[type(request)])


def failure_of(message: Any) -> WaitlistError:
    """Return the error that a response contains."""
    return BY_CODE.get(message.get("code"), InternalError)(message.get("message"))


def send_batch(queue: Queue, requests: Sequence[c.Single]) -> list[c.Result | WaitlistError]:
    """Send several requests in one invocation. Return the result or the error of each request."""
    answers = cast(c.BatchResult, queue.send(c.Batch(requests=list(requests)))).results
    return [
        result_of(request, answer) if answer.get("ok") else failure_of(answer)
        for request, answer in zip(requests, answers, strict=True)
    ]


def send_all(queue: Queue, requests: Sequence[c.Single]) -> None:
    """Send requests in batches, and raise the first error in the responses.

    Ignore Gone, which means that the signup has ended and nothing is left to do.
    """
    for start in range(0, len(requests), MAX_BATCH):
        raise_first(send_batch(queue, requests[start : start + MAX_BATCH]))


def raise_first(answers: Sequence[c.Result | WaitlistError]) -> None:
    """Raise the first error among the responses.

    Ignore Gone, which means that the signup has ended and nothing is left to do.
    """
    for answer in answers:
        if isinstance(answer, WaitlistError) and not isinstance(answer, Gone):
            raise answer
