"""Changes of what is known about a person: attributes and profile, at whatever place."""

from typing import Any

from waitlist_api.records.entries import STATUSES, EntryChanged, entry_changed
from waitlist_api.records.entry import EntryRecord, HistoryEvent, json_text, record_key
from waitlist_api.records.journal import EDITED, Change
from waitlist_api.records.table import Item, Table

ON_LIST = "#status IN (:waiting, :offered, :parked) AND attribute_not_exists(#erase)"
# Counted from nothing in a record that was never edited.
NEXT_VERSION = "if_not_exists(#attributes_version, :zero) + :one"


class Edits:
    """Writes them."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def record(
        self,
        key: tuple[str, str],
        attributes: dict[str, Any] | None,
        profile: dict[str, Any] | None,
        event: HistoryEvent,
        now_millis: int,
    ) -> EntryRecord:
        """Replace what is given, and return the record as it stands then, or later.

        Raise EntryChanged for whoever is not waiting, offered or parked, and where all of it is
        recorded already: of two who ask for the same at once, one makes the change.
        """
        update, values = _update(attributes, profile, event.stamp, now_millis)
        news = [f"#{name} <> :{name}" for name in ("attributes", "profile") if name in values]
        condition = f"{ON_LIST} AND ({' OR '.join(news)})"
        with entry_changed():
            self._table.transact(
                [
                    self._table.update_write(record_key(*key), update, condition, values),
                    self._table.put_write(event.to_item(*key)),
                    self._table.put_write(_change(key, event.stamp).to_item(now_millis)),
                ]
            )
        # Read anew, for a transaction does not tell what it wrote.
        item = self._table.get(record_key(*key))
        if item is None:
            raise EntryChanged(None)
        return EntryRecord.from_item(item)


def _change(key: tuple[str, str], stamp: int) -> Change:
    """Return what the journal tells: that the record is to be looked at, wherever it is."""
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
