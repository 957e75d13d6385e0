"""Simulates faults at any call to AWS."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from botocore.exceptions import ClientError, ReadTimeoutError

ENDPOINT = "https://aws.example.com"


class Crash(BaseException):
    """Simulates a process crash. The service does not catch this exception, which ends it just as a
    crash would.
    """


@dataclass(frozen=True)
class Call:
    name: str
    arguments: dict[str, Any]
    make: Callable[[], Any]

    @property
    def is_invoke(self) -> bool:
        return self.name == "Invoke"


Fault = Callable[[Call], Any]


class Wire:
    """Records a process's calls to AWS, and can inject a fault into one call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: dict[int, Fault] = {}
        self.calls: list[Call] = []
        self.is_dead = False

    def client(self, client: Any) -> Any:
        return _Wired(client, self)

    def arm(self, step: int, fault: Fault) -> None:
        """Set a single fault for call number `step`, counted from 0."""
        self.disarm()
        self._faults[step] = fault

    def also(self, step: int, fault: Fault) -> None:
        self._faults[step] = fault

    def disarm(self) -> None:
        """Remove all faults, forget all calls, and restart a crashed process."""
        self._faults = {}
        self.calls = []
        self.is_dead = False

    @property
    def names(self) -> list[str]:
        return [call.name for call in self.calls]

    @property
    def different_steps(self) -> dict[int, str]:
        """Return the numbers and names of the calls at which tests must try a fault.

        If an operation makes the same call many times in a row, only the first and the last of them
        are returned.
        """
        names = [
            f"{call.name} {operation_of(call)}" if call.is_invoke else call.name
            for call in self.calls
        ]
        pairs = [*pairwise(["", *names])]
        last = {pair: step for step, pair in enumerate(pairs)}
        return {
            step: name
            for step, (pair, name) in enumerate(zip(pairs, names, strict=True))
            if step in (pairs.index(pair), last[pair])
        }

    def carry(self, call: Call) -> Any:
        with self._lock:
            if self.is_dead:
                raise Crash
            step = len(self.calls)
            self.calls.append(call)
        fault = self._faults.get(step)
        if fault is None:
            return call.make()
        try:
            return fault(call)
        except Crash:
            self.is_dead = True
            raise


class _Wired:
    def __init__(self, client: Any, wire: Wire) -> None:
        self._client = client
        self._wire = wire

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)
        if not callable(method):
            return method

        def call(**arguments: Any) -> Any:
            operation = name.title().replace("_", "")
            return self._wire.carry(Call(operation, arguments, lambda: method(**arguments)))

        return call


def crash_before(call: Call) -> Any:
    raise Crash


def crash_after(call: Call) -> Any:
    call.make()
    raise Crash


def lost(call: Call) -> Any:
    """Simulate a request that never arrives at AWS."""
    raise ReadTimeoutError(endpoint_url=ENDPOINT)


def unheard(call: Call) -> Any:
    """Make the call, but lose its response."""
    call.make()
    raise ReadTimeoutError(endpoint_url=ENDPOINT)


def unheard_and(action: Callable[[], object]) -> Fault:
    """Return a fault that makes the call and runs `action`, but loses the response."""

    def fault(call: Call) -> Any:
        call.make()
        action()
        raise ReadTimeoutError(endpoint_url=ENDPOINT)

    return fault


def delivered_twice(call: Call) -> Any:
    """Make the call twice, as the AWS SDK does when it gets no response the first time."""
    answer = call.make()
    # If the SDK sends a transaction twice, DynamoDB repeats its first response, because the
    # transaction contains an idempotency token.
    return answer if call.name == "TransactWriteItems" else call.make()


def throttled(call: Call) -> Any:
    if call.is_invoke:
        raise _refusal(call, "TooManyRequestsException", 429)
    if call.name == "TransactWriteItems":
        raise _cancelled(call, "ThrottlingError")
    raise _refusal(call, "ThrottlingException", 400)


def in_conflict(call: Call) -> Any:
    """Refuse the write, as DynamoDB does while another transaction is writing the same item."""
    if call.name == "TransactWriteItems":
        raise _cancelled(call, "TransactionConflict")
    if call.name in ("PutItem", "UpdateItem", "DeleteItem"):
        raise _refusal(call, "TransactionConflictException", 400)
    return call.make()


def function_failed(call: Call) -> Any:
    """Let the private function do its work and then crash, for example because of a timeout."""
    answer = call.make()
    if not call.is_invoke or call.arguments.get("InvocationType") == "Event":
        return answer
    return {**answer, "FunctionError": "Unhandled"}


def before(action: Callable[[], object]) -> Fault:
    def fault(call: Call) -> Any:
        action()
        return call.make()

    return fault


def after(action: Callable[[], object]) -> Fault:
    def fault(call: Call) -> Any:
        answer = call.make()
        action()
        return answer

    return fault


def operation_of(call: Call) -> str:
    """Return the operation that a call to the private function runs, or "batch" if there are
    several.
    """
    return str(json.loads(call.arguments["Payload"]).get("op", "batch"))


def _refusal(call: Call, code: str, status: int) -> ClientError:
    return ClientError(
        {
            "Error": {"Code": code, "Message": code},
            "ResponseMetadata": _metadata(status),
        },
        call.name,
    )


def _cancelled(call: Call, reason: str) -> ClientError:
    return ClientError(
        {
            "Error": {"Code": "TransactionCanceledException", "Message": reason},
            "ResponseMetadata": _metadata(400),
            "CancellationReasons": [{"Code": reason}, {"Code": "None"}],
        },
        call.name,
    )


def _metadata(status: int) -> Any:
    return {"RequestId": "request", "HTTPStatusCode": status, "HTTPHeaders": {}, "RetryAttempts": 0}
