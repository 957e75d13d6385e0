"""The queue of the webhook, and its dead letters, by SQS."""

import json
from typing import Any, Self

import msgspec
from msgspec import Struct

from waitlist_api.events.changes import HEARTBEAT_EVENT
from waitlist_api.records.webhooks import Detail

# SQS hides a message for 12 hours at most, counted from its receipt.
LONGEST_PAUSE_SECONDS = 6 * 3600


class QueuedEvent(Struct, frozen=True):
    """One event in the queue; `sent_millis` is when it was put there.

    `is_replay` says that an operator has asked for an event that was given up. The queue, the bus
    and the pipe may deliver any message twice, so nothing else shows it.
    """

    detail: Detail
    receipt: str
    sent_millis: int
    is_replay: bool = False

    @classmethod
    def of_record(cls, record: dict[str, Any]) -> Self:
        """Read a record of SQS's event for Lambda."""
        return cls(
            detail=detail_of(record["body"]),
            receipt=record["receiptHandle"],
            sent_millis=int(record["attributes"]["SentTimestamp"]),
            is_replay=bool(json.loads(record["body"]).get("replay")),
        )


class WebhookQueue(Struct, frozen=True):
    """The two queues by their URLs, on an SQS client."""

    client: Any
    url: str
    dead_letters_url: str

    def hide(self, event: QueuedEvent, seconds: int) -> None:
        """Let a message come back after a pause."""
        self.client.change_message_visibility(
            QueueUrl=self.url,
            ReceiptHandle=event.receipt,
            VisibilityTimeout=max(1, min(seconds, LONGEST_PAUSE_SECONDS)),
        )

    def bury(self, detail: Detail) -> None:
        """Put an event that was given up among the dead letters."""
        self.client.send_message(QueueUrl=self.dead_letters_url, MessageBody=detail.body.decode())


def detail_of(body: str) -> Detail:
    """Return the detail of an entry's event in the body of a message, also of a replay."""
    return msgspec.convert(_found_in(body), Detail)


def is_heartbeat(body: str) -> bool:
    """Return whether the body of a message is a heartbeat of the bus, which no webhook gets."""
    return bool(_found_in(body).get("event") == HEARTBEAT_EVENT)


def _found_in(body: str) -> dict[str, Any]:
    """Read the body of a message: a detail, or a whole event that EventBridge could not deliver."""
    found: dict[str, Any] = json.loads(body)
    detail: dict[str, Any] = found.get("detail", found)
    return detail


def replay_of(body: str) -> str:
    """Return the body of the message by which an operator sends a dead letter again."""
    if is_heartbeat(body):
        return body
    return json.dumps({"replay": True, "detail": msgspec.to_builtins(detail_of(body))})
