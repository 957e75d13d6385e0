"""Sends the webhook's dead letters again."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from msgspec import Struct, ValidationError

from waitlist_api.errors import NotReady, NoWebhook
from waitlist_api.webhooks.queue import detail_of, is_heartbeat, replay_of

# The most that one call of SQS takes.
BATCH = 10
# A request's time is enough for so many rounds of three calls each.
ROUNDS = 40
# How long those stay hidden that happened before: until the calls for one replay are over.
HIDDEN_SECONDS = 60


class Replayed(Struct, frozen=True):
    """How many dead letters are in the queue again; `more` says to ask once more for the rest."""

    count: int
    more: bool


class Replays(Struct, frozen=True):
    """The queues by their URLs, empty without a webhook; `sqs` returns the client."""

    sqs: Callable[[], Any]
    queue_url: str
    dead_letters_url: str

    def replay(self, since: datetime) -> Replayed:
        """Put the dead letters of events since a time into the queue again.

        Raises NoWebhook, or NotReady if SQS does not answer. A message is sent before it is
        deleted, so one that is cut off in between is sent twice, and the webhook gets it once.
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
                # Without a wait SQS asks some of its servers only, and may find none.
                WaitTimeSeconds=1,
            )
            received = answer.get("Messages", [])
            if not received:
                return Replayed(count, more=False)
            chosen = [one for one in received if _is_since(one["Body"], since)]
            count += self._move(sqs, chosen) if chosen else 0
        return Replayed(count, more=True)

    def _move(self, sqs: Any, messages: list[dict[str, Any]]) -> int:
        by_id = {str(number): one for number, one in enumerate(messages)}
        sent = sqs.send_message_batch(
            QueueUrl=self.queue_url,
            Entries=[
                {"Id": id_, "MessageBody": replay_of(one["Body"])} for id_, one in by_id.items()
            ],
        )
        done = [one["Id"] for one in sent.get("Successful", [])]
        if done:
            sqs.delete_message_batch(
                QueueUrl=self.dead_letters_url,
                Entries=[{"Id": id_, "ReceiptHandle": by_id[id_]["ReceiptHandle"]} for id_ in done],
            )
        return len(done)


def _is_since(body: str, since: datetime) -> bool:
    if is_heartbeat(body):
        # The function takes it out of the queue, and no webhook gets it.
        return True
    try:
        return datetime.fromisoformat(detail_of(body).at) >= since
    except (ValueError, ValidationError):
        # Nothing that the function could deliver; it stays for a person to look at.
        return False
