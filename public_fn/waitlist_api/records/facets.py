"""Define the facets of an entry's record. A facet contains the fields of one feature, such as bans.

DynamoDB stores each facet as a map, which is always written as a whole. The map is missing until
the entry uses the feature.
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from msgspec import Struct
from msgspec.structs import replace

from waitlist_shared import contracts as c


class Facet(Struct, frozen=True, kw_only=True):
    """The base class of all facets. A facet is the part of an entry's record that belongs to one
    feature.

    All fields have default values.
    """

    # The reasons that `not_ready` can yield, and what each reason means to clients of the API.
    REASONS: ClassVar[Mapping[str, str]] = {}

    def not_ready(self) -> Iterator[c.NotReady]:
        """Yield each reason in this facet why the entry cannot be admitted."""
        return iter(())


class Ban(Facet, frozen=True):
    """The last ban of the customer."""

    # The timestamp of the `banned` event, or 0 if the customer is not banned.
    stamp: int = 0
    reason: str = ""
    # A digest of the idempotency key of the request that banned the customer. The digest is kept
    # after the ban has ended.
    key: str = ""


class Pauses(Facet, frozen=True):
    """The reasons why an entry currently cannot be admitted, although it keeps its place in the
    queue.
    """

    REASONS = {
        "resting": "the customer is letting others pass until `rest_until`, or until they `resume`",
        "held_back": "an operator is holding the entry back, until `ready` is set to `true`",
    }
    # The customer is letting others pass until `rest_until_millis`. `rests` is the number of times
    # that the customer has asked to do so since the signup.
    rest_until_millis: int | None = None
    rests: int = 0
    # A digest of the idempotency key of the customer's last request to let others pass.
    rest_key: str = ""
    # True while an operator is holding the entry back.
    held_back: bool = False
    held_back_reason: str = ""
    # Why the entry was set aside.
    park_reason: str = ""

    def not_ready(self) -> Iterator[c.NotReady]:
        if self.rest_until_millis is not None:
            yield c.NotReady("resting", self.rest_until_millis)
        if self.held_back:
            yield c.NotReady("held_back")


class Hold(Facet, frozen=True):
    """The entry's last claim or offer.

    The index also contains these fields, so that a rebuild can restore claims and offers in Redis.
    """

    REASONS = {
        "delayed": "the entry was released with `delay_seconds`, and the delay has not ended",
        "declined": "the customer has declined an offer, and is passed over until `delayed_until`",
    }
    # The claim token is kept after the claim or offer has ended, so that a late caller gets a
    # precise error.
    token: str = ""
    until_millis: int | None = None
    # True if the customer got an offer. False if an operator claimed the entry.
    is_offer: bool = False
    # How the last claim or offer ended, such as `released`. `abandoned` means that an offer expired
    # and that the customer must therefore leave the waitlist. After any other expiry, this field is
    # empty.
    end: str = ""
    # How many of this entry's claims and offers have expired.
    attempts: int = 0
    # The entry cannot get another claim or offer before this time. It is set if a claim is released
    # with a delay, or if an offer is declined with a pause.
    delayed_until_millis: int | None = None
    delay_reason: c.DelayReason | Literal[""] = ""
    # How many offers the customer has declined since the signup.
    declines: int = 0
    # When the entry was set aside.
    parked_millis: int | None = None
    # A digest of the idempotency key of the last request that moved the entry, and the timestamp of
    # the move. If the client repeats the request, the service recognises it, even if Redis has lost
    # its data.
    once_key: str = ""
    once_stamp: int = 0

    def not_ready(self) -> Iterator[c.NotReady]:
        if self.delayed_until_millis:
            yield c.NotReady(self.delay_reason or "delayed", self.delayed_until_millis)


class Call(Facet, frozen=True):
    """A customer's last call: when an operator called the customer, and to which place, such as a
    desk.

    An operator can call a customer only while the customer's entry is claimed.
    """

    # The token of the claim that the customer was called for. If the entry has a different claim
    # now, this call is over.
    token: str = ""
    # Where the customer should go, such as `Room 2`.
    to: str = ""
    # The timestamp of the `called` event.
    stamp: int = 0
    # The last requests that called the customer for this claim. Each item consists of a digest of
    # the request's idempotency key, and the place to which the request called the customer. The
    # digest identifies repeated requests.
    keys: tuple[tuple[str, str], ...] = ()


class End(Facet, frozen=True):
    """When and how the signup ended.

    The index also contains this facet.
    """

    # The customer counts as inside until the pass ends at `inside_until_millis`. If the customer
    # exits earlier, they count as inside only until `exited_millis`.
    admitted_millis: int | None = None
    inside_until_millis: int | None = None
    exited_millis: int | None = None
    # When the customer exited, if the exit did not make room for another customer. The customer
    # then counts as inside until the pass ends.
    out_millis: int | None = None
    left_millis: int | None = None
    # If a later event has changed the record's `stamp`, this is the timestamp of the decision that
    # ended the signup. Otherwise 0.
    stamp: int = 0


class Question(Facet, frozen=True):
    """The last message that asked the customer to confirm that they are still waiting."""

    # When the customer was asked, and the entry's claim token at that time. If the entry has a
    # different claim token now, it has since been claimed or got an offer.
    asked_millis: int | None = None
    token: str = ""
    # The deadline by which the customer must confirm that they are still waiting. If the customer
    # was reminded, `reminded_days` says how many days before the deadline the last reminder was
    # due.
    confirm_by_millis: int | None = None
    reminded_days: int | None = None
    # True if the customer did not confirm before the deadline. A later confirmation has no effect.
    unanswered: bool = False
    # When the customer last confirmed that they are still waiting.
    confirmed_millis: int | None = None

    def closed(self) -> "Question":
        """Return a copy without the deadline, because the customer no longer has to confirm that
        they are waiting.
        """
        return Question(asked_millis=self.asked_millis, confirmed_millis=self.confirmed_millis)


class Verification(Facet, frozen=True):
    """The verification of the customer's address since signup."""

    REASONS = {"unverified": "the customer has not verified the address yet"}
    # The deadline for verifying the address. An entry that misses it leaves the waitlist. None if
    # the address no longer needs to be verified.
    until_millis: int | None = None
    # True if the customer has verified their address.
    verified: bool = False
    # `link_asks` is the number of further links that the customer has requested.
    # `link_asked_millis` is the time of the last request.
    link_asks: int = 0
    link_asked_millis: int | None = None

    def not_ready(self) -> Iterator[c.NotReady]:
        if self.until_millis is not None:
            yield c.NotReady("unverified")


