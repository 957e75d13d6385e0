"""Whether a stay gets messages: what its person chose, and whether the address takes any."""

from msgspec import Struct

from waitlist_api.records.entry import record_key
from waitlist_api.records.table import ConditionFailed, Item, Table

THIS_STAY = "#ticket = :ticket AND attribute_not_exists(#erase)"


class Recipients(Struct, frozen=True):
    """Notes it in the record of a stay, in any status.

    Each method returns whether the entry still has this stay; if not, nothing changes.
    """

    table: Table

    def mark_unreachable(self, waitlist_id: str, entry_id: str, ticket: int) -> bool:
        """Note that the address of a stay takes no messages."""
        return self._update(
            waitlist_id, entry_id, ticket, "SET #unreachable = :value", {"value": True}
        )

    def turn_off(self, waitlist_id: str, entry_id: str, ticket: int) -> bool:
        """Note that the person of a stay wants no messages but those they ask for."""
        return self._update(
            waitlist_id, entry_id, ticket, "SET #messages = :value", {"value": "off"}
        )

    def turn_on(self, waitlist_id: str, entry_id: str, ticket: int) -> bool:
        """Take that note back."""
        return self._update(waitlist_id, entry_id, ticket, "REMOVE #messages", {})

    def _update(
        self, waitlist_id: str, entry_id: str, ticket: int, update: str, values: Item
    ) -> bool:
        key = record_key(waitlist_id, entry_id)
        try:
            self.table.update(key, update, THIS_STAY, {**values, "ticket": ticket})
        except ConditionFailed:
            return False
        return True
