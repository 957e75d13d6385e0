"""Let customers accept an offer. Accepting an offer twice returns the same admission."""

from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.admission.holds import ENTER, HoldCommand, Holds
from waitlist_api.clock import NowMillis
from waitlist_api.errors import AlreadyAdmitted, NotInside
from waitlist_api.records.decisions import CUSTOMER, POLICY
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord
from waitlist_shared.errors import NotOffered, NotWaiting, OfferExpired

# No offer has this deadline, so a request that names it never accepts an offer.
NO_OFFER = 0


class OwnAdmissions(Struct, frozen=True):
    """Accepts offers for customers, and finds their admissions."""

    holds: Holds
    entries: EntryRecords
    now_millis: NowMillis

    def enter(self, waitlist_id: str, entry_id: str, stay: int | None) -> EntryRecord:
        """Accept the customer's offer. A repeated request returns the same admission."""
        done = self.holds.act(ENTER, _command(waitlist_id, entry_id, stay))
        return done.record or self.entries.find(waitlist_id, entry_id, stay)

    def find(self, waitlist_id: str, entry_id: str, stay: int | None) -> EntryRecord:
        """Return the admitted entry. Raise NotInside if the customer has no valid pass."""
        record = self.entries.find(waitlist_id, entry_id, stay)
        if record.status in PRESENT:
            # If a run of the admission policy crashed, Redis may have admitted the customer before
            # the admission was recorded. Record such an admission here, but do not accept an offer.
            command = replace(
                _command(waitlist_id, entry_id, stay), by=POLICY, offered_until_millis=NO_OFFER
            )
            with suppress(NotOffered, OfferExpired, NotWaiting, AlreadyAdmitted):
                self.holds.act(ENTER, command)
                record = self.entries.find(waitlist_id, entry_id, stay)
        if not record.pass_until(self.now_millis()):
            raise NotInside
        return record


def _command(waitlist_id: str, entry_id: str, stay: int | None) -> HoldCommand:
    return HoldCommand(waitlist_id=waitlist_id, entry_id=entry_id, by=CUSTOMER, ticket=stay)
