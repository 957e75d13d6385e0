"""The webhook function, which sends events from its SQS queue to the operator's webhook."""

import os
import time
from functools import cache
from typing import Any, Protocol

from msgspec.structs import replace

from waitlist_api.auth.secret import secret_reader
from waitlist_api.aws.clients import dynamodb_client, secrets_client, sqs_client
from waitlist_api.config import WebhookConfig
from waitlist_api.records.published import HEARTBEAT_EVENT
from waitlist_api.records.table import Table
from waitlist_api.records.webhooks import WebhookRecords
from waitlist_api.webhooks.deliver import Verdict, WebhookSender
from waitlist_api.webhooks.queue import QueuedEvent, WebhookQueue, is_heartbeat
from waitlist_api.webhooks.receiver import Receiver
from waitlist_api.webhooks.signatures import Signatures
from waitlist_shared.telemetry import Span, Telemetry

NOTHING_DONE = Verdict("repeated")


class Context(Protocol):
    """The part of a Lambda context that this module uses."""

    def get_remaining_time_in_millis(self) -> int: ...


def lambda_handler(event: dict[str, Any], context: Context) -> dict[str, Any]:
    """Deliver a batch of events, and return the ids of the messages that go back to the queue."""
    back = []
    for record in event["Records"]:
        began = time.perf_counter()
        if is_heartbeat(record["body"]):
            # A test message (heartbeat) arrives every minute and is logged. If these log lines
            # stop, other events are not arriving either, and an alarm goes off.
            telemetry().write(_span(HEARTBEAT_EVENT, "ok", record["messageId"], began))
            continue
        queued = QueuedEvent.of_record(record)
        verdict = webhook_sender().deliver(queued, context.get_remaining_time_in_millis)
        if verdict.again_seconds is not None:
            back.append({"itemIdentifier": record["messageId"]})
            webhook_sender().queue.hide(queued, verdict.again_seconds)
        _write_line(record["messageId"], queued, verdict, began)
    return {"batchItemFailures": back}


def _write_line(id_: str, queued: QueuedEvent, verdict: Verdict, began: float) -> None:
    attempt = verdict.attempt
    has_failed = attempt is not None and attempt.outcome != "sent"
    outcome = attempt.outcome if has_failed and attempt else verdict.result
    span = _span(
        queued.detail.event,
        outcome,
        id_,
        began,
        verdict,
        late_seconds=_late_seconds(queued, verdict),
    )
    ids = {"waitlist_id": queued.detail.waitlist_id, "entry_id": queued.detail.entry_id}
    status = attempt.status if attempt else 0
    telemetry().write(replace(span, has_failed=has_failed, about={"status": status}, ids=ids))


def _late_seconds(queued: QueuedEvent, verdict: Verdict) -> int:
    """Return how old the event will be at its next attempt, in seconds, or 0 if there is no next
    attempt.
    """
    if verdict.again_seconds is None:
        return 0
    age_millis = webhook_sender().now_millis() - queued.sent_millis
    return age_millis // 1000 + verdict.again_seconds


def _span(
    operation: str,
    outcome: str,
    id_: str,
    began: float,
    verdict: Verdict = NOTHING_DONE,
    late_seconds: int = 0,
) -> Span:
    return Span(
        operation=operation,
        outcome=outcome,
        correlation_id=id_,
        latency_ms=(time.perf_counter() - began) * 1000,
        measured={
            "webhooks_sent": verdict.sent,
            "webhooks_given_up": verdict.given_up,
            "late_seconds": late_seconds,
        },
    )


@cache
def config() -> WebhookConfig:
    return WebhookConfig.from_env(os.environ)


@cache
def telemetry() -> Telemetry:
    return Telemetry(
        "webhook",
        namespace=config().metrics_namespace,
        log_level=config().log_level,
        environ=os.environ,
    )


@cache
def webhook_sender() -> WebhookSender:
    """Create the webhook sender from the environment variables when the first event arrives."""
    given = config()
    if given.secret:
        signatures = Signatures(lambda: given.secret)
    else:
        signatures = Signatures(secret_reader(given.secret_arn, secrets_client()))
    return WebhookSender(
        records=WebhookRecords(Table(dynamodb_client(), given.table_name)),
        queue=WebhookQueue(sqs_client(), given.queue_url, given.dead_letters_url),
        receiver=Receiver(given.url, only_loopback=given.only_loopback),
        signatures=signatures,
    )
