"""The steps of each edit: the record decides, and Redis follows."""

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

# The fields of the profile to which messages are sent.
ADDRESSES = ("email", "phone")
HAS_LEFT = "The person has left the list, so there is nothing to change."


class EditSteps(Struct, frozen=True):
    """Edits entries that wait, are offered or are parked, in three steps.

    1. The entry is marked dirty in Redis, so that maintenance finishes an edit that is cut off. The
    mark has the stamp of the edit. 2. The record is written. 3. Redis gets what it keeps of the
    record, under a version: the higher one wins.
    """

    entries: EntryRecords
    recovering_queue: RecoveringQueue
    segmented_queue: SegmentedQueue
    positions: Positions
    joins: Joins
    recipients: Recipients

    def present(self, key: tuple[str, str], stay: int | None = None) -> EntryRecord | None:
        """Return a record that can be edited; None if its signup had to be finished first.

        `stay` is the ticket of an entry token: Forbidden if the entry's stay has another.
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
        """Mark the entry dirty, so that maintenance reconciles it; return the stamp of the edit."""
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
        """Take back that the address takes no messages, before a profile with another is written.

        If the write does not follow, the next message finds out again.
        """
        is_other = any(record.profile.get(name) != profile.get(name) for name in ADDRESSES)
        if record.unreachable and is_other:
            self.recipients.mark_reachable(*record.key, record.ticket or 0)

    def follow(self, record: EntryRecord) -> None:
        """Write to Redis what it keeps of the record; raise NotWaiting if the stay has ended."""
        try:
            self.segmented_queue.update(record)
        except Gone as error:
            raise NotWaiting(HAS_LEFT) from error

    def _restore_place(self, record: EntryRecord) -> None:
        """Restore the recorded place, which Redis has lost."""
        try:
            place = self.positions.restore_place(record)
        except Gone as error:
            raise NotWaiting(HAS_LEFT) from error
        if place.state == "done":
            raise AlreadyAdmitted
