"""Entry tokens that operators issue, for customers who were imported or lost their token."""

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
    """The address of the page that verifies an entry, or shows its place.

    `move` is for an entry that is to move: its new address, and the link that only the person who
    has it may get.
    """

    url: str
    move: tuple[str, str] | None


class TokenIssuer(Struct, frozen=True):
    """Issues entry tokens. Earlier tokens of the same stay remain valid.

    Without `tokens`, customers are identified by JWTs and no token can be issued.
    """

    tokens: EntryTokens | None
    entries: EntryRecords
    waitlist_cache: WaitlistCache
    joins: Joins
    now_millis: NowMillis

    def signer(self) -> TokenOf:
        """Return the function that signs a token for a stay. Raises NoEntryTokens."""
        if self.tokens is None:
            raise NoEntryTokens
        return self.tokens.issue

    def token_of(self, waitlist_id: str, entry_id: str) -> str:
        """Return the token of an entry's latest recorded stay, in any status."""
        token_of = self.signer()
        record = self._record(waitlist_id, entry_id)
        return token_of(waitlist_id, entry_id, record.ticket or 0)

    def links_of(self, waitlist_id: str, entry_id: str, base_url: str) -> "Links":
        """Return the links to the customer's page; raise NoEntryTokens."""
        if self.tokens is None:
            raise NoEntryTokens
        record, now_millis = self._record(waitlist_id, entry_id), self.now_millis()
        move = None
        if record.moving_to and record.status in PRESENT:
            url = move_link(self.tokens, record, now_millis, base_url)
            move = (record.moving_address, url)
        return Links(link_of(self.tokens, record, now_millis, base_url), move)

    def _record(self, waitlist_id: str, entry_id: str) -> EntryRecord:
        record = self.entries.get(waitlist_id, entry_id)
        if record is not None and record.status == "joining":
            # A signup that was cut off has no ticket, so no token, until it is finished.
            self.joins.try_to_finish(record)
            record = self.entries.get(waitlist_id, entry_id)
        if record is None or record.erase:
            # This read raises WaitlistNotFound if the waitlist's id is the wrong one.
            self.waitlist_cache.find(waitlist_id)
            raise EntryNotFound
        return record


def link_of(tokens: EntryTokens, record: EntryRecord, now_millis: int, base_url: str) -> str:
    """Return the address of the customer's page, with what proves the entry in its fragment."""
    if record.verify_until_millis is None:
        return place_link(tokens, record, base_url)
    return verify_link(tokens, record, now_millis, base_url)


def verify_link(tokens: EntryTokens, record: EntryRecord, now_millis: int, base_url: str) -> str:
    """Return the address of the customer's page with the code that verifies the entry."""
    code = tokens.issue_code(*record.key, record.ticket or 0, now_millis)
    return f"{base_url}/w/{record.waitlist_id}#v={code}"


def move_link(tokens: EntryTokens, record: EntryRecord, now_millis: int, base_url: str) -> str:
    """Return the address of the page with the code that moves the entry to its new address."""
    ticket = record.ticket or 0
    code = tokens.issue_code(*record.key, ticket, now_millis, record.moving_to)
    return f"{base_url}/w/{record.waitlist_id}#v={code}"


def place_link(tokens: EntryTokens, record: EntryRecord, base_url: str) -> str:
    """Return the address of the customer's page with the entry's id and token."""
    token = tokens.issue(*record.key, record.ticket or 0)
    return link_with(*record.key, token, base_url)


def link_with(waitlist_id: str, entry_id: str, token: str, base_url: str) -> str:
    """Return the address of the customer's page that opens the place of a token."""
    return f"{base_url}/w/{waitlist_id}#t={entry_id}.{token}"
