"""An in-memory SQS that supports what the functions use: standard queues, and the JSON protocol."""

import json
import logging
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tools.local.http_message import HttpRequest, HttpResponse, json_response

PATH = "/_local/sqs"
MOST_RECEIVED = 10
CONTENT_TYPE = "application/x-amz-json-1.0"

logger = logging.getLogger(__name__)


@dataclass
class QueuedMessage:
    """A message in a queue. It cannot be received before `visible_seconds`."""

    body: str
    sent_millis: int
    visible_seconds: float
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    receipt: str = ""
    receives: int = 0


class LocalQueue:
    """A standard queue that any number of threads may use.

    A received message is hidden for `hidden_seconds`. If it has already been received
    `most_receives` times, it moves to `dead_letters`.
    """

    def __init__(
        self,
        hidden_seconds: float = 30,
        dead_letters: "LocalQueue | None" = None,
        most_receives: int = 1000,
        now_seconds: Callable[[], float] = time.time,
    ) -> None:
        self._hidden_seconds = hidden_seconds
        self._dead_letters = dead_letters
        self._most_receives = most_receives
        self._now_seconds = now_seconds
        self._messages: dict[str, QueuedMessage] = {}
        self._lock = threading.Lock()

    @property
    def bodies(self) -> list[str]:
        """The bodies of hidden messages are included."""
        with self._lock:
            return [message.body for message in self._messages.values()]

    def send(self, body: str) -> str:
        now = self._now_seconds()
        message = QueuedMessage(body, int(now * 1000), now)
        with self._lock:
            self._messages[message.id] = message
        return message.id

    def receive(self, most: int = MOST_RECEIVED, hidden_seconds: float | None = None) -> list[Any]:
        """Return up to `most` visible messages, oldest first, and hide them."""
        now = self._now_seconds()
        hidden = self._hidden_seconds if hidden_seconds is None else hidden_seconds
        found: list[QueuedMessage] = []
        with self._lock:
            for message in list(self._messages.values()):
                if len(found) == most:
                    break
                if message.visible_seconds > now:
                    continue
                message.receives += 1
                if self._dead_letters is not None and message.receives > self._most_receives:
                    del self._messages[message.id]
                    self._dead_letters.send(message.body)
                    continue
                message.visible_seconds = now + hidden
                message.receipt = str(uuid.uuid4())
                found.append(message)
        return found

    def delete(self, receipt: str) -> None:
        """If the message has since been received a second time, do nothing."""
        with self._lock:
            for message in list(self._messages.values()):
                if message.receipt == receipt:
                    del self._messages[message.id]

    def hide(self, receipt: str, seconds: float) -> bool:
        """Hide a message for a number of seconds. Return False if the receipt is outdated or
        unknown.
        """
        with self._lock:
            for message in self._messages.values():
                if message.receipt == receipt:
                    message.visible_seconds = self._now_seconds() + seconds
                    return True
        return False


def lambda_event(messages: list[QueuedMessage]) -> dict[str, Any]:
    return {
        "Records": [
            {
                "messageId": message.id,
                "receiptHandle": message.receipt,
                "body": message.body,
                "attributes": {
                    "ApproximateReceiveCount": str(message.receives),
                    "SentTimestamp": str(message.sent_millis),
                },
                "messageAttributes": {},
                "eventSource": "aws:sqs",
            }
            for message in messages
        ]
    }


class SqsEndpoint:
    """Answers SQS requests over HTTP. A queue's URL ends with its name."""

    def __init__(self, queues: dict[str, LocalQueue]) -> None:
        self._queues = queues
        self._actions: dict[str, Callable[[LocalQueue, dict[str, Any]], dict[str, Any]]] = {
            "ChangeMessageVisibility": _change_visibility,
            "DeleteMessageBatch": delete_batch,
            "ReceiveMessage": receive,
            "SendMessage": _send,
            "SendMessageBatch": send_batch,
        }

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # Browsers send an Origin header with every POST request, but other programs do not.
        if request.header("origin") is not None or not request.names_this_machine:
            return _refusal(403, "AccessDenied")
        action = self._actions.get((request.header("x-amz-target") or "").rpartition(".")[2])
        given = json.loads(request.body or b"{}")
        queue = self._queues.get(str(given.get("QueueUrl", "")).rpartition("/")[2])
        if action is None:
            return _refusal(400, "UnsupportedOperation")
        if queue is None:
            return _refusal(400, "QueueDoesNotExist")
        try:
            return json_response(200, action(queue, given), (), CONTENT_TYPE)
        except LookupError:
            return _refusal(400, "ReceiptHandleIsInvalid")


def _send(queue: LocalQueue, given: dict[str, Any]) -> dict[str, Any]:
    return {"MessageId": queue.send(given["MessageBody"])}


def send_batch(queue: LocalQueue, given: dict[str, Any]) -> dict[str, Any]:
    sent = [(entry["Id"], queue.send(entry["MessageBody"])) for entry in given["Entries"]]
    return {"Successful": [{"Id": id_, "MessageId": message} for id_, message in sent]}


def receive(queue: LocalQueue, given: dict[str, Any]) -> dict[str, Any]:
    found = queue.receive(given.get("MaxNumberOfMessages", 1), given.get("VisibilityTimeout"))
    messages = [
        {"MessageId": message.id, "ReceiptHandle": message.receipt, "Body": message.body}
        for message in found
    ]
    return {"Messages": messages} if messages else {}


def delete_batch(queue: LocalQueue, given: dict[str, Any]) -> dict[str, Any]:
    for entry in given["Entries"]:
        queue.delete(entry["ReceiptHandle"])
    return {"Successful": [{"Id": entry["Id"]} for entry in given["Entries"]]}


def _change_visibility(queue: LocalQueue, given: dict[str, Any]) -> dict[str, Any]:
    if not queue.hide(given["ReceiptHandle"], given["VisibilityTimeout"]):
        raise LookupError
    return {}


def _refusal(status: int, code: str) -> HttpResponse:
    body = {"__type": f"com.amazonaws.sqs#{code}", "message": code}
    return json_response(status, body, (), CONTENT_TYPE)
