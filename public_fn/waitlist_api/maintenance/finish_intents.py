"""Finishes signups and leaves whose request was cut off."""

from contextlib import suppress

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.entries.join import Joins
from waitlist_api.entries.leave import Leaves
from waitlist_api.errors import AlreadyAdmitted, EntryNotFound, Forbidden, WaitlistNotFound
from waitlist_api.maintenance.isolation import run_each
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.records.alias import MOVED
from waitlist_api.records.asks import Asks
from waitlist_api.records.decisions import MAINTENANCE
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, SHARDS, EntryRecord
from waitlist_api.records.erasures import Erasures
from waitlist_api.records.intents import UNVERIFIED
from waitlist_api.records.moves import Moves
from waitlist_api.records.places import IndexRow, Places
from waitlist_shared.errors import WaitlistError

INTENTS = ("joining", "leaving")
NOT_VERIFIED = "not verified"
INTENT_AGE_MILLIS = 60_000
# An intent of this age has failed in several runs.
STUCK_MILLIS = 5 * INTENT_AGE_MILLIS


class IntentFinisher(Struct, frozen=True):
    """Finishes intents of any request."""

    entries: EntryRecords
    places: Places
    erasures: Erasures
    joins: Joins
    leaves: Leaves
    now_millis: NowMillis
    metrics: MetricsCollector
    asks: Asks
    moves: Moves

    def finish_intents(self) -> None:
        """Finish the signups and leaves that were cut off over a minute ago."""
        before_millis = self.now_millis() - INTENT_AGE_MILLIS
        for shard in range(SHARDS):
            for page in self.places.intents(shard, before_millis):
                run_each(self._finish, page)

    def _finish(self, placed: IndexRow) -> None:
        if placed.status == UNVERIFIED:
            self._end_unverified(placed)
            return
        if placed.status == MOVED:
            self.moves.look_after(placed.waitlist_id, placed.entry_id, self.now_millis())
            return
        # The index may lag, so read the record itself.
        record = self.entries.get(placed.waitlist_id, placed.entry_id)
        if record is None or record.status not in INTENTS:
            return
        try:
            self._finish_intent(record)
        except WaitlistError:
            if record.updated_millis < self.now_millis() - STUCK_MILLIS:
                self.metrics.add("intents_stuck")
            raise
        self.metrics.add("intents_finished")

    def _end_unverified(self, placed: IndexRow) -> None:
        """End a stay that was not verified in time, and take its event off the index."""
        key = (placed.waitlist_id, placed.entry_id)
        record = self.entries.get(*key)
        if record is not None and record.join_id == placed.join_id and record.status in PRESENT:
            # The customer may be verified, admitted or erased since it was read.
            with suppress(AlreadyAdmitted, EntryNotFound, Forbidden):
                self.leaves.leave(*key, MAINTENANCE, NOT_VERIFIED, record.ticket, unverified=True)
        self.asks.forget_deadline(key, placed.stamp)

    def _finish_intent(self, record: EntryRecord) -> None:
        try:
            if record.status == "joining":
                self.joins.finish(record)
            else:
                self.leaves.finish(record)
        except WaitlistNotFound:
            self.erasures.erase(record)
