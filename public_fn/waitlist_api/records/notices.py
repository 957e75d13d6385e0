"""Decide when to tell customers that their turn is near or that their offer ends soon."""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.records.asks import pause_millis
from waitlist_api.records.decisions import MAINTENANCE
from waitlist_api.records.entry import EntryRecord, HistoryEvent
from waitlist_api.records.ledger import Commit
from waitlist_shared.ranks import millis_of

Word = Literal["near", "ending"]


class Notice(Struct, frozen=True):
    """A notice to a customer.

    `word` is `near` if the customer's turn is near, and `ending` if the customer's offer ends soon.
    """

    record: EntryRecord
    word: Word

    @property
    def is_new(self) -> bool:
        """Whether the customer has not received this notice yet."""
        if self.word == "near":
            return not self.record.is_told_near
        return self.record.contact.ending_offer != self.record.hold.token

    @property
    def due_millis(self) -> int:
        """The earliest time at which the notice may be sent, according to Redis' clock.

        A customer can be told several times that their turn is near. The minimum delay between
        these notices doubles with each notice, up to one day.
        """
        contact = self.record.contact
        if self.word == "ending" or contact.near_count == 0:
            return 0
        return millis_of(contact.near_stamp) + pause_millis(contact.near_count - 1)

    def decide(self, stamp: int) -> Commit:
        """Return the change that records the notice."""
        record, contact = self.record, self.record.contact
        if self.word == "ending":
            contact = replace(contact, ending_offer=record.hold.token)
        else:
            near_count = contact.near_count + 1
            contact = replace(
                contact, near_rank=record.rank, near_stamp=stamp, near_count=near_count
            )
        event = HistoryEvent(stamp=stamp, event=self.word, by=MAINTENANCE)
        changes = replace(record.changes, edited_stamp=stamp)
        after = replace(record, changes=changes, contact=contact)
        return Commit(after=after, events=(event,))
