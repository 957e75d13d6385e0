"""Notices: events that say that a person's turn is near, or that their offer ends soon."""

from typing import Literal

from msgspec import Struct

from waitlist_api.records.decisions import MAINTENANCE
from waitlist_api.records.entries import STATUSES, entry_changed
from waitlist_api.records.entry import EntryRecord, HistoryEvent, record_key
from waitlist_api.records.table import Table

Word = Literal["near", "ending"]


class Notice(Struct, frozen=True):
    """A notice of a record: of its stay, if it is `near`, and of its offer, if that is `ending`."""

    record: EntryRecord
    word: Word

    @property
    def field(self) -> str:
        """The record's field that names what the last notice of this kind was about."""
        return "near_stay" if self.word == "near" else "ending_offer"

    @property
    def subject(self) -> str:
        """The id of the stay, or the token of the offer."""
        return self.record.join_id if self.word == "near" else self.record.claim_token

    @property
    def is_new(self) -> bool:
        """Whether the record has no such notice of this stay or offer yet."""
        return bool(getattr(self.record, self.field) != self.subject)


class NoticeRecords(Struct, frozen=True):
    """Writes notices, each once: the record and the event in one transaction."""

    table: Table

    def record(self, notice: Notice, stamp: int) -> None:
        """Write a notice with a stamp that Redis has drawn after all decisions of the record.

        Raise EntryChanged if it has been written, or anything else has happened to the entry.
        """
        record, field = notice.record, notice.field
        stamp = max(stamp, record.stamp + 1, record.edited_stamp + 1)
        event = HistoryEvent(stamp=stamp, event=notice.word, by=MAINTENANCE)
        values = STATUSES | {
            "now_status": record.status,
            "join_id": record.join_id,
            "known": record.stamp,
            "subject": notice.subject,
            "edited_stamp": stamp,
        }
        edited = "attribute_not_exists(#edited_stamp)"
        if record.edited_stamp:
            edited, values["edited_before"] = "#edited_stamp = :edited_before", record.edited_stamp
        condition = (
            f"#status = :now_status AND #join_id = :join_id AND #stamp = :known AND {edited}"
        )
        update = f"SET #{field} = :subject, #edited_stamp = :edited_stamp"
        with entry_changed():
            self.table.transact(
                [
                    self.table.update_write(record_key(*record.key), update, condition, values),
                    self.table.put_write(event.to_item(*record.key)),
                ]
            )
