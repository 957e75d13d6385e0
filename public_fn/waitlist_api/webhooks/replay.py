"""Replays dead letters, that is, events that could not be delivered to the webhook."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from msgspec import Struct, ValidationError

from waitlist_api.errors import NotReady, NoWebhook
from waitlist_api.webhooks.queue import build_replay, detail_of, is_heartbeat

# The maximum number of messages in one SQS call.
BATCH = 10
# The maximum number of rounds in one replay request. Each round makes three SQS calls, so more
# rounds could exceed the request's time limit.
ROUNDS = 40
# How long SQS hides a dead letter after it has been received, so that the same replay does not
# receive it twice.
HIDDEN_SECONDS = 60


class Replayed(Struct, frozen=True):
    """The number of replayed events. If `more` is true, another call may replay more events."""

    count: int
    more: bool


class Replays(Struct, frozen=True):
    """Replays events that could not be delivered.

    If the stack has no webhook, the queue URLs are empty.
    """

    sqs: Callable[[], Any]
    queue_url: str
    dead_letters_url: str

    def replay(self, since: datetime) -> Replayed:
        """Requeue all dead letters whose events happened at or after `since`.

        Raise NoWebhook if the stack has no webhook, and NotReady if SQS fails.
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
                # Use long polling, because short polling queries only some of the SQS servers and
                # may miss messages.
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
        # Send the messages before deleting the dead letters, so that no event is lost if the
        # function stops in between. If a message is then sent twice, the webhook still receives the
        # event only once.
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
        # Return test messages (heartbeats) to the queue too. The webhook function ignores them.
        return True
    try:
        return datetime.fromisoformat(detail_of(body).at) >= since
    except (ValueError, ValidationError):
        # The webhook function could not parse this message. Leave it for an operator to inspect.
        return False
