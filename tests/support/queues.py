"""In-memory webhook queues with the methods of an SQS client."""

from collections.abc import Callable
from typing import Any

from tests.support.rights import WEBHOOK_DEAD_LETTERS, WEBHOOK_QUEUE
from tools.local.sqs import LocalQueue, delete_batch, receive, send_batch

HIDDEN_SECONDS, MOST_RECEIVES = 360, 500


class LocalSqs:
    """An in-memory SQS client for the webhook's queues. `now_seconds` returns the time."""

    def __init__(self, now_seconds: Callable[[], float]) -> None:
        self.dead = LocalQueue(now_seconds=now_seconds)
        self.queue = LocalQueue(HIDDEN_SECONDS, self.dead, MOST_RECEIVES, now_seconds)
        self._by_url = {WEBHOOK_QUEUE: self.queue, WEBHOOK_DEAD_LETTERS: self.dead}

    def change_message_visibility(self, **given: Any) -> None:
        queue = self._by_url[given["QueueUrl"]]
        assert queue.hide(given["ReceiptHandle"], given["VisibilityTimeout"])

    def send_message(self, **given: Any) -> None:
        self._by_url[given["QueueUrl"]].send(given["MessageBody"])

    def send_message_batch(self, **given: Any) -> dict[str, Any]:
        return send_batch(self._by_url[given["QueueUrl"]], given)

    def receive_message(self, **given: Any) -> dict[str, Any]:
        return receive(self._by_url[given["QueueUrl"]], given)

    def delete_message_batch(self, **given: Any) -> dict[str, Any]:
        return delete_batch(self._by_url[given["QueueUrl"]], given)
