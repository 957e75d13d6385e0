"""Exit: a customer who was admitted goes out, and frees the place."""

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.errors import NotInside
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.entries import EntryChanged, EntryRecords
from waitlist_api.records.entry import EntryRecord
from waitlist_shared import contracts as c


class Exits(Struct, frozen=True):
    """Ends the time inside. The record comes first: a crash before Redis frees the place late.

    Otherwise a lost Redis would bring back a customer whose place was given to the next one.
    """

    entries: EntryRecords
    recovering_queue: RecoveringQueue
    now_millis: NowMillis

    def exit(
        self, waitlist_id: str, entry_id: str, by: str, *, stay: int | None = None, reason: str = ""
    ) -> EntryRecord:
        """Free the place of an admitted customer, once; a repeat changes nothing.

        `stay` is the ticket of an entry token. Raises Forbidden if the entry has another, NotInside
        if the customer was not admitted or the pass is over.
        """
        record = self.entries.find(waitlist_id, entry_id, stay)
        if record.exited_millis is None:
            if not record.inside_until(self.now_millis()):
                raise NotInside
            try:
                record = self.entries.record_exit(record, by, reason, self.now_millis())
            except EntryChanged as changed:
                if changed.record is None or changed.record.exited_millis is None:
                    raise NotInside from changed
                record = changed.record
        self.recovering_queue.write(
            c.Exit(waitlist_id=waitlist_id, entry_id=entry_id, ticket=record.ticket)
        )
        return record
