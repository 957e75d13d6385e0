"""Define the record of an entry and the events in its history."""

import json
from typing import Any, Literal, Self

from msgspec import Struct, convert, field
from msgspec.structs import replace

from waitlist_api.clock import iso, iso_of
from waitlist_api.records.facets import (
    Ban,
    Call,
    Changes,
    Contact,
    End,
    Facet,
    Hold,
    Intent,
    Joined,
    Move,
    Pauses,
    Question,
    Verification,
    stored,
)
from waitlist_api.records.table import Item
from waitlist_shared import contracts as c
from waitlist_shared.ids import entry_id_of, pass_id_of
from waitlist_shared.ranks import priority_of, ticket_of_millis, time_of

Status = Literal["joining", "waiting", "offered", "parked", "leaving", "left", "admitted", "moved"]
PRESENT: tuple[Status, ...] = ("waiting", "offered", "parked")
# The status of an alias.
MOVED: Status = "moved"
# The statuses of records that a new signup may replace. Aliases that still point to an entry are
# resolved before this check.
ENDED: tuple[Status, ...] = ("left", "admitted", MOVED)

SHARDS = 16
ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
RECORD = "RECORD"
HISTORY = "HISTORY#"
# The reason that is recorded when a customer leaves the waitlist by declining an offer.
DECLINED = "declined"
# The actors that published events may name. Any other actor is an operator's ARN, which is not
# published.
KINDS = ("customer", "maintenance", "policy")


# This number is added to an entry's `attributes_version` whenever the entry becomes ready or not
# ready. A change to the attributes adds only 1, so a version of at least READINESS_CHANGE shows
# that the readiness has changed. The index has no separate version for the readiness.
READINESS_CHANGE = 2**32


def has_readiness(attributes_version: int) -> bool:
    """Return whether the entry's readiness has ever changed."""
    return attributes_version >= READINESS_CHANGE


