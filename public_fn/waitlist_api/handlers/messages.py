"""The messages function sends the queued messages to customers (docs/operate/messages.md)."""

import os
import random
from collections.abc import Mapping
from functools import cache
from typing import Any

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
from waitlist_api.config import MessagesConfig
from waitlist_api.messages.batch import Batches, Context
from waitlist_api.messages.channels import MailChannel, SmsChannel
from waitlist_api.messages.compose import Letterhead
from waitlist_api.messages.limits import Limits
from waitlist_api.messages.sender import Sender, Transport
from waitlist_api.messages.trial import TRIAL
from waitlist_api.records.broadcasts import BroadcastRecords
from waitlist_api.records.deliveries import Deliveries
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.invitations import InvitationRecords
from waitlist_api.records.invitees import Invitees
from waitlist_api.records.ledger import Ledger
from waitlist_api.records.message_counts import MessageCounts
from waitlist_api.records.message_limits import Budgets, Targets
from waitlist_api.records.recipients import Recipients
from waitlist_api.records.table import Table
from waitlist_api.records.waitlists import WaitlistRecords
from waitlist_api.settings.messages import Channel
from waitlist_shared.correlation import Correlation
from waitlist_shared.telemetry import Telemetry

CORRELATION = Correlation()


def lambda_handler(event: dict[str, Any], context: Context) -> Mapping[str, Any]:
    """Send the messages for a batch of events.

    Return the events that must stay in the queue. If the call requests an example message, send
    only that message.
    """
    if TRIAL in event:
        return batches().send_trial(event, context)
    return batches().handle(event, context)


@cache
def batches() -> Batches:
    """Create the batch handler from the environment variables, once per process."""
    random.seed()
    config = MessagesConfig.from_env(os.environ)
    CORRELATION.mark_log_records()
    table, tokens = Table(dynamodb_client(), config.table_name), _tokens(config)
    limits = Limits(
        targets=Targets(table),
        budgets=Budgets(table),
        tokens=tokens,
        mails_per_day=config.mails_per_day,
        sms_parts_per_day=config.sms_parts_per_day,
        has_accounts=config.has_accounts,
    )
    sender = Sender(
        EntryRecords(table, now_millis),
        WaitlistRecords(table),
        Deliveries(table),
        Recipients(table, now_millis),
        Ledger(table),
        limits,
        InvitationRecords(table, now_millis, Invitees(table)),
        BroadcastRecords(table, now_millis),
        _channels(config),
        Letterhead(config.base_url, tokens, is_for_guests=not config.has_accounts),
        now_millis,
    )
    telemetry = Telemetry(
        "messages",
        namespace=config.metrics_namespace,
        log_level=config.log_level,
        environ=os.environ,
    )
    return Batches(
        sender, MessageCounts(table), sqs_client(), config.queue_url, telemetry, CORRELATION
    )


def _channels(config: MessagesConfig) -> dict[Channel, Transport]:
    channels: dict[Channel, Transport] = {}
    if config.mail_from:
        mail = MailChannel(mail_client(), config.mail_from, config.mail_configuration_set)
        channels["mail"] = mail
    if config.sms_from:
        channels["sms"] = SmsChannel(sms_client(), config.sms_from)
    return channels


def _tokens(config: MessagesConfig) -> EntryTokens:
    if config.entry_token_secret:
        return EntryTokens(config.entry_token_secret)
    return EntryTokens(secret_reader(config.entry_token_secret_arn, secrets_client()))
