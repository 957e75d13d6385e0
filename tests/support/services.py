"""All of a deployment's services, for tests that call one directly."""

from typing import Any, Self

from msgspec import Struct

from waitlist_api.admission.admit import Admissions
from waitlist_api.admission.claim import Claims
from waitlist_api.admission.decline import Declines
from waitlist_api.admission.exit import Exits
from waitlist_api.admission.holds import Holds
from waitlist_api.admission.invite import Invitations
from waitlist_api.admission.own_admission import OwnAdmissions
from waitlist_api.admission.polls import Polls
from waitlist_api.admission.withdraw import Withdrawals
from waitlist_api.auth.passes import KmsKeys, Passes
from waitlist_api.bots.check import BotCheck
from waitlist_api.clock import NowMillis
from waitlist_api.config import Config
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
from waitlist_api.maintenance.runner import MaintenanceRunner
from waitlist_api.messages.ask_trial import Trials
from waitlist_api.queue.client import QueueClient
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.recipients import Recipients
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistRecords
from waitlist_api.services import Pause, Services
from waitlist_api.settings.stack import Stack
from waitlist_api.waitlists.configure import Waitlists
from waitlist_api.waitlists.history import CountHistory
from waitlist_api.waitlists.preview import Previews
from waitlist_api.webhooks.replay import Replays


class AllServices(Struct, frozen=True):
    """The services that the API's routes call."""

    container: Services
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
    invitations: Invitations
    exits: Exits
    replays: Replays
    trials: Trials
    bot_check: BotCheck | None

    @classmethod
    def on(
        cls,
        config: Config,
        *arguments: Any,
        kms: Any = None,
        sqs: Any = None,
        bot_check: BotCheck | None = None,
        **named: Any,
    ) -> Self:
        for_routes = {
            Passes: Passes(KmsKeys(config.pass_key_arns, kms), config.pass_issuer),
            Replays: Replays(sqs, config.webhook_queue_url, config.webhook_dead_letters_url),
            BotCheck | None: bot_check,
        }
        return Services.on(config, *arguments, **named).replaced(for_routes).get(cls)


class MaintenanceServices(AllServices, frozen=True):
    """All of a deployment's services, including maintenance."""

    maintenance: MaintenanceRunner
