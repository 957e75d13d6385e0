"""Erase entries.

Personal data is removed at once, and the history and the record are deleted afterwards.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.clock import IsTimeUp, never
from waitlist_api.records.entry import (
    HISTORY,
    EntryRecord,
    entry_pk,
    record_key,
)
from waitlist_api.records.ledger import Ledger
from waitlist_api.records.table import ConditionFailed, Item, Table

ERASE_PAGE = 500
BEHIND_ALL = "~"


class Erasures(Struct, frozen=True):
    table: Table

    def erase(
        self, record: EntryRecord, until_stamp: int = 0, is_time_up: IsTimeUp = never
    ) -> bool:
        """Delete the history of an entry, and then its record.

        Return False if time runs out first. The next call then continues.
        """
        if not self.erase_history(record, until_stamp, is_time_up):
            return False
        self.free_address(record)
        if record.known_stamp > record.stamp:
            self._stamp_last(record, record.join_id, record.known_stamp)
        self._delete_record(record.waitlist_id, record.entry_id, record.join_id)
        return True

    def free_address(self, record: EntryRecord) -> None:
        """If the entry was moved, delete the alias that points from the new address to the entry,
        unless another item has replaced the alias.
        """
        if not record.move.moved_to:
            return
        alias = Ledger(self.table).read_stored(record.waitlist_id, record.move.moved_to)
        if alias is not None and alias.is_alias and alias.customers_entry_id == record.entry_id:
            self.erase(alias)

    def _stamp_last(self, record: EntryRecord | None, join_id: str, stamp: int) -> None:
        """Set the record's logical timestamp to the timestamp of the entry's last event, so that no
        event has a later timestamp than the record.
        """

        def decide(now: EntryRecord) -> EntryRecord | None:
            return replace(now, stamp=stamp) if now.join_id == join_id else None

        Ledger(self.table).update(record, decide)

    def erase_history(
        self, record: EntryRecord, until_stamp: int = 0, is_time_up: IsTimeUp = never
    ) -> bool:
        """Delete an entry's history up to the last change in its record, or up to `until_stamp` if
        that is later.

        Return False if time runs out first.
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
        """Delete an entry's history and record, whatever its status.

        If the customer has joined again, their new record is not deleted.
        """
        for sort_keys in self._history(waitlist_id, entry_id, ""):
            last_stamp = _stamp_of(sort_keys[-1])
            if last_stamp > stamp:
                record = Ledger(self.table).read(waitlist_id, entry_id)
                self._stamp_last(record, join_id, last_stamp)
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
        for sort_keys in self._history(waitlist_id, entry_id, last_stamp):
            self._delete(waitlist_id, entry_id, sort_keys)
            if is_time_up():
                return False
        return True

    def _delete(self, waitlist_id: str, entry_id: str, sort_keys: Sequence[str]) -> None:
        pk = entry_pk(waitlist_id, entry_id)
        self.table.delete_many([{"pk": pk, "sk": sort_key} for sort_key in sort_keys])

    def _history(self, waitlist_id: str, entry_id: str, last_stamp: str) -> Iterator[list[str]]:
        """Yield the sort keys of an entry's history in pages, up to and including the events with
        the timestamp `last_stamp`.

        The delivery records of messages come first, because their sort keys are lower.
        """
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
    """Return the timestamp in an event's sort key, or 0 for the sort key of a delivery record."""
    return int(sort_key.split("#")[1]) if sort_key.startswith(HISTORY) else 0
