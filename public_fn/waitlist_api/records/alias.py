"""Define aliases, which lead from a new address to the entry that was moved to that address."""

from typing import Any, Self

from msgspec import Struct

from waitlist_api.records.entry import EntryRecord, intent_place, record_key
from waitlist_api.records.table import Item
from waitlist_shared.ids import new_join_id

MOVED = "moved"
DAY_MILLIS = 86_400_000
# Each alias has its own random id, so this condition never matches the record of an entry.
AS_ALIAS = "#join_id = :alias_id"


class Alias(Struct, frozen=True, kw_only=True):
    """A pointer from a new address to the entry that was moved to this address."""

    waitlist_id: str
    entry_id: str
    target: str
    join_id: str
    stamp: int = 0

    @classmethod
    def of(cls, record: EntryRecord, entry_id: str, stamp: int) -> Self:
        """Return a pointer from the address with the id `entry_id` to the entry of this record."""
        return cls(
            waitlist_id=record.waitlist_id,
            entry_id=entry_id,
            target=record.entry_id,
            join_id=new_join_id(),
            stamp=stamp,
        )

    @classmethod
    def from_item(cls, item: Item) -> Self | None:
        """Return the item as an Alias, or None if the item is the record of an entry."""
        if item.get("status") != MOVED:
            return None
        return cls(**{name: item[name] for name in cls.__struct_fields__ if name in item})

    @property
    def key(self) -> dict[str, str]:
        return record_key(self.waitlist_id, self.entry_id)

    @property
    def values(self) -> dict[str, Any]:
        """The values that the condition AS_ALIAS refers to."""
        return {"alias_id": self.join_id}

    def is_valid_for(self, record: EntryRecord | None) -> bool:
        """Return whether the entry has not been moved again or erased."""
        return (
            record is not None and not record.intent.erase and record.move.moved_to == self.entry_id
        )

    def to_item(self, now_millis: int) -> Item:
        """Return the DynamoDB item.

        Its index key makes maintenance check in a day whether the alias still leads to an entry.
        """
        return {
            **self.key,
            "waitlist_id": self.waitlist_id,
            "entry_id": self.entry_id,
            "target": self.target,
            "join_id": self.join_id,
            "status": MOVED,
            # If the deleted item has no timestamp, DynamoDB publishes no event (template.yaml).
            **({"stamp": self.stamp} if self.stamp else {}),
            "place": intent_place(self.entry_id),
            "place_rank": now_millis + DAY_MILLIS,
        }
