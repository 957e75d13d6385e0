"""Call customers to a place, such as a desk, after an operator has claimed their entries."""

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.call import call, check_claim, current_call, is_repeat
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.facets import Call
from waitlist_api.records.ledger import Commit, EntryChanged, Ledger


class CallCommand(Struct, frozen=True, kw_only=True):
    """An operator's request to call a customer to a place.

    `key` is a digest that identifies the request.
    """

    waitlist_id: str
    entry_id: str
    by: str
    token: str
    to: str
    key: str


class Calls(Struct, frozen=True):
    """Calls customers to a place, such as a desk.

    Each call is stored in the entry's record, but not in Redis.
    """

    entries: EntryRecords
    ledger: Ledger
    recovering_queue: RecoveringQueue
    now_millis: NowMillis

    def call(self, command: CallCommand, record: EntryRecord | None = None) -> EntryRecord:
        """Call the customer, and return the record. If the request is a repeat, nothing changes.

        If the claim has ended, a repeated request is refused like a new one.
        """
        if record is None:
            record = self.entries.find(command.waitlist_id, command.entry_id)

        def decide(found: EntryRecord | None) -> Commit | None:
            if found is None:
                return None
            check_claim(found, command.token, self.now_millis())
            if is_repeat(found, command.token, command.to, command.key):
                return None
            stamp = self.recovering_queue.draw_stamp(found)
            return call(found, command.to, stamp, command.by, command.key)

        try:
            return self.ledger.decide(record, decide, self.now_millis())
        except EntryChanged:
            return self.entries.find(command.waitlist_id, command.entry_id)

    def find(self, waitlist_id: str, entry_id: str) -> Call | None:
        """Return the customer's latest call during the current claim, or None if there is none."""
        record = self.entries.get(waitlist_id, entry_id)
        return None if record is None else current_call(record, self.now_millis())
