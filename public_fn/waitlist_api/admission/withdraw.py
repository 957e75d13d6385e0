"""Withdraw: take an offer back; its entry waits at its old place, the slot goes to the next one."""

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.admission.admit import Admissions
from waitlist_api.claims.lifecycle import WITHDRAW, HoldCommand, Holds
from waitlist_api.entries.position import EntryView
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.decisions import POLICY
from waitlist_api.records.entries import EntryRecords
from waitlist_shared import contracts as c

# No offer ends then: a message that names this one finds a withdrawal before it, or is refused.
NO_OFFER = 0


class Withdrawals(Struct, frozen=True):
    """Takes offers back. Redis offers the slot to the next one in the same script.

    The message names its offer, so that a copy of it cannot take the next one back. If a request
    dies before it has recorded both entries, maintenance records them.
    """

    entries: EntryRecords
    recovering_queue: RecoveringQueue
    holds: Holds
    admissions: Admissions

    def withdraw(self, command: HoldCommand) -> EntryView:
        """Take back the offer that the command names, else the one that is open now.

        Raises NotOffered, OfferExpired.
        """
        if command.offered_until_millis is None:
            command = replace(command, offered_until_millis=self._open_offer(command))
        acted = self.holds.act(WITHDRAW, command)
        if isinstance(acted.result, c.WithdrawResult):
            self.admissions.record(command.waitlist_id, acted.result, POLICY)
        return acted.view

    def _open_offer(self, command: HoldCommand) -> int:
        """Return when the entry's offer ends, by Redis, or by the record if Redis has lost it."""
        request = c.Inspect(waitlist_id=command.waitlist_id, entry_id=command.entry_id)
        looked: c.InspectResult = self.recovering_queue.read(request)
        if looked.state == "offered":
            return looked.time_millis
        record = self.entries.find(*command.key)
        if looked.state == "absent" and record.is_offer and record.status == "offered":
            return record.claimed_until_millis or NO_OFFER
        return NO_OFFER
