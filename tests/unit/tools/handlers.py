"""Lambda handlers for child processes."""

import os
import socket
import sys
from typing import Any

from tools.local.lambda_process import LambdaContext

calls = 0


def describe(event: Any, context: LambdaContext) -> dict[str, Any]:
    global calls
    calls += 1
    return {
        "event": event,
        "pid": os.getpid(),
        "calls": calls,
        "setting": os.environ.get("SETTING"),
        "function": context.function_name,
        "arn": context.invoked_function_arn,
        "memory": context.memory_limit_in_mb,
        "request_id": context.aws_request_id,
        "remaining_ms": context.get_remaining_time_in_millis(),
    }


def meet(event: Any, context: LambdaContext) -> int:
    """Connect to the test and wait until it closes the connection. Return the process id."""
    with socket.create_connection(("127.0.0.1", event["port"])) as meeting:
        meeting.recv(1)
    return os.getpid()


def misbehave(event: Any, context: LambdaContext) -> Any:
    match event:
        case "raise":
            raise ValueError("no such luck")
        case "exit":
            sys.exit("enough")
        case "die":
            os._exit(1)
        case "not json":
            return {1, 2}
    return os.getpid()
