"""Writes many people at once, who are imported: their intents, and then their places."""

from collections.abc import Sequence
from dataclasses import dataclass

from waitlist_api.records.entries import EntryRecords, entry_changed
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.intents import (
    AS_FORMER,
    UNKNOWN,
    intent_item,
    rejoining,
    values_of_former,
)
from waitlist_api.records.table import TRANSACTION, Item, Table
from waitlist_shared.contracts import SignupResult

# Of a place its record, its event and its change are written together.
WRITES_OF_PLACE = 3
MAX_INTENTS = TRANSACTION
MAX_PLACES = TRANSACTION // WRITES_OF_PLACE


@dataclass(frozen=True)
class Intent:
    """The intent to join of somebody whom the record does not know, or knows as a former stay."""

    record: EntryRecord
    former: EntryRecord | None = None

    @property
    def begun(self) -> EntryRecord:
        """The record as it stands once the intent is written."""
        return self.record if self.former is None else rejoining(self.record, self.former)


class ImportRecords:
    """Each call is one transaction: all of it is written, or nothing."""

    def __init__(self, table: Table, entries: EntryRecords) -> None:
        self._table = table
        self._entries = entries

    def begin(self, intents: Sequence[Intent]) -> None:
        """Write up to 100 intents; raise EntryChanged if anybody of them is otherwise known."""
        with entry_changed():
            self._table.transact([self._write(intent) for intent in intents])

    def finish(self, placed: Sequence[tuple[EntryRecord, SignupResult]], now_millis: int) -> None:
        """Write up to 33 places; raise EntryChanged if anybody of them is no longer joining."""
        writes: list[Item] = []
        for record, place in placed:
            writes += self._entries.join_writes(record, place, now_millis)
        with entry_changed():
            self._table.transact(writes)

    def _write(self, intent: Intent) -> Item:
        item = intent_item(intent.begun)
        if intent.former is None:
            return self._table.put_write(item, UNKNOWN)
        return self._table.put_write(item, AS_FORMER, values_of_former(intent.former))
