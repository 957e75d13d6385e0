"""Write notices, which are events that announce that a turn is near or that an offer ends soon."""

from typing import Any, Literal

from msgspec import Struct

from waitlist_api.records.asks import pause_millis
from waitlist_api.records.decisions import MAINTENANCE
from waitlist_api.records.entries import STATUSES
from waitlist_api.records.entry import EntryRecord, HistoryEvent, record_key
from waitlist_api.records.ledger import entry_changed
from waitlist_api.records.table import ConditionFailed, Table
from waitlist_shared.ranks import millis_of

Word = Literal["near", "ending"]


class Notice(Struct, frozen=True):
    """A notice to the customer of a record.

    The word is `near` if their turn is near, and `ending` if their offer ends soon.
    """

    record: EntryRecord
    word: Word

    @property
    def is_new(self) -> bool:
        """Whether the customer has not been told yet that their turn is near or this offer ends."""
        if self.word == "near":
            return not self.record.is_told_near
        return self.record.ending_offer != self.record.claim_token

    @property
    def due_millis(self) -> int:
        """The earliest time for the notice, by the clock of Redis.

        A customer's turn can come near several times during a stay. After each notice the pause
        before the next one doubles, beginning with a minute, so that the customer does not get too
        many messages.
        """
        if self.word == "ending" or self.record.near_count == 0:
            return 0
        return millis_of(self.record.near_stamp) + pause_millis(self.record.near_count - 1)

    def changes(self, stamp: int) -> dict[str, Any]:
        """Return the changes of the record when the notice is written with this stamp."""
        if self.word == "ending":
            return {"ending_offer": self.record.claim_token}
        return {
            "near_rank": self.record.rank,
            "near_stamp": stamp,
            "near_count": self.record.near_count + 1,
        }


class NoticeRecords(Struct, frozen=True):
    """Writes each notice once, with its event and the record in one transaction."""

    table: Table

    def take_back(self, record: EntryRecord) -> bool:
        """Note that the customer was not told after all that their turn is near.

        The customer is told when their turn comes near again. Return False if the entry's place or
        the notice has changed since the record was read.
        """
        values = {"known": record.stamp, "near_stamp": record.near_stamp}
        condition = "#stamp = :known AND #near_stamp = :near_stamp"
        try:
            self.table.update(record_key(*record.key), "REMOVE #near_rank", condition, values)
        except ConditionFailed:
            return False
        return True

    def record(self, notice: Notice, stamp: int) -> None:
        """Write a notice.

        `stamp` must come from Redis and be later than every stamp in the record. Raise EntryChanged
        if the notice was already written, or if anything else has happened to the entry.
        """
        record = notice.record
        event = HistoryEvent(stamp=stamp, event=notice.word, by=MAINTENANCE)
        changes = notice.changes(stamp) | {"edited_stamp": stamp}
        values = STATUSES | changes
        values |= {
            "now_status": record.status,
            "join_id": record.join_id,
            "known": record.stamp,
        }
        edited = "attribute_not_exists(#edited_stamp)"
        if record.edited_stamp:
            edited, values["edited_before"] = "#edited_stamp = :edited_before", record.edited_stamp
        condition = (
            f"#status = :now_status AND #join_id = :join_id AND #stamp = :known AND {edited}"
        )
        update = "SET " + ", ".join(f"#{name} = :{name}" for name in changes)
        with entry_changed():
            self.table.transact(
                [
                    self.table.update_write(record_key(*record.key), update, condition, values),
                    self.table.put_write(event.to_item(*record.key)),
                ]
            )
