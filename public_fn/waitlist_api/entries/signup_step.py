"""Decide the next step of a signup. This module does no I/O."""

import hashlib
import hmac
import json
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from waitlist_api.bots.check import BotProof
from waitlist_api.entries.guest_data import check_guest_data, check_person
from waitlist_api.entries.own_changes import count_join
from waitlist_api.errors import (
    AlreadyAdmitted,
    AlreadyLeft,
    AlreadyOnList,
    Banned,
    InvalidFields,
    TooManyChanges,
)
from waitlist_api.records.entry import ENDED, EntryRecord
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_api.settings.waitlist import frees_at_end
from waitlist_shared.errors import IdempotencyKeyReused, WaitlistClosed, WaitlistError
from waitlist_shared.ids import entry_id_of


class SignupCommand(Struct, frozen=True, kw_only=True):
    """A signup request, with the caller's proof of identity.

    `proven` is true if the caller's credentials identify the customer.
    """

    waitlist_id: str
    customer_id: str
    profile: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    # The domain of the email address that identifies the customer, or an empty string if they are
    # not identified by email.
    domain: str = ""
    # The request's `Accept-Language` header.
    languages: str = ""
    # If the address is not verified by this deadline, the entry leaves the waitlist.
    verify_until_millis: int | None = None
    idempotency_key: str = ""
    proven: bool = False
    # The ticket in the caller's entry token.
    stay_shown: int | None = None
    # The guest's token for the bot check, and the data that is needed to check it. None if the
    # signup needs no bot check.
    bot_proof: BotProof | None = None

    @property
    def entry_id(self) -> str:
        return entry_id_of(self.waitlist_id, self.customer_id)

    def for_entry(self, found: EntryRecord | None) -> "SignupCommand":
        """Return the command with the customer id of the entry that now uses the address.

        `found` is that entry. If `found` is None, return the command unchanged.
        """
        if found is None or found.entry_id == self.entry_id:
            return self
        return replace(self, customer_id=found.customer_id)

    def with_stay_shown(self, stay: int | None) -> "SignupCommand":
        """Return a copy of the command that contains the ticket (the signup number) from the
        caller's entry token.
        """
        return replace(self, stay_shown=stay)

    def is_proven_for(self, record: EntryRecord) -> bool:
        """Return whether the caller has proved that the record belongs to them."""
        return self.proven or (self.stay_shown is not None and self.stay_shown == record.ticket)

    @property
    def may_be_known(self) -> bool:
        """True if the request has an idempotency key or an entry token, so the caller may have
        signed up before.
        """
        return bool(self.idempotency_key) or self.stay_shown is not None

    def is_repeat_of(self, record: EntryRecord, now_millis: int) -> bool:
        """Return whether the record was written by a signup with the same Idempotency-Key."""
        is_same_key = record.joined.key != "" and record.joined.key == self.signup_key
        return is_same_key and not record.is_expired(now_millis)

    @property
    def signup_key(self) -> str:
        """The digest of the Idempotency-Key. The key itself is never stored."""
        if not self.idempotency_key:
            return ""
        return hashlib.sha256(f"{self.entry_id}\0{self.idempotency_key}".encode()).hexdigest()

    @property
    def signup_body(self) -> str:
        """A digest of the request body.

        It is keyed with the idempotency key, so nobody without that key can guess the body.
        """
        if not self.idempotency_key:
            return ""
        content = json.dumps([self.profile, self.attributes], sort_keys=True)
        return hmac.digest(self.idempotency_key.encode(), content.encode(), "sha256").hex()


class Refuse(Struct, frozen=True):
    """Refuse the signup with `error`. Nothing has been written yet."""

    error: WaitlistError


class Replay(Struct, frozen=True):
    """Return the existing entry's current status and position."""

    record: EntryRecord


class FinishLeave(Struct, frozen=True):
    """Finish an earlier, interrupted request to leave, and then decide the next step again."""

    record: EntryRecord


