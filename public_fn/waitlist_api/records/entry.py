"""The record of an entry and the events of its history, as items of the table."""

import json
from typing import Any, Literal, Self

from msgspec import Struct, field
from msgspec.structs import asdict

from waitlist_api.clock import iso, iso_of
from waitlist_api.records.table import Item
from waitlist_shared import contracts as c
from waitlist_shared.ids import pass_id_of
from waitlist_shared.ranks import priority_of, ticket_of_millis, time_of

Status = Literal["joining", "waiting", "offered", "parked", "leaving", "left", "admitted"]
# Statuses with a place: in the queue, held by a claim, or parked.
PRESENT: tuple[Status, ...] = ("waiting", "offered", "parked")
# Statuses after which the customer may sign up again, if the waitlist allows it.
ENDED: tuple[Status, ...] = ("left", "admitted")

SHARDS = 16
ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
RECORD = "RECORD"
HISTORY = "HISTORY#"
# Actors that events outside may name; any other actor is an operator's ARN.
# The reason of a leave by which a customer declines an offer.
DECLINED = "declined"
KINDS = ("customer", "maintenance", "policy")
# Attributes of the table that do not have their field's name.
STORED_NAMES = {
    "requested_ticket": "wanted",
    "requested_priority": "wanted_priority",
    "requested_rank": "wanted_rank",
    "allocated_stamp": "drawn",
}


# What a change of readiness adds to `attributes_version`: the index has this version, which shows
# that the record has a readiness.
READINESS_CHANGE = 2**32
# What an entry's record loses when the entry is passed over or parked: its person is told again
# that the turn is near when they come near again.
NO_LONGER_NEAR: dict[str, None] = {"near_rank": None}


def has_readiness(attributes_version: int) -> bool:
    """Return whether the readiness of an entry has ever changed."""
    return attributes_version >= READINESS_CHANGE


