"""Replace the attributes or the profile of an entry. The entry keeps its place in the queue."""

import json
from typing import Any

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.entries.edit_steps import EditSteps
from waitlist_api.entries.guest_data import check_addresses
from waitlist_api.entries.position import Positions
from waitlist_api.entries.queries import EntryDetails
from waitlist_api.records.conflicts import retry_on_conflict
from waitlist_api.records.edits import edit
from waitlist_api.records.entry import EntryRecord, HistoryEvent
from waitlist_api.records.ledger import EntryChanged, Ledger
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistRecord


class EditCommand(Struct, frozen=True, kw_only=True):
    """An operator's request to replace an entry's attributes, its profile, or both.

    A field that is None stays unchanged.
    """

    waitlist_id: str
    entry_id: str
    by: str
    attributes: dict[str, Any] | None = None
    profile: dict[str, Any] | None = None
    reason: str = ""

    def changes(self, record: EntryRecord) -> dict[str, Any]:
        """Return the new values that differ from the record, by field name."""
        given = {"attributes": self.attributes, "profile": self.profile}
        return {
            name: value
            for name, value in given.items()
            if value is not None and text_of(value) != text_of(getattr(record, name))
        }


class EntryEdits(Struct, frozen=True):
    """Edits the attributes and profiles of entries that are still on the waitlist."""

    waitlist_cache: WaitlistCache
    steps: EditSteps
    ledger: Ledger
    positions: Positions
    now_millis: NowMillis

    def edit(self, command: EditCommand) -> EntryDetails:
        """Replace the given fields, and return the record.

        If no value has changed, nothing is written.
        """
        self.waitlist_cache.find(command.waitlist_id)
        record = retry_on_conflict(lambda: self._record_edit(command))
        if command.attributes is not None:
            # Send the segments to Redis even if this edit has not changed the attributes. An
            # earlier edit may have recorded new attributes, but stopped before sending the new
            # segments.
            self.steps.follow(record)
        view = self.positions.read(record.waitlist_id, record.entry_id, to_operator=True)
        return EntryDetails(view, record, [])

    def _record_edit(self, command: EditCommand) -> EntryRecord | None:
        """Record the edit, and return the record.

        Return None if another request changed the record first.
        """
        key = (command.waitlist_id, command.entry_id)
        record = self.steps.present(key)
        changes = {} if record is None else command.changes(record)
        if record is None or not changes:
            return record
        self.waitlist_cache.checked(
            command.waitlist_id, lambda waitlist: _check(waitlist, record, changes)
        )
        if "profile" in changes:
            self.steps.readdress(record, changes["profile"])
        event = HistoryEvent(
            stamp=self.steps.mark(record),
            event="edited",
            by=command.by,
            reason=command.reason,
            detail={"changed": list(changes)},
        )
        now_millis = self.now_millis()
        decided = edit(record, event, now_millis, **changes)
        try:
            return self.ledger.commit(record, decided, now_millis)
        except EntryChanged:
            return None


def _check(waitlist: WaitlistRecord, record: EntryRecord, changes: dict[str, Any]) -> None:
    """Raise InvalidFields if the waitlist does not accept these changes.

    Unchanged answers are not checked, because the questions may have changed since the customer
    answered them.
    """
    if "attributes" in changes:
        waitlist.segments.check(changes["attributes"])
    answers: dict[str, dict[str, Any]] = {}
    for name in ("profile", "attributes"):
        former = getattr(record, name)
        answers[name] = {
            key: value for key, value in changes.get(name, {}).items() if value != former.get(key)
        }
    check_addresses(waitlist.settings, **answers)


def text_of(value: dict[str, Any]) -> str:
    """Return the value as JSON text for comparisons.

    In Python, True equals 1, but they are different values in JSON.
    """
    return json.dumps(value, sort_keys=True)
