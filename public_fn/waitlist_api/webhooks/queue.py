"""The webhook's SQS queue, and the SQS queue for its dead letters."""

import json
from typing import Any, Self

import msgspec
from msgspec import Struct

from waitlist_api.records.published import HEARTBEAT_EVENT, Detail

# SQS allows at most 12 hours.
LONGEST_PAUSE_SECONDS = 6 * 3600


class QueuedEvent(Struct, frozen=True):
    """An entry event in the queue. `is_replay` is true if an operator has sent the event again."""

    detail: Detail
    receipt: str
    sent_millis: int
    is_replay: bool = False

    @classmethod
    def of_record(cls, record: dict[str, Any]) -> Self:
        """Parse a record from an SQS event that Lambda received."""
        return cls(
            detail=detail_of(record["body"]),
            receipt=record["receiptHandle"],
            sent_millis=int(record["attributes"]["SentTimestamp"]),
            is_replay=bool(json.loads(record["body"]).get("replay")),
        )


class WebhookQueue(Struct, frozen=True):
    """The webhook's two SQS queues: one for the events to deliver, and one for the events that
    could not be delivered.
    """

    client: Any
    url: str
    dead_letters_url: str

    def hide(self, event: QueuedEvent, seconds: int) -> None:
        """Hide a message from receivers for `seconds`."""
        self.client.change_message_visibility(
            QueueUrl=self.url,
            ReceiptHandle=event.receipt,
            VisibilityTimeout=max(1, min(seconds, LONGEST_PAUSE_SECONDS)),
        )

    def bury(self, detail: Detail) -> None:
        """Add an event to the dead-letter queue."""
        self.client.send_message(QueueUrl=self.dead_letters_url, MessageBody=detail.body.decode())


def detail_of(body: str) -> Detail:
    """Parse the entry event in the body of a queue message or replay message."""
    return msgspec.convert(_read_detail(body), Detail)


def is_heartbeat(body: str) -> bool:
    """Return whether a message is a test message (heartbeat), which is not sent to the webhook."""
    return bool(_read_detail(body).get("event") == HEARTBEAT_EVENT)


def _read_detail(body: str) -> dict[str, Any]:
    """Return the detail of the event in a message.

    The message's body is either the whole event or only its detail.
    """
    found: dict[str, Any] = json.loads(body)
    detail: dict[str, Any] = found.get("detail", found)
    return detail


def build_replay(body: str) -> str:
    """Build the body of a message that replays a dead letter."""
    if is_heartbeat(body):
        return body
    return json.dumps({"replay": True, "detail": msgspec.to_builtins(detail_of(body))})
