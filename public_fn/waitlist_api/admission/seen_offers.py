"""Records which invited customers have seen their offer."""

import logging

from msgspec import Struct, field

from waitlist_api.entries.position import EntryView
from waitlist_api.records.invitees import Invitees, invitee_key
from waitlist_shared.errors import WaitlistError
from waitlist_shared.ids import invitation_of

logger = logging.getLogger(__name__)
# The maximum number of seen offers that a process remembers.
REMEMBERED = 10_000


class SeenOffers(Struct, frozen=True):
    """Records that an invited customer has polled, and so has seen their offer.

    A process remembers the offers that it has recorded, so that it records each offer only once.
    """

    invitees: Invitees
    noted: set[tuple[str, str]] = field(default_factory=set)

    def note(self, waitlist_id: str, view: EntryView) -> None:
        """Record that the customer has seen the offer, if the offer belongs to an invitation.

        If this fails, the customer still gets their position, and their next poll tries again.
        """
        invitation_id = invitation_of(view.token)
        if not invitation_id or view.ticket is None:
            return
        key = invitee_key(waitlist_id, view.entry_id, invitation_id, view.ticket)
        noted = (key["pk"], key["sk"])
        if noted in self.noted:
            return
        try:
            if not self.invitees.note_opened(key):
                return
        except WaitlistError as error:
            logger.warning("a seen offer was not counted: %s", error.code)
            return
        if len(self.noted) >= REMEMBERED:
            self.noted.clear()
        self.noted.add(noted)
