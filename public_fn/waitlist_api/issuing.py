"""Entry tokens issued by operators: to who was imported, or has lost theirs."""

from collections.abc import Callable

from waitlist_api.auth import EntryTokens
from waitlist_api.directory import Directory
from waitlist_api.errors import EntryNotFound, NoEntryTokens
from waitlist_api.records.entries import EntryRecords

TokenOf = Callable[[str, str], str]


class Issuing:
    """Issues what guests prove their entries by; nothing is written, and no token ends."""

    def __init__(
        self, tokens: EntryTokens | None, entries: EntryRecords, directory: Directory
    ) -> None:
        """Without entry tokens, customers prove themselves by those of an issuer."""
        self._tokens = tokens
        self._entries = entries
        self._directory = directory

    def signer(self) -> TokenOf:
        """Return what makes tokens of waitlist and entry; raises NoEntryTokens."""
        if self._tokens is None:
            raise NoEntryTokens
        return self._tokens.issue

    def token_of(self, waitlist_id: str, entry_id: str) -> str:
        """Return the token of an entry that is recorded, whatever its status."""
        token_of = self.signer()
        record = self._entries.get(waitlist_id, entry_id)
        if record is None or record.erase:
            # Which of both is wrong is worth a read to whoever has mistyped one.
            self._directory.find(waitlist_id)
            raise EntryNotFound
        return token_of(waitlist_id, entry_id)
