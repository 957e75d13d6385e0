"""Define the steps of an edit, which changes an entry in Redis and in its record."""

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

# The profile fields whose addresses receive messages.
ADDRESSES = ("email", "phone")
HAS_LEFT = "The customer has left the waitlist, so there is nothing to change."


class EditSteps(Struct, frozen=True):
    """The steps of an edit. If an edit is interrupted, maintenance finishes it."""

    entries: EntryRecords
    recovering_queue: RecoveringQueue
    segmented_queue: SegmentedQueue
    positions: Positions
    joins: Joins
    recipients: Recipients

    def present(self, key: tuple[str, str], stay: int | None = None) -> EntryRecord | None:
        """Return the record of an entry that can be edited.

        Return None if another request has to be finished first, in which case the caller tries
        again.
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
        """Tell Redis that the entry's record is about to change, and return a timestamp for the
        edit.

        If the edit is interrupted after this step, maintenance finishes it.
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
        """Mark a customer as reachable again if the new profile has a different address."""
        has_changed = any(record.profile.get(name) != profile.get(name) for name in ADDRESSES)
        if record.contact.unreachable and has_changed:
            self.recipients.mark_reachable(*record.key, record.ticket or 0)

    def follow(self, record: EntryRecord) -> None:
        """Update the entry in Redis to match its record: its segments, and why it is not ready.

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
