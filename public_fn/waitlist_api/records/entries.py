"""Read and write the records of entries.

Every write is conditional, so a repeated write changes nothing.
"""

from collections.abc import Sequence
from typing import Any, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.clock import NowMillis, now_millis
from waitlist_api.errors import EntryNotFound, Forbidden, Throttled
from waitlist_api.records.alias import AS_ALIAS, Alias
from waitlist_api.records.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.entry import (
    PRESENT,
    EntryRecord,
    HistoryEvent,
    Status,
    ended_place,
    line_place,
    record_key,
    shard_of,
)
from waitlist_api.records.intents import (
    INTENT_FIELDS,
    first_ask_item,
    intent_item,
    joined_event,
    joining_over,
    rejoining,
)
from waitlist_api.records.journal import Change
from waitlist_api.records.ledger import (
    AS_READ,
    UNKNOWN,
    EntryChanged,
    entry_changed,
    read_item,
    values_as_read,
)
from waitlist_api.records.table import BATCH_GET, Item, Table
from waitlist_shared.contracts import BumpResult, SignupResult

STATUSES: Item = {status: status for status in get_args(Status)}


# A decision about a waiting entry is recorded if Redis knew the newest recorded change. It is also
# recorded if the record has the status `waiting`, even if the ranks differ.
BASED_ON_WAITING = "(#stamp <= :basis OR #status = :waiting)"
MOVED = "SET #rank = :rank, #stamp = :stamp, #once_key = :once_key, #once_stamp = :once_stamp"


class Move(Struct, frozen=True):
    """A change of an entry's rank that Redis has made, with the events to record.

    `once_key` is a digest of the request's idempotency key.
    """

    made: BumpResult
    once_key: str
    events: tuple[HistoryEvent, ...]

    def is_based_on(self, record: EntryRecord) -> bool:
        """Return whether the record accepts this change of rank.

        Redis may have lost a newer change that the record has. The record then accepts the new rank
        only if its status is `waiting`.
        """
        basis = self.made.basis_stamp
        return basis is None or record.stamp <= basis or record.status == "waiting"

    @property
    def update(self) -> str:
        """The DynamoDB update expression that records a change of rank."""
        # Older versions of the private function do not return the number of attempts.
        return MOVED if self.made.attempts is None else f"{MOVED}, #attempts = :attempts"

    def values(self) -> Item:
        return {
            "rank": self.made.rank,
            "stamp": self.made.stamp,
            "once_key": self.once_key,
            "once_stamp": self.made.moved_stamp,
            "attempts": self.made.attempts,
            "ticket": self.made.ticket,
            "basis": self.made.basis_stamp,
        }


# How to record a new rank. `move` writes the rank and the events. `event` writes only the events,
# because the record already has a newer rank. `join` also finishes the signup, which is not
# recorded yet.
BumpWrite = Literal["move", "event", "join"]


def bump_write(record: EntryRecord | None, move: Move) -> BumpWrite | None:
    """Return how to record a new rank after the record has refused the first write.

    Return None if the signup that Redis moved has ended.
    """
    if record is None or record.status not in ("joining", *PRESENT):
        return None
    if record.status == "joining":
        # If the tickets are equal, Redis changed the rank of the previous signup, which has ended.
        # The new signup will have another ticket.
        return None if record.former_ticket == move.made.ticket else "join"
    if record.ticket != move.made.ticket:
        # Redis has lost either the new signup or the recorded signup.
        return None
    if record.stamp < move.made.stamp and not move.is_based_on(record):
        return None
    return "move" if record.stamp < move.made.stamp else "event"