class EntryRecord(Struct, frozen=True, kw_only=True):
    """The record of one entry.

    `join_id` identifies the stay: a customer who joins again has the same entry with another stay.
    `stamp` is that of the newest recorded decision on the order, and after the end of the stay that
    of its newest event: then `end_stamp` is that of the decision that ended the stay. `ticket` was
    drawn at signup.
    `signup_key` and `signup_body` are digests of the signup's Idempotency-Key and body. `once_key`
    and `once_stamp` identify the last bump, so that a rebuilt Redis recognises its repeat.

    `claim_token` is the token of the last hold, kept after its end to distinguish a late token from
    a foreign one; `hold_end` is the verb that ended it (released, parked or redriven), empty if it
    expired. `attempts` counts expired holds. `is_offer` marks a hold that the service made for the
    customer to accept, not an operator's claim.

    An admitted customer is inside until `inside_until_millis`, or until `exited_millis`, and takes
    room so long. At `out_millis` the customer went out by an own exit that leaves the room taken.

    `by_guest` marks a stay whose signup had no proof that the caller is this customer.

    `previous` is the former stay, which returns if the waitlist refuses the new one, without its
    profile and attributes: these are in `former_profile` and `former_attributes`, as text, if the
    new stay has others, because a large record costs the most of a signup.

    `expires_at`, in seconds since 1970, is when DynamoDB may delete an ended stay.
    `attributes_version` counts changes of the attributes over all stays, and READINESS_CHANGE times
    those of the readiness; `edited_stamp` is that of the last edit.

    A waiting entry is not ready, and is passed over, while its customer rests, until
    `rest_until_millis` (`rests` counts the rests of this stay, `rest_key` is a digest of the last
    one's Idempotency-Key), while it is `held_back` by an operator, and until
    `delayed_until_millis`, if a claimer gave it back with a delay.

    The customer was last asked whether they still wait at `asked_millis`, when the record had the
    claim token `asked_token`, and last confirmed it at `confirmed_millis`. While a question is open
    it is to be answered by `confirm_by_millis`; the last reminder was due `reminded_days` before.
    Once the question is `unanswered`, no answer counts any more.

    With `verify_until_millis` the address is not verified: the entry is not ready, and leaves at
    that time. Once the person has proved to have the address, the stay is `verified`. `link_asks`
    counts the links that were asked for since the signup, the last one at `link_asked_millis`.

    On a list with `identity` an entry whose person has moved to another address has the id of that
    address in `answers_to`, under which an alias stands; `moved_stay` is the stay that was moved
    last. `moving_address` is to be verified, which the event with `moving_stamp` asks for; its id
    is `moving_to`. `moving_asks` counts such events; the last one was asked for at
    `moving_asked_millis`.

    The person was told `near_count` times in this stay that the turn is near, the last time by the
    event with `near_stamp`. `near_rank` is the rank at which they were told; it is removed when
    they let others pass, are held back, delayed or parked, so that they are told again when they
    come near again. The person of the offer with the token `ending_offer` was told that it ends
    soon.

    `ban_stamp` is the stamp of the event `banned` while the customer is banned, and 0 otherwise;
    `ban_key` a digest of the last ban's Idempotency-Key, kept after its end. A banned customer's
    record does not expire.

    `language` is the one of the service's languages that the signup asked for, on a list that sends
    messages. `messages` is "off" if the person of this stay wants none but those they ask for;
    `unreachable`: the address of this stay takes none.

    Each change that the customer makes puts `changes_until_millis` off by some minutes; it is kept
    over all stays, and too late a time refuses further changes.

    While an imported row is joining, `requested_ticket` and `requested_priority` are those of its
    place, so that any process can finish it; `allocated_stamp` is the stamp of that allocation,
    `joining_by` the operator. A row that states its rank has `requested_rank` too. So has a stay
    that is reinstated, which has the operator's `joining_reason`. `reinstated` counts how often in
    a row the place was given back.
    """

    waitlist_id: str
    entry_id: str
    customer_id: str
    status: Status
    join_id: str
    created_millis: int
    updated_millis: int
    profile: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    attributes_version: int = 0
    rest_until_millis: int | None = None
    rests: int = 0
    rest_key: str = ""
    held_back: bool = False
    held_back_reason: str = ""
    delayed_until_millis: int | None = None
    asked_millis: int | None = None
    asked_token: str = ""
    confirm_by_millis: int | None = None
    reminded_days: int | None = None
    unanswered: bool = False
    confirmed_millis: int | None = None
    verify_until_millis: int | None = None
    verified: bool = False
    link_asks: int = 0
    link_asked_millis: int | None = None
    answers_to: str = ""
    moved_stay: str = ""
    moving_to: str = ""
    moving_address: str = ""
    moving_stamp: int = 0
    moving_asked_millis: int | None = None
    moving_asks: int = 0
    changes_until_millis: int = 0
    signup_key: str = ""
    signup_body: str = ""
    by_guest: bool = False
    rank: int | None = None
    ticket: int | None = None
    stamp: int = 0
    end_stamp: int = 0
    edited_stamp: int = 0
    claim_token: str = ""
    claimed_until_millis: int | None = None
    hold_end: str = ""
    attempts: int = 0
    is_offer: bool = False
    parked_millis: int | None = None
    park_reason: str = ""
    admitted_millis: int | None = None
    inside_until_millis: int | None = None
    exited_millis: int | None = None
    out_millis: int | None = None
    leaving_by: str = ""
    leaving_reason: str = ""
    left_millis: int | None = None
    once_key: str = ""
    once_stamp: int = 0
    near_rank: int | None = None
    near_stamp: int = 0
    near_count: int = 0
    ending_offer: str = ""
    ban_stamp: int = 0
    ban_reason: str = ""
    ban_key: str = ""
    erase: bool = False
    previous: dict[str, Any] | None = None
    former_profile: str = ""
    former_attributes: str = ""
    requested_ticket: int | None = None
    requested_priority: int = 0
    requested_rank: int | None = None
    allocated_stamp: int = 0
    joining_by: str = ""
    joining_reason: str = ""
    reinstated: int = 0
    language: str = ""
    messages: str = ""
    unreachable: bool = False
    expires_at: int | None = None

    def is_expired(self, now_millis: int) -> bool:
        """Return whether the record has expired: DynamoDB deletes it up to some days later."""
        return self.expires_at is not None and self.expires_at * 1000 <= now_millis

    def inside_until(self, now_millis: int) -> int:
        """Return until when the customer takes room, in milliseconds; 0 if they take none."""
        until = self.room_until_millis or 0
        return until if until > now_millis else 0

    def pass_until(self, now_millis: int) -> int:
        """Return when the customer's pass ends, in milliseconds; 0 without one or after an exit."""
        return self.inside_until(now_millis) if self.out_millis is None else 0

    @property
    def is_declining(self) -> bool:
        """Return whether a record that is `leaving` has ended its offer by a decline."""
        return (self.leaving_by, self.leaving_reason) == ("customer", DECLINED)

    @property
    def room_until_millis(self) -> int | None:
        """When the pass of an admitted customer ends, or ended; None if an exit freed the room."""
        is_free = self.status != "admitted" or self.exited_millis is not None
        return None if is_free else self.inside_until_millis

    @property
    def went_out_millis(self) -> int | None:
        """When the customer first went out."""
        return self.exited_millis if self.out_millis is None else self.out_millis

    @property
    def pass_id(self) -> str:
        """The `jti` of the admission's pass; empty without a pass."""
        if self.status != "admitted" or self.ticket is None or not self.inside_until_millis:
            return ""
        return pass_id_of(self.entry_id, self.ticket, self.admitted_millis or 0)

    @property
    def readiness(self) -> c.Readiness | None:
        """Why the entry is not ready, and the question; None if neither has ever changed."""
        has_changed = has_readiness(self.attributes_version)
        if not (has_changed or self.delayed_until_millis):
            return None
        reasons = []
        if self.rest_until_millis is not None:
            reasons.append(c.NotReady("resting", self.rest_until_millis))
        if self.held_back:
            reasons.append(c.NotReady("held_back"))
        if self.verify_until_millis is not None:
            reasons.append(c.NotReady("unverified"))
        if self.delayed_until_millis:
            reasons.append(c.NotReady("delayed", self.delayed_until_millis))
        # A delay has no version: Redis has decided it.
        version = self.attributes_version if has_changed else 0
        return c.Readiness(version, tuple(reasons), self.confirm_by_millis or 0)

    def is_ready(self, now_millis: int) -> bool:
        """Return whether the record has no reason to pass over the entry at a time."""
        ends = (self.rest_until_millis, self.delayed_until_millis)
        is_passed_over = any(end is not None and end > now_millis for end in ends)
        return not (is_passed_over or self.held_back or self.verify_until_millis is not None)

    @property
    def is_told_near(self) -> bool:
        """Whether the person has been told that the turn is near, and has not gone away since.

        Whoever was moved back has gone away; whoever was moved ahead is still near.
        """
        if self.near_rank is None or self.rank is None:
            return False
        return self.rank <= self.near_rank

    @property
    def key(self) -> tuple[str, str]:
        """Waitlist and entry."""
        return self.waitlist_id, self.entry_id

    @property
    def known_stamp(self) -> int:
        """The newest stamp that the record has of the entry: all later ones must exceed it."""
        return max(self.stamp, self.edited_stamp)

    def stamp_off_list(self, now_millis: int) -> int:
        """Return a stamp for an event after the end of the stay, by the clock of this function.

        Until the next stay begins, the record alone decides about the entry. So the write that has
        this stamp must find `stamp` as it is here.
        """
        return max(self.known_stamp + 1, ticket_of_millis(now_millis))

    @property
    def decided_stamp(self) -> int:
        """The stamp of the newest decision of Redis that the record has."""
        return self.end_stamp or self.stamp

    @property
    def address_id(self) -> str:
        """The id of the address that the entry answers to now."""
        return self.answers_to or self.entry_id

    @property
    def has_moved(self) -> bool:
        """Whether the present stay was moved to another address."""
        return self.moved_stay == self.join_id

    @property
    def former(self) -> "EntryRecord | None":
        """The former stay, while the entry is joining again."""
        if self.previous is None:
            return None
        data = {
            "profile": self.former_profile or json_text(self.profile),
            "attributes": self.former_attributes or json_text(self.attributes),
        }
        # An intent of an earlier version has both in `previous`.
        return EntryRecord.from_item({**data, **self.previous})

    @property
    def former_ticket(self) -> int | None:
        """The ticket of the former stay, while the entry is joining again."""
        return (self.previous or {}).get("ticket")

    @property
    def has_ended(self) -> bool:
        """Whether the stay has ended."""
        return self.status in ENDED

    @property
    def has_never_joined(self) -> bool:
        """Whether the record was made by a ban of a customer who was never on the list."""
        return self.status == "left" and self.ticket is None and self.left_millis is None

    def joins_as_new(self, now_millis: int) -> bool:
        """Return whether the customer may join after this ended stay, whatever `rejoin` says.

        A stay past its retention time must not block a new one. Somebody else may have signed up an
        address that was never verified.
        """
        was_verified = self.verify_until_millis is None
        return self.has_never_joined or not was_verified or self.is_expired(now_millis)

    @property
    def priority(self) -> int:
        return 0 if self.rank is None else priority_of(self.rank)

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read an item; missing attributes have their defaults."""
        known = {name: item[name] for name in cls.__struct_fields__ if name in item}
        known |= {name: item[key] for name, key in STORED_NAMES.items() if key in item}
        for name in ("profile", "attributes"):
            known[name] = json.loads(known.get(name) or "{}")
        # An erasure removes it.
        known.setdefault("customer_id", "")
        return cls(**known)

    def values(self) -> dict[str, Any]:
        """Return the fields that are set, as an item stores them."""
        fields = asdict(self)
        # As text, so that every JSON number and depth is returned as the caller sent it.
        fields["profile"] = json_text(self.profile)
        fields["attributes"] = json_text(self.attributes)
        for name, key in STORED_NAMES.items():
            fields[key] = fields.pop(name)
        return {name: value for name, value in fields.items() if value not in (None, "", 0)}

    def to_item(self, place: str, place_rank: int) -> Item:
        """Return the whole item, indexed at a place."""
        return {
            **record_key(self.waitlist_id, self.entry_id),
            **self.values(),
            "place": place,
            "place_rank": place_rank,
        }


def nobody(waitlist_id: str, entry_id: str) -> EntryRecord:
    """Return a record that is not in the table, so that no write on it succeeds."""
    return EntryRecord(
        waitlist_id=waitlist_id,
        entry_id=entry_id,
        customer_id="",
        status="left",
        join_id=c.NO_STAY,
        created_millis=0,
        updated_millis=0,
    )


class HistoryEvent(Struct, frozen=True, kw_only=True):
    """One event of an entry's history, ordered by its stamp.

    The event happened at `at_millis`; without it, at the time of the stamp. The end of a hold
    happens at its deadline, and has the stamp of the later moment at which Redis notices it.
    `jti` is the id of the pass that begins with the event, or that is to be refused after it.
    """

    stamp: int
    at_millis: int | None = None
    event: str
    by: str
    reason: str = ""
    jti: str = ""
    detail: dict[str, Any] = field(default_factory=dict)
    expires_at: int | None = None

    @classmethod
    def from_item(cls, item: Item) -> Self:
        known = {name: item[name] for name in cls.__struct_fields__ if name in item}
        return cls(**known)

    def is_expired(self, now_millis: int) -> bool:
        """Return whether the event has expired, like its record."""
        return self.expires_at is not None and self.expires_at * 1000 <= now_millis

    @property
    def at(self) -> str:
        """When the event happened, as an ISO-8601 time."""
        return iso(self.at_millis) if self.at_millis else iso_of(time_of(self.stamp))

    @staticmethod
    def key(waitlist_id: str, entry_id: str, stamp: int, event: str) -> dict[str, str]:
        return {"pk": entry_pk(waitlist_id, entry_id), "sk": f"{HISTORY}{stamp:016d}#{event}"}

    def to_item(self, waitlist_id: str, entry_id: str) -> Item:
        """Return the item; a repeated write of the same change is the same item.

        `at`, `by_kind` and `jti` are for the event bus (docs/app/events.md). The bus does not get
        `by`, which may have the name of an operator.
        """
        return {
            **self.key(waitlist_id, entry_id, self.stamp, self.event),
            "waitlist_id": waitlist_id,
            "entry_id": entry_id,
            "stamp": self.stamp,
            "event": self.event,
            "by": self.by,
            "by_kind": self.by if self.by in KINDS else "operator",
            "at": self.at,
            "jti": self.jti,
            **({"at_millis": self.at_millis} if self.at_millis else {}),
            **({"reason": self.reason} if self.reason else {}),
            **({"detail": self.detail} if self.detail else {}),
            **({"expires_at": self.expires_at} if self.expires_at else {}),
        }


def json_text(value: dict[str, Any]) -> str:
    """Return JSON as the record stores it: in UTF-8, a third of the size of `\\uXXXX` for Cyrillic.

    Without blanks, so that it has the bytes that `max_guest_bytes` counts. Earlier versions wrote
    `\\uXXXX`, and blanks; all can be read.
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def entry_pk(waitlist_id: str, entry_id: str) -> str:
    return f"ENTRY#{waitlist_id}#{entry_id}"


