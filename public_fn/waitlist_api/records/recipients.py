"""Store which customers get no messages, so that these customers can be listed and counted."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import asdict, replace

from waitlist_api.clock import NowMillis
from waitlist_api.records.entry import (
    EntryRecord,
    entry_pk,
    shard_of,
    unreached_place,
)
from waitlist_api.records.facets import Contact
from waitlist_api.records.ledger import Ledger
from waitlist_api.records.table import ConditionFailed, Item, Table

Unreached = Literal["unreachable", "messages_off"]
UNREACHED: tuple[Unreached, ...] = get_args(Unreached)
# The sort key of the item that marks a customer who gets no messages. It sorts before the keys of
# events, so an erasure, which deletes all of an entry's items up to its last event, deletes this
# item too.
UNREACHED_SORT = "CONTACT"
NO_LATER_STAY = "attribute_not_exists(#pk) OR #ticket <= :ticket"


Alter = Callable[[Contact], Contact]


class Mark(Struct, frozen=True, kw_only=True):
    """An item that marks a customer who gets no messages. `ticket` identifies the signup."""

    entry_id: str
    ticket: int
    place_rank: int


def unreached_key(waitlist_id: str, entry_id: str) -> dict[str, str]:
    return {"pk": entry_pk(waitlist_id, entry_id), "sk": UNREACHED_SORT}


def is_unreached(record: EntryRecord, which: Unreached) -> bool:
    """Return whether the customer gets no messages for the given reason."""
    return record.contact.unreachable if which == "unreachable" else bool(record.contact.messages)


class Recipients(Struct, frozen=True):
    """Records whether a customer gets messages.

    Each call is about one signup, and changes nothing if the customer has signed up again since
    then.
    """

    table: Table
    now_millis: NowMillis

    def mark_unreachable(self, waitlist_id: str, entry_id: str, ticket: int) -> bool:
        """Record that the customer's address does not accept messages."""
        return self._mark(waitlist_id, entry_id, ticket, partial(replace, unreachable=True))

    def mark_reachable(self, waitlist_id: str, entry_id: str, ticket: int) -> bool:
        """Record that the customer has a new address, which may accept messages."""
        return self._update(waitlist_id, entry_id, ticket, partial(replace, unreachable=False))

    def turn_off(self, waitlist_id: str, entry_id: str, ticket: int) -> bool:
        """Record that the customer wants only the messages that they request themselves."""
        return self._mark(waitlist_id, entry_id, ticket, partial(replace, messages="off"))

    def turn_on(
        self, waitlist_id: str, entry_id: str, ticket: int, changes_until_millis: int
    ) -> bool:
        """Record that the customer wants to get all messages again."""
        alter = partial(replace, messages="")
        return self._update(waitlist_id, entry_id, ticket, alter, changes_until_millis)

    def list_stay(self, waitlist_id: str, entry_id: str, ticket: int) -> Mark:
        """Write the item that marks a customer who gets no messages.

        If the stored item already belongs to a later signup, do not replace it.
        """
        mark = Mark(entry_id=entry_id, ticket=ticket, place_rank=self.now_millis())
        place = unreached_place(waitlist_id, shard_of(entry_id))
        item: Item = {**unreached_key(waitlist_id, entry_id), "place": place, **asdict(mark)}
        with suppress(ConditionFailed):
            self.table.put(item, NO_LATER_STAY, {"ticket": ticket})
        return mark

    def remove(self, waitlist_id: str, mark: Mark) -> None:
        """Delete the item that marks a customer who gets no messages, unless it was written again
        in the meantime.
        """
        key = unreached_key(waitlist_id, mark.entry_id)
        values = {"ticket": mark.ticket, "place_rank": mark.place_rank}
        with suppress(ConditionFailed):
            self.table.delete(key, "#ticket = :ticket AND #place_rank = :place_rank", values)

    def _mark(self, waitlist_id: str, entry_id: str, ticket: int, alter: Alter) -> bool:
        mark = self.list_stay(waitlist_id, entry_id, ticket)
        if self._update(waitlist_id, entry_id, ticket, alter):
            return True
        # If the entry was erased in the meantime, no data about the customer may remain, so delete
        # the new item too.
        self.remove(waitlist_id, mark)
        return False

    def _update(
        self,
        waitlist_id: str,
        entry_id: str,
        ticket: int,
        alter: Alter,
        changes_until_millis: int | None = None,
    ) -> bool:
        def decide(record: EntryRecord) -> EntryRecord | None:
            if record.ticket != ticket or record.intent.erase:
                return None
            after = replace(record, contact=alter(record.contact), updated_millis=self.now_millis())
            if changes_until_millis is not None:
                changes = replace(after.changes, until_millis=changes_until_millis)
                after = replace(after, changes=changes)
            return after

        ledger = Ledger(self.table)
        return ledger.update(ledger.read(waitlist_id, entry_id), decide)
