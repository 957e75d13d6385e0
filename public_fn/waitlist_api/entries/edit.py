"""Edit: change what is recorded of a person; the place stays, the segments follow."""

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from waitlist_api.clock import NowMillis
from waitlist_api.conflicts import retry_on_conflict
from waitlist_api.entries.position import Positions
from waitlist_api.entries.queries import EntryDetails
from waitlist_api.entries.signup import Signups
from waitlist_api.errors import AlreadyAdmitted, EntryNotFound, InvalidFields
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.edits import Edits
from waitlist_api.records.entries import EntryChanged, EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord, HistoryEvent
from waitlist_api.records.segments import Attributes
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.segments.index import SegmentIndex
from waitlist_api.segments.validate import checked
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone, NotWaiting, WaitlistClosed, WaitlistFull

NOBODY = "The person has left the list, so there is nothing to edit."


@dataclass(frozen=True, kw_only=True)
class EditCommand:
    """What replaces the attributes, the profile or both; None leaves them as they are."""

    waitlist_id: str
    entry_id: str
    by: str
    attributes: dict[str, Any] | None = None
    profile: dict[str, Any] | None = None
    reason: str = ""

    def changes(self, record: EntryRecord) -> dict[str, Any]:
        """Return what is given and not recorded, by the names of the fields."""
        asked = {"attributes": self.attributes, "profile": self.profile}
        return {
            name: value
            for name, value in asked.items()
            if value is not None and _text(value) != _text(getattr(record, name))
        }


@dataclass(frozen=True, slots=True)
class EntryEdits:
    """Edits people who have a place.

    The record decides and Redis follows: the higher version of somebody's attributes stays. Redis
    is told before the record changes, so that maintenance sees to an edit that is cut off.
    """

    waitlist_cache: WaitlistCache
    entries: EntryRecords
    edits: Edits
    recovering_queue: RecoveringQueue
    segment_index: SegmentIndex
    positions: Positions
    signups: Signups
    now_millis: NowMillis

    def edit(self, command: EditCommand) -> EntryDetails:
        """Replace what is given; where all of it is recorded already, nothing changes."""
        self.waitlist_cache.find(command.waitlist_id)
        record = retry_on_conflict(lambda: self._recorded(command))
        if command.attributes is not None:
            # Also if nothing changed: an earlier edit may have been cut off before this step.
            self._tag(record)
        view = self.positions.of(record.waitlist_id, record.entry_id, to_operator=True)
        return EntryDetails(view, record, [])

    def _recorded(self, command: EditCommand) -> EntryRecord | None:
        """Return the record as it was asked for; None where it has changed meanwhile."""
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
        """Return the record of somebody who has a place; None where it has only just come about."""
        record = self.entries.get(command.waitlist_id, command.entry_id)
        if record is None or record.erase:
            raise EntryNotFound
        if record.status == "admitted":
            raise AlreadyAdmitted
        if record.status == "joining":
            with suppress(Gone, InvalidFields, NotWaiting, WaitlistClosed, WaitlistFull):
                self.signups.finish(record)
            return None
        if record.status not in PRESENT:
            raise NotWaiting(NOBODY)
        return record

    def _check(self, waitlist_id: str, attributes: Attributes) -> None:
        checked(self.waitlist_cache, waitlist_id, lambda segments: segments.check(attributes))

    def _mark(self, record: EntryRecord) -> int:
        """Have maintenance look at the entry in a minute; return the stamp of the edit."""
        request = c.MarkDirty(waitlist_id=record.waitlist_id, entry_id=record.entry_id)
        marked: c.MarkDirtyResult = self.recovering_queue.read(request)
        if marked.outcome == "absent":
            self._put_back(record)
            marked = self.recovering_queue.read(request)
        return marked.stamp

    def _put_back(self, record: EntryRecord) -> None:
        """Give somebody the place again that the record knows and Redis has lost."""
        try:
            place = self.positions.put_back(record)
        except Gone as error:
            raise NotWaiting(NOBODY) from error
        if place.state == "done":
            raise AlreadyAdmitted

    def _tag(self, record: EntryRecord) -> None:
        try:
            self.segment_index.tag(record)
        except Gone as error:
            raise NotWaiting(NOBODY) from error


def _text(value: dict[str, Any]) -> str:
    """Tell values apart as JSON does, true from 1 and 1 from 1.0."""
    return json.dumps(value, sort_keys=True)
