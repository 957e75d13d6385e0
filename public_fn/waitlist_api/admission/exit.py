"""Let admitted customers exit, so that others can be admitted."""

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.errors import NotInside
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.conflicts import retry_on_conflict
from waitlist_api.records.decisions import CUSTOMER
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.exits import go_out
from waitlist_api.records.ledger import EntryChanged, Ledger
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.settings.waitlist import frees_at_end
from waitlist_shared import contracts as c


class Exits(Struct, frozen=True):
    """Records that admitted customers are no longer inside, so that other customers can be
    admitted.
    """

    entries: EntryRecords
    ledger: Ledger
    waitlist_cache: WaitlistCache
    recovering_queue: RecoveringQueue
    now_millis: NowMillis

    def exit(
        self, waitlist_id: str, entry_id: str, by: str, *, stay: int | None = None, reason: str = ""
    ) -> EntryRecord:
        """Let an admitted customer exit. If the exit is already recorded, nothing changes."""
        # Record the exit before Redis stops counting the customer as inside. In the reverse order,
        # the place could go to another customer before the exit is recorded. If the queue were
        # rebuilt from the records at that moment, both customers would count as inside.
        record = retry_on_conflict(
            lambda: self._record(self.entries.find(waitlist_id, entry_id, stay), by, reason)
        )
        if record.end.exited_millis is not None:
            self.recovering_queue.write(
                c.Exit(waitlist_id=waitlist_id, entry_id=entry_id, ticket=record.ticket)
            )
        return record

    def _record(self, record: EntryRecord, by: str, reason: str) -> EntryRecord | None:
        """Record the exit, and return the record.

        Return None if another request changed the record first.
        """
        now_millis, is_customer = self.now_millis(), by == CUSTOMER
        if _is_out(record, is_customer):
            return record
        if not record.inside_until(now_millis):
            raise NotInside
        settings = self.waitlist_cache.find(record.waitlist_id).settings
        keeps_room = is_customer and frees_at_end(settings)
        try:
            decided = go_out(record, by, reason, now_millis, keeps_room=keeps_room)
            return self.ledger.commit(record, decided, now_millis)
        except EntryChanged:
            return None


def _is_out(record: EntryRecord, is_customer: bool) -> bool:
    """Return whether the exit is already recorded."""
    # If the policy's `customer_exit` is `frees_at_end`, a customer can exit early, but their place
    # inside stays taken until their pass ends. To free the place earlier, an operator can record
    # another exit.
    return (record.went_out_millis if is_customer else record.end.exited_millis) is not None
