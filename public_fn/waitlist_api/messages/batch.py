"""Handles a batch from the message queue, and reports which messages must be retried.

The queue contains entry events (docs/app/events.md), bounces and complaints.
"""

import json
import logging
import random
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from aws_lambda_powertools.utilities.batch import (
    BatchProcessor,
    EventType,
    process_partial_response,
)
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from botocore.exceptions import BotoCoreError, ClientError
from msgspec import convert

from waitlist_api.messages.channels import TAGS
from waitlist_api.messages.kinds import EntryEvent
from waitlist_api.messages.sender import BUSY, CLOSED_HOURS, POSTPONED, Sender, TryAgain
from waitlist_api.messages.trial import send_trial
from waitlist_api.records.deliveries import Delivery
from waitlist_api.records.message_counts import MessageCounts
from waitlist_api.records.published import HEARTBEAT_EVENT
from waitlist_shared.correlation import Correlation
from waitlist_shared.errors import WaitlistError
from waitlist_shared.telemetry import Span, Telemetry

logger = logging.getLogger(__name__)
# The maximum time for processing one message, including database reads and writes.
ENOUGH_MILLIS = 12_000
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 5, 300
# The longest time that a message is hidden in the queue before the next attempt. SQS allows 12
# hours from when the message was received. Use one minute less, because some time has already
# passed.
MOST_HIDDEN_SECONDS = 12 * 3600 - 60
ALL_PERCENT = 100
# The `event` value of bounces and complaints, as set by a rule in template.yaml.
UNREACHABLE = "unreachable"
COUNTED = ("sent", "dropped", "limited", "refused", "bounced", "retried", "broken")
# The outcomes that count as `limited`: the address has received too many messages, or the daily
# budget is used up.
LIMITED = ("too_many", "over_budget")


class Context(Protocol):
    """The attributes of a Lambda context that this module uses."""

    aws_request_id: str

    def get_remaining_time_in_millis(self) -> int: ...


