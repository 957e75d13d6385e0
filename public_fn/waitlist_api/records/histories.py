"""Reads the histories of entries, without expired events."""

from collections.abc import Iterable

from msgspec import Struct

from waitlist_api.clock import NowMillis, now_millis
from waitlist_api.records.alias import Alias
from waitlist_api.records.entry import HISTORY, RECORD, EntryRecord, HistoryEvent, entry_pk
from waitlist_api.records.table import Item, Table

SHOWN = 100


class Histories(Struct, frozen=True):
    """The events of all entries, stored beside their records."""

    table: Table
    now_millis: NowMillis = now_millis

    def with_record(
        self, waitlist_id: str, entry_id: str
    ) -> tuple[EntryRecord, list[HistoryEvent]] | None:
        """Read an entry and the newest 100 events of its history, oldest first."""
        items, _ = self.table.query(
            # Behind the notes of messages.
            "#pk = :pk AND #sk > :history",
            {"pk": entry_pk(waitlist_id, entry_id), "history": HISTORY},
            ScanIndexForward=False,
            Limit=SHOWN + 1,
        )
        if not items or items[0]["sk"] != RECORD or Alias.from_item(items[0]) is not None:
            return None
        record = EntryRecord.from_item(items[0])
        if record.is_expired(self.now_millis()):
            return None
        return record, self._events(reversed(items[1:]))

    def event(self, waitlist_id: str, entry_id: str, stamp: int, event: str) -> HistoryEvent | None:
        """Read one event of a history."""
        item = self.table.get(HistoryEvent.key(waitlist_id, entry_id, stamp, event))
        return None if item is None else HistoryEvent.from_item(item)

    def page(
        self, waitlist_id: str, entry_id: str, after: str | None, limit: int
    ) -> tuple[list[HistoryEvent], str | None]:
        """Return a page of a history, oldest first, and the `after` of the next page."""
        pk = entry_pk(waitlist_id, entry_id)
        start = None if after is None else {"pk": pk, "sk": f"{HISTORY}{after}"}
        items, last = self.table.query(
            "#pk = :pk AND begins_with(#sk, :history)",
            {"pk": pk, "history": HISTORY},
            start,
            Limit=limit,
        )
        following = last["sk"].removeprefix(HISTORY) if last else None
        return self._events(items), following

    def _events(self, items: Iterable[Item]) -> list[HistoryEvent]:
        events = map(HistoryEvent.from_item, items)
        return [event for event in events if not event.is_expired(self.now_millis())]
