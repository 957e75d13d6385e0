"""Edits of attributes and profile."""

from typing import Any

from msgspec import Struct

from waitlist_api.records.entries import STATUSES, EntryChanged, entry_changed
from waitlist_api.records.entry import EntryRecord, HistoryEvent, json_text, record_key
from waitlist_api.records.journal import EDITED, Change
from waitlist_api.records.table import Item, Table

ON_LIST = "#status IN (:waiting, :offered, :parked) AND attribute_not_exists(#erase)"
# A record that was never edited has no version.
NEXT_VERSION = "if_not_exists(#attributes_version, :zero) + :one"


class Edits(Struct, frozen=True):
    """Writes edits."""

    table: Table

    def record(
        self,
        key: tuple[str, str],
        attributes: dict[str, Any] | None,
        profile: dict[str, Any] | None,
        event: HistoryEvent,
        now_millis: int,
    ) -> EntryRecord:
        """Replace the given fields, and return the record as it is then, or later.

        Raise EntryChanged if the entry is not waiting, offered or parked, or if it already has
        these values: of two equal requests at once, one makes the change.
        """
        update, values = _update(attributes, profile, event.stamp, now_millis)
        news = [f"#{name} <> :{name}" for name in ("attributes", "profile") if name in values]
        condition = f"{ON_LIST} AND ({' OR '.join(news)})"
        with entry_changed():
            self.table.transact(
                [
                    self.table.update_write(record_key(*key), update, condition, values),
                    self.table.put_write(event.to_item(*key)),
                    self.table.put_write(_change(key, event.stamp).to_item(now_millis)),
                ]
            )
        # Read again, because a transaction does not return the item.
        item = self.table.get(record_key(*key))
        if item is None:
            raise EntryChanged(None)
        return EntryRecord.from_item(item)


def _change(key: tuple[str, str], stamp: int) -> Change:
    """Return the change for the journal: in any state, the audit compares the record."""
    waitlist_id, entry_id = key
    return Change(waitlist_id=waitlist_id, entry_id=entry_id, stamp=stamp, status=EDITED)


def _update(
    attributes: dict[str, Any] | None,
    profile: dict[str, Any] | None,
    stamp: int,
    now_millis: int,
) -> tuple[str, Item]:
    update = "SET #updated_millis = :now, #edited_stamp = :edited_stamp"
    values: Item = STATUSES | {"now": now_millis, "edited_stamp": stamp, "zero": 0, "one": 1}
    if attributes is not None:
        update += f", #attributes = :attributes, #attributes_version = {NEXT_VERSION}"
        values["attributes"] = json_text(attributes)
    if profile is not None:
        update += ", #profile = :profile"
        values["profile"] = json_text(profile)
    return update, values
