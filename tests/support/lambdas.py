"""An in-process Lambda client that runs the real private function.

Requests and answers are converted to JSON and back, as in Lambda.
"""

import io
import json
from collections.abc import Callable
from typing import Any

PRIVATE = "private"
MAINTENANCE = "maintenance"
MESSAGES = "messages"


class InProcessLambda:
    """A fake Lambda client that runs the private function in the same process.

    Other functions do not run. Calls to maintenance are added to `started`. Calls to the messages
    function are added to `trials`, and each is answered with the next item of `trial_outcomes`.
    """

    def __init__(self, private: Callable[[Any], Any]) -> None:
        self._private = private
        self.started: list[dict[str, Any]] = []
        self.trials: list[dict[str, Any]] = []
        self.trial_outcomes: list[str] = []

    def invoke(self, **call: Any) -> dict[str, Any]:
        message = json.loads(call["Payload"])
        if call["FunctionName"] == MAINTENANCE:
            assert call["InvocationType"] == "Event"
            self.started.append(message)
            return {"StatusCode": 202}
        if call["FunctionName"] == MESSAGES:
            self.trials.append(message)
            outcome = self.trial_outcomes.pop() if self.trial_outcomes else "sent"
            answer = json.dumps({"outcome": outcome}).encode()
            return {"StatusCode": 200, "Payload": io.BytesIO(answer)}
        assert call["FunctionName"] == PRIVATE
        answer = json.dumps(self._private(message)).encode()
        return {"StatusCode": 200, "Payload": io.BytesIO(answer)}
