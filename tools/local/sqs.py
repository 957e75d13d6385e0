"""SQS in memory, as far as the functions use it: standard queues, by its JSON protocol."""

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
    """A message; hidden until `visible_seconds`, by the queue's clock."""

    body: str
    sent_millis: int
    visible_seconds: float
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    receipt: str = ""
    receives: int = 0


class LocalQueue:
    """One standard queue; safe to use from any number of threads.

    A received message is hidden for `hidden_seconds`, and goes to `dead_letters` at its receipt
    number `most_receives` + 1.
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
        """The bodies of all messages, also of hidden ones."""
        with self._lock:
            return [one.body for one in self._messages.values()]

    def send(self, body: str) -> str:
        """Put a message into the queue and return its id."""
        now = self._now_seconds()
        message = QueuedMessage(body, int(now * 1000), now)
        with self._lock:
            self._messages[message.id] = message
        return message.id

    def receive(self, most: int = MOST_RECEIVED, hidden_seconds: float | None = None) -> list[Any]:
        """Return some visible messages, oldest first, and hide them."""
        now = self._now_seconds()
        hidden = self._hidden_seconds if hidden_seconds is None else hidden_seconds
        found: list[QueuedMessage] = []
        with self._lock:
            for one in list(self._messages.values()):
                if len(found) == most:
                    break
                if one.visible_seconds > now:
                    continue
                one.receives += 1
                if self._dead_letters is not None and one.receives > self._most_receives:
                    del self._messages[one.id]
                    self._dead_letters.send(one.body)
                    continue
                one.visible_seconds = now + hidden
                one.receipt = str(uuid.uuid4())
                found.append(one)
        return found

    def delete(self, receipt: str) -> None:
        """Delete a message by the receipt of its last delivery; one that is gone stays gone."""
        with self._lock:
            for one in list(self._messages.values()):
                if one.receipt == receipt:
                    del self._messages[one.id]

    def hide(self, receipt: str, seconds: float) -> bool:
        """Hide a message from now on; False if the receipt is not that of its last delivery."""
        with self._lock:
            for one in self._messages.values():
                if one.receipt == receipt:
                    one.visible_seconds = self._now_seconds() + seconds
                    return True
        return False


def lambda_event(messages: list[QueuedMessage]) -> dict[str, Any]:
    """Return the event by which Lambda hands messages to a function."""
    return {
        "Records": [
            {
                "messageId": one.id,
                "receiptHandle": one.receipt,
                "body": one.body,
                "attributes": {
                    "ApproximateReceiveCount": str(one.receives),
                    "SentTimestamp": str(one.sent_millis),
                },
                "messageAttributes": {},
                "eventSource": "aws:sqs",
            }
            for one in messages
        ]
    }


class SqsEndpoint:
    """Answers the actions of SQS on queues, by the last part of their URLs."""

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
        # Browsers send Origin with each POST, and programs do not.
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
    sent = [(one["Id"], queue.send(one["MessageBody"])) for one in given["Entries"]]
    return {"Successful": [{"Id": id_, "MessageId": message} for id_, message in sent]}


def receive(queue: LocalQueue, given: dict[str, Any]) -> dict[str, Any]:
    found = queue.receive(given.get("MaxNumberOfMessages", 1), given.get("VisibilityTimeout"))
    messages = [
        {"MessageId": one.id, "ReceiptHandle": one.receipt, "Body": one.body} for one in found
    ]
    return {"Messages": messages} if messages else {}


def delete_batch(queue: LocalQueue, given: dict[str, Any]) -> dict[str, Any]:
    for one in given["Entries"]:
        queue.delete(one["ReceiptHandle"])
    return {"Successful": [{"Id": one["Id"]} for one in given["Entries"]]}


def _change_visibility(queue: LocalQueue, given: dict[str, Any]) -> dict[str, Any]:
    if not queue.hide(given["ReceiptHandle"], given["VisibilityTimeout"]):
        raise LookupError
    return {}


def _refusal(status: int, code: str) -> HttpResponse:
    body = {"__type": f"com.amazonaws.sqs#{code}", "message": code}
    return json_response(status, body, (), CONTENT_TYPE)
