"""Issue entry tokens to customers who have lost their token or were imported."""

from collections.abc import Callable

from msgspec import Struct

from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.clock import NowMillis
from waitlist_api.entries.join import Joins
from waitlist_api.errors import EntryNotFound, NoEntryTokens
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord
from waitlist_api.records.waitlist_cache import WaitlistCache

TokenOf = Callable[[str, str, int], str]


class Links(Struct, frozen=True):
    """The links to a customer's page."""

    url: str
    # The new address that the customer asked for, and the link that confirms it.
    move: tuple[str, str] | None


class TokenIssuer(Struct, frozen=True):
    """Issues entry tokens. Earlier tokens for the same signup remain valid."""

    tokens: EntryTokens | None
    entries: EntryRecords
    waitlist_cache: WaitlistCache
    joins: Joins
    now_millis: NowMillis

    def signer(self) -> TokenOf:
        """Return the function that signs entry tokens.

        Raise NoEntryTokens if customers sign in with JWTs.
        """
        if self.tokens is None:
            raise NoEntryTokens
        return self.tokens.issue

    def issue_token(self, waitlist_id: str, entry_id: str) -> str:
        """Return the entry token of the customer's latest signup."""
        token_of = self.signer()
        record = self._record(waitlist_id, entry_id)
        return token_of(waitlist_id, entry_id, record.ticket or 0)

    def issue_links(self, waitlist_id: str, entry_id: str, base_url: str) -> "Links":
        """Return the links to the customer's page.

        Raise NoEntryTokens if customers sign in with JWTs.
        """
        if self.tokens is None:
            raise NoEntryTokens
        record, now_millis = self._record(waitlist_id, entry_id), self.now_millis()
        move = None
        if record.move.to and record.status in PRESENT:
            url = move_link(self.tokens, record, now_millis, base_url)
            move = (record.move.new_address, url)
        return Links(link_of(self.tokens, record, now_millis, base_url), move)

    def _record(self, waitlist_id: str, entry_id: str) -> EntryRecord:
        record = self.entries.get(waitlist_id, entry_id)
        if record is not None and record.status == "joining":
            # The signup was interrupted before it recorded the ticket. An entry token contains the
            # ticket, so finish the signup first.
            self.joins.try_to_finish(record)
            record = self.entries.get(waitlist_id, entry_id)
        if record is None or record.intent.erase:
            # This call raises WaitlistNotFound if there is no waitlist with this id.
            self.waitlist_cache.find(waitlist_id)
            raise EntryNotFound
        return record


def link_of(tokens: EntryTokens, record: EntryRecord, now_millis: int, base_url: str) -> str:
    """Return the URL of the customer's page.

    Its fragment contains a code if the address has to be verified, and the entry token otherwise.
    """
    if record.verification.until_millis is None:
        return place_link(tokens, record, base_url)
    return verify_link(tokens, record, now_millis, base_url)


def verify_link(tokens: EntryTokens, record: EntryRecord, now_millis: int, base_url: str) -> str:
    """Return the URL of the page where the customer verifies the address."""
    code = tokens.issue_code(*record.key, record.ticket or 0, now_millis)
    return f"{base_url}/w/{record.waitlist_id}#v={code}"


def move_link(tokens: EntryTokens, record: EntryRecord, now_millis: int, base_url: str) -> str:
    """Return the URL of the page where the customer confirms a new address."""
    ticket = record.ticket or 0
    code = tokens.issue_code(*record.key, ticket, now_millis, record.move.to)
    return f"{base_url}/w/{record.waitlist_id}#v={code}"


def place_link(tokens: EntryTokens, record: EntryRecord, base_url: str) -> str:
    """Return the URL of the customer's page, with a new entry token in the fragment."""
    token = tokens.issue(*record.key, record.ticket or 0)
    return link_with(*record.key, token, base_url)


def link_with(waitlist_id: str, entry_id: str, token: str, base_url: str) -> str:
    """Return the URL of the customer's page. The fragment contains the entry id and the token."""
    return f"{base_url}/w/{waitlist_id}#t={entry_id}.{token}"
