"""Edit: replace an entry's attributes or profile. The place stays, the segments follow."""

import json
from typing import Any

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.entries.edit_steps import EditSteps
from waitlist_api.entries.position import Positions
from waitlist_api.entries.queries import EntryDetails
from waitlist_api.records.conflicts import retry_on_conflict
from waitlist_api.records.edits import Edits
from waitlist_api.records.entries import EntryChanged
from waitlist_api.records.entry import EntryRecord, HistoryEvent
from waitlist_api.records.segments import Attributes
from waitlist_api.records.waitlist_cache import WaitlistCache


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
            if value is not None and text_of(value) != text_of(getattr(record, name))
        }


class EntryEdits(Struct, frozen=True):
    """Edits attributes and profiles of entries that wait, are offered or are parked."""

    waitlist_cache: WaitlistCache
    steps: EditSteps
    edits: Edits
    positions: Positions
    now_millis: NowMillis

    def edit(self, command: EditCommand) -> EntryDetails:
        """Replace the given fields; return the entry. No change if they are recorded already."""
        self.waitlist_cache.find(command.waitlist_id)
        record = retry_on_conflict(lambda: self._recorded(command))
        if command.attributes is not None:
            # Also if nothing changed: an earlier edit may have been cut off before this step.
            self.steps.follow(record)
        view = self.positions.read(record.waitlist_id, record.entry_id, to_operator=True)
        return EntryDetails(view, record, [])

    def _recorded(self, command: EditCommand) -> EntryRecord | None:
        """Return the record with the edit; None if another request changed it first."""
        key = (command.waitlist_id, command.entry_id)
        record = self.steps.present(key)
        changes = {} if record is None else command.changes(record)
        if record is None or not changes:
            return record
        if "attributes" in changes:
            self._check(command.waitlist_id, changes["attributes"])
        if "profile" in changes:
            self.steps.readdress(record, changes["profile"])
        event = HistoryEvent(
            stamp=self.steps.mark(record),
            event="edited",
            by=command.by,
            reason=command.reason,
            detail={"changed": list(changes)},
        )
        new = (changes.get("attributes"), changes.get("profile"))
        try:
            return self.edits.record(key, *new, event, self.now_millis())
        except EntryChanged:
            return None

    def _check(self, waitlist_id: str, attributes: Attributes) -> None:
        self.waitlist_cache.checked(waitlist_id, lambda segments: segments.check(attributes))


def text_of(value: dict[str, Any]) -> str:
    """Return JSON text, because Python takes true, 1 and 1.0 for equal."""
    return json.dumps(value, sort_keys=True)
