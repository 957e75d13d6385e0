"""Move an entry to another address.

The customer first requests the move and verifies the new address.
"""

from contextlib import suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.clock import IsTimeUp, never
from waitlist_api.records.alias import AS_ALIAS, Alias
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import EntryRecord, HistoryEvent, record_key
from waitlist_api.records.erasures import Erasures
from waitlist_api.records.ledger import AS_READ, UNKNOWN, Commit, Put, values_as_read
from waitlist_api.records.table import ConditionFailed, Table

ASKED = "address_change_asked"
CHANGED = "address_changed"
CUSTOMER = "customer"


def ask_to_move(record: EntryRecord, to: str, address: str, stamp: int, now_millis: int) -> Commit:
    """Return the change that asks the customer to verify a new address.

    An earlier request is replaced.
    """
    asked = replace(
        record.move,
        to=to,
        new_address=address,
        stamp=stamp,
        asked_millis=now_millis,
        asks=record.move.asks + 1,
    )
    after = replace(record, move=asked)
    return _changed(after, HistoryEvent(stamp=stamp, event=ASKED, by=CUSTOMER), now_millis)


def keep_address(record: EntryRecord, stamp: int, now_millis: int) -> EntryRecord:
    """Return the record without the request to move the entry."""
    dropped = record.move.dropped()
    return replace(record, move=dropped, edited_stamp=stamp, updated_millis=now_millis)


def move(
    record: EntryRecord,
    profile: dict[str, Any],
    over: EntryRecord | Alias | None,
    stamp: int,
    now_millis: int,
) -> Commit:
    """Return the change that moves the entry to the verified new address.

    `over` is the item that is stored under the id of the new address, or None.
    """
    to = record.move.to
    returns = to == record.entry_id
    after = replace(
        record,
        profile=profile,
        move=replace(record.move.dropped(), moved_to="" if returns else to, stay=record.join_id),
        contact=replace(record.contact, unreachable=False),
    )
    decided = _changed(after, HistoryEvent(stamp=stamp, event=CHANGED, by=CUSTOMER), now_millis)
    if returns:
        return decided
    last_stamp = 0
    if over is not None:
        last_stamp = over.stamp if isinstance(over, Alias) else over.known_stamp
    alias = Alias.of(record, to, last_stamp)
    return replace(decided, puts=(Put(alias.to_item(now_millis), *_as_found(over)),))


def _changed(after: EntryRecord, event: HistoryEvent, now_millis: int) -> Commit:
    after = replace(after, edited_stamp=event.stamp, updated_millis=now_millis)
    return Commit(after=after, events=(event,))


def _as_found(over: EntryRecord | Alias | None) -> tuple[str, dict[str, Any]]:
    """Return a condition that fails if the stored item has changed, and its values."""
    if over is None:
        return UNKNOWN, {}
    if isinstance(over, Alias):
        return AS_ALIAS, over.values
    return AS_READ, values_as_read(over)


class Aliases(Struct, frozen=True):
    """Deletes outdated pointers from new addresses to moved entries."""

    table: Table
    entries: EntryRecords
    erasures: Erasures

    def check_alias(
        self, waitlist_id: str, entry_id: str, now_millis: int, is_time_up: IsTimeUp = never
    ) -> None:
        """Delete an alias if it no longer leads to an entry. Otherwise schedule the next check."""
        item = self.table.get(record_key(waitlist_id, entry_id))
        alias = Alias.from_item(item or {})
        if alias is None:
            return
        if self.entries.find_target(alias) is None:
            self.erasures.delete_alias(alias, is_time_up)
            return
        with suppress(ConditionFailed):
            self.table.put(alias.to_item(now_millis), AS_ALIAS, alias.values)
