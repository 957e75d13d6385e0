"""Set the expiry of records and events. DynamoDB deletes expired items automatically."""

from contextlib import suppress

from msgspec import Struct

from waitlist_api.records.entry import HISTORY, entry_pk
from waitlist_api.records.intents import UNVERIFIED
from waitlist_api.records.table import ConditionFailed, Item, Table
from waitlist_api.records.waitlist_cache import WaitlistCache

DAY_SECONDS = 24 * 3600
PAGE = 500


class Retention(Struct, frozen=True):
    """Sets when records and events expire, according to the `retention_days` setting."""

    table: Table
    waitlist_cache: WaitlistCache

    def expires_at(self, waitlist_id: str, ended_millis: int) -> int | None:
        """Return when a record expires, in seconds since 1970.

        Return None if the waitlist keeps records forever.
        """
        days = self.waitlist_cache.retention_days_of(waitlist_id)
        return None if days is None else ended_millis // 1000 + days * DAY_SECONDS

    def expire_history(self, key: tuple[str, str], stamp: int, expires_at: int | None) -> None:
        """Set the expiry of an entry's events after a signup has ended.

        `stamp` is the timestamp of the signup's last event. Later events are left alone.
        """
        if expires_at is None:
            return
        pk = entry_pk(*key)
        values: Item = {"pk": pk, "first": HISTORY, "last": f"{HISTORY}{stamp:016d}~"}
        after: Item | None = {}
        while after is not None:
            condition = "#pk = :pk AND #sk BETWEEN :first AND :last"
            items, after = self.table.query(condition, values, after or None, Limit=PAGE)
            for item in items:
                is_of_ban = "place" in item and item.get("status") != UNVERIFIED
                if "expires_at" not in item and not is_of_ban:
                    self._end({"pk": pk, "sk": item["sk"]}, expires_at)

    def _end(self, key: dict[str, str], expires_at: int) -> None:
        update = "SET #expires_at = :expires_at"
        # An update creates the item if it does not exist. The event may have been erased in the
        # meantime, so this condition keeps the update from recreating it.
        with suppress(ConditionFailed):
            self.table.update(key, update, "attribute_exists(#pk)", {"expires_at": expires_at})
