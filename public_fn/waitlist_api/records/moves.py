"""Move an entry to another address.

The customer asks for the move and verifies the new address. One transaction then moves the entry.
"""

from contextlib import suppress
from typing import Any

from msgspec import Struct

from waitlist_api.clock import IsTimeUp, never
from waitlist_api.records.alias import AS_ALIAS, Alias
from waitlist_api.records.asks import ON_LIST
from waitlist_api.records.entries import STATUSES, EntryRecords
from waitlist_api.records.entry import EntryRecord, HistoryEvent, json_text, record_key
from waitlist_api.records.erasures import Erasures
from waitlist_api.records.intents import AS_FORMER, UNKNOWN, former_values
from waitlist_api.records.ledger import entry_changed
from waitlist_api.records.table import ConditionFailed, Item, Table

ASKED = "address_change_asked"
CHANGED = "address_changed"
CUSTOMER = "customer"
AS_SEEN = "#edited_stamp = :seen"


class Moves(Struct, frozen=True):
    """Writes changes of an entry's address.

    The methods raise EntryChanged if the entry has changed since its record was read. Each write
    needs a new stamp from Redis, which must be later than every stamp in the record.
    """

    table: Table
    entries: EntryRecords
    erasures: Erasures

    def ask(
        self, record: EntryRecord, to: str, address: str, stamp: int, now_millis: int
    ) -> EntryRecord:
        """Note that the entry will move to the address with the id `to` once it is verified.

        A change of address that was asked for earlier is replaced.
        """
        event = HistoryEvent(stamp=stamp, event=ASKED, by=CUSTOMER)
        values = {
            "moving_to": to,
            "moving_address": address,
            "moving_stamp": event.stamp,
            "moving_asked_millis": now_millis,
            "moving_asks": record.moving_asks + 1,
        }
        update = "".join(f", #{name} = :{name}" for name in values)
        with entry_changed():
            self.table.transact(
                [
                    self._update(record, update, values, event, now_millis),
                    self.table.put_write(event.to_item(*record.key)),
                ]
            )
        return self.entries.find(*record.key)

    def withdraw(self, record: EntryRecord, stamp: int, now_millis: int) -> EntryRecord:
        """Withdraw the requested move, so that the entry keeps its address."""
        update = (
            "SET #edited_stamp = :stamp, #updated_millis = :now REMOVE #moving_to, #moving_address"
        )
        values = _seen(record) | {"stamp": stamp, "now": now_millis}
        with entry_changed():
            item = self.table.update(record_key(*record.key), update, _condition(record), values)
        return EntryRecord.from_item(item)

    def move(
        self,
        record: EntryRecord,
        profile: dict[str, Any],
        replaced: EntryRecord | Alias | None,
        stamp: int,
        now_millis: int,
    ) -> None:
        """Move the entry to the address that the customer asked for.

        `replaced` is the record or alias that is stored under the id of the new address, or None.
        The transaction fails if that item has changed, for example because of a signup with the
        address at the same moment.
        """
        event = HistoryEvent(stamp=stamp, event=CHANGED, by=CUSTOMER)
        to = record.moving_to
        values = {"profile": json_text(profile), "moved_stay": record.join_id, "to": to}
        update, removed = ", #profile = :profile, #moved_stay = :moved_stay", "#unreachable"
        writes = [self.table.put_write(event.to_item(*record.key))]
        if to == record.entry_id:
            removed += ", #answers_to"
        else:
            update += ", #answers_to = :to"
            alias = Alias.of(record, to, 0 if replaced is None else _last_stamp(replaced))
            condition, known = _as_found(replaced)
            writes.append(self.table.put_write(alias.to_item(now_millis), condition, known))
        update += f" REMOVE {removed}, #moving_to, #moving_address"
        written = self._update(record, update, values, event, now_millis)
        with entry_changed():
            self.table.transact([written, *writes])
        if record.moved_to and record.moved_to != to:
            # If the process dies here, maintenance later finds that the former alias is stale.
            self.erasures.forget_alias(record)

    def check_alias(
        self, waitlist_id: str, entry_id: str, now_millis: int, is_time_up: IsTimeUp = never
    ) -> None:
        """Delete an alias if it is stale. Otherwise schedule its next check."""
        item = self.table.get(record_key(waitlist_id, entry_id))
        alias = Alias.from_item(item or {})
        if alias is None:
            return
        if self.entries.find_target(alias) is None:
            self.erasures.delete_alias(alias, is_time_up)
            return
        with suppress(ConditionFailed):
            self.table.put(alias.to_item(now_millis), AS_ALIAS, alias.values)

    def _update(
        self,
        record: EntryRecord,
        update: str,
        values: Item,
        event: HistoryEvent,
        now_millis: int,
    ) -> Item:
        values = values | _seen(record) | {"stamp": event.stamp, "now": now_millis}
        update = f"SET #edited_stamp = :stamp, #updated_millis = :now{update}"
        return self.table.update_write(record_key(*record.key), update, _condition(record), values)


def _condition(record: EntryRecord) -> str:
    known = AS_SEEN if record.edited_stamp else "attribute_not_exists(#edited_stamp)"
    return f"{ON_LIST} AND #join_id = :join_id AND {known}"


def _seen(record: EntryRecord) -> Item:
    return STATUSES | {"join_id": record.join_id, "seen": record.edited_stamp}


def _last_stamp(replaced: EntryRecord | Alias) -> int:
    return replaced.stamp if isinstance(replaced, Alias) else replaced.known_stamp


def _as_found(replaced: EntryRecord | Alias | None) -> tuple[str, Item]:
    """Return the condition that the item has not changed since it was read, and its values."""
    if replaced is None:
        return UNKNOWN, {}
    if isinstance(replaced, Alias):
        return AS_ALIAS, replaced.values
    return AS_FORMER, former_values(replaced)
