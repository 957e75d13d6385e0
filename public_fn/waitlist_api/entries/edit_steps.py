"""The steps of an edit: mark the entry as dirty in Redis, write the record, and update Redis."""

from typing import Any

from msgspec import Struct

from waitlist_api.entries.join import Joins
from waitlist_api.entries.position import Positions
from waitlist_api.errors import AlreadyAdmitted
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.queue.segmented import SegmentedQueue
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord
from waitlist_api.records.recipients import Recipients
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone, NotWaiting

# The profile fields that contain an address to which messages can be sent.
ADDRESSES = ("email", "phone")
HAS_LEFT = "The customer has left the waitlist, so there is nothing to change."


class EditSteps(Struct, frozen=True):
    """The steps of an edit. An entry can be edited while it is waiting, offered or parked.

    1. Mark the entry as dirty in Redis, and draw a timestamp for the edit. If the edit is
       interrupted, maintenance finishes the edit of a dirty entry.
    2. Write the record.
    3. Send the changed fields and their version to Redis. Redis ignores an older version.
    """

    entries: EntryRecords
    recovering_queue: RecoveringQueue
    segmented_queue: SegmentedQueue
    positions: Positions
    joins: Joins
    recipients: Recipients

    def present(self, key: tuple[str, str], stay: int | None = None) -> EntryRecord | None:
        """Return the record of an entry if the entry can be edited.

        Return None if this call had to finish an interrupted signup first. The caller then tries
        again. `stay` is the ticket in the caller's entry token. Raise Forbidden if the token
        belongs to another signup of this customer.
        """
        record = self.entries.find(*key, stay)
        if record.status == "admitted":
            raise AlreadyAdmitted
        if record.status == "joining":
            self.joins.try_to_finish(record)
            return None
        if record.status not in PRESENT:
            raise NotWaiting(HAS_LEFT)
        return record

    def mark(self, record: EntryRecord) -> int:
        """Mark the entry as dirty, so that maintenance finishes the edit.

        Return a timestamp for the edit.
        """
        request = c.MarkDirty(
            waitlist_id=record.waitlist_id,
            entry_id=record.entry_id,
            known_stamp=record.known_stamp,
        )
        marked: c.MarkDirtyResult = self.recovering_queue.read(request)
        if marked.outcome == "absent":
            self._restore_place(record)
            marked = self.recovering_queue.read(request)
        return marked.stamp

    def readdress(self, record: EntryRecord, profile: dict[str, Any]) -> None:
        """Mark an unreachable entry as reachable if the new profile has another address.

        Call this method before the profile is written. If writing the profile fails, the next
        message to the old address marks the entry as unreachable again.
        """
        has_changed = any(record.profile.get(name) != profile.get(name) for name in ADDRESSES)
        if record.unreachable and has_changed:
            self.recipients.mark_reachable(*record.key, record.ticket or 0)

    def follow(self, record: EntryRecord) -> None:
        """Send the changed fields to Redis.

        Raise NotWaiting if the customer has left the waitlist.
        """
        try:
            self.segmented_queue.update(record)
        except Gone as error:
            raise NotWaiting(HAS_LEFT) from error

    def _restore_place(self, record: EntryRecord) -> None:
        """Restore the entry in Redis from its record."""
        try:
            place = self.positions.restore_place(record)
        except Gone as error:
            raise NotWaiting(HAS_LEFT) from error
        if place.state == "done":
            raise AlreadyAdmitted
