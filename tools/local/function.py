"""A Lambda function on this computer. As in Lambda, its execution environments are reused."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from typing import Any, Protocol

from tools.local.aws import function_arn
from tools.local.lambda_process import LambdaContext

# A start takes a second or two, but much longer on a busy computer.
START_SECONDS = 120
# The size in bytes that Lambda allows for events and responses.
MAX_PAYLOAD_BYTES = 6 * 1024 * 1024


@dataclass(frozen=True)
class FunctionSettings:
    """A function's settings. `handler` has the form `module.function`.

    At most `environments` execution environments run at the same time. If all of them are busy, a
    call waits for up to `queue_seconds` and is then throttled. `concurrency` is the function's
    reserved concurrency.
    """

    name: str
    handler: str
    timeout_seconds: float = 30
    memory_mb: int = 512
    environments: int = 32
    queue_seconds: float = 30
    concurrency: int | None = None


@dataclass(frozen=True)
class Invocation:
    """A handler's result as JSON. If `failed` is true, the JSON describes the error, as in
    Lambda.
    """

    payload: bytes
    failed: bool = False

    def error_text(self) -> str:
        error = json.loads(self.payload)
        trace = "".join(error.get("stackTrace", []))
        return f"{error.get('errorType')}: {error.get('errorMessage')}\n{trace}".rstrip()


class ThrottledError(Exception):
    """The function cannot run any more calls at the same time."""


class PayloadTooLargeError(Exception):
    """The event is larger than Lambda allows."""


class FunctionStartError(Exception):
    """The handler could not be imported, or the import took too long."""


class _EnvironmentLostError(Exception):
    pass


class Function:
    """A running function, which many threads may call at the same time."""

    def __init__(self, settings: FunctionSettings, environ: Mapping[str, str]) -> None:
        self.settings = settings
        self._control, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "tools.local.lambda_process",
                    settings.handler,
                    str(theirs.fileno()),
                ],
                env=dict(environ),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                # Start the environments in their own session, so that Ctrl-C does not reach them.
                # The local service stops them.
                start_new_session=True,
            )
        self._idle: list[_Environment] = []
        self._lock = threading.Lock()
        # Use an executor, because it handles calls in the order in which they arrive. With a
        # semaphore, a new call could overtake a waiting one.
        self._workers = ThreadPoolExecutor(settings.environments, settings.name)
        self._running = 0

    def wait_until_ready(self) -> None:
        """Wait until the first environment has imported the handler and can take a call."""
        self._control.settimeout(START_SECONDS)
        handler = self.settings.handler
        try:
            if not self._control.recv(1):
                raise FunctionStartError(
                    f"{handler} could not be imported. The traceback above says why."
                )
        except TimeoutError:
            raise FunctionStartError(
                f"{handler} was not ready after {START_SECONDS} seconds. The machine may be busy: "
                "end other programs and start the service again."
            ) from None
        self._idle.append(_Environment(self._control))

    def invoke(self, payload: bytes) -> Invocation:
        """Raise ThrottledError if all environments stay busy for too long."""
        self._enter()
        try:
            return self._invoke(payload)
        finally:
            with self._lock:
                self._running -= 1

    def stop(self) -> None:
        """End all environments, including busy ones."""
        self._workers.shutdown(wait=False, cancel_futures=True)
        self._control.close()
        with self._lock:
            for environment in self._idle:
                environment.close()
            self._idle.clear()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _enter(self) -> None:
        with self._lock:
            limit = self.settings.concurrency
            if limit is not None and self._running >= limit:
                raise ThrottledError(self.settings.name)
            self._running += 1

    def _invoke(self, payload: bytes) -> Invocation:
        request_id = str(uuid.uuid4())
        try:
            run = self._workers.submit(self._run, payload, request_id)
        except RuntimeError:
            # The executor refuses new calls once the function has been stopped.
            return _exited(request_id)
        wait([run], self.settings.queue_seconds)
        if run.cancel():
            raise ThrottledError(self.settings.name)
        return run.result()

    def _run(self, payload: bytes, request_id: str) -> Invocation:
        try:
            environment = self._take()
        except _EnvironmentLostError:
            return _exited(request_id)
        context = self._context(request_id)
        try:
            invocation = environment.run(payload, context, self.settings.timeout_seconds)
        except TimeoutError:
            environment.kill()
            return self._timed_out(request_id)
        except _EnvironmentLostError:
            environment.close()
            return _exited(request_id)
        with self._lock:
            self._idle.append(environment)
        return invocation

    def _take(self) -> "_Environment":
        with self._lock:
            if self._idle:
                # Take the most recently used environment.
                return self._idle.pop()
        # Do not hold the lock while an environment starts, because calls that have an environment
        # must not wait for the start.
        return _Environment(self._control)

    def _context(self, request_id: str) -> dict[str, Any]:
        return asdict(
            LambdaContext(
                function_name=self.settings.name,
                memory_limit_in_mb=self.settings.memory_mb,
                invoked_function_arn=function_arn(self.settings.name),
                aws_request_id=request_id,
                deadline_ms=int((time.time() + self.settings.timeout_seconds) * 1000),
                log_group_name=f"/aws/lambda/{self.settings.name}",
                log_stream_name=request_id,
            )
        )

    def _timed_out(self, request_id: str) -> Invocation:
        seconds = self.settings.timeout_seconds
        message = f"Task timed out after {seconds:.2f} seconds"
        return _failure(request_id, "Sandbox.Timedout", message)


class Invocable(Protocol):
    def invoke(self, payload: bytes) -> Invocation:
        """Raise ThrottledError if the function is too busy."""
        ...


def invoke_within_limits(function: Invocable, payload: bytes) -> Invocation:
    """Invoke a function with Lambda's limits on the sizes of the event and the response.

    Raise PayloadTooLargeError if the event is too large, and ThrottledError if the function is
    busy.
    """
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise PayloadTooLargeError
    invocation = function.invoke(payload)
    if len(invocation.payload) <= MAX_PAYLOAD_BYTES:
        return invocation
    message = (
        f"Response payload size exceeded maximum allowed payload size ({MAX_PAYLOAD_BYTES} bytes)."
    )
    description = {"errorMessage": message, "errorType": "Function.ResponseSizeTooLarge"}
    return Invocation(json.dumps(description).encode(), failed=True)


def _exited(request_id: str) -> Invocation:
    return _failure(request_id, "Runtime.ExitError", "Runtime exited without a reason")


def _failure(request_id: str, error_type: str, message: str) -> Invocation:
    description = {
        "errorMessage": f"RequestId: {request_id} Error: {message}",
        "errorType": error_type,
    }
    return Invocation(json.dumps(description).encode(), failed=True)


class _Environment:
    """An execution environment: a forked process that ends when this object is closed."""

    def __init__(self, control: socket.socket) -> None:
        ours, theirs = socket.socketpair()
        self._connection = Connection(ours.detach())
        try:
            with theirs:
                socket.send_fds(control, [b"e"], [theirs.fileno()])
            self._pid = int(self._connection.recv_bytes())
        except (EOFError, OSError) as error:
            # The function has been stopped, so the control socket is closed.
            self.close()
            raise _EnvironmentLostError from error

    def run(self, payload: bytes, context: dict[str, Any], timeout_seconds: float) -> Invocation:
        message = b'{"context": %s, "event": %s}' % (json.dumps(context).encode(), payload)
        try:
            self._connection.send_bytes(message)
            if not self._connection.poll(timeout_seconds):
                raise TimeoutError
            answer = json.loads(self._connection.recv_bytes())
        except (EOFError, ConnectionError) as error:
            raise _EnvironmentLostError from error
        if "error" in answer:
            return Invocation(answer["error"].encode(), failed=True)
        return Invocation(answer["payload"].encode())

    def close(self) -> None:
        self._connection.close()

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        self.close()
