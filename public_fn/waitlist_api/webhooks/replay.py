"""Replays the webhook's dead letters."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from msgspec import Struct, ValidationError

from waitlist_api.errors import NotReady, NoWebhook
from waitlist_api.webhooks.queue import build_replay, detail_of, is_heartbeat

# The maximum number of messages in one SQS call.
BATCH = 10
# A request has enough time for this many rounds of three SQS calls each.
ROUNDS = 40
# How long received messages stay hidden, so that the later rounds of a replay do not receive them
# again.
HIDDEN_SECONDS = 60


class Replayed(Struct, frozen=True):
    """The number of replayed dead letters. If `more` is true, another call can replay more."""

    count: int
    more: bool


class Replays(Struct, frozen=True):
    """Replays dead letters. The queue URLs are empty if the stack has no webhook.

    `sqs` returns the SQS client.
    """

    sqs: Callable[[], Any]
    queue_url: str
    dead_letters_url: str

    def replay(self, since: datetime) -> Replayed:
        """Move the dead letters of events since a time back into the webhook's queue.

        Raises NoWebhook if the stack has no webhook, and NotReady if SQS fails. Each message is
        sent before it is deleted. If the function stops in between, the message is sent twice, but
        the webhook receives the event once.
        """
        if not self.queue_url:
            raise NoWebhook
        try:
            return self._replay(self.sqs(), since)
        except (BotoCoreError, ClientError) as error:
            raise NotReady from error

    def _replay(self, sqs: Any, since: datetime) -> Replayed:
        count = 0
        for _ in range(ROUNDS):
            answer = sqs.receive_message(
                QueueUrl=self.dead_letters_url,
                MaxNumberOfMessages=BATCH,
                VisibilityTimeout=HIDDEN_SECONDS,
                # Long polling queries all SQS servers. Short polling queries only some servers, and
                # may find no messages.
                WaitTimeSeconds=1,
            )
            received = answer.get("Messages", [])
            if not received:
                return Replayed(count, more=False)
            chosen = [message for message in received if _is_since(message["Body"], since)]
            count += self._move(sqs, chosen) if chosen else 0
        return Replayed(count, more=True)

    def _move(self, sqs: Any, messages: list[dict[str, Any]]) -> int:
        by_id = {str(number): message for number, message in enumerate(messages)}
        sent = sqs.send_message_batch(
            QueueUrl=self.queue_url,
            Entries=[
                {"Id": id_, "MessageBody": build_replay(message["Body"])}
                for id_, message in by_id.items()
            ],
        )
        done = [result["Id"] for result in sent.get("Successful", [])]
        if done:
            sqs.delete_message_batch(
                QueueUrl=self.dead_letters_url,
                Entries=[{"Id": id_, "ReceiptHandle": by_id[id_]["ReceiptHandle"]} for id_ in done],
            )
        return len(done)


def _is_since(body: str, since: datetime) -> bool:
    if is_heartbeat(body):
        # Return heartbeats to the queue. The webhook function discards them.
        return True
    try:
        return datetime.fromisoformat(detail_of(body).at) >= since
    except (ValueError, ValidationError):
        # The webhook function cannot parse this message, so it stays for an operator to inspect.
        return False
