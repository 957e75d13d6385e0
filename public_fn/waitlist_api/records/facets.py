"""Define the facets of an entry's record.

A facet groups the fields of one capability. It is stored as a map under its own attribute, and it
is absent from the table until the capability is used. A change to a facet writes the whole map.
"""

from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from waitlist_shared import contracts as c


class Facet(Struct, frozen=True, kw_only=True):
    """The base class of all facets. All fields have default values."""

    def not_ready(self) -> Iterator[c.NotReady]:
        """Yield the reasons of this facet why the entry cannot be admitted yet."""
        return iter(())


class Ban(Facet, frozen=True):
    """The last ban of the customer."""

    # The timestamp of the `banned` event, or 0 if the customer is not banned.
    stamp: int = 0
    reason: str = ""
    # A digest of the ban's idempotency key. It is kept after the ban has ended.
    key: str = ""


class Pauses(Facet, frozen=True):
    """Why the entry keeps its place but is passed over."""

    # The customer may let others pass until `rest_until_millis`. `rests` counts how often the
    # customer has done this since the signup.
    rest_until_millis: int | None = None
    rests: int = 0
    # A digest of the idempotency key of the last request to rest.
    rest_key: str = ""
    # True while an operator holds the entry back.
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
    """The last claim or offer of the entry, and what else a rebuild restores in Redis.

    The index contains this facet.
    """

    # The token is kept after the claim or offer has ended, so that a late caller gets a precise
    # error.
    token: str = ""
    until_millis: int | None = None
    # True if the entry was offered to its customer. False if an operator claimed the entry.
    is_offer: bool = False
    # How the last claim or offer ended, such as `released`. Empty if its deadline has passed.
    end: str = ""
    # How many claims of this entry have expired.
    attempts: int = 0
    # A claim can be released with a delay, and an offer can be declined with a pause. The entry
    # cannot be claimed or offered a slot again before this time.
    delayed_until_millis: int | None = None
    delay_reason: c.DelayReason | Literal[""] = ""
    # How many offers the customer has declined since the signup.
    declines: int = 0
    # When the entry was set aside.
    parked_millis: int | None = None
    # A digest of the idempotency key and the timestamp of the last request that moved the entry. If
    # Redis loses its data, they help to recognise a repeat of this request.
    once_key: str = ""
    once_stamp: int = 0

    def not_ready(self) -> Iterator[c.NotReady]:
        if self.delayed_until_millis:
            yield c.NotReady(self.delay_reason or "delayed", self.delayed_until_millis)


class End(Facet, frozen=True):
    """How the signup ended. The index contains this facet."""

    # The customer counts as inside until the pass ends at `inside_until_millis`, or until an
    # earlier exit at `exited_millis`.
    admitted_millis: int | None = None
    inside_until_millis: int | None = None
    exited_millis: int | None = None
    # When the customer exited, if they still count as inside after this exit.
    out_millis: int | None = None
    left_millis: int | None = None
    # The timestamp of the decision that ended the signup, if the record has a newer timestamp.
    stamp: int = 0


class Question(Facet, frozen=True):
    """The last request to confirm that the customer is still waiting."""

    # `token` is the claim token that the record had when the customer was asked.
    asked_millis: int | None = None
    token: str = ""
    # The deadline for the customer's answer. `reminded_days` is how many days before the deadline
    # the last reminder was due.
    confirm_by_millis: int | None = None
    reminded_days: int | None = None
    # True if the customer did not answer before the deadline. A later answer has no effect.
    unanswered: bool = False
    # When the customer last confirmed that they are still waiting.
    confirmed_millis: int | None = None

    def closed(self) -> "Question":
        """Return the question after an answer is no longer needed."""
        return Question(asked_millis=self.asked_millis, confirmed_millis=self.confirmed_millis)


class Verification(Facet, frozen=True):
    """The verification of the customer's address since the signup."""

    # The deadline for the verification. If it passes, the entry leaves the waitlist. None means
    # that no verification is needed any more.
    until_millis: int | None = None
    # True if the customer has verified their address.
    verified: bool = False
    # How many further links the customer has requested, and when they last did so.
    link_asks: int = 0
    link_asked_millis: int | None = None

    def not_ready(self) -> Iterator[c.NotReady]:
        if self.until_millis is not None:
            yield c.NotReady("unverified")


class Contact(Facet, frozen=True):
    """Which messages the customer gets, and which notices they have received since the signup."""

    # The language that the customer chose at signup. It is only set if the waitlist sends messages.
    language: str = ""
    # `off` if the customer wants only the messages that they request themselves, otherwise empty.
    messages: str = ""
    # True if the customer's address does not accept messages.
    unreachable: bool = False
    # The notices that the customer's turn is near. `near_count` is their number. `near_stamp`
    # identifies the newest notice, and `near_rank` is the rank of the entry at that time.
    near_rank: int | None = None
    near_stamp: int = 0
    near_count: int = 0
    # The claim token of the last offer about which the customer was warned because it ends soon.
    ending_offer: str = ""


class Move(Facet, frozen=True):
    """The moves of the entry to other addresses of its customer."""

    # The id of the entry's current address, if it is not the address of the signup. `stay`
    # identifies the signup during which the entry was moved.
    moved_to: str = ""
    stay: str = ""
    # The customer has asked to move the entry to `new_address`, and has not verified it yet.
    # `to` is the id of this address.
    to: str = ""
    new_address: str = ""
    stamp: int = 0
    asked_millis: int | None = None
    asks: int = 0

    def dropped(self) -> "Move":
        """Return the moves without the requested one."""
        return replace(self, to="", new_address="")


class Joined(Facet, frozen=True):
    """How the customer joined the waitlist."""

    # When the record of the signup was created.
    millis: int = 0
    # Digests of the signup's idempotency key and request body.
    key: str = ""
    body: str = ""
    # True if the signup was not authenticated as this customer.
    by_guest: bool = False
    # How many times in a row an operator has restored the entry to the waitlist.
    reinstated: int = 0
    # The state of a rate limit on the customer's own changes. Each change adds some minutes to this
    # time. It is not reset when the customer joins again.
    changes_until_millis: int = 0


class Intent(Facet, frozen=True):
    """What a process needs to finish a signup or a leave that another process has begun.

    It exists only while the entry has the status `joining` or `leaving`.
    """

    # The requested place of an entry that is imported or reinstated.
    ticket: int | None = None
    priority: int = 0
    rank: int | None = None
    # The timestamp that is reserved for the `joined` or `reinstated` event.
    stamp: int = 0
    # The operator who imports or reinstates the entry. Only a reinstatement has a reason.
    joining_by: str = ""
    joining_reason: str = ""
    # The record of the former signup while the customer joins again. If Redis refuses the new
    # signup, this record is restored. Fields that both records share are left out.
    former: dict[str, Any] | None = None
    leaving_by: str = ""
    leaving_reason: str = ""
    # True if the entry is being erased.
    erase: bool = False


def stored(struct: Struct) -> dict[str, Any]:
    """Return the fields of a record or a facet as they are stored.

    Fields that are empty, zero or None are left out, and so are facets that are not used.
    """
    fields = {}
    for name in struct.__struct_fields__:
        value = getattr(struct, name)
        if isinstance(value, Struct):
            value = stored(value)
        if value not in (None, "", 0, {}):
            fields[name] = value
    return fields
