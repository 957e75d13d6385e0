"""Puts the parts together: what a handler needs, on given clients."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from waitlist_api.claims.claim import Claims
from waitlist_api.claims.lifecycle import Holds
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
from waitlist_api.maintenance.finish_intents import Finishing
from waitlist_api.maintenance.heartbeat import Watching
from waitlist_api.maintenance.rebuild import Rebuilder
from waitlist_api.maintenance.rebuild_passes import Restoring
from waitlist_api.maintenance.reconcile import Settling
from waitlist_api.maintenance.runner import Caretaker
from waitlist_api.observability.metrics import Tally, Timed
from waitlist_api.queue.client import QueueClient
from waitlist_api.queue.recovering import ColdGuard
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
from waitlist_api.records.waitlist_cache import Directory
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
    directory: Directory
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
    finishing: Finishing
    caretaker: Caretaker

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
        tally: Tally | None = None,
    ) -> Self:
        """Compose the services on a boto3 DynamoDB and a boto3 Lambda client."""
        tally = tally or Tally()
        table = Table(Timed(dynamodb, tally, "record_ms"), config.table_name, pause)
        waitlist_records, entries, places = (
            WaitlistRecords(table),
            EntryRecords(table, now_millis),
            Places(table),
        )
        queue = QueueClient(
            Timed(lambda_, tally, "queue_ms"),
            config.private_function_name,
            config.maintenance_function_name,
            correlation,
        )
        guard = ColdGuard(queue, waitlist_records, places, now_millis, tally)
        directory = Directory(waitlist_records, now_millis)
        retention = Retention(table, directory.retention_days_of)
        transitions = Transitions(table, retention, tally)
        leases = Leases(waitlist_records, now_millis)
        segment_index = SegmentIndex(directory, guard)
        positions = Positions(guard, entries, segment_index)
        edits = Edits(table)
        erasures = Erasures(table)
        journal = Journal(table)
        histories = Histories(table, now_millis)
        leaves = Leaves(entries, erasures, journal, retention, guard, now_millis)
        signups = Signups(directory, entries, guard, segment_index, positions, leaves, now_millis)
        import_records = ImportRecords(table, entries)
        intent_writer = IntentWriter(
            queue, guard, entries, import_records, signups, leaves, now_millis
        )
        placement = Placement(
            queue, guard, segment_index, entries, import_records, signups, now_millis
        )
        restoring = Restoring(queue, entries, places, journal)
        rebuilder = Rebuilder(
            queue, guard, waitlist_records, restoring, leases, now_millis, pause, tally
        )
        finishing = Finishing(entries, places, erasures, signups, leaves, now_millis, tally)
        reindexer = Reindexer(queue, directory, segment_index, waitlist_records, entries, leases)
        return cls(
            now_millis=now_millis,
            queue=queue,
            waitlist_records=waitlist_records,
            entries=entries,
            edits=edits,
            erasures=erasures,
            places=places,
            directory=directory,
            segment_index=segment_index,
            waitlists=Waitlists(queue, guard, waitlist_records, directory, reindexer, now_millis),
            signups=signups,
            imports=Imports(directory, intent_writer, placement, now_millis),
            positions=positions,
            leaves=leaves,
            bumps=Bumps(entries, histories, guard, positions, now_millis),
            entry_queries=EntryQueries(guard, entries, histories, positions),
            entry_edits=EntryEdits(
                directory, entries, edits, guard, segment_index, positions, signups, now_millis
            ),
            segment_depths=SegmentDepths(entries, guard, segment_index),
            segment_positions=SegmentPositions(directory, entries, guard, segment_index, positions),
            claims=Claims(queue, guard, entries, transitions, now_millis, directory, segment_index),
            holds=Holds(entries, transitions, guard, positions, now_millis),
            reindexer=reindexer,
            finishing=finishing,
            caretaker=Caretaker(
                queue,
                waitlist_records,
                erasures,
                places,
                finishing,
                rebuilder,
                Settling(queue, entries, transitions, segment_index, now_millis),
                reindexer,
                Watching(
                    queue,
                    waitlist_records,
                    Auditor(queue, journal, entries, pause, tally),
                    rebuilder,
                    tally,
                ),
                leases,
                now_millis,
                tally,
            ),
        )
