"""Take one specific entry from the queue, for a claim or for an offer."""

from typing import Any

from msgspec import Struct, structs

from waitlist_api.admission.dequeue import Dequeue
from waitlist_api.entries.position import Positions
from waitlist_api.errors import AlreadyAdmitted
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import EntryRecord
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone, NotWaiting

NOT_TO_BE_TAKEN = (
    "The entry is not waiting, so it cannot be claimed or offered a slot. Another operator may "
    "have claimed it. Get the entry to see its current status."
)


class TakeOne(Struct, frozen=True):
    """Sends requests that take one specific entry from the queue."""

    dequeue: Dequeue
    entries: EntryRecords
    positions: Positions

    def find_ticket(self, waitlist_id: str, entry_id: str) -> int | None:
        """Return the entry's ticket, a number that identifies the customer's signup."""
        return self.positions.find_ticket(self.entries.find(waitlist_id, entry_id))

    def send(self, request: c.Admit | c.Claim) -> Any:
        """Send a request that takes a single entry from the queue.

        If Redis has lost the waiting entry, restore the entry and try again.
        """
        entry_id = request.entry_id or ""
        try:
            return self.dequeue.send(request)
        except NotWaiting as refusal:
            record = self.entries.find(request.waitlist_id, entry_id)
            if record.status == "admitted":
                raise AlreadyAdmitted from refusal
            if record.status != "waiting" or self._restore(record).state != "waiting":
                raise NotWaiting(NOT_TO_BE_TAKEN) from refusal
        return self.dequeue.send(structs.replace(request, ticket=record.ticket))

    def _restore(self, record: EntryRecord) -> c.RestoreResult:
        try:
            restored = self.positions.restore_place(record)
            if restored.ticket != record.ticket:
                # The entry in Redis belongs to an earlier signup, because Redis has lost its newest
                # writes. Repair the entry.
                self.positions.repair_place(record)
            return restored
        except Gone as error:
            raise NotWaiting(NOT_TO_BE_TAKEN) from error