class EntryRecords(Struct, frozen=True):
    """Reads and writes the records of entries. All writes are conditional."""

    table: Table
    now_millis: NowMillis = now_millis

    def get(self, waitlist_id: str, entry_id: str) -> EntryRecord | None:
        """Return the record of an entry, or None if the record is missing or has expired."""
        record = self.get_stored(waitlist_id, entry_id)
        if record is None or isinstance(record, Alias) or record.is_expired(self.now_millis()):
            return None
        return record

    def get_stored(self, waitlist_id: str, entry_id: str) -> EntryRecord | Alias | None:
        """Return the record or alias that is stored under an id, even if it has expired."""
        item = self.table.get(record_key(waitlist_id, entry_id))
        return read_item(item) if item else None

    def resolve(self, waitlist_id: str, entry_id: str) -> EntryRecord | Alias | None:
        """Return the entry with this id, and follow an alias to the entry that it points to.

        If an alias was followed, the returned record has a different entry id. If the alias is
        stale, return the alias, because the next signup must replace it.
        """
        found = self.get_stored(waitlist_id, entry_id)
        if isinstance(found, Alias):
            return self.find_target(found) or found
        return None if found is None or found.is_expired(self.now_millis()) else found

    def find_target(self, alias: Alias) -> EntryRecord | None:
        """Return the entry that an alias points to, or None if the alias is stale."""
        record = self.get(alias.waitlist_id, alias.target)
        return record if alias.is_valid_for(record) else None

    def find(self, waitlist_id: str, entry_id: str, stay: int | None = None) -> EntryRecord:
        """Return the record of an entry.

        Raise EntryNotFound if the entry has no record or is being erased. `stay` is the ticket from
        an entry token. Raise Forbidden if the token belongs to an earlier signup.
        """
        record = self.get(waitlist_id, entry_id)
        if record is None or record.erase:
            raise EntryNotFound
        if stay not in (None, record.ticket):
            raise Forbidden
        return record

    def get_many(self, waitlist_id: str, entry_ids: Sequence[str]) -> dict[str, EntryRecord]:
        """Return the records of several entries, by entry id.

        Entries without a record are left out.
        """
        found = self._kept_many(waitlist_id, entry_ids)
        return {id_: stored for id_, stored in found.items() if isinstance(stored, EntryRecord)}

    def resolve_many(
        self, waitlist_id: str, entry_ids: Sequence[str]
    ) -> dict[str, EntryRecord | Alias]:
        """Return the stored records by id.

        An alias is replaced by the entry that it points to. Unlike `resolve`, this method also
        returns records that have expired.
        """
        found = self._kept_many(waitlist_id, entry_ids)
        aliases = {id_: stored for id_, stored in found.items() if isinstance(stored, Alias)}
        if not aliases:
            return found
        targets = self.get_many(waitlist_id, [alias.target for alias in aliases.values()])
        for id_, alias in aliases.items():
            record = targets.get(alias.target)
            if record is not None and alias.is_valid_for(record):
                is_over = record.is_expired(self.now_millis())
                found[id_] = alias if is_over else record
        return found

    def _kept_many(
        self, waitlist_id: str, entry_ids: Sequence[str]
    ) -> dict[str, EntryRecord | Alias]:
        found: dict[str, EntryRecord | Alias] = {}
        # DynamoDB refuses a batch that contains the same key twice.
        ids = list(dict.fromkeys(entry_ids))
        for start in range(0, len(ids), BATCH_GET):
            keys = [record_key(waitlist_id, id_) for id_ in ids[start : start + BATCH_GET]]
            found |= {
                stored.entry_id: stored for stored in map(read_item, self.table.get_many(keys))
            }
        return found

    def begin_join(self, record: EntryRecord, stale: Alias | None = None) -> EntryRecord:
        """Write the status `joining` for a new signup, and return the record.

        If a stale alias is given, the record replaces it. Raise EntryChanged if another item is
        stored under the key.
        """
        condition, values = UNKNOWN, Item()
        if stale is not None:
            condition, values = AS_ALIAS, stale.values
            record = joining_over(record, stale)
        with entry_changed():
            self.table.put(intent_item(record), condition, values)
        return record

    def begin_rejoin(self, record: EntryRecord, former: EntryRecord) -> EntryRecord:
        """Write the status `joining` for a customer who joins again, and return the record.

        The new record contains a copy of the previous record. Raise EntryChanged if the stored
        record has changed since `former` was read, because the copy would lose that change.
        """
        again = rejoining(record, former)
        try:
            with entry_changed():
                self.table.put(intent_item(again), AS_READ, values_as_read(former))
        except EntryChanged as changed:
            # The AWS SDK repeats a request if the response was lost. The repeat then finds the
            # record that the first request has written.
            if changed.record is None or changed.record.join_id != again.join_id:
                raise
        return again

    def finish_join(self, record: EntryRecord, placed: SignupResult, now_millis: int) -> None:
        """Finish a signup with the rank that Redis has assigned.

        Raise EntryChanged unless the record still has this signup with the status `joining`.
        """
        with entry_changed():
            self.table.transact(self.join_writes(record, placed, now_millis))

    def cancel_join(self, record: EntryRecord) -> None:
        """Undo a signup that Redis has refused.

        Raise EntryChanged unless the record still has this signup with the status `joining`.
        """
        key = record_key(record.waitlist_id, record.entry_id)
        condition = "#status = :joining AND #join_id = :join_id"
        values = STATUSES | {"join_id": record.join_id}
        with entry_changed():
            former = record.former
            if former is None:
                self.table.delete(key, condition, values)
            else:
                place = ended_place(former.waitlist_id, shard_of(former.entry_id))
                kept = replace(former, revision=record.revision + 1)
                item = kept.to_item(place, former.left_millis or former.admitted_millis or 0)
                self.table.put(item, condition, values)

    def record_bump(self, key: tuple[str, str], move: Move, now_millis: int) -> None:
        """Record the new rank of an entry. Raise EntryChanged if the signup has ended."""
        record: EntryRecord | None = None
        how: BumpWrite = "move"
        for _ in range(MAX_CONFLICT_RETRIES):
            try:
                with entry_changed():
                    self.table.transact(self._bump_writes(how, key, record, move, now_millis))
            except EntryChanged as changed:
                record = changed.record
                following = bump_write(record, move)
                if following is None:
                    raise
                how = following
            else:
                return
        raise Throttled

    def _bump_writes(
        self,
        how: BumpWrite,
        key: tuple[str, str],
        record: EntryRecord | None,
        move: Move,
        now_millis: int,
    ) -> list[Item]:
        if how == "join" and record is not None:
            return self.join_writes(record, move.made, now_millis, move)
        condition = "#status IN (:waiting, :offered, :parked)"
        update = "SET #updated_millis = :now"
        if how == "move":
            # Redis moves only waiting entries, so a record with another status is out of date.
            condition += " AND #stamp < :stamp AND #ticket = :ticket"
            if move.made.basis_stamp is not None:
                condition += f" AND {BASED_ON_WAITING}"
            update = (
                f"{move.update}, #status = :waiting, #place_rank = :rank, #updated_millis = :now"
                " REMOVE #claimed_until_millis, #parked_millis, #park_reason"
            )
        values = STATUSES | move.values() | {"now": now_millis}
        change = _change(key, move.made.stamp, "waiting", rank=move.made.rank)
        return self._writes(change, update, condition, values, now_millis, *move.events)

    def join_writes(
        self,
        record: EntryRecord,
        place: SignupResult | BumpResult,
        now_millis: int,
        move: Move | None = None,
    ) -> list[Item]:
        """Return the writes that finish a signup. The caller must make them in one transaction."""
        values: Item = {
            "rank": place.rank,
            "stamp": place.stamp,
            "ticket": place.ticket,
            "join_id": record.join_id,
            "place": line_place(record.waitlist_id, shard_of(record.entry_id)),
            "now": now_millis,
        }
        events = [joined_event(record, place.ticket, place)]
        update = "SET #rank = :rank, #stamp = :stamp"
        if move is not None:
            update = move.update
            values |= move.values()
            events += move.events
        asks: list[Item] = []
        if record.verify_until_millis is not None:
            ask = first_ask_item(record, place.ticket)
            update += ", #edited_stamp = :asked"
            values["asked"] = ask["stamp"]
            asks.append(self.table.put_write(ask))
        update += (
            ", #status = :waiting, #ticket = :ticket, #place = :place, #place_rank = :rank,"
            f" #updated_millis = :now REMOVE {INTENT_FIELDS}"
        )
        condition = "#status = :joining AND #join_id = :join_id"
        change = _change(record.key, place.stamp, "waiting", rank=place.rank)
        writes = self._writes(change, update, condition, STATUSES | values, now_millis, *events)
        return writes + asks

    def _writes(
        self,
        change: Change,
        update: str,
        condition: str,
        values: Item,
        now_millis: int,
        *events: HistoryEvent,
    ) -> list[Item]:
        items = [*(event.to_item(*change.key) for event in events), change.to_item(now_millis)]
        return [
            self.table.update_write(record_key(*change.key), update, condition, values),
            *map(self.table.put_write, items),
        ]


def _change(key: tuple[str, str], stamp: int, status: str, **more: Any) -> Change:
    waitlist_id, entry_id = key
    return Change(waitlist_id=waitlist_id, entry_id=entry_id, stamp=stamp, status=status, **more)
