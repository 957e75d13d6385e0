"""Whether a stay gets messages: what its person chose, and whether the address takes any.

The record says it. So that these entries can be listed and counted, each has an item in the index,
which is written before the record: it may be there although the record does not say so.
"""

from contextlib import suppress
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import asdict

from waitlist_api.clock import NowMillis
from waitlist_api.records.entry import (
    EntryRecord,
    entry_pk,
    record_key,
    shard_of,
    unreached_place,
)
from waitlist_api.records.table import ConditionFailed, Item, Table

Unreached = Literal["unreachable", "messages_off"]
UNREACHED: tuple[Unreached, ...] = get_args(Unreached)
# Before HISTORY#, so that the query of an erasure finds the item too.
UNREACHED_SORT = "CONTACT"
THIS_STAY = "#ticket = :ticket AND attribute_not_exists(#erase)"
NO_LATER_STAY = "attribute_not_exists(#pk) OR #ticket <= :ticket"


class Mark(Struct, frozen=True, kw_only=True):
    """The item of an entry: the ticket of the stay, and the time (millis) of the last change."""

    entry_id: str
    ticket: int
    place_rank: int


def unreached_key(waitlist_id: str, entry_id: str) -> dict[str, str]:
    return {"pk": entry_pk(waitlist_id, entry_id), "sk": UNREACHED_SORT}


def is_unreached(record: EntryRecord, which: Unreached) -> bool:
    """Return whether a record says so of its stay."""
    return record.unreachable if which == "unreachable" else bool(record.messages)


class Recipients(Struct, frozen=True):
    """Notes it for a stay, in any status.

    The methods that change a record return whether the entry still has this stay; if not, nothing
    changes.
    """

    table: Table
    now_millis: NowMillis

    def mark_unreachable(self, waitlist_id: str, entry_id: str, ticket: int) -> bool:
        """Note that the address of a stay takes no messages."""
        return self._mark(waitlist_id, entry_id, ticket, ", #unreachable = :on", {"on": True})

    def mark_reachable(self, waitlist_id: str, entry_id: str, ticket: int) -> bool:
        """Take that note back: the stay has another address."""
        return self._update(waitlist_id, entry_id, ticket, " REMOVE #unreachable", {})

    def turn_off(self, waitlist_id: str, entry_id: str, ticket: int) -> bool:
        """Note that the person of a stay wants no messages but those they ask for."""
        return self._mark(waitlist_id, entry_id, ticket, ", #messages = :off", {"off": "off"})

    def turn_on(
        self, waitlist_id: str, entry_id: str, ticket: int, changes_until_millis: int
    ) -> bool:
        """Take that note back, and count it as a change that the customer has made."""
        update = ", #changes_until_millis = :until REMOVE #messages"
        return self._update(waitlist_id, entry_id, ticket, update, {"until": changes_until_millis})

    def list_stay(self, waitlist_id: str, entry_id: str, ticket: int) -> Mark:
        """Let a stay be listed, unless a later one is."""
        mark = Mark(entry_id=entry_id, ticket=ticket, place_rank=self.now_millis())
        place = unreached_place(waitlist_id, shard_of(entry_id))
        item: Item = {**unreached_key(waitlist_id, entry_id), "place": place, **asdict(mark)}
        with suppress(ConditionFailed):
            self.table.put(item, NO_LATER_STAY, {"ticket": ticket})
        return mark

    def remove(self, waitlist_id: str, mark: Mark) -> None:
        """Delete the item of an entry; no change if it has been written again."""
        key = unreached_key(waitlist_id, mark.entry_id)
        values = {"ticket": mark.ticket, "place_rank": mark.place_rank}
        with suppress(ConditionFailed):
            self.table.delete(key, "#ticket = :ticket AND #place_rank = :place_rank", values)

    def _mark(
        self, waitlist_id: str, entry_id: str, ticket: int, update: str, values: Item
    ) -> bool:
        mark = self.list_stay(waitlist_id, entry_id, ticket)
        if self._update(waitlist_id, entry_id, ticket, update, values):
            return True
        # Of an entry that was erased nothing may stay.
        self.remove(waitlist_id, mark)
        return False

    def _update(
        self, waitlist_id: str, entry_id: str, ticket: int, update: str, values: Item
    ) -> bool:
        key = record_key(waitlist_id, entry_id)
        # A reinstatement at this moment, which takes the mark over, reads the record again.
        update = f"SET #updated_millis = :now{update}"
        values = {**values, "ticket": ticket, "now": self.now_millis()}
        try:
            self.table.update(key, update, THIS_STAY, values)
        except ConditionFailed:
            return False
        return True