def ids_of(pk: str) -> tuple[str, str]:
    """Return the waitlist id and the entry id in the partition key of an entry's items."""
    _, waitlist_id, entry_id = pk.split("#")
    return waitlist_id, entry_id


def record_key(waitlist_id: str, entry_id: str) -> dict[str, str]:
    return {"pk": entry_pk(waitlist_id, entry_id), "sk": RECORD}


def shard_of(entry_id: str) -> int:
    """Return the index partition of an entry, 0 to 15; ids are digests, so all fill evenly."""
    return ALPHABET.index(entry_id[0]) % SHARDS


def line_place(waitlist_id: str, shard: int) -> str:
    """Return the index partition of entries with a place, by rank."""
    return f"{waitlist_id}#{shard}"


def ended_place(waitlist_id: str, shard: int) -> str:
    """Return the index partition of ended entries, by time."""
    return f"{waitlist_id}#ended#{shard}"


def banned_place(waitlist_id: str, shard: int) -> str:
    """Return the index partition of the events of bans that stand, by time."""
    return f"{waitlist_id}#banned#{shard}"


def unreached_place(waitlist_id: str, shard: int) -> str:
    """Return the index partition of entries whose person gets no messages, by time."""
    return f"{waitlist_id}#unreached#{shard}"


def intent_place(entry_id: str) -> str:
    """Return the index partition of joining and leaving entries of all waitlists, by time."""
    return intents_of(shard_of(entry_id))


def intents_of(shard: int) -> str:
    """Return the index partition of one shard of the intents."""
    return f"INTENT#{shard}"
