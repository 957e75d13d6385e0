"""Erasure: personal data at once, then history and record."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec import Struct

from waitlist_api.clock import IsTimeUp, never
from waitlist_api.records.alias import AS_ALIAS, MOVED, Alias
from waitlist_api.records.entries import STATUSES, entry_changed
from waitlist_api.records.entry import (
    HISTORY,
    EntryRecord,
    entry_pk,
    intent_place,
    record_key,
)
from waitlist_api.records.table import ConditionFailed, Item, Table

ERASE_PAGE = 500
# Data of the customer, and operators' reasons. Maintenance finishes an erasure without them.
PERSONAL = (
    "#customer_id, #profile, #attributes, #attributes_version, #signup_key, #signup_body,"
    " #previous, #former_profile, #former_attributes, #park_reason, #leaving_by, #leaving_reason,"
    " #joining_by, #joining_reason, #once_key, #once_stamp, #ban_stamp, #ban_reason, #ban_key,"
    " #held_back_reason, #rest_key, #language, #messages, #unreachable, #moving_to, #moving_address"
)
BEHIND_ALL = "~"


class Erasures(Struct, frozen=True):
    """Erases entries of all waitlists."""

    table: Table

    def begin_erase(self, waitlist_id: str, entry_id: str, now_millis: int) -> EntryRecord:
        """Remove personal data and mark the entry for erasure; EntryChanged without a record.

        The status is `leaving` from now on, until the record is deleted. So a write that asks for
        another status needs no condition on `erase`.
        """
        update = (
            "SET #status = :leaving, #erase = :true, #place = :place, #place_rank = :now,"
            " #updated_millis = :now"
            f" REMOVE {PERSONAL}, #expires_at"
        )
        values = STATUSES | {"true": True, "place": intent_place(entry_id), "now": now_millis}
        condition = "attribute_exists(#pk) AND #status <> :moved"
        with entry_changed():
            item = self.table.update(
                record_key(waitlist_id, entry_id), update, condition, values | {"moved": MOVED}
            )
        return EntryRecord.from_item(item)

    def erase(
        self, record: EntryRecord, until_stamp: int = 0, is_time_up: IsTimeUp = never
    ) -> bool:
        """Delete a stay's history, then its record: after a crash between the intent is left.

        Return False if the time is up before that: the intent is left too, and a repeat goes on.

        If another process has done so, the customer may have joined again: a later stay has later
        stamps in its history, and another `join_id` in its record.
        """
        if not self.erase_history(record, until_stamp, is_time_up):
            return False
        self.forget_alias(record)
        if record.known_stamp > record.stamp:
            self._stamp_last(record.key, record.join_id, record.known_stamp)
        self._delete_record(record.waitlist_id, record.entry_id, record.join_id)
        return True

    def forget_alias(self, record: EntryRecord) -> None:
        """Delete the alias of an entry that has moved, unless the key has something else by now."""
        if not record.answers_to:
            return
        item = self.table.get(record_key(record.waitlist_id, record.answers_to))
        alias = Alias.from_item(item or {})
        if alias is not None and alias.target == record.entry_id:
            self.delete_alias(alias)

    def delete_alias(self, alias: Alias, is_time_up: IsTimeUp = never) -> None:
        """Delete an alias, and the history of the stay that its address had before.

        If the time is up before that, the alias is left, and a repeat goes on.
        """
        key = (alias.waitlist_id, alias.entry_id)
        if alias.stamp and not self._delete_history(*key, f"{alias.stamp:016d}", is_time_up):
            return
        with suppress(ConditionFailed):
            self.table.delete(alias.key, AS_ALIAS, alias.values)

    def _stamp_last(self, key: tuple[str, str], join_id: str, stamp: int) -> None:
        """Let the event `erased`, which has the record's stamp, follow a later one of the stay.

        Such as an edit, or a ban that was cut off: while an entry is on the list, neither changes
        the record's stamp.
        """
        values: Item = {"join_id": join_id, "stamp": stamp}
        with suppress(ConditionFailed):
            self.table.update(
                record_key(*key), "SET #stamp = :stamp", "#join_id = :join_id", values
            )

    def erase_history(
        self, record: EntryRecord, until_stamp: int = 0, is_time_up: IsTimeUp = never
    ) -> bool:
        """Delete the history of a stay and of those before it; return False if the time is up.

        `until_stamp` is the end of the stay, if Redis has returned it.
        """
        last_stamp = max(record.known_stamp, until_stamp)
        return self._delete_history(*record.key, f"{last_stamp:016d}", is_time_up)

    def forget(
        self,
        waitlist_id: str,
        entry_id: str,
        join_id: str,
        stamp: int,
        is_time_up: IsTimeUp = never,
    ) -> None:
        """Delete history and record of a stay in any state, but not of a later stay.

        `stamp` is the one that the record is known to have. If the time is up before that, the
        record is left, and a repeat goes on.
        """
        for sort_keys in self._history(waitlist_id, entry_id, ""):
            last_stamp = _stamp_of(sort_keys[-1])
            if last_stamp > stamp:
                self._stamp_last((waitlist_id, entry_id), join_id, last_stamp)
            self._delete(waitlist_id, entry_id, sort_keys)
            if is_time_up():
                return
        self._delete_record(waitlist_id, entry_id, join_id)

    def _delete_record(self, waitlist_id: str, entry_id: str, join_id: str) -> None:
        key = record_key(waitlist_id, entry_id)
        with suppress(ConditionFailed):
            self.table.delete(key, "#join_id = :join_id", {"join_id": join_id})

    def _delete_history(
        self, waitlist_id: str, entry_id: str, last_stamp: str, is_time_up: IsTimeUp
    ) -> bool:
        """Delete events page by page; return False if the time is up after one of them."""
        for sort_keys in self._history(waitlist_id, entry_id, last_stamp):
            self._delete(waitlist_id, entry_id, sort_keys)
            if is_time_up():
                return False
        return True

    def _delete(self, waitlist_id: str, entry_id: str, sort_keys: Sequence[str]) -> None:
        pk = entry_pk(waitlist_id, entry_id)
        self.table.delete_many([{"pk": pk, "sk": one} for one in sort_keys])

    def _history(self, waitlist_id: str, entry_id: str, last_stamp: str) -> Iterator[list[str]]:
        """Yield pages of the keys up to a stamp, oldest first, after the notes of messages."""
        values = {
            "pk": entry_pk(waitlist_id, entry_id),
            "last": f"{HISTORY}{last_stamp}{BEHIND_ALL}",
        }
        after: Item | None = {}
        while after is not None:
            items, after = self.table.query(
                "#pk = :pk AND #sk < :last", values, after or None, Limit=ERASE_PAGE
            )
            if items:
                yield [item["sk"] for item in items]


def _stamp_of(sort_key: str) -> int:
    """Return the stamp in the key of an event; 0 for one of a note."""
    return int(sort_key.split("#")[1]) if sort_key.startswith(HISTORY) else 0