class EntryRecord(Struct, frozen=True, kw_only=True):
    """The record of an entry, or an alias.

    An alias is stored under the id of a new address, and points to the entry that was moved to this
    address. Most fields describe the current signup. Times are in milliseconds since 1970, except
    `expires_at`, which is in seconds.
    """

    waitlist_id: str
    entry_id: str
    customer_id: str
    status: Status
    join_id: str
    updated_millis: int
    changes: Changes = Changes()
    joined: Joined = Joined()
    profile: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    # Each change to the attributes adds 1 to this version. Each change to the readiness adds
    # READINESS_CHANGE. The version is not reset when the customer joins again.
    attributes_version: int = 0

    pauses: Pauses = Pauses()
    question: Question = Question()
    verification: Verification = Verification()
    contact: Contact = Contact()

    move: Move = Move()

    rank: int | None = None
    # A number that was allocated at signup. Entries that signed up earlier have lower tickets.
    ticket: int | None = None
    # The logical timestamp of the newest decision by Redis that the record contains. Logical
    # timestamps determine the order of the changes to an entry.
    stamp: int = 0

    hold: Hold = Hold()
    call: Call = Call()
    end: End = End()
    ban: Ban = Ban()
    intent: Intent = Intent()

    # DynamoDB may delete the record after this time, in seconds since 1970.
    expires_at: int | None = None

    def is_expired(self, now_millis: int) -> bool:
        """Return whether callers must treat the record as missing, because it has expired or is
        only an alias.

        DynamoDB may delete an expired record a few days late.
        """
        is_over = self.expires_at is not None and self.expires_at * 1000 <= now_millis
        return is_over or self.is_alias

    @property
    def is_alias(self) -> bool:
        return self.status == MOVED

    @property
    def customers_entry_id(self) -> str:
        """The id of the customer's entry. It differs from `entry_id` only if this record is an
        alias.
        """
        return entry_id_of(self.waitlist_id, self.customer_id)

    def leads_to(self, entry: "EntryRecord | None") -> bool:
        """Return whether this alias still points to the entry.

        If the entry was erased or moved to yet another address, the alias no longer points to it.
        """
        return entry is not None and not entry.intent.erase and entry.move.moved_to == self.entry_id

    def inside_until(self, now_millis: int) -> int:
        """Return when the customer's time inside ends, or 0 if it has ended."""
        until = self.room_until_millis or 0
        return until if until > now_millis else 0

    def pass_until(self, now_millis: int) -> int:
        """Return when the customer's pass ends, or 0 if the customer has no valid pass, for
        example after an exit.
        """
        return self.inside_until(now_millis) if self.end.out_millis is None else 0

    @property
    def is_declining(self) -> bool:
        """True if the customer is leaving because they have declined an offer."""
        return (self.intent.leaving_by, self.intent.leaving_reason) == ("customer", DECLINED)

    @property
    def room_until_millis(self) -> int | None:
        """When the customer stops counting as inside.

        None if the customer was not admitted, has exited, or got no pass.
        """
        is_free = self.status != "admitted" or self.end.exited_millis is not None
        return None if is_free else self.end.inside_until_millis

    @property
    def went_out_millis(self) -> int | None:
        """The time of the customer's first exit, or None if there was no exit."""
        return self.end.exited_millis if self.end.out_millis is None else self.end.out_millis

    @property
    def pass_id(self) -> str:
        """The id (`jti`) of the customer's pass, or an empty string if there is no pass."""
        if self.status != "admitted" or self.ticket is None or not self.end.inside_until_millis:
            return ""
        return pass_id_of(self.entry_id, self.ticket, self.end.admitted_millis or 0)

    @property
    def readiness(self) -> c.Readiness | None:
        """The reasons why the entry cannot be admitted yet.

        None if the entry has always been ready and its customer was never asked to confirm
        anything.
        """
        has_changed = has_readiness(self.attributes_version)
        if not (has_changed or self.hold.delayed_until_millis):
            return None
        # Redis sets delays itself and does not change `attributes_version`. If the entry's
        # readiness has changed only because of delays, its version is 0.
        version = self.attributes_version if has_changed else 0
        return c.Readiness(version, self._not_ready, self.question.confirm_by_millis or 0)

    def is_ready(self, now_millis: int) -> bool:
        """Return whether the entry may be admitted, according to the record."""
        return not self.not_ready_at(now_millis)

    def not_ready_at(self, now_millis: int) -> tuple[c.NotReady, ...]:
        """Return the stored reasons why the entry is not ready at the given time."""
        return tuple(
            reason for reason in self._not_ready if not 0 < reason.until_millis <= now_millis
        )

    @property
    def _not_ready(self) -> tuple[c.NotReady, ...]:
        """All stored reasons why the entry is not ready, including reasons that have expired."""
        values = (getattr(self, name) for name in self.__struct_fields__)
        facets = (value for value in values if isinstance(value, Facet))
        return tuple(reason for facet in facets for reason in facet.not_ready())

    @property
    def is_told_near(self) -> bool:
        """True if the customer's turn is near, and the customer has been told so."""
        if self.contact.near_rank is None or self.rank is None:
            return False
        return self.rank <= self.contact.near_rank

    @property
    def key(self) -> tuple[str, str]:
        """The waitlist id and the entry id."""
        return self.waitlist_id, self.entry_id

    @property
    def known_stamp(self) -> int:
        """The newest logical timestamp in the record.

        Later events need a greater logical timestamp.
        """
        return max(self.stamp, self.changes.edited_stamp)

    def stamp_off_list(self, now_millis: int) -> int:
        """Return a timestamp for an event about a customer who is no longer on the waitlist.

        Two processes can get the same timestamp for two different events. Write the event only if
        the stored record's `stamp` has not changed, so that only one of the two writes succeeds.
        """
        return max(self.known_stamp + 1, ticket_of_millis(now_millis))

    @property
    def decided_stamp(self) -> int:
        """The timestamp of the newest Redis decision that the record contains."""
        return self.end.stamp or self.stamp

    @property
    def address_id(self) -> str:
        """The id of the entry's current address, which differs from `entry_id` after a move."""
        return self.move.moved_to or self.entry_id

    @property
    def has_moved(self) -> bool:
        """Whether the entry has been moved to another address since the last signup."""
        return self.move.stay == self.join_id

    @property
    def shared_values(self) -> Item:
        """The attributes that often stay the same when a customer joins again.

        The new record contains a copy of the former one. To save space, the copy leaves out each of
        these attributes that has not changed.
        """
        return {
            "waitlist_id": self.waitlist_id,
            "entry_id": self.entry_id,
            "profile": json_text(self.profile),
            "attributes": json_text(self.attributes),
        }

    @property
    def former(self) -> "EntryRecord | None":
        """The record of the former signup, or None if the customer is not joining again."""
        if self.intent.former is None:
            return None
        return EntryRecord.from_item(self.shared_values | self.intent.former)

    @property
    def former_ticket(self) -> int | None:
        """The ticket of the former signup, or None if the customer is not joining again."""
        return (self.intent.former or {}).get("ticket")

    @property
    def has_ended(self) -> bool:
        return self.status in ENDED

    @property
    def has_never_joined(self) -> bool:
        """Whether the record exists only because of a ban, and the customer has never joined the
        waitlist.
        """
        return self.status == "left" and self.ticket is None and self.end.left_millis is None

    def joins_as_new(self, now_millis: int) -> bool:
        """Return whether the customer counts as new, so that the `rejoin` setting does not apply to
        them.
        """
        was_verified = self.verification.until_millis is None
        return self.has_never_joined or not was_verified or self.is_expired(now_millis)

    @property
    def priority(self) -> int:
        return 0 if self.rank is None else priority_of(self.rank)

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Return the record that a DynamoDB item contains. Missing attributes get their default
        values.
        """
        texts = {name: json.loads(item.get(name) or "{}") for name in ("profile", "attributes")}
        # The item has no `customer_id` while the entry is being erased.
        return convert({"customer_id": "", **item, **texts}, cls)

    def values(self) -> dict[str, Any]:
        """Return the attributes of the DynamoDB item for this record.

        Fields that are empty, zero or None are left out.
        """
        # The profile and the attributes are stored as JSON text, because JSON preserves every
        # number exactly and allows any depth of nesting.
        texts = {"profile": json_text(self.profile), "attributes": json_text(self.attributes)}
        return stored(self) | texts

    def to_item(self, place: str, place_rank: int) -> Item:
        """Return the DynamoDB item for this record, with its partition key and sort key in the
        index.
        """
        return {
            **record_key(self.waitlist_id, self.entry_id),
            **self.values(),
            "place": place,
            "place_rank": place_rank,
        }


def no_longer_near(record: EntryRecord) -> EntryRecord:
    """Return a copy of the record for a customer whose turn is no longer near.

    When the customer's turn is near again, the customer gets a new message.
    """
    return replace(record, contact=replace(record.contact, near_rank=None))


def stand_in_record(waitlist_id: str, entry_id: str) -> EntryRecord:
    """Return a record that stands in for an entry that does not exist.

    Writing this record fails, but takes as long as writing a real record, so the response time does
    not reveal whether the entry exists.
    """
    return EntryRecord(
        waitlist_id=waitlist_id,
        entry_id=entry_id,
        customer_id="",
        status="left",
        join_id=c.NO_STAY,
        updated_millis=0,
    )


class HistoryEvent(Struct, frozen=True, kw_only=True):
    """An event in the history of an entry. Events are sorted by their logical timestamps.

    If `at_millis` is None, the event's time is computed from `stamp`.
    """

    stamp: int
    at_millis: int | None = None
    event: str
    by: str
    reason: str = ""
    jti: str = ""
    call_number: str = ""
    detail: dict[str, Any] = field(default_factory=dict)
    expires_at: int | None = None
    place: str = ""

    @classmethod
    def from_item(cls, item: Item) -> Self:
        known = {name: item[name] for name in cls.__struct_fields__ if name in item}
        return cls(**known)

    def is_expired(self, now_millis: int) -> bool:
        """Return whether the event has expired. DynamoDB may delete an expired event days later."""
        return self.expires_at is not None and self.expires_at * 1000 <= now_millis

    @property
    def at(self) -> str:
        """The time of the event in ISO 8601."""
        return iso(self.at_millis) if self.at_millis else iso_of(time_of(self.stamp))

    @staticmethod
    def key(waitlist_id: str, entry_id: str, stamp: int, event: str) -> dict[str, str]:
        return {"pk": entry_pk(waitlist_id, entry_id), "sk": f"{HISTORY}{stamp:016d}#{event}"}

    def to_item(self, waitlist_id: str, entry_id: str) -> Item:
        """Return the DynamoDB item for this event. Writing the same event twice produces the same
        item.
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
            **({"call_number": self.call_number} if self.call_number else {}),
            **({"at_millis": self.at_millis} if self.at_millis else {}),
            **({"reason": self.reason} if self.reason else {}),
            **({"detail": self.detail} if self.detail else {}),
            **({"expires_at": self.expires_at} if self.expires_at else {}),
            **({"place": self.place, "place_rank": self.stamp} if self.place else {}),
        }


