"""What can happen to a call on its way to AWS and back, at any step of any operation."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError, ReadTimeoutError

ENDPOINT = "https://aws.example.com"


class Crash(BaseException):
    """The process is gone: nothing catches this, and nothing of the process runs after it."""


@dataclass(frozen=True)
class Call:
    """One call to AWS; `make` carries it out."""

    name: str
    arguments: dict[str, Any]
    make: Callable[[], Any]

    @property
    def is_invoke(self) -> bool:
        return self.name == "Invoke"


Fault = Callable[[Call], Any]


class Wire:
    """Where one process' calls to AWS pass: noted down, and some of them struck by faults."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: dict[int, Fault] = {}
        self.calls: list[Call] = []
        self.is_dead = False

    def client(self, client: Any) -> Any:
        """Return a boto3 client whose calls pass here."""
        return _Wired(client, self)

    def arm(self, step: int, fault: Fault) -> None:
        """Have a fault strike one step (the first is 0) of what is done from now on."""
        self.disarm()
        self._faults[step] = fault

    def also(self, step: int, fault: Fault) -> None:
        """Have a fault strike another step too."""
        self._faults[step] = fault

    def disarm(self) -> None:
        """Let all calls through, also those of a process that takes a dead one's place."""
        self._faults = {}
        self.calls = []
        self.is_dead = False

    @property
    def names(self) -> list[str]:
        return [call.name for call in self.calls]

    def carry(self, call: Call) -> Any:
        """Make a call, or have its fault."""
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
    """The request never arrives."""
    raise ReadTimeoutError(endpoint_url=ENDPOINT)


def unheard(call: Call) -> Any:
    """The request takes effect, its answer never arrives."""
    call.make()
    raise ReadTimeoutError(endpoint_url=ENDPOINT)


def unheard_and(action: Callable[[], object]) -> Fault:
    """The request takes effect, something else happens, and its answer never arrives."""

    def fault(call: Call) -> Any:
        call.make()
        action()
        raise ReadTimeoutError(endpoint_url=ENDPOINT)

    return fault


def delivered_twice(call: Call) -> Any:
    """The SDK repeats a request whose first answer it did not hear."""
    answer = call.make()
    # A transaction carries a token by which DynamoDB answers the repeat as the first.
    return answer if call.name == "TransactWriteItems" else call.make()


def throttled(call: Call) -> Any:
    if call.is_invoke:
        raise _refusal(call, "TooManyRequestsException", 429)
    if call.name == "TransactWriteItems":
        raise _cancelled(call, "ThrottlingError")
    raise _refusal(call, "ThrottlingException", 400)


def in_conflict(call: Call) -> Any:
    """Another transaction has the same item."""
    if call.name == "TransactWriteItems":
        raise _cancelled(call, "TransactionConflict")
    if call.name in ("PutItem", "UpdateItem", "DeleteItem"):
        raise _refusal(call, "TransactionConflictException", 400)
    return call.make()


def function_failed(call: Call) -> Any:
    """The private function dies after its work: a time-out of Lambda's, say."""
    answer = call.make()
    if not call.is_invoke or call.arguments.get("InvocationType") == "Event":
        return answer
    return {**answer, "FunctionError": "Unhandled"}


def before(action: Callable[[], object]) -> Fault:
    """Something else happens just before the step."""

    def fault(call: Call) -> Any:
        action()
        return call.make()

    return fault


def after(action: Callable[[], object]) -> Fault:
    """Something else happens just after the step."""

    def fault(call: Call) -> Any:
        answer = call.make()
        action()
        return answer

    return fault


def operation_of(call: Call) -> str:
    """Return the private operation that an invocation asks for."""
    return str(json.loads(call.arguments["Payload"])["op"])


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
