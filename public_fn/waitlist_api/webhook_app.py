"""The webhook's function: sends the events that SQS hands it to the operator's webhook."""

import os
import time
from functools import cache
from typing import Any, Protocol

from waitlist_api.auth.secret import secret_reader
from waitlist_api.aws.clients import dynamodb_client, secrets_client, sqs_client
from waitlist_api.config import WebhookConfig
from waitlist_api.records.table import Table
from waitlist_api.records.webhooks import WebhookRecords
from waitlist_api.webhooks.deliver import Deliveries, Verdict
from waitlist_api.webhooks.queue import QueuedEvent, WebhookQueue
from waitlist_api.webhooks.receiver import Receiver
from waitlist_api.webhooks.signatures import Signatures
from waitlist_shared.telemetry import Span, Telemetry


class Context(Protocol):
    """The part of a Lambda context that is used here."""

    def get_remaining_time_in_millis(self) -> int: ...


def lambda_handler(event: dict[str, Any], context: Context) -> dict[str, Any]:
    """Deliver the events of some messages; return those that come back, by their ids."""
    back = []
    for record in event["Records"]:
        began = time.perf_counter()
        queued = QueuedEvent.of_record(record)
        verdict = deliveries().deliver(queued, context.get_remaining_time_in_millis)
        if verdict.again_seconds is not None:
            back.append({"itemIdentifier": record["messageId"]})
            deliveries().queue.hide(queued, verdict.again_seconds)
        _write_line(record["messageId"], queued, verdict, (time.perf_counter() - began) * 1000)
    return {"batchItemFailures": back}


def _write_line(id_: str, queued: QueuedEvent, verdict: Verdict, milliseconds: float) -> None:
    attempt = verdict.attempt
    has_failed = attempt is not None and attempt.outcome != "sent"
    telemetry().write(
        Span(
            operation=queued.detail.event,
            outcome=attempt.outcome if has_failed and attempt else verdict.result,
            correlation_id=id_,
            latency_ms=milliseconds,
            has_failed=has_failed,
            measured={"webhooks_sent": verdict.sent, "webhooks_given_up": verdict.given_up},
            about={"status": attempt.status if attempt else 0},
            ids={"waitlist_id": queued.detail.waitlist_id, "entry_id": queued.detail.entry_id},
        )
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
def deliveries() -> Deliveries:
    """Compose the function once per process, at its first event, from the environment."""
    given = config()
    if given.secret:
        signatures = Signatures(lambda: given.secret)
    else:
        signatures = Signatures(secret_reader(given.secret_arn, secrets_client()))
    return Deliveries(
        records=WebhookRecords(Table(dynamodb_client(), given.table_name)),
        queue=WebhookQueue(sqs_client(), given.queue_url, given.dead_letters_url),
        receiver=Receiver(given.url, only_loopback=given.only_loopback),
        signatures=signatures,
    )
