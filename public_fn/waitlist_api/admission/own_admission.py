"""Let customers accept their offer, and find their admission again."""

from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.admission.holds import ENTER, HoldCommand, Holds
from waitlist_api.auth.credentials import Proof
from waitlist_api.clock import NowMillis
from waitlist_api.errors import AlreadyAdmitted, NotInside
from waitlist_api.records.decisions import CUSTOMER, POLICY
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord
from waitlist_shared.errors import NotOffered, NotWaiting, OfferExpired

# No offer has this end, so a message with it accepts no offer.
NO_OFFER = 0


class OwnAdmissions(Struct, frozen=True):
    """Accepts offers and finds admissions for customers whose credentials prove their stay."""

    holds: Holds
    entries: EntryRecords
    now_millis: NowMillis

    def enter(self, waitlist_id: str, proof: Proof) -> EntryRecord:
        """Accept the offer of the entry. A repeat returns the same admission."""
        self.holds.act(ENTER, _command(waitlist_id, proof))
        return self._record(waitlist_id, proof)

    def find(self, waitlist_id: str, proof: Proof) -> EntryRecord:
        """Return the admitted entry. Raise NotInside if the customer has no valid pass."""
        record = self._record(waitlist_id, proof)
        if record.status in PRESENT:
            # A run whose answer was lost may have admitted the customer in Redis. This message
            # accepts no offer. It only finds the unrecorded admission, which is then recorded.
            command = replace(
                _command(waitlist_id, proof), by=POLICY, offered_until_millis=NO_OFFER
            )
            with suppress(NotOffered, OfferExpired, NotWaiting, AlreadyAdmitted):
                self.holds.act(ENTER, command)
                record = self._record(waitlist_id, proof)
        if not record.pass_until(self.now_millis()):
            raise NotInside
        return record

    def _record(self, waitlist_id: str, proof: Proof) -> EntryRecord:
        return self.entries.find(waitlist_id, proof.entry_id, proof.stay)


def _command(waitlist_id: str, proof: Proof) -> HoldCommand:
    return HoldCommand(
        waitlist_id=waitlist_id, entry_id=proof.entry_id, by=CUSTOMER, ticket=proof.stay
    )
