"""Sends the local service's webhooks.

This module does the work of several resources in a deployed stack: the table's stream, pipes, an
event rule, a queue and the function that reads the queue.
"""

import json
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

from tools.local.background import Background
from tools.local.bus import details_of
from tools.local.function import Invocable, ThrottledError
from tools.local.sqs import LocalQueue, QueuedMessage, lambda_event
from waitlist_api.clock import iso, now_millis

QUEUE_NAME = "waitlist-local-webhook"
DEAD_LETTERS_NAME = "waitlist-local-webhook-dead-letters"
# The template declares the same values.
HIDDEN_SECONDS = 360
MOST_RECEIVES = 500
# How many calls to the function can run at the same time. If the webhook's receiver does not
# answer, a call takes several seconds.
CALLS = 8
LOOK_SECONDS = 0.1

logger = logging.getLogger(__name__)


def stream_of(dynamodb_url: str) -> Callable[[], list[dict[str, Any]]]:
    """Return a function that takes the new records from the in-memory DynamoDB's stream."""
    host = urlsplit(dynamodb_url).netloc

    def read() -> list[dict[str, Any]]:
        connection = HTTPConnection(host, timeout=30)
        try:
            connection.request("POST", "/", b"{}", {"x-amz-target": "DynamoDB.TakeRecords"})
            found: dict[str, Any] = json.loads(connection.getresponse().read())
        finally:
            connection.close()
        records: list[dict[str, Any]] = found["Records"]
        return records

    return read


class WebhookPump(Background):
    """A thread that puts events from the stream into the queue and passes messages from the queue
    to the function.
    """

    def __init__(
        self,
        read: Callable[[], list[dict[str, Any]]],
        queue: LocalQueue,
        function: Invocable,
        now_millis: Callable[[], int] = now_millis,
    ) -> None:
        super().__init__("webhook-pump")
        self._now_millis = now_millis
        self._read = read
        self._queue = queue
        self._function = function
        self._calls = ThreadPoolExecutor(CALLS, thread_name_prefix="webhook")
        self._free = threading.Semaphore(CALLS)

    def stop(self, timeout_seconds: float) -> None:
        """Wait for the function's current calls to end. Messages in the queue are lost."""
        super().stop(timeout_seconds)
        self._calls.shutdown(wait=False, cancel_futures=True)
        end = time.monotonic() + timeout_seconds
        for _ in range(CALLS):
            self._free.acquire(timeout=max(0, end - time.monotonic()))

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                for detail in details_of(self._read(), iso(self._now_millis())):
                    self._queue.send(json.dumps(detail))
            except (OSError, HTTPException):
                logger.warning("the stream of the table could not be read", exc_info=True)
            self._start_calls(time.monotonic() + LOOK_SECONDS)

    def _start_calls(self, end: float) -> None:
        while (left := end - time.monotonic()) > 0 and self._free.acquire(timeout=left):
            received = self._queue.receive(1)
            if not received:
                self._free.release()
                self._stopping.wait(left)
                return
            self._calls.submit(self._call, received)

    def _call(self, received: list[QueuedMessage]) -> None:
        try:
            self._hand_over(received)
        except ThrottledError:
            logger.info("the webhook's function is throttled")
        finally:
            self._free.release()

    def _hand_over(self, received: list[QueuedMessage]) -> None:
        invocation = self._function.invoke(json.dumps(lambda_event(received)).encode())
        if invocation.failed:
            logger.error("the webhook's function failed: %s", invocation.error_text())
            return
        back = {
            failure["itemIdentifier"]
            for failure in json.loads(invocation.payload)["batchItemFailures"]
        }
        for message in received:
            if message.id not in back:
                self._queue.delete(message.receipt)