class Contact(Facet, frozen=True):
    """Which messages the customer gets, and which notices they have received since signup."""

    # The language that the customer chose at signup. It is set only if the waitlist sends messages.
    language: str = ""
    # `off` if the customer wants only the messages that they request themselves. Otherwise empty.
    messages: str = ""
    # True if the customer's address does not accept messages.
    unreachable: bool = False
    # The entry's rank when the customer was last told that their turn is near. If the entry moves
    # back, its rank becomes higher than this, and the customer is told again when their turn is
    # near.
    near_rank: int | None = None
    # The timestamp of the newest notice that the customer's turn is near.
    near_stamp: int = 0
    # How many times the customer was told that their turn is near.
    near_count: int = 0
    # The claim token of the last offer for which the customer got a warning that it ends soon.
    ending_offer: str = ""


class Move(Facet, frozen=True):
    """The entry's moves to other addresses of its customer."""

    # If the entry was moved to another address, `moved_to` is the id of that address. `stay`
    # identifies the signup during which the entry was moved.
    moved_to: str = ""
    stay: str = ""
    # The customer has asked to move the entry to `new_address`, and has not verified this address
    # yet. `to` is the id of this address.
    to: str = ""
    new_address: str = ""
    stamp: int = 0
    asked_millis: int | None = None
    asks: int = 0

    def dropped(self) -> "Move":
        """Return this facet without the customer's unfinished request to change the address."""
        return replace(self, to="", new_address="")


class Joined(Facet, frozen=True):
    """How the customer joined the waitlist."""

    # When the signup's record was created.
    millis: int = 0
    # Digests of the signup request's idempotency key and body.
    key: str = ""
    body: str = ""
    # True if the signup request did not prove who sent it.
    by_guest: bool = False
    # If an operator added the customer and chose to tell them, this is the timestamp of the
    # `joined` event, which triggers a message to the customer. Otherwise the value is 0.
    tell_stamp: int = 0
    # How many times in a row an operator has restored the entry to the waitlist.
    reinstated: int = 0
    # The number by which the customer can be called, such as `A042`. Empty if the waitlist did not
    # number its customers when this customer signed up.
    call_number: str = ""


class Changes(Facet, frozen=True):
    """Counts changes to the record, and limits the customer's own changes."""

    # Each write to the record adds 1 to its revision. The ledger writes a change only if the stored
    # record still has the revision that the caller has read.
    revision: int = 1
    # The logical timestamp of the last edit.
    edited_stamp: int = 0
    # Limits how often the customer can change the entry. Each change moves this time a few minutes
    # further into the future. While this time is too far in the future, the service refuses
    # changes.
    until_millis: int = 0


class Numbering(Struct, frozen=True, kw_only=True):
    """How an entry gets its call number, according to the settings when the customer signed up."""

    prefix: str = ""
    # True if the numbers start again at 001 each day. A day begins at midnight in `timezone`.
    is_daily: bool = False
    timezone: str


class Intent(Facet, frozen=True):
    """The data that any process needs to finish an interrupted request to join or to leave.

    The facet exists only while the entry has the status `joining` or `leaving`.
    """

    # The place in the queue that an operator requested when importing or reinstating the entry.
    ticket: int | None = None
    priority: int = 0
    rank: int | None = None
    # The timestamp that the `joined` or `reinstated` event will get.
    stamp: int = 0
    # The operator who imports or reinstates the entry.
    joining_by: str = ""
    # The operator's reason for a reinstatement. An import has no reason.
    joining_reason: str = ""
    # How the entry gets its call number. None if the entry gets no call number.
    numbering: Numbering | None = None
    # The former record of a customer who is joining again. It is restored if Redis refuses the new
    # signup.
    former: dict[str, Any] | None = None
    leaving_by: str = ""
    leaving_reason: str = ""
    # True if the entry is being erased.
    erase: bool = False


def stored(struct: Struct) -> dict[str, Any]:
    """Return the fields of a record or a facet as they are stored.

    Fields that are empty, zero or None are left out, and so are unused facets.
    """
    fields = {}
    for name in struct.__struct_fields__:
        value = getattr(struct, name)
        if isinstance(value, Struct):
            value = stored(value)
        if value not in (None, "", 0, {}, ()):
            fields[name] = value
    return fields
