"""Move an entry to another of its customer's addresses.

The customer requests the move and then verifies the new address, after which the entry is moved.
"""

from contextlib import suppress
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.clock import IsTimeUp, never
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import MOVED, EntryRecord, HistoryEvent
from waitlist_api.records.erasures import Erasures
from waitlist_api.records.ledger import AS_READ, UNKNOWN, Commit, Put, item_of, values_as_read
from waitlist_api.records.table import ConditionFailed, Table
from waitlist_shared.ids import new_join_id

ASKED = "address_change_asked"
CHANGED = "address_changed"
CUSTOMER = "customer"


def ask_to_move(record: EntryRecord, to: str, address: str, stamp: int, now_millis: int) -> Commit:
    """Return the change that asks the customer to verify a new address.

    If the customer has already requested another address, that request is replaced.
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
    """Return the record after the customer has withdrawn the request to move to a new address."""
    dropped = record.move.dropped()
    changes = replace(record.changes, edited_stamp=stamp)
    return replace(record, move=dropped, changes=changes, updated_millis=now_millis)


def move(
    record: EntryRecord,
    profile: dict[str, Any],
    over: EntryRecord | None,
    stamp: int,
    now_millis: int,
) -> Commit:
    """Return the change that gives the entry its verified new address.

    `over` is the record that is already stored under the new address's id, or None if there is
    none.
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
    if returns or (over is not None and over.entry_id == record.entry_id):
        return decided
    alias = alias_of(record, to, 0 if over is None else over.known_stamp, now_millis)
    as_found = (UNKNOWN,) if over is None else (AS_READ, values_as_read(over))
    return replace(decided, puts=(Put(item_of(alias), *as_found),))


def alias_of(record: EntryRecord, to: str, stamp: int, now_millis: int) -> EntryRecord:
    """Return an alias that points to the entry. `to` is the id of the entry's new address."""
    return EntryRecord(
        waitlist_id=record.waitlist_id,
        entry_id=to,
        customer_id=record.customer_id,
        status=MOVED,
        join_id=new_join_id(),
        updated_millis=now_millis,
        # The timestamp of the last event of an earlier entry with this address, or 0 if there was
        # no such entry. If the timestamp is 0, no event is published when the alias is deleted
        # (template.yaml).
        stamp=stamp,
    )


def _changed(after: EntryRecord, event: HistoryEvent, now_millis: int) -> Commit:
    changes = replace(after.changes, edited_stamp=event.stamp)
    after = replace(after, changes=changes, updated_millis=now_millis)
    return Commit(after=after, events=(event,))


class Aliases(Struct, frozen=True):
    """Deletes stale aliases."""

    table: Table
    entries: EntryRecords
    erasures: Erasures

    def check_alias(
        self, waitlist_id: str, entry_id: str, now_millis: int, is_time_up: IsTimeUp = never
    ) -> None:
        """Delete an alias if it no longer points to an entry.

        Otherwise, record the time of this check, so that the alias is not checked again soon.
        """
        alias = self.entries.ledger.read_stored(waitlist_id, entry_id)
        if alias is None or not alias.is_alias:
            return
        if self.entries.follow(alias) is alias:
            self.erasures.erase(alias, is_time_up=is_time_up)
            return
        checked = replace(alias, updated_millis=now_millis)
        with suppress(ConditionFailed):
            self.table.put(item_of(checked), AS_READ, values_as_read(alias))
