"""Create the services and connect them with each other."""

import time
from collections.abc import Callable
from functools import cache
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import fields

from waitlist_api.admission.admit import Admissions
from waitlist_api.admission.claim import Claims
from waitlist_api.admission.decline import Declines
from waitlist_api.admission.exit import Exits
from waitlist_api.admission.holds import Holds
from waitlist_api.admission.own_admission import OwnAdmissions
from waitlist_api.admission.polls import Polls
from waitlist_api.admission.withdraw import Withdrawals
from waitlist_api.auth.passes import KmsKeys, Passes
from waitlist_api.bots.check import BotCheck
from waitlist_api.clock import NowMillis, now_millis
from waitlist_api.config import Config, ConfigError
from waitlist_api.entries.address_change import AddressChanges
from waitlist_api.entries.archive import Archive
from waitlist_api.entries.ban import Bans
from waitlist_api.entries.bump import Bumps
from waitlist_api.entries.edit import EntryEdits
from waitlist_api.entries.join import Joins
from waitlist_api.entries.leave import Leaves
from waitlist_api.entries.own_data import OwnData
from waitlist_api.entries.position import Positions
from waitlist_api.entries.queries import EntryQueries
from waitlist_api.entries.questions import Questions
from waitlist_api.entries.readiness import ReadinessChanges
from waitlist_api.entries.reinstate import Reinstatements
from waitlist_api.entries.segment_counts import SegmentCounts
from waitlist_api.entries.signup import Signups
from waitlist_api.entries.unproven_signup import UnprovenSignups
from waitlist_api.imports.service import Imports
from waitlist_api.messages.ask_trial import Trials
from waitlist_api.observability.metrics import MetricsCollector, Timed
from waitlist_api.queue.client import QueueClient
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.recipients import Recipients
from waitlist_api.records.table import Table
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistRecords
from waitlist_api.waitlists.configure import Waitlists
from waitlist_api.waitlists.history import CountHistory
from waitlist_api.waitlists.preview import Previews
from waitlist_api.waitlists.setting_needs import Stack
from waitlist_api.webhooks.replay import Replays
from waitlist_shared.correlation import Correlation

Pause = Callable[[float], None]


def _no_sqs() -> Any:
    raise ConfigError("only the public function may set WEBHOOK_QUEUE_URL")


def _no_kms() -> Any:
    raise ConfigError("only the public function may set PASS_KEY_ARNS")


class Services(Struct, frozen=True):
    """All services that the routes call."""

    now_millis: NowMillis
    pause: Pause
    stack: Stack
    queue: QueueClient
    waitlist_records: WaitlistRecords
    entries: EntryRecords
    recipients: Recipients
    waitlist_cache: WaitlistCache
    waitlists: Waitlists
    count_history: CountHistory
    previews: Previews
    joins: Joins
    signups: Signups
    unproven_signups: UnprovenSignups
    imports: Imports
    positions: Positions
    polls: Polls
    leaves: Leaves
    bans: Bans
    bumps: Bumps
    reinstatements: Reinstatements
    entry_queries: EntryQueries
    archive: Archive
    entry_edits: EntryEdits
    readiness: ReadinessChanges
    questions: Questions
    own_data: OwnData
    address_changes: AddressChanges
    segment_counts: SegmentCounts
    claims: Claims
    holds: Holds
    declines: Declines
    own_admissions: OwnAdmissions
    passes: Passes
    admissions: Admissions
    withdrawals: Withdrawals
    exits: Exits
    replays: Replays
    trials: Trials
    bot_check: BotCheck | None

    @classmethod
    def on(
        cls,
        config: Config,
        dynamodb: Any,
        lambda_: Any,
        now_millis: NowMillis = now_millis,
        pause: Pause = time.sleep,
        *,
        kms: Callable[[], Any] = _no_kms,
        sqs: Callable[[], Any] = _no_sqs,
        correlation: Correlation | None = None,
        metrics: MetricsCollector | None = None,
        bot_check: BotCheck | None = None,
    ) -> Self:
        """Create all services. If `bot_check` is None, guests do not have to pass a bot check."""
        metrics = metrics or MetricsCollector()
        queue = QueueClient(
            Timed(lambda_, metrics, "queue_ms"),
            config.private_function_name,
            config.maintenance_function_name,
            correlation or Correlation(),
            config.messages_function_name,
        )
        given = {
            NowMillis: now_millis,
            Pause: pause,
            Stack: Stack.of(config),
            MetricsCollector: metrics,
            Table: Table(Timed(dynamodb, metrics, "record_ms"), config.table_name, pause),
            QueueClient: queue,
            Replays: Replays(sqs, config.webhook_queue_url, config.webhook_dead_letters_url),
            BotCheck | None: bot_check,
            Passes: Passes(KmsKeys(config.pass_key_arns, kms), config.pass_issuer),
        }
        services: Self = _service(cls, given)
        return services


def _service(kind: Any, made: dict[Any, Any]) -> Any:
    """Return the service of the given type. Create the service if it does not exist yet."""
    if kind not in made:
        needed = [item for item in _fields(kind) if item.type in made or item.required]
        made[kind] = kind(**{item.name: _service(item.type, made) for item in needed})
    return made[kind]


# Cache the fields of each type, because reading them is slow and tests create services often.
_fields = cache(fields)
