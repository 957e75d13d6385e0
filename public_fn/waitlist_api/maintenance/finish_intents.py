"""Finish interrupted signups and requests to leave."""

from contextlib import suppress
from functools import partial

from msgspec import Struct

from waitlist_api.clock import IsTimeUp, NowMillis, never
from waitlist_api.entries.join import Joins
from waitlist_api.entries.leave import Leaves
from waitlist_api.errors import AlreadyAdmitted, EntryNotFound, Forbidden, WaitlistNotFound
from waitlist_api.maintenance.isolation import run_each
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.records.decisions import MAINTENANCE
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import MOVED, PRESENT, SHARDS, EntryRecord, HistoryEvent
from waitlist_api.records.erasures import Erasures
from waitlist_api.records.intents import UNVERIFIED, VERIFICATION_ASKED
from waitlist_api.records.leaves import Leave
from waitlist_api.records.ledger import Ledger
from waitlist_api.records.moves import Aliases
from waitlist_api.records.places import IndexRow, Places
from waitlist_shared.errors import WaitlistError

INTENTS = ("joining", "leaving")
NOT_VERIFIED = "not verified"
INTENT_AGE_MILLIS = 60_000
# The age at which an unfinished request counts as stuck, because several runs have failed to finish
# it.
STUCK_MILLIS = 5 * INTENT_AGE_MILLIS
MINUTE_MILLIS = 60_000
# The maximum time that one run spends erasing a single entry. If the erasure takes longer, the next
# run continues it.
ERASE_MILLIS = 5_000


class IntentFinisher(Struct, frozen=True):
    entries: EntryRecords
    places: Places
    erasures: Erasures
    joins: Joins
    leaves: Leaves
    now_millis: NowMillis
    metrics: MetricsCollector
    ledger: Ledger
    aliases: Aliases

    def finish_intents(self, is_time_up: IsTimeUp = never) -> bool:
        """Finish the requests to join or leave that were interrupted more than a minute ago.

        If time runs out first, return False, and leave the remaining requests to the next call.
        """
        now_millis = self.now_millis()
        first = now_millis // MINUTE_MILLIS % SHARDS
        for shard in (*range(first, SHARDS), *range(first)):
            for page in self.places.intents(shard, now_millis - INTENT_AGE_MILLIS):
                run_each(partial(self._finish, is_time_up=is_time_up), page)
                if is_time_up():
                    return False
        return True

    def count_late_intents(self) -> None:
        """Count the requests to join or leave that are still unfinished after several minutes."""
        before_millis = self.now_millis() - STUCK_MILLIS
        late = sum(len(next(self.places.intents(shard, before_millis))) for shard in range(SHARDS))
        self.metrics.add("intents_stuck", late)

    def _finish(self, placed: IndexRow, is_time_up: IsTimeUp) -> None:
        if is_time_up():
            return
        began_millis = self.now_millis()

        def is_over() -> bool:
            return self.now_millis() - began_millis >= ERASE_MILLIS or is_time_up()

        if placed.status == UNVERIFIED:
            self._end_unverified(placed)
            return
        if placed.status == MOVED:
            key = (placed.waitlist_id, placed.entry_id)
            self.aliases.check_alias(*key, began_millis, is_over)
            return
        # The index may be outdated, so read the record itself.
        record = self.entries.get(placed.waitlist_id, placed.entry_id)
        if record is None or record.status not in INTENTS:
            return
        try:
            is_done = self._finish_intent(record, is_over)
        except WaitlistError:
            if record.updated_millis < self.now_millis() - STUCK_MILLIS:
                self.metrics.add("intents_stuck")
            raise
        if is_done:
            self.metrics.add("intents_finished")

    def _end_unverified(self, placed: IndexRow) -> None:
        """Remove an entry whose address was not verified in time."""
        key = (placed.waitlist_id, placed.entry_id)
        record = self.entries.get(*key)
        if record is not None and record.join_id == placed.join_id and record.status in PRESENT:
            # Each of these errors means that the customer has been verified, admitted or erased
            # since the record was read, so there is nothing to remove.
            with suppress(AlreadyAdmitted, EntryNotFound, Forbidden):
                leave = Leave(
                    by=MAINTENANCE, reason=NOT_VERIFIED, stay=record.ticket, unverified=True
                )
                self.leaves.leave(*key, leave)
        event = HistoryEvent.key(*key, placed.stamp, VERIFICATION_ASKED)
        self.ledger.take_off_index(event)

    def _finish_intent(self, record: EntryRecord, is_time_up: IsTimeUp) -> bool:
        """Finish a signup, a request to leave, or an erasure.

        Return False if time runs out during an erasure.
        """
        try:
            if record.intent.erase:
                return self.leaves.finish_erase(record, is_time_up)
            if record.status == "joining":
                self.joins.finish(record)
            else:
                self.leaves.finish(record)
        except WaitlistNotFound:
            return self.erasures.erase(record, is_time_up=is_time_up)
        return True
