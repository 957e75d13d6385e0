"""Aliases: items under the id of an address, for the entry that its person has moved to it.

An alias only points. The entry's record says whether it answers to that id, so an alias of an entry
that has moved on, is erased or has expired is stale, and the next signup of the address takes its
key (docs/decisions/0071).
"""

from typing import Any, Self

from msgspec import Struct

from waitlist_api.records.entry import EntryRecord, intent_place, record_key
from waitlist_api.records.table import Item
from waitlist_shared.ids import new_join_id

MOVED = "moved"
DAY_MILLIS = 86_400_000
# The id is drawn for the alias, so no record has it.
AS_ALIAS = "#join_id = :alias_id"


class Alias(Struct, frozen=True, kw_only=True):
    """The item at an address' key: the entry that was moved to it is `target`.

    `join_id` names this alias. `stamp` is the last one of the stay that the address had of its own
    before, whose history is still there; 0 without one. The index has the alias at the time at
    which maintenance looks whether it is stale.
    """

    waitlist_id: str
    entry_id: str
    target: str
    join_id: str
    stamp: int = 0

    @classmethod
    def of(cls, record: EntryRecord, entry_id: str, stamp: int) -> Self:
        """Return a new alias for an entry, at the key of another id."""
        return cls(
            waitlist_id=record.waitlist_id,
            entry_id=entry_id,
            target=record.entry_id,
            join_id=new_join_id(),
            stamp=stamp,
        )

    @classmethod
    def from_item(cls, item: Item) -> Self | None:
        """Read an item under a record's key; None if it is no alias."""
        if item.get("status") != MOVED:
            return None
        return cls(**{name: item[name] for name in cls.__struct_fields__ if name in item})

    @property
    def key(self) -> dict[str, str]:
        """The key of the item."""
        return record_key(self.waitlist_id, self.entry_id)

    @property
    def values(self) -> dict[str, Any]:
        """The values of AS_ALIAS."""
        return {"alias_id": self.join_id}

    def is_of(self, record: EntryRecord | None) -> bool:
        """Return whether an entry answers to this id."""
        return record is not None and not record.erase and record.answers_to == self.entry_id

    def to_item(self, now_millis: int) -> Item:
        """Return the whole item; maintenance looks at it a day later."""
        return {
            **self.key,
            "waitlist_id": self.waitlist_id,
            "entry_id": self.entry_id,
            "target": self.target,
            "join_id": self.join_id,
            "status": MOVED,
            # Without one the deletion of the item is no event (template.yaml).
            **({"stamp": self.stamp} if self.stamp else {}),
            "place": intent_place(self.entry_id),
            "place_rank": now_millis + DAY_MILLIS,
        }
