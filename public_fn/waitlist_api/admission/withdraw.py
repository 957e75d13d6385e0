"""Withdraw: take an offer back; its entry waits at its old place, the slot goes to the next one."""

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.admission.admit import Admissions
from waitlist_api.admission.holds import WITHDRAW, HoldCommand, Holds
from waitlist_api.entries.position import EntryView
from waitlist_api.records.decisions import POLICY
from waitlist_shared import contracts as c


class Withdrawals(Struct, frozen=True):
    """Takes offers back. Redis offers the slot to the next one in the same script.

    If a request dies before it has recorded both entries, maintenance records them.
    """

    holds: Holds
    admissions: Admissions

    def withdraw(self, command: HoldCommand) -> EntryView:
        """Take back the offer that the command names, else the one that is open now.

        Raises NotOffered, OfferExpired.
        """
        command = replace(command, hours=self.admissions.hours(command.waitlist_id))
        acted = self.holds.act(WITHDRAW, command)
        if isinstance(acted.result, c.WithdrawResult):
            self.admissions.record(command.waitlist_id, acted.result, POLICY)
        return acted.view
