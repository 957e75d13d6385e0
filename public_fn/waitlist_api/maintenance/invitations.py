"""Continue invitations whose request was interrupted before all offers were made."""

from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct

from waitlist_api.admission.invite import Invitations
from waitlist_api.clock import IsTimeUp
from waitlist_api.maintenance.isolation import run_isolated
from waitlist_api.records.invitations import Invitation
from waitlist_api.records.waitlists import WaitlistRecords
from waitlist_shared.errors import Rebuilding, WaitlistPaused


class InvitationRunner(Struct, frozen=True):
    """Makes the remaining offers of large or interrupted invitations."""

    invitations: Invitations
    waitlists: WaitlistRecords

    def run_all(self, sort_keys: Sequence[str], is_time_up: IsTimeUp) -> None:
        """Continue the invitations with these sort keys, until all offers are made or the time is
        up.
        """

        def run(invitation: Invitation) -> None:
            waitlist = self.waitlists.get(invitation.waitlist_id)
            if waitlist is None or waitlist.deleting:
                return
            # The invitation continues after the waitlist is resumed or its queue is rebuilt.
            with suppress(WaitlistPaused, Rebuilding):
                self.invitations.run(invitation, is_time_up, is_resumed=True)

        for invitation in self.invitations.records.running(sort_keys):
            run_isolated(run, invitation)
            if is_time_up():
                return
