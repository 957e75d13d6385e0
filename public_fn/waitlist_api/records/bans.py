"""Write bans, and the ends of bans, into the records of entries.

Every write has a condition, so a repeated write changes nothing.
"""

from typing import Any

from msgspec import Struct

from waitlist_api.errors import EntryNotFound
from waitlist_api.records.alias import Alias
from waitlist_api.records.edits import IS_LATER
from waitlist_api.records.entries import NOT_BANNED, STATUSES, EntryRecords, entry_changed
from waitlist_api.records.entry import (
    EntryRecord,
    HistoryEvent,
    banned_place,
    ended_place,
    intent_place,
    record_key,
    shard_of,
)
from waitlist_api.records.intents import UNKNOWN
from waitlist_api.records.table import Item, Table
from waitlist_shared.ids import new_join_id

IS_ENDED = "#status IN (:left, :admitted)"
IS_NOT_ENDED = "#status IN (:joining, :waiting, :offered, :parked, :leaving)"
NOT_ERASED = "attribute_not_exists(#erase)"
# When a stay has ended, the next stamp is derived from the newest stamp in the record. This
# condition ensures that the record still has that stamp. While the entry is on the waitlist, Redis
# draws the stamps, and IS_LATER is used instead.
IS_ENDED_AS_READ = f"{IS_ENDED} AND #stamp = :known"


class Ban(Struct, frozen=True, kw_only=True):
    """A ban of a customer by an operator.

    `by` is the operator, and `once_key` is a digest of the request's idempotency key. `customer_id`
    is only known for bans that are imported.
    """

    waitlist_id: str
    entry_id: str
    by: str
    customer_id: str = ""
    reason: str = ""
    once_key: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The waitlist id and the entry id."""
        return self.waitlist_id, self.entry_id


class BanRecords(Struct, frozen=True):
    """Marks the records of banned customers.

    A marked record refuses signups of the customer. While the ban is active, the index contains its
    event `banned`, so that bans can be listed.
    """

    table: Table
    entries: EntryRecords

    def get(self, waitlist_id: str, entry_id: str) -> EntryRecord | None:
        """Return the record of an entry, or None. An expired record is returned while it exists.

        Raise EntryNotFound if the id is an alias. The entry behind an alias must be banned by the
        entry's own id.
        """
        found = self.entries.get_stored(waitlist_id, entry_id)
        if isinstance(found, Alias):
            raise EntryNotFound
        return found

    def begin(
        self, ban: Ban, record: EntryRecord | None, stamp: int, now_millis: int, *, keeps_data: bool
    ) -> None:
        """Write a ban, and the intent to leave if the customer is on the waitlist.

        `stamp` must be later than every stamp in the record. Raise EntryChanged if the customer is
        already banned or is being erased, if a stay has begun or ended since `record` was read, or
        if the record has a later event. Unless `keeps_data` is true, the profile and attributes are
        removed, because the record of a ban outlives the waitlist's retention time.
        """
        event = HistoryEvent(stamp=stamp, event="banned", by=ban.by, reason=ban.reason)
        with entry_changed():
            self.table.transact(
                [
                    self._banned(ban, record, stamp, now_millis, keeps_data=keeps_data),
                    self.table.put_write(
                        {
                            **event.to_item(*ban.key),
                            "place": banned_place(ban.waitlist_id, shard_of(ban.entry_id)),
                            "place_rank": stamp,
                        }
                    ),
                ]
            )

    def end(
        self, record: EntryRecord, by: str, reason: str, now_millis: int, expires_at: int | None
    ) -> int:
        """Write the end of a ban, and return the stamp of the event `unbanned`.

        Raise EntryChanged if this ban has already ended, if the customer is still leaving, or if
        the record has a newer event, such as an exit.
        """
        stamp = record.stamp_off_list(now_millis)
        event = HistoryEvent(stamp=stamp, event="unbanned", by=by, reason=reason)
        expires = "" if expires_at is None else ", #expires_at = :expires_at"
        update = (
            f"SET #stamp = :stamp, #end_stamp = :end_stamp, #updated_millis = :now{expires}"
            " REMOVE #ban_stamp, #ban_reason"
        )
        values = {
            **STATUSES,
            "ban": record.ban_stamp,
            "known": record.stamp,
            "end_stamp": record.decided_stamp,
            "stamp": stamp,
            "now": now_millis,
            "expires_at": expires_at,
        }
        condition = f"#ban_stamp = :ban AND {IS_ENDED_AS_READ}"
        banned = HistoryEvent.key(*record.key, record.ban_stamp, "banned")
        with entry_changed():
            self.table.transact(
                [
                    self.table.update_write(record_key(*record.key), update, condition, values),
                    self.table.update_write(
                        banned, "REMOVE #place, #place_rank", "attribute_exists(#pk)", {}
                    ),
                    self.table.put_write(event.to_item(*record.key)),
                ]
            )
        return stamp

    def _banned(
        self,
        ban: Ban,
        record: EntryRecord | None,
        stamp: int,
        now_millis: int,
        *,
        keeps_data: bool,
    ) -> Item:
        if record is None:
            new = EntryRecord(
                waitlist_id=ban.waitlist_id,
                entry_id=ban.entry_id,
                customer_id=ban.customer_id,
                status="left",
                join_id=new_join_id(),
                created_millis=now_millis,
                updated_millis=now_millis,
                stamp=stamp,
                ban_stamp=stamp,
                ban_reason=ban.reason,
                ban_key=ban.once_key,
            )
            place = ended_place(ban.waitlist_id, shard_of(ban.entry_id))
            return self.table.put_write(new.to_item(place, now_millis), UNKNOWN)
        changes: dict[str, Any] = {
            "ban_stamp": stamp,
            "ban_reason": ban.reason or None,
            "ban_key": ban.once_key or None,
            "updated_millis": now_millis,
        }
        condition = IS_ENDED_AS_READ if record.has_ended else f"{IS_NOT_ENDED} AND {IS_LATER}"
        if record.has_ended:
            # When a stay has ended, the ban itself advances the record's stamp, because the event
            # `erased` must follow it. Otherwise the leave that follows the ban advances the stamp.
            changes |= {"stamp": stamp, "end_stamp": record.decided_stamp, "expires_at": None}
        else:
            changes |= {
                "edited_stamp": stamp,
                "status": "leaving",
                "leaving_by": ban.by,
                "leaving_reason": ban.reason,
                "place": intent_place(ban.entry_id),
                "place_rank": now_millis,
            }
        if not keeps_data:
            changes |= {"profile": None, "attributes": None}
            changes |= {"moving_to": None, "moving_address": None}
        return self.table.update_write(
            record_key(*ban.key),
            _update(changes),
            f"{condition} AND {NOT_BANNED} AND {NOT_ERASED}",
            STATUSES | changes | {"known": record.stamp},
        )


def _update(changes: dict[str, Any]) -> str:
    kept = [f"#{name} = :{name}" for name, value in changes.items() if value is not None]
    removed = [f"#{name}" for name, value in changes.items() if value is None]
    update = "SET " + ", ".join(kept)
    return f"{update} REMOVE {', '.join(removed)}" if removed else update
