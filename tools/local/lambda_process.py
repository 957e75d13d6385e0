"""Runs one function's processes, started with `python -m tools.local.lambda_process <handler>
<socket fd>`.

The first process imports the handler, and from then on only forks. Each fork is an execution
environment that runs one event at a time, as in Lambda. Threads cannot replace the forks, because
Powertools stores the current request in a class attribute, and two requests in one process would
get mixed up.

Every process ends when the local run ends, even if the run is killed, because the kernel then
closes the sockets that these processes read.
"""

import gc
import json
import os
import random
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

READY = b"r"
Handler = Callable[[Any, "LambdaContext"], Any]


@dataclass(frozen=True)
class LambdaContext:
    """The context that Lambda passes to a Python handler."""

    function_name: str
    memory_limit_in_mb: int
    invoked_function_arn: str
    aws_request_id: str
    deadline_ms: int
    function_version: str = "$LATEST"
    log_group_name: str = ""
    log_stream_name: str = ""
    identity: None = None
    client_context: None = None

    def get_remaining_time_in_millis(self) -> int:
        return max(0, self.deadline_ms - int(time.time() * 1000))


def main() -> None:
    handler_path, control_fd = sys.argv[1:]
    control = socket.socket(fileno=int(control_fd))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # With this setting, the kernel removes the processes of environments that have ended.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    module, _, name = handler_path.rpartition(".")
    handler: Handler = getattr(import_module(module), name)
    _compose()
    gc.freeze()  # The imported and composed objects then stay shared between the forks.
    control.sendall(READY)
    while True:
        _, fds, _, _ = socket.recv_fds(control, 1, 1)
        if not fds:
            return
        if os.fork() == 0:
            control.close()
            _run_environment(Connection(fds[0]), handler)
        os.close(fds[0])


def _compose() -> None:
    """Read botocore's service models and create the API before the first fork.

    Otherwise, each fork would need another 0.1 s for this. No connection is opened.
    """
    if clients := sys.modules.get("waitlist_api.aws.clients"):
        clients.dynamodb_client().close()
        clients.kms_client().close()
        clients.patient_lambda_client().close()
    if public := sys.modules.get("waitlist_api.handlers.public"):
        public.api()


def _run_environment(connection: Connection, handler: Handler) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    random.seed()  # Otherwise all forks would use the same random retry pauses.
    try:
        connection.send_bytes(str(os.getpid()).encode())
        while True:
            connection.send_bytes(_answer(handler, connection.recv_bytes()))
    except (EOFError, OSError):
        pass  # The local run has ended.
    finally:
        # Exit without running the exit handlers, which belong to the parent process.
        os._exit(0)


def _answer(handler: Handler, message: bytes) -> bytes:
    invocation = json.loads(message)
    context = LambdaContext(**invocation["context"])
    try:
        # Encode the result as Lambda has done since Python 3.12. A lone surrogate cannot be encoded
        # in UTF-8.
        payload = json.dumps(handler(invocation["event"], context), ensure_ascii=False)
        payload.encode()
        answer = {"payload": payload}
    except Exception as error:  # noqa: BLE001 - the answer describes any error of the handler
        answer = {"error": json.dumps(_described(error, context.aws_request_id))}
    sys.stdout.flush()
    return json.dumps(answer).encode()


def _described(error: Exception, request_id: str) -> dict[str, Any]:
    return {
        "errorMessage": str(error),
        "errorType": type(error).__name__,
        "requestId": request_id,
        "stackTrace": traceback.format_tb(error.__traceback__),
    }


if __name__ == "__main__":
    main()