def json_text(value: dict[str, Any]) -> str:
    """Return compact JSON, as it is stored in the record.

    Non-ASCII letters are not escaped, because an escape such as `\\u0416` takes three times as much
    space.
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def entry_pk(waitlist_id: str, entry_id: str) -> str:
    return f"ENTRY#{waitlist_id}#{entry_id}"


def ids_of(pk: str) -> tuple[str, str]:
    """Return the waitlist id and the entry id from a partition key."""
    _, waitlist_id, entry_id = pk.split("#")
    return waitlist_id, entry_id


def record_key(waitlist_id: str, entry_id: str) -> dict[str, str]:
    return {"pk": entry_pk(waitlist_id, entry_id), "sk": RECORD}


def shard_of(entry_id: str) -> int:
    """Return the number of the index shard that contains the entry, from 0 to 15.

    Entry ids are digests, so the entries are spread evenly across the shards.
    """
    return ALPHABET.index(entry_id[0]) % SHARDS


def line_place(waitlist_id: str, shard: int) -> str:
    """Return the index partition for entries that are on the waitlist, sorted by rank."""
    return f"{waitlist_id}#{shard}"


def ended_place(waitlist_id: str, shard: int) -> str:
    """Return the index partition for entries that have left or were admitted, sorted by when
    this happened.
    """
    return f"{waitlist_id}#ended#{shard}"


def banned_place(waitlist_id: str, shard: int) -> str:
    """Return the index partition for active bans, sorted by the timestamps of the `banned`
    events.
    """
    return f"{waitlist_id}#banned#{shard}"


def unreached_place(waitlist_id: str, shard: int) -> str:
    """Return the index partition for customers who get no messages, sorted by time."""
    return f"{waitlist_id}#unreached#{shard}"


def intent_place(entry_id: str) -> str:
    """Return the index partition for an entry that is joining or leaving."""
    return intents_place(shard_of(entry_id))


def intents_place(shard: int) -> str:
    """Return the index partition for all joining and leaving entries in a shard."""
    return f"INTENT#{shard}"