class Batches:
    """Handles batches from the message queue, one batch at a time."""

    def __init__(
        self,
        sender: Sender,
        message_counts: MessageCounts,
        sqs: Any,
        queue_url: str,
        telemetry: Telemetry,
        correlation: Correlation,
        seconds: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._sender = sender
        self._message_counts = message_counts
        self._sqs = sqs
        self._queue_url = queue_url
        self._telemetry = telemetry
        self._correlation = correlation
        self._seconds = seconds
        self._processor = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)
        self._counts: Counter[str] = Counter()
        self._late_seconds = 0
        self._is_throttled = False
        # How many seconds to wait before retrying each failed message, by message id.
        self._pauses: dict[str, int] = {}

    def handle(self, event: dict[str, Any], context: Context) -> Mapping[str, Any]:
        """Handle each message of a batch. Return the messages that must stay in the queue."""
        began = self._seconds()
        self._correlation.id = context.aws_request_id
        self._counts, self._is_throttled, self._pauses = Counter(), False, {}
        self._late_seconds = 0

        def handle_one(record: SQSRecord) -> None:
            self._try(record, context)

        answer = process_partial_response(event, handle_one, self._processor, context)  # type: ignore[arg-type]
        failed = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
        self._pause([record for record in event["Records"] if record["messageId"] in failed])
        self._message_counts.take(self._sender.deliveries.tally)
        used_percent = self._sender.limits.budgets.used.pop("percent", 0)
        if used_percent == ALL_PERCENT:
            logger.warning("the daily budget for messages is used up")
        self._correlation.id = ""
        self._log(context.aws_request_id, (self._seconds() - began) * 1000, used_percent)
        return answer

    def send_trial(self, event: dict[str, Any], context: Context) -> Mapping[str, Any]:
        """Send one example message, and return the outcome."""
        self._correlation.id = context.aws_request_id
        outcome = send_trial(self._sender, event)
        logger.info("outcome of an example message: %s", outcome)
        self._correlation.id = ""
        return {"outcome": outcome}

    def _try(self, record: SQSRecord, context: Context) -> None:
        try:
            if self._is_throttled or context.get_remaining_time_in_millis() < ENOUGH_MILLIS:
                raise TryAgain(POSTPONED)
            self._handle(json.loads(record.body))
            if _receives(record.raw_event) == 1:
                # Measure the age of a message only at the first attempt. At a later attempt, the
                # age would include the pauses between the attempts.
                self._note_age(record)
        except TryAgain as error:
            self._counts["retried"] += 1
            if error.reason != CLOSED_HOURS:
                self._note_age(record)
            self._is_throttled |= error.is_throttled
            if error.pause_seconds is not None:
                self._pauses[record.message_id] = error.pause_seconds
            is_expected = error.reason in (BUSY, CLOSED_HOURS, POSTPONED)
            level = logging.INFO if is_expected else logging.WARNING
            logger.log(level, "a message returns to the queue: %s", error.reason)
            raise
        except WaitlistError as error:
            self._counts["retried"] += 1
            self._note_age(record)
            logger.warning("a message returns to the queue: %s", error.code)
            raise
        except Exception as error:
            # Do not log the exception's message, because it may contain a customer's address.
            self._counts["broken"] += 1
            self._note_age(record)
            where = traceback.format_list(traceback.extract_tb(error.__traceback__))
            logger.error("a message failed: %s\n%s", type(error).__name__, "".join(where))
            raise

    def _handle(self, body: dict[str, Any]) -> None:
        if body["event"] == HEARTBEAT_EVENT:
            return
        if body["event"] == UNREACHABLE:
            # SES represents the value of each tag as a list.
            tags = {name: body[name][0] for name in TAGS}
            self._sender.bounce(convert(tags, Delivery, strict=False))
            self._counts["bounced"] += 1
            return
        outcome = self._sender.handle(parse_event(body))
        counted = "limited" if outcome in LIMITED else outcome
        self._counts[counted if counted in COUNTED else "dropped"] += 1

    def _note_age(self, record: SQSRecord) -> None:
        """Measure the message's age, and store it if no message in the batch is older."""
        sent_millis = int(record.raw_event.get("attributes", {}).get("SentTimestamp", 0))
        if sent_millis:
            age_seconds = (self._sender.now_millis() - sent_millis) // 1000
            self._late_seconds = max(self._late_seconds, age_seconds)

    def _pause(self, records: list[dict[str, Any]]) -> None:
        """Hide failed messages in the queue for a random time that grows with each attempt."""
        if not records:
            return
        entries = [
            {
                "Id": str(number),
                "ReceiptHandle": record["receiptHandle"],
                "VisibilityTimeout": self._pause_seconds(record),
            }
            for number, record in enumerate(records)
        ]
        try:
            self._sqs.change_message_visibility_batch(QueueUrl=self._queue_url, Entries=entries)
        except (BotoCoreError, ClientError) as error:
            # The visibility timeouts of these messages could not be set, so the messages are
            # retried after the queue's usual visibility timeout.
            logger.warning("the pause of messages could not be set: %s", type(error).__name__)

    def _pause_seconds(self, record: dict[str, Any]) -> int:
        usual = _usual_pause(_receives(record))
        asked = self._pauses.get(record["messageId"], 0)
        # Add a few random seconds, so that messages are not all retried at the same time. Never
        # pause for less than the usual time, because SQS delivers a message only a limited number
        # of times.
        asked += random.randint(0, FIRST_PAUSE_SECONDS)
        return max(usual, min(asked, MOST_HIDDEN_SECONDS))

    def _log(self, request_id: str, milliseconds: float, used_percent: int) -> None:
        span = Span(
            operation="messages",
            outcome="retried" if self._counts["retried"] else "ok",
            correlation_id=request_id,
            latency_ms=milliseconds,
            has_failed=self._counts["broken"] > 0,
            measured={
                **{name: self._counts[name] for name in COUNTED},
                "budget_percent": used_percent,
                "late_seconds": self._late_seconds,
            },
        )
        self._telemetry.write(span)


def parse_event(detail: Mapping[str, Any]) -> EntryEvent:
    """Parse the `detail` of an event from the event bus."""
    return EntryEvent(
        waitlist_id=detail["waitlist_id"],
        entry_id=detail["entry_id"],
        event=detail["event"],
        stamp=int(detail["stamp"]) // 10,
        by=detail.get("by", ""),
    )


def _receives(record: Mapping[str, Any]) -> int:
    """Return how many times SQS has delivered a message."""
    return int(record.get("attributes", {}).get("ApproximateReceiveCount", 1))


def _usual_pause(receives: int) -> int:
    # The first pauses are short: the first five retries take only about a minute in total.
    longest = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS << min(receives // 2, 10))
    return random.randint(longest // 2, longest)