class Resume(Struct, frozen=True):
    """Finish a signup that was interrupted."""

    record: EntryRecord


class Create(Struct, frozen=True):
    """Write the record of a new signup.

    If the customer has signed up before, `former` is the record to replace.
    """

    former: EntryRecord | None = None


Step = Refuse | Replay | FinishLeave | Resume | Create


class Terms(Struct, frozen=True):
    """A waitlist, and the reason why it would refuse a new entry for this signup.

    `refusal` is None if the waitlist would accept the entry.
    """

    waitlist: WaitlistRecord
    refusal: WaitlistError | None
    # True if the waitlist was read from the table for this signup. Otherwise, it came from the
    # cache and may be outdated.
    are_current: bool = False

    def admit(self, former: EntryRecord | None) -> Refuse | Create:
        """Return the step for a customer who may join."""
        return Create(former) if self.refusal is None else Refuse(self.refusal)


def next_step(
    command: SignupCommand, existing: EntryRecord | None, terms: Terms, now_millis: int
) -> Step:
    """Decide the next step of a signup from the existing record and the waitlist's terms."""
    if existing is None:
        return terms.admit(None)
    if existing.ban.stamp:
        return Refuse(Banned())
    is_repeat = command.is_repeat_of(existing, now_millis)
    if is_repeat and existing.joined.body != command.signup_body:
        return Refuse(IdempotencyKeyReused())
    if existing.status == "leaving":
        return FinishLeave(existing)
    if existing.status in ENDED and not is_repeat:
        return _rejoin(existing, terms, now_millis)
    # A repeated request never lets the customer join again. Otherwise, a delayed copy of a signup
    # could bring back a customer who has left in the meantime.
    if not (is_repeat or command.is_proven_for(existing)):
        return Refuse(_on_list(terms.waitlist))
    return Resume(existing) if existing.status == "joining" else Replay(existing)


def _on_list(waitlist: WaitlistRecord) -> AlreadyOnList:
    """Return an AlreadyOnList error that says how to get the existing entry. The message contains
    no data from that entry.
    """
    identity = waitlist.settings.identity
    if identity is None:
        return AlreadyOnList()
    return AlreadyOnList(
        f"This {identity.field} is already on the waitlist. To get the entry again, repeat the "
        "signup with the same Idempotency-Key, or request a link by sending POST "
        f"/v1/waitlists/{waitlist.waitlist_id}/links with "
        f'{{"{identity.field}": …}}. The service sends the link to this address. If no link '
        "arrives, ask an operator for it."
    )


def find_refusal(waitlist: WaitlistRecord, command: SignupCommand) -> WaitlistError | None:
    """Return the error if the waitlist refuses the signup, and otherwise None."""
    if not waitlist.settings.open:
        return WaitlistClosed()
    try:
        check_guest_data(waitlist.settings, command.profile, command.attributes)
        if not command.proven:
            check_person(waitlist.settings, command.domain, command.profile, command.attributes)
        waitlist.segments.check(command.attributes)
    except InvalidFields as refusal:
        return refusal
    return None


def _rejoin(former: EntryRecord, terms: Terms, now_millis: int) -> Refuse | Create:
    # With the `frees_at_end` setting, a customer who exits before their pass ends still counts as
    # inside until it ends, and cannot join again before then.
    is_kept_in = former.inside_until(now_millis) > 0 and frees_at_end(terms.waitlist.settings)
    is_open = former.joins_as_new(now_millis) or _may_rejoin(terms.waitlist, former)
    if is_kept_in or not is_open:
        return Refuse(AlreadyAdmitted() if former.status == "admitted" else AlreadyLeft())
    try:
        count_join(former, now_millis)
    except TooManyChanges as too_many:
        return Refuse(too_many)
    return terms.admit(former)


def _may_rejoin(waitlist: WaitlistRecord, former: EntryRecord) -> bool:
    match waitlist.settings.rejoin:
        case "always":
            return True
        case "after_leaving":
            return former.status == "left"
        case "never":
            return False
