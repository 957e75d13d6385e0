"""Verification: the code of a message proves that its reader has the entry's address."""

from msgspec import Struct

from waitlist_api.auth.credentials import MINUTE_MILLIS, EntryTokens
from waitlist_api.auth.token_keys import InCode
from waitlist_api.clock import NowMillis
from waitlist_api.entries.address_change import AddressChanges
from waitlist_api.entries.position import EntryView, Positions
from waitlist_api.entries.readiness import ReadinessChanges
from waitlist_api.errors import (
    AlreadyAdmitted,
    CodeRefused,
    EntryNotFound,
    Forbidden,
    NoEntryTokens,
)
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.settings.identity import IdentityRules
from waitlist_shared.errors import NotWaiting


class Verified(Struct, frozen=True):
    """The entry, and the token of its stay."""

    view: EntryView
    token: str


class Verifications(Struct, frozen=True):
    """Verifies stays. Without `tokens` customers have accounts, and nothing is to be verified."""

    tokens: EntryTokens | None
    waitlist_cache: WaitlistCache
    address_changes: AddressChanges
    readiness: ReadinessChanges
    positions: Positions
    entries: EntryRecords
    now_millis: NowMillis

    def verify(self, waitlist_id: str, code: str) -> Verified:
        """Verify the stay of a code; a repeat changes nothing and has the same answer.

        A code of a new address moves the entry to it; AlreadyOnList if it has an entry of its own.
        Raises CodeRefused for a code of an ended stay or another list, one that is too old, one
        that went to an address which the entry had before, and one of a new address once the
        customer is admitted.
        """
        if self.tokens is None:
            raise NoEntryTokens
        said = self.tokens.check_code(waitlist_id, code)
        rules = self.waitlist_cache.find(waitlist_id).settings.identity or IdentityRules(
            field="email"
        )
        if self.now_millis() > (said.minute + rules.verify_minutes + 1) * MINUTE_MILLIS:
            raise CodeRefused
        key = (waitlist_id, said.entry_id)
        try:
            record = self._verified(key, said)
            if not _is_current(record, said.to):
                raise CodeRefused
            view = self.positions.read(*key)
        except (EntryNotFound, Forbidden, NotWaiting):
            raise CodeRefused from None
        return Verified(view, self.tokens.issue(*key, said.stay))

    def _verified(self, key: tuple[str, str], said: InCode) -> EntryRecord:
        """Verify a stay, and move it if the code says so; one that was admitted stays as it is."""
        try:
            if said.to:
                self.address_changes.confirm(key, said.stay, said.to)
            return self.readiness.verify(*key, said.stay)
        except AlreadyAdmitted:
            return self.entries.find(*key, said.stay)


def _is_current(record: EntryRecord, to: str) -> bool:
    """Return whether a code went to the address that the entry has."""
    if not to:
        return not record.has_moved
    return record.has_moved and to == record.address_id
