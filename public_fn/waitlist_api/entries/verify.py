"""Verification: the code of a message proves that its reader has the entry's address."""

from contextlib import suppress

from msgspec import Struct

from waitlist_api.auth.credentials import MINUTE_MILLIS, EntryTokens
from waitlist_api.clock import NowMillis
from waitlist_api.entries.position import EntryView, Positions
from waitlist_api.entries.readiness import ReadinessChanges
from waitlist_api.errors import (
    AlreadyAdmitted,
    CodeRefused,
    EntryNotFound,
    Forbidden,
    NoEntryTokens,
)
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
    readiness: ReadinessChanges
    positions: Positions
    now_millis: NowMillis

    def verify(self, waitlist_id: str, code: str) -> Verified:
        """Verify the stay of a code; a repeat changes nothing and has the same answer.

        Raises CodeRefused for a code of an ended stay or another list, or one that is too old.
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
            with suppress(AlreadyAdmitted):
                self.readiness.verify(*key, said.stay)
            view = self.positions.of(*key)
        except (EntryNotFound, Forbidden, NotWaiting):
            raise CodeRefused from None
        return Verified(view, self.tokens.issue(*key, said.stay))
