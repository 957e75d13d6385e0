"""Write edits of an entry's attributes, profile and readiness."""

from typing import Any

from msgspec import Struct

from waitlist_api.records.entries import STATUSES
from waitlist_api.records.entry import (
    READINESS_CHANGE,
    EntryRecord,
    HistoryEvent,
    json_text,
    record_key,
)
from waitlist_api.records.journal import EDITED, Change
from waitlist_api.records.ledger import EntryChanged, entry_changed
from waitlist_api.records.table import Item, Table

ON_LIST = "#status IN (:waiting, :offered, :parked)"
UNEDITED = "attribute_not_exists(#edited_stamp)"
# The event of an edit must have a later stamp than every edit in the record. If the condition
# fails, another request was faster, and the caller draws a later stamp.
IS_LATER = f"({UNEDITED} OR #edited_stamp < :edited_stamp)"
# The attribute is missing if the entry was never edited.
NEXT_VERSION = "if_not_exists(#attributes_version, :zero) + :one"


class Edits(Struct, frozen=True):
    table: Table

    def record(
        self,
        key: tuple[str, str],
        attributes: dict[str, Any] | None,
        profile: dict[str, Any] | None,
        event: HistoryEvent,
        now_millis: int,
        seen: EntryRecord | None = None,
        changes_until_millis: int = 0,
    ) -> EntryRecord:
        """Replace the given fields, and return the record after the edit or after a later write.

        `changes_until_millis` is set for edits by the customer, which are rate-limited. `seen` is
        the record that the caller has read.

        Raise EntryChanged if the entry is not waiting, offered or parked, or if it has a later
        event. Raise it also if the entry already has these values, so that only one of two equal
        concurrent requests makes the change. If `seen` is given, raise EntryChanged if the stay is
        another one or has been edited since.
        """
        update, values = "", Item(zero=0, one=1)
        if attributes is not None:
            update += f", #attributes = :attributes, #attributes_version = {NEXT_VERSION}"
            values["attributes"] = json_text(attributes)
        if profile is not None:
            update += ", #profile = :profile"
            values["profile"] = json_text(profile)
        news = [f"#{name} <> :{name}" for name in ("attributes", "profile") if name in values]
        # `_write` adds parentheses, and DynamoDB refuses redundant parentheses.
        condition = " OR ".join(news)
        if seen is not None:
            known = "#edited_stamp = :seen" if seen.edited_stamp else UNEDITED
            condition = f"({condition}) AND #join_id = :join_id AND {known}"
            values |= {"join_id": seen.join_id, "seen": seen.edited_stamp}
        if changes_until_millis:
            update += ", #changes_until_millis = :changes_until"
            values["changes_until"] = changes_until_millis
        return self._write(key, update, condition, values, event, now_millis)

    def record_readiness(
        self,
        record: EntryRecord,
        changes: dict[str, Any],
        event: HistoryEvent,
        now_millis: int,
    ) -> EntryRecord:
        """Change the fields that decide whether an entry is ready.

        Return the record after this change or after a later write. The value None removes a field.
        Raise EntryChanged if another edit came first or if the stay has ended.
        """
        kept = {name: value for name, value in changes.items() if value is not None}
        update = "".join(f", #{name} = :{name}" for name in kept)
        update += ", #attributes_version = :next"
        if removed := [f"#{name}" for name, value in changes.items() if value is None]:
            update += f" REMOVE {', '.join(removed)}"
        version = record.attributes_version
        # The attribute is missing if the entry was never edited.
        known = "#attributes_version = :version"
        if not version:
            known = "attribute_not_exists(#attributes_version)"
        values = {
            **kept,
            "join_id": record.join_id,
            "version": version,
            "next": version + READINESS_CHANGE,
        }
        condition = f"#join_id = :join_id AND {known}"
        return self._write(record.key, update, condition, values, event, now_millis)

    def _write(
        self,
        key: tuple[str, str],
        update: str,
        condition: str,
        values: Item,
        event: HistoryEvent,
        now_millis: int,
    ) -> EntryRecord:
        update = f"SET #updated_millis = :now, #edited_stamp = :edited_stamp{update}"
        values = STATUSES | values | {"now": now_millis, "edited_stamp": event.stamp}
        with entry_changed():
            self.table.transact(
                [
                    self.table.update_write(
                        record_key(*key),
                        update,
                        f"{ON_LIST} AND {IS_LATER} AND ({condition})",
                        values,
                    ),
                    self.table.put_write(event.to_item(*key)),
                    self.table.put_write(_change(key, event.stamp).to_item(now_millis)),
                ]
            )
        # Read the record again, because a transaction does not return the changed item.
        item = self.table.get(record_key(*key))
        if item is None:
            raise EntryChanged(None)
        return EntryRecord.from_item(item)


def _change(key: tuple[str, str], stamp: int) -> Change:
    """Return the journal's change for an edit.

    The status `edited` makes the audit compare the whole record with Redis.
    """
    waitlist_id, entry_id = key
    return Change(waitlist_id=waitlist_id, entry_id=entry_id, stamp=stamp, status=EDITED)
