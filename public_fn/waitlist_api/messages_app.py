"""The function of messages: a batch of the queue of messages (docs/operate/messages.md)."""

import os
import random
from collections.abc import Mapping
from functools import cache
from typing import Any, Self

from msgspec import Struct

from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.auth.secret import secret_reader
from waitlist_api.aws.clients import (
    dynamodb_client,
    mail_client,
    secrets_client,
    sms_client,
    sqs_client,
)
from waitlist_api.clock import now_millis
from waitlist_api.config import ConfigError
from waitlist_api.messages.batch import Batches, Context
from waitlist_api.messages.channels import MailChannel, SmsChannel
from waitlist_api.messages.compose import Channel, Letterhead
from waitlist_api.messages.sender import Sender, Sends
from waitlist_api.records.deliveries import Deliveries
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.table import Table
from waitlist_api.records.waitlists import WaitlistRecords
from waitlist_shared.correlation import Correlation
from waitlist_shared.telemetry import Telemetry

CORRELATION = Correlation()


class MessagesConfig(Struct, frozen=True, kw_only=True):
    """The environment of the function. Without `mail_from` or `sms_from` nothing is sent so."""

    table_name: str
    queue_url: str
    base_url: str
    entry_token_secret: str = ""
    entry_token_secret_arn: str = ""
    has_accounts: bool = False
    mail_from: str = ""
    mail_configuration_set: str = ""
    sms_from: str = ""
    log_level: str = "INFO"
    metrics_namespace: str = ""

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Self:
        """Read the environment. Raises ConfigError."""
        for name in ("TABLE_NAME", "MESSAGES_QUEUE_URL", "BASE_URL"):
            if not environ.get(name):
                raise ConfigError(f"{name} must be set")
        return cls(
            table_name=environ["TABLE_NAME"],
            queue_url=environ["MESSAGES_QUEUE_URL"],
            base_url=environ["BASE_URL"],
            entry_token_secret=environ.get("ENTRY_TOKEN_SECRET", ""),
            entry_token_secret_arn=environ.get("ENTRY_TOKEN_SECRET_ARN", ""),
            has_accounts=bool(environ.get("JWT_ISSUER")),
            mail_from=environ.get("MAIL_FROM", ""),
            mail_configuration_set=environ.get("MAIL_CONFIGURATION_SET", ""),
            sms_from=environ.get("SMS_FROM", ""),
            log_level=environ.get("LOG_LEVEL", "INFO").upper(),
            metrics_namespace=environ.get("METRICS_NAMESPACE", ""),
        )


def lambda_handler(event: dict[str, Any], context: Context) -> Mapping[str, Any]:
    """Send what a batch of events asks for; return the messages that stay in the queue."""
    return batches().handle(event, context)


@cache
def batches() -> Batches:
    """Compose what handles batches once per process, from the environment."""
    random.seed()
    config = MessagesConfig.from_env(os.environ)
    CORRELATION.mark_log_records()
    table = Table(dynamodb_client(), config.table_name)
    sender = Sender(
        EntryRecords(table, now_millis),
        WaitlistRecords(table),
        Deliveries(table),
        _channels(config),
        Letterhead(config.base_url, _tokens(config)),
        now_millis,
    )
    telemetry = Telemetry(
        "messages",
        namespace=config.metrics_namespace,
        log_level=config.log_level,
        environ=os.environ,
    )
    return Batches(sender, sqs_client(), config.queue_url, telemetry, CORRELATION)


def _channels(config: MessagesConfig) -> dict[Channel, Sends]:
    channels: dict[Channel, Sends] = {}
    if config.mail_from:
        mail = MailChannel(mail_client(), config.mail_from, config.mail_configuration_set)
        channels["mail"] = mail
    if config.sms_from:
        channels["sms"] = SmsChannel(sms_client(), config.sms_from)
    return channels


def _tokens(config: MessagesConfig) -> EntryTokens | None:
    if config.has_accounts:
        return None
    if config.entry_token_secret:
        return EntryTokens(config.entry_token_secret)
    return EntryTokens(secret_reader(config.entry_token_secret_arn, secrets_client()))
