"""Puts the parts together: what a handler needs, on given clients."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from waitlist_api.claims.claim import Claims
from waitlist_api.claims.lifecycle import Holds
from waitlist_api.claims.offers import OfferWriter
from waitlist_api.clock import NowMillis, now_millis
from waitlist_api.config import Config
from waitlist_api.entries.bump import Bumps
from waitlist_api.entries.edit import EntryEdits
from waitlist_api.entries.leave import Leaves
from waitlist_api.entries.position import Positions
from waitlist_api.entries.queries import EntryQueries
from waitlist_api.entries.segment_positions import SegmentPositions
from waitlist_api.entries.signup import Signups
from waitlist_api.imports.place import Placement
from waitlist_api.imports.service import Imports
from waitlist_api.imports.write_intents import IntentWriter
from waitlist_api.maintenance.audit import Auditor
from waitlist_api.maintenance.finish_intents import IntentFinisher
from waitlist_api.maintenance.heartbeat import Heartbeat
from waitlist_api.maintenance.rebuild import Rebuilder
from waitlist_api.maintenance.rebuild_passes import RebuildPasses
from waitlist_api.maintenance.reconcile import Reconciler
from waitlist_api.maintenance.runner import MaintenanceRunner
from waitlist_api.observability.metrics import MetricsCollector, Timed
from waitlist_api.queue.client import QueueClient
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.edits import Edits
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.erasures import Erasures
from waitlist_api.records.histories import Histories
from waitlist_api.records.imports import ImportRecords
from waitlist_api.records.journal import Journal
from waitlist_api.records.lease import Leases
from waitlist_api.records.places import Places
from waitlist_api.records.retention import Retention
from waitlist_api.records.table import Table
from waitlist_api.records.transitions import Transitions
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistRecords
from waitlist_api.segments.depths import SegmentDepths
from waitlist_api.segments.index import SegmentIndex
from waitlist_api.waitlists.configure import Waitlists
from waitlist_api.waitlists.reindex import Reindexer
from waitlist_shared.correlation import Correlation


@dataclass(frozen=True)
class Services:
    """Everything that routes and maintenance call."""

    now_millis: NowMillis
    queue: QueueClient
    waitlist_records: WaitlistRecords
    entries: EntryRecords
    edits: Edits
    erasures: Erasures
    places: Places
    waitlist_cache: WaitlistCache
    segment_index: SegmentIndex
    waitlists: Waitlists
    signups: Signups
    imports: Imports
    positions: Positions
    leaves: Leaves
    bumps: Bumps
    entry_queries: EntryQueries
    entry_edits: EntryEdits
    segment_depths: SegmentDepths
    segment_positions: SegmentPositions
    claims: Claims
    holds: Holds
    reindexer: Reindexer
    intent_finisher: IntentFinisher
    maintenance: MaintenanceRunner

    @classmethod
    def on(
        cls,
        config: Config,
        dynamodb: Any,
        lambda_: Any,
        now_millis: NowMillis = now_millis,
        pause: Callable[[float], None] = time.sleep,
        *,
        correlation: Correlation | None = None,
        metrics: MetricsCollector | None = None,
    ) -> Self:
        """Compose the services on a boto3 DynamoDB and a boto3 Lambda client."""
        metrics = metrics or MetricsCollector()
        table = Table(Timed(dynamodb, metrics, "record_ms"), config.table_name, pause)
        waitlist_records, entries, places = (
            WaitlistRecords(table),
            EntryRecords(table, now_millis),
            Places(table),
        )
        queue = QueueClient(
            Timed(lambda_, metrics, "queue_ms"),
            config.private_function_name,
            config.maintenance_function_name,
            correlation,
        )
        recovering_queue = RecoveringQueue(queue, waitlist_records, places, now_millis, metrics)
        waitlist_cache = WaitlistCache(waitlist_records, now_millis)
        retention = Retention(table, waitlist_cache.retention_days_of)
        transitions = Transitions(table, retention, metrics)
        leases = Leases(waitlist_records, now_millis)
        segment_index = SegmentIndex(waitlist_cache, recovering_queue)
        positions = Positions(recovering_queue, entries, segment_index)
        edits = Edits(table)
        erasures = Erasures(table)
        journal = Journal(table)
        histories = Histories(table, now_millis)
        leaves = Leaves(entries, erasures, journal, retention, recovering_queue, now_millis)
        signups = Signups(
            waitlist_cache, entries, recovering_queue, segment_index, positions, leaves, now_millis
        )
        import_records = ImportRecords(table, entries)
        intent_writer = IntentWriter(
            queue, recovering_queue, entries, import_records, signups, leaves, now_millis
        )
        placement = Placement(
            queue, recovering_queue, segment_index, entries, import_records, signups, now_millis
        )
        passes = RebuildPasses(queue, entries, places, journal)
        rebuilder = Rebuilder(
            queue, recovering_queue, waitlist_records, passes, leases, now_millis, pause, metrics
        )
        intent_finisher = IntentFinisher(
            entries, places, erasures, signups, leaves, now_millis, metrics
        )
        reindexer = Reindexer(
            queue, waitlist_cache, segment_index, waitlist_records, entries, leases
        )
        offers = OfferWriter(queue, entries, transitions, now_millis)
        return cls(
            now_millis=now_millis,
            queue=queue,
            waitlist_records=waitlist_records,
            entries=entries,
            edits=edits,
            erasures=erasures,
            places=places,
            waitlist_cache=waitlist_cache,
            segment_index=segment_index,
            waitlists=Waitlists(
                queue, recovering_queue, waitlist_records, waitlist_cache, reindexer, now_millis
            ),
            signups=signups,
            imports=Imports(waitlist_cache, intent_writer, placement, now_millis),
            positions=positions,
            leaves=leaves,
            bumps=Bumps(entries, histories, recovering_queue, positions, now_millis),
            entry_queries=EntryQueries(recovering_queue, entries, histories, positions),
            entry_edits=EntryEdits(
                waitlist_cache,
                entries,
                edits,
                recovering_queue,
                segment_index,
                positions,
                signups,
                now_millis,
            ),
            segment_depths=SegmentDepths(entries, recovering_queue, segment_index),
            segment_positions=SegmentPositions(
                waitlist_cache, entries, recovering_queue, segment_index, positions
            ),
            claims=Claims(
                queue, recovering_queue, offers, waitlist_cache, segment_index, now_millis
            ),
            holds=Holds(entries, transitions, recovering_queue, positions, now_millis),
            reindexer=reindexer,
            intent_finisher=intent_finisher,
            maintenance=MaintenanceRunner(
                queue,
                waitlist_records,
                erasures,
                places,
                intent_finisher,
                rebuilder,
                Reconciler(queue, entries, transitions, segment_index, now_millis),
                reindexer,
                Heartbeat(
                    queue,
                    waitlist_records,
                    Auditor(queue, journal, entries, pause, metrics),
                    rebuilder,
                    metrics,
                ),
                leases,
                now_millis,
                metrics,
            ),
        )
