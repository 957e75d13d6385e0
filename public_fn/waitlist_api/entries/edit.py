"""Edit: replace an entry's attributes or profile. The place stays, the segments follow."""

import json
from typing import Any

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.entries.position import Positions
from waitlist_api.entries.queries import EntryDetails
from waitlist_api.entries.signup import Signups
from waitlist_api.errors import AlreadyAdmitted
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.queue.segmented import SegmentedQueue
from waitlist_api.records.conflicts import retry_on_conflict
from waitlist_api.records.edits import Edits
from waitlist_api.records.entries import EntryChanged, EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord, HistoryEvent
from waitlist_api.records.segments import Attributes
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone, NotWaiting

HAS_LEFT = "The person has left the list, so there is nothing to edit."


class EditCommand(Struct, frozen=True, kw_only=True):
    """New attributes, a new profile or both; None leaves a field as it is."""

    waitlist_id: str
    entry_id: str
    by: str
    attributes: dict[str, Any] | None = None
    profile: dict[str, Any] | None = None
    reason: str = ""

    def changes(self, record: EntryRecord) -> dict[str, Any]:
        """Return the given fields that differ from the record, by name."""
        asked = {"attributes": self.attributes, "profile": self.profile}
        return {
            name: value
            for name, value in asked.items()
            if value is not None and _text(value) != _text(getattr(record, name))
        }


class EntryEdits(Struct, frozen=True):
    """Edits entries that wait, are offered or are parked.

    The record decides and Redis follows: Redis keeps the higher version of an entry's attributes.
    The entry is marked dirty in Redis before the record changes, so that maintenance finishes an
    edit that is cut off.
    """

    waitlist_cache: WaitlistCache
    entries: EntryRecords
    edits: Edits
    recovering_queue: RecoveringQueue
    segmented_queue: SegmentedQueue
    positions: Positions
    signups: Signups
    now_millis: NowMillis

    def edit(self, command: EditCommand) -> EntryDetails:
        """Replace the given fields; return the entry. No change if they are recorded already."""
        self.waitlist_cache.find(command.waitlist_id)
        record = retry_on_conflict(lambda: self._recorded(command))
        if command.attributes is not None:
            # Also if nothing changed: an earlier edit may have been cut off before this step.
            self._reindex(record)
        view = self.positions.of(record.waitlist_id, record.entry_id, to_operator=True)
        return EntryDetails(view, record, [])

    def _recorded(self, command: EditCommand) -> EntryRecord | None:
        """Return the record with the edit; None if another request changed it first."""
        record = self._present(command)
        changes = {} if record is None else command.changes(record)
        if record is None or not changes:
            return record
        if "attributes" in changes:
            self._check(command.waitlist_id, changes["attributes"])
        event = HistoryEvent(
            stamp=self._mark(record),
            event="edited",
            by=command.by,
            reason=command.reason,
            detail={"changed": list(changes)},
        )
        key = (command.waitlist_id, command.entry_id)
        new = (changes.get("attributes"), changes.get("profile"))
        try:
            return self.edits.record(key, *new, event, self.now_millis())
        except EntryChanged:
            return None

    def _present(self, command: EditCommand) -> EntryRecord | None:
        """Return a record that can be edited; None if its signup had to be finished first."""
        record = self.entries.find(command.waitlist_id, command.entry_id)
        if record.status == "admitted":
            raise AlreadyAdmitted
        if record.status == "joining":
            self.signups.try_to_finish(record)
            return None
        if record.status not in PRESENT:
            raise NotWaiting(HAS_LEFT)
        return record

    def _check(self, waitlist_id: str, attributes: Attributes) -> None:
        self.waitlist_cache.checked(waitlist_id, lambda segments: segments.check(attributes))

    def _mark(self, record: EntryRecord) -> int:
        """Mark the entry dirty, so that maintenance reconciles it; return the stamp of the edit."""
        request = c.MarkDirty(waitlist_id=record.waitlist_id, entry_id=record.entry_id)
        marked: c.MarkDirtyResult = self.recovering_queue.read(request)
        if marked.outcome == "absent":
            self._put_back(record)
            marked = self.recovering_queue.read(request)
        return marked.stamp

    def _put_back(self, record: EntryRecord) -> None:
        """Restore the recorded place, which Redis has lost."""
        try:
            place = self.positions.put_back(record)
        except Gone as error:
            raise NotWaiting(HAS_LEFT) from error
        if place.state == "done":
            raise AlreadyAdmitted

    def _reindex(self, record: EntryRecord) -> None:
        try:
            self.segmented_queue.update(record)
        except Gone as error:
            raise NotWaiting(HAS_LEFT) from error


def _text(value: dict[str, Any]) -> str:
    """Return JSON text, because Python takes true, 1 and 1.0 for equal."""
    return json.dumps(value, sort_keys=True)
