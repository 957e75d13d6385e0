"""Verify an entry's address with a code that was sent to it."""

from msgspec import Struct

from waitlist_api.auth.credentials import MINUTE_MILLIS, EntryTokens
from waitlist_api.auth.token_keys import CodeContent
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
    """A verified entry and its entry token."""

    view: EntryView
    token: str


class Verifications(Struct, frozen=True):
    """Verifies addresses.

    If `tokens` is None, customers sign in with accounts and have no addresses to verify.
    """

    tokens: EntryTokens | None
    waitlist_cache: WaitlistCache
    address_changes: AddressChanges
    readiness: ReadinessChanges
    positions: Positions
    entries: EntryRecords
    now_millis: NowMillis

    def verify(self, waitlist_id: str, code: str) -> Verified:
        """Verify the address that this code was sent to.

        If it is a new address that the customer has asked for, move the entry to it.
        """
        if self.tokens is None:
            raise NoEntryTokens
        claims = self.tokens.check_code(waitlist_id, code)
        rules = self.waitlist_cache.find(waitlist_id).settings.identity or IdentityRules(
            field="email"
        )
        if self.now_millis() > (claims.minute + rules.verify_minutes + 1) * MINUTE_MILLIS:
            raise CodeRefused
        key = (waitlist_id, claims.entry_id)
        try:
            record = self._verify(key, claims)
            if not _is_current(record, claims.to):
                raise CodeRefused
            view = self.positions.read(*key)
        except (EntryNotFound, Forbidden, NotWaiting):
            raise CodeRefused from None
        return Verified(view, self.tokens.issue(*key, claims.stay))

    def _verify(self, key: tuple[str, str], claims: CodeContent) -> EntryRecord:
        """Verify the address. If the code confirms a new address, move the entry first."""
        try:
            if claims.to:
                self.address_changes.confirm(key, claims.stay, claims.to)
            return self.readiness.verify(*key, claims.stay)
        except AlreadyAdmitted:
            return self.entries.find(*key, claims.stay)


def _is_current(record: EntryRecord, to: str) -> bool:
    """Return whether the code was sent to the address that the entry uses now."""
    if not to:
        return not record.has_moved
    return record.has_moved and to == record.address_id
