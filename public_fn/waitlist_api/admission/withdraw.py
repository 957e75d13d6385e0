"""Withdraw an offer. The entry keeps its place in the queue, and the next entry gets the slot."""

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.admission.admit import Admissions
from waitlist_api.admission.holds import WITHDRAW, HoldCommand, Holds
from waitlist_api.entries.position import EntryView
from waitlist_api.records.decisions import POLICY
from waitlist_shared import contracts as c


class Withdrawals(Struct, frozen=True):
    """Withdraws offers.

    A single Redis script withdraws the offer and offers the slot to the next entry.
    """

    holds: Holds
    admissions: Admissions

    def withdraw(self, command: HoldCommand) -> EntryView:
        """Withdraw an offer.

        Raise NotOffered if the entry has no such offer, and OfferExpired if the offer has expired.
        """
        command = replace(command, hours=self.admissions.hours(command.waitlist_id))
        acted = self.holds.act(WITHDRAW, command)
        if isinstance(acted.result, c.WithdrawResult):
            self.admissions.record(command.waitlist_id, acted.result, POLICY)
        return acted.view
