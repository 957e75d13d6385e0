"""What operators see of people: pages in serving order, and one person whole."""

from dataclasses import dataclass
from typing import Literal

from waitlist_api import cursors
from waitlist_api.entries.position import STATUS_OF, Standing, Standings
from waitlist_api.errors import EntryNotFound
from waitlist_api.queue.recovering import ColdGuard
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord, HistoryEvent
from waitlist_api.records.histories import Histories
from waitlist_shared import contracts as c
from waitlist_shared.errors import Rebuilding


@dataclass(frozen=True)
class Person:
    """Where an entry stands, and what is recorded of the person."""

    standing: Standing
    record: EntryRecord | None
    history: list[HistoryEvent]


class Listing:
    """Reads people for operators."""

    def __init__(
        self,
        guard: ColdGuard,
        entries: EntryRecords,
        histories: Histories,
        standings: Standings,
    ) -> None:
        self._guard = guard
        self._entries = entries
        self._histories = histories
        self._standings = standings

    def page(
        self, waitlist_id: str, cursor: str | None, limit: int, first: int | None = None
    ) -> tuple[list[Person], str | None]:
        """Return those who wait in serving order, and the cursor of the next page.

        The page begins behind the cursor, or at the position `first`.
        """
        after_rank = cursors.decode_rank(cursor)
        page: c.ListWaitingResult = self._guard.read(
            c.ListWaiting(waitlist_id=waitlist_id, after=after_rank, first=first, limit=limit)
        )
        records = self._entries.get_many(waitlist_id, [entry.entry_id for entry in page.entries])
        people = [
            Person(
                Standing.waiting(
                    entry.entry_id, entry.rank, entry.ticket, entry.position, page.total
                ),
                records.get(entry.entry_id),
                [],
            )
            for entry in page.entries
        ]
        return people, cursors.encode(page.next_rank)

    def shelf(
        self, waitlist_id: str, which: Literal["held", "parked"], cursor: str | None, limit: int
    ) -> tuple[list[Person], str | None]:
        """Return those held, by deadline, or parked, by time, and the cursor of the next page."""
        after_time, after_id = cursors.decode_shelf(cursor)
        shelf: c.ListOffQueueResult = self._guard.read(
            c.ListOffQueue(
                waitlist_id=waitlist_id,
                which=which,
                after=after_time,
                after_id=after_id,
                limit=limit,
            )
        )
        records = self._entries.get_many(waitlist_id, [entry.entry_id for entry in shelf.entries])
        people = [
            Person(
                Standing.out_of_line(entry.entry_id, STATUS_OF[which], entry.rank, entry.ticket),
                records.get(entry.entry_id),
                [],
            )
            for entry in shelf.entries
        ]
        if len(people) < limit:
            return people, None
        last = shelf.entries[-1]
        return people, cursors.encode([last.time_millis, last.entry_id])

    def person(self, waitlist_id: str, entry_id: str) -> Person:
        """Return one person with the newest 100 events of their history."""
        found = self._histories.with_record(waitlist_id, entry_id)
        if found is None or found[0].erase:
            raise EntryNotFound
        record, history = found
        return Person(self._standing(record), record, history)

    def person_with_history(
        self, waitlist_id: str, entry_id: str, cursor: str | None, limit: int
    ) -> tuple[Person, str | None]:
        """Return one person with a page of their history, oldest first, and the next cursor."""
        after = cursors.decode_event(cursor)
        record = self._entries.get(waitlist_id, entry_id)
        if record is None or record.erase:
            raise EntryNotFound
        history, following = self._histories.page(waitlist_id, entry_id, after, limit)
        return Person(self._standing(record), record, history), cursors.encode(following)

    def _standing(self, record: EntryRecord) -> Standing:
        recorded = Standing.recorded(record)
        if record.status not in PRESENT:
            return recorded
        try:
            return self._standings.of(record.waitlist_id, record.entry_id, to_operator=True)
        except Rebuilding:
            # The record is whole all the same; only the position has to wait.
            return recorded
