"""Read the histories of entries. Expired events are left out."""

from collections.abc import Iterable

from msgspec import Struct

from waitlist_api.clock import NowMillis, now_millis
from waitlist_api.records.entry import HISTORY, RECORD, EntryRecord, HistoryEvent, entry_pk
from waitlist_api.records.table import Item, Table

SHOWN = 100


class Histories(Struct, frozen=True):
    """Reads the events of entries.

    An event has the same partition key as the record of its entry.
    """

    table: Table
    now_millis: NowMillis = now_millis

    def with_record(
        self, waitlist_id: str, entry_id: str
    ) -> tuple[EntryRecord, list[HistoryEvent]] | None:
        """Return the record of an entry and its newest 100 events, oldest first.

        Return None if the record is missing or has expired.
        """
        items, _ = self.table.query(
            # The delivery records of messages have lower sort keys than the events, so this
            # condition leaves out the delivery records.
            "#pk = :pk AND #sk > :history",
            {"pk": entry_pk(waitlist_id, entry_id), "history": HISTORY},
            ScanIndexForward=False,
            Limit=SHOWN + 1,
        )
        if not items or items[0]["sk"] != RECORD:
            return None
        record = EntryRecord.from_item(items[0])
        if record.is_expired(self.now_millis()):
            return None
        return record, self._events(reversed(items[1:]))

    def event(self, waitlist_id: str, entry_id: str, stamp: int, event: str) -> HistoryEvent | None:
        item = self.table.get(HistoryEvent.key(waitlist_id, entry_id, stamp, event))
        return None if item is None else HistoryEvent.from_item(item)

    def page(
        self, waitlist_id: str, entry_id: str, after: str | None, limit: int
    ) -> tuple[list[HistoryEvent], str | None]:
        """Return a page of events, oldest first, and the cursor of the next page."""
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
