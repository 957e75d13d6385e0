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

    def invoke(
        self,
        FunctionName: str,
        Payload: bytes,
        InvocationType: str = "RequestResponse",  # noqa: N803
    ) -> dict[str, Any]:
        message = json.loads(Payload)
        if FunctionName == MAINTENANCE:
            assert InvocationType == "Event"
            self.started.append(message)
            return {"StatusCode": 202}
        assert FunctionName == PRIVATE
        answer = json.dumps(self._private(message)).encode()
        return {"StatusCode": 200, "Payload": io.BytesIO(answer)}
