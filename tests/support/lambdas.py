"""The Lambda service for tests: runs the real private function, through JSON."""

import io
import json
from collections.abc import Callable
from typing import Any

PRIVATE = "private"
MAINTENANCE = "maintenance"


class InProcessLambda:
    """Answers a boto3 client's `invoke`; asynchronous invocations wait in `started`."""

    def __init__(self, private: Callable[[Any], Any]) -> None:
        self._private = private
        self.started: list[dict[str, Any]] = []

    def invoke(self, **call: Any) -> dict[str, Any]:
        message = json.loads(call["Payload"])
        if call["FunctionName"] == MAINTENANCE:
            assert call["InvocationType"] == "Event"
            self.started.append(message)
            return {"StatusCode": 202}
        assert call["FunctionName"] == PRIVATE
        answer = json.dumps(self._private(message)).encode()
        return {"StatusCode": 200, "Payload": io.BytesIO(answer)}
