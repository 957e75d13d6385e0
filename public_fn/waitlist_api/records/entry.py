"""Define the record of an entry and the events in its history, which are items of the table."""

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
# The statuses of an entry that has a place on the waitlist.
PRESENT: tuple[Status, ...] = ("waiting", "offered", "parked")
# The statuses of an ended stay. The customer can sign up again if the waitlist allows it.
ENDED: tuple[Status, ...] = ("left", "admitted")

SHARDS = 16
ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
RECORD = "RECORD"
HISTORY = "HISTORY#"
# The reason that is recorded when a customer leaves the waitlist by declining an offer.
DECLINED = "declined"
# Published events name these actors. Any other actor is an operator's ARN, which is not published.
KINDS = ("customer", "maintenance", "policy")
# Fields whose attribute in the table has a different name.
STORED_NAMES = {
    "requested_ticket": "wanted",
    "requested_priority": "wanted_priority",
    "requested_rank": "wanted_rank",
    "allocated_stamp": "drawn",
    "moved_to": "answers_to",
}


# A change of the entry's readiness adds this number to `attributes_version`. The index contains the
# version, so the index shows whether the readiness has ever changed.
READINESS_CHANGE = 2**32
# Remove `near_rank` when an entry stops being ready or is parked. The customer is then told again
# when their turn comes near again.
NO_LONGER_NEAR: dict[str, None] = {"near_rank": None}


def has_readiness(attributes_version: int) -> bool:
    """Return whether the readiness of the entry has ever changed."""
    return attributes_version >= READINESS_CHANGE


class EntryRecord(Struct, frozen=True, kw_only=True):
    """The record of one entry.

    A customer who joins again keeps the same entry and begins a new stay. Fields that do not say
    otherwise belong to the current stay. Times are in milliseconds since 1970, except `expires_at`,
    which is in seconds.
    """

    waitlist_id: str
    entry_id: str
    customer_id: str
    status: Status
    # The id of the current stay.
    join_id: str
    created_millis: int
    updated_millis: int
    revision: int = 1
    profile: dict[str, Any] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    # Every change of the attributes adds 1 to this version, and every change of the readiness adds
    # READINESS_CHANGE. The version continues over all stays.
    attributes_version: int = 0

    # An entry that waits is not ready, and is passed over, until its customer's rest ends at
    # `rest_until_millis`. `rests` counts the rests of this stay. `rest_key` is a digest of the
    # Idempotency-Key of the last rest.
    rest_until_millis: int | None = None
    rests: int = 0
    rest_key: str = ""
    # An entry that waits is not ready while an operator holds it back.
    held_back: bool = False
    held_back_reason: str = ""
    # An entry that waits is not ready until this time if a claimer released it with a delay.
    delayed_until_millis: int | None = None

    # The customer was last asked at `asked_millis` whether they still wait. The record had the
    # claim token `asked_token` at that time.
    asked_millis: int | None = None
    asked_token: str = ""
    # While the question is open, the customer must answer before `confirm_by_millis`.
    # `reminded_days` says how many days before that deadline the last reminder was due.
    confirm_by_millis: int | None = None
    reminded_days: int | None = None
    # True if the customer did not answer in time. A later answer has no effect.
    unanswered: bool = False
    # The time at which the customer last confirmed that they still wait.
    confirmed_millis: int | None = None

    # If this time is set, the customer has not verified the address yet. The entry is not ready,
    # and leaves the waitlist if the address is still unverified at this time.
    verify_until_millis: int | None = None
    # True if the customer has proved during this stay that the address is theirs.
    verified: bool = False
    # How many links the customer has asked for since the signup, and when they last asked.
    link_asks: int = 0
    link_asked_millis: int | None = None

    # On a waitlist with `identity`, a customer can move the entry to another address. `moved_to`
    # is then the id of that address, and an alias with that id points to the entry. `moved_stay` is
    # the last stay that was moved.
    moved_to: str = ""
    moved_stay: str = ""
    # The customer wants to move the entry to `moving_address`, which is not verified yet.
    # `moving_to` is the id of that address. The event with the stamp `moving_stamp` asks the
    # customer to verify it. `moving_asks` counts these events.
    moving_to: str = ""
    moving_address: str = ""
    moving_stamp: int = 0
    moving_asked_millis: int | None = None
    moving_asks: int = 0

    # A rate limit on the customer's own changes, over all stays. Each change moves this time some
    # minutes further into the future. When it is too far ahead, further changes are refused.
    changes_until_millis: int = 0

    # Digests of the Idempotency-Key and the body of the signup.
    signup_key: str = ""
    signup_body: str = ""
    # True if the signup came without proof that the caller was this customer.
    by_guest: bool = False

    rank: int | None = None
    # The number that was drawn at signup. It fixes the order of arrival.
    ticket: int | None = None
    # The stamp of the newest recorded decision about the place. When the stay has ended, `stamp` is
    # the stamp of the newest event, and `end_stamp` is the stamp of the decision that ended the
    # stay.
    stamp: int = 0
    end_stamp: int = 0
    # The stamp of the last edit.
    edited_stamp: int = 0

    # The token of the last hold. The record keeps the token after the hold has ended, so that a
    # late token can be told apart from a token that this entry never had.
    claim_token: str = ""
    claimed_until_millis: int | None = None
    # The verb that ended the last hold, such as `released`. It is empty if the hold expired.
    hold_end: str = ""
    # How many holds have expired.
    attempts: int = 0
    # True if the hold is an offer that the customer may accept, and not an operator's claim.
    is_offer: bool = False
    parked_millis: int | None = None
    park_reason: str = ""

    # An admitted customer is inside, and occupies room, until `inside_until_millis` or until the
    # exit at `exited_millis`.
    admitted_millis: int | None = None
    inside_until_millis: int | None = None
    exited_millis: int | None = None
    # The time at which the customer went out, if that exit did not free the room.
    out_millis: int | None = None

    leaving_by: str = ""
    leaving_reason: str = ""
    left_millis: int | None = None
    # These two fields identify the last bump, so that a rebuilt Redis recognises a repeat of it.
    once_key: str = ""
    once_stamp: int = 0

    # The customer was told `near_count` times during this stay that their turn is near. The last
    # notice is the event with the stamp `near_stamp`. `near_rank` is the rank that the entry had
    # then. It is removed when the customer rests, or when the entry is held back, delayed or
    # parked, so that the customer is told again when their turn comes near again.
    near_rank: int | None = None
    near_stamp: int = 0
    near_count: int = 0
    # The token of the offer whose customer was told that the offer ends soon.
    ending_offer: str = ""

    # The stamp of the event `banned` while the customer is banned, and 0 otherwise. The record of a
    # banned customer does not expire.
    ban_stamp: int = 0
    ban_reason: str = ""
    # A digest of the Idempotency-Key of the last ban. The record keeps it after the ban has ended.
    ban_key: str = ""
    # True while the entry is being erased.
    erase: bool = False

    # The former stay while the entry is joining again. If the waitlist refuses the new stay, the
    # former stay is restored. Its profile and attributes are stored as JSON in the next two fields,
    # and only if they differ from the new ones, because large records make signups expensive.
    previous: dict[str, Any] | None = None
    former_profile: str = ""
    former_attributes: str = ""

    # The place of an imported row while the row is joining. Any process can finish the import with
    # these values. `requested_rank` is set for a row that states its rank, and for a stay that is
    # being reinstated.
    requested_ticket: int | None = None
    requested_priority: int = 0
    requested_rank: int | None = None
    # The stamp that was allocated for the event `joined` or `reinstated`.
    allocated_stamp: int = 0
    # The operator who imports or reinstates the entry. Only a reinstatement has a reason.
    joining_by: str = ""
    joining_reason: str = ""
    # How many times in a row an operator has reinstated the entry.
    reinstated: int = 0

    # The language that the signup asked for, on a waitlist that sends messages.
    language: str = ""
    # The value is `off` if the customer wants only the messages that they ask for themselves.
    messages: str = ""
    # True if the address of this stay does not accept messages.
    unreachable: bool = False
    # DynamoDB may delete the ended stay after this time.
    expires_at: int | None = None

    def is_expired(self, now_millis: int) -> bool:
        """Return whether the record has expired. DynamoDB may take days to delete it."""
        return self.expires_at is not None and self.expires_at * 1000 <= now_millis

    def inside_until(self, now_millis: int) -> int:
        """Return when the customer will stop occupying room, or 0 if they occupy none."""
        until = self.room_until_millis or 0
        return until if until > now_millis else 0

    def pass_until(self, now_millis: int) -> int:
        """Return when the customer's pass ends, or 0 if there is no pass or after an exit."""
        return self.inside_until(now_millis) if self.out_millis is None else 0

    @property
    def is_declining(self) -> bool:
        """Whether the status `leaving` was caused by the customer, who declined an offer."""
        return (self.leaving_by, self.leaving_reason) == ("customer", DECLINED)

    @property
    def room_until_millis(self) -> int | None:
        """The end of an admitted customer's pass, or None if an exit has freed the room."""
        is_free = self.status != "admitted" or self.exited_millis is not None
        return None if is_free else self.inside_until_millis

    @property
    def went_out_millis(self) -> int | None:
        """The time of the customer's first exit, or None."""
        return self.exited_millis if self.out_millis is None else self.out_millis

    @property
    def pass_id(self) -> str:
        """The id (`jti`) of the admission's pass, or an empty string if there is no pass."""
        if self.status != "admitted" or self.ticket is None or not self.inside_until_millis:
            return ""
        return pass_id_of(self.entry_id, self.ticket, self.admitted_millis or 0)

    @property
    def readiness(self) -> c.Readiness | None:
        """The reasons why the entry is not ready, and the deadline of an open question.

        None means that the entry never had a reason or a question.
        """
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
        # Redis decides about delays, so a delay does not change the version.
        version = self.attributes_version if has_changed else 0
        return c.Readiness(version, tuple(reasons), self.confirm_by_millis or 0)

    def is_ready(self, now_millis: int) -> bool:
        """Return whether the record has no reason to pass over the entry now."""
        ends = (self.rest_until_millis, self.delayed_until_millis)
        is_passed_over = any(end is not None and end > now_millis for end in ends)
        return not (is_passed_over or self.held_back or self.verify_until_millis is not None)

    @property
    def is_told_near(self) -> bool:
        """Whether the customer was told that their turn is near, and was not moved back since.

        The notice still counts if the entry was moved ahead.
        """
        if self.near_rank is None or self.rank is None:
            return False
        return self.rank <= self.near_rank

    @property
    def key(self) -> tuple[str, str]:
        """The waitlist id and the entry id."""
        return self.waitlist_id, self.entry_id

    @property
    def known_stamp(self) -> int:
        """The newest stamp in the record. Every later stamp of the entry must be greater."""
        return max(self.stamp, self.edited_stamp)

    def stamp_off_list(self, now_millis: int) -> int:
        """Return a stamp for an event that follows the end of the stay.

        The stamp is made from `now_millis` and not drawn by Redis. Until the next stay begins, only
        the record decides about the entry. The write that uses this stamp must therefore be
        conditional on an unchanged `stamp`.
        """
        return max(self.known_stamp + 1, ticket_of_millis(now_millis))

    @property
    def decided_stamp(self) -> int:
        """The stamp of the newest Redis decision that the record contains."""
        return self.end_stamp or self.stamp

    @property
    def address_id(self) -> str:
        """The id of the entry's current address, which differs from `entry_id` after a move."""
        return self.moved_to or self.entry_id

    @property
    def has_moved(self) -> bool:
        """Whether the current stay was moved to another address."""
        return self.moved_stay == self.join_id

    @property
    def former(self) -> "EntryRecord | None":
        """The former stay if the entry is joining again, otherwise None."""
        if self.previous is None:
            return None
        data = {
            "profile": self.former_profile or json_text(self.profile),
            "attributes": self.former_attributes or json_text(self.attributes),
        }
        # Intents that an earlier version wrote have the profile and attributes in `previous`.
        return EntryRecord.from_item({**data, **self.previous})

    @property
    def former_ticket(self) -> int | None:
        """The ticket of the former stay if the entry is joining again, otherwise None."""
        return (self.previous or {}).get("ticket")

    @property
    def has_ended(self) -> bool:
        return self.status in ENDED

    @property
    def has_never_joined(self) -> bool:
        """Whether the record exists only because a customer who never joined was banned."""
        return self.status == "left" and self.ticket is None and self.left_millis is None

    def joins_as_new(self, now_millis: int) -> bool:
        """Return whether the customer may join again even if the setting `rejoin` forbids it.

        This is the case if the customer was banned without ever joining, if the retention time of
        the ended stay is over, or if the address was never verified. Somebody else may have signed
        up with an address that was never verified.
        """
        was_verified = self.verify_until_millis is None
        return self.has_never_joined or not was_verified or self.is_expired(now_millis)

    @property
    def priority(self) -> int:
        return 0 if self.rank is None else priority_of(self.rank)

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Return the record of an item. Missing attributes get their default values."""
        known = {name: item[name] for name in cls.__struct_fields__ if name in item}
        known |= {name: item[key] for name, key in STORED_NAMES.items() if key in item}
        for name in ("profile", "attributes"):
            known[name] = json.loads(known.get(name) or "{}")
        # An erasure removes the customer id from the item.
        known.setdefault("customer_id", "")
        # Records that are read from the index have no revision, so they cannot be committed.
        known.setdefault("revision", 0)
        return cls(**known)

    def values(self) -> dict[str, Any]:
        """Return the attributes of the item. Fields that are empty, zero or None are left out."""
        fields = asdict(self)
        # JSON text keeps every number and any depth exactly as the caller sent them.
        fields["profile"] = json_text(self.profile)
        fields["attributes"] = json_text(self.attributes)
        for name, key in STORED_NAMES.items():
            fields[key] = fields.pop(name)
        return {name: value for name, value in fields.items() if value not in (None, "", 0)}

    def to_item(self, place: str, place_rank: int) -> Item:
        """Return the whole item with its partition and sort key in the index."""
        return {
            **record_key(self.waitlist_id, self.entry_id),
            **self.values(),
            "place": place,
            "place_rank": place_rank,
        }


def stand_in_record(waitlist_id: str, entry_id: str) -> EntryRecord:
    """Return a stand-in record for an entry that does not exist.

    Every conditional write on the stand-in fails, but costs as much as a write on a real record.
    The response time therefore does not reveal whether the entry exists.
    """
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
    """One event in the history of an entry. Events are ordered by their stamps.

    `at_millis` is the time of the event. If it is None, the event happened at the time of its
    stamp. The two differ when a hold expires: the hold ends at its deadline, and Redis draws the
    stamp when it notices the deadline later. `jti` is the id of a pass. The pass either begins with
    the event, or must be refused from then on.
    """

    stamp: int
    at_millis: int | None = None
    event: str
    by: str
    reason: str = ""
    jti: str = ""
    detail: dict[str, Any] = field(default_factory=dict)
    expires_at: int | None = None
    place: str = ""

    @classmethod
    def from_item(cls, item: Item) -> Self:
        known = {name: item[name] for name in cls.__struct_fields__ if name in item}
        return cls(**known)

    def is_expired(self, now_millis: int) -> bool:
        """Return whether the event has expired. DynamoDB may take days to delete it."""
        return self.expires_at is not None and self.expires_at * 1000 <= now_millis

    @property
    def at(self) -> str:
        """The time of the event in ISO 8601."""
        return iso(self.at_millis) if self.at_millis else iso_of(time_of(self.stamp))

    @staticmethod
    def key(waitlist_id: str, entry_id: str, stamp: int, event: str) -> dict[str, str]:
        return {"pk": entry_pk(waitlist_id, entry_id), "sk": f"{HISTORY}{stamp:016d}#{event}"}

    def to_item(self, waitlist_id: str, entry_id: str) -> Item:
        """Return the item of the event. Writing the same event again writes the same item.

        `at`, `by_kind` and `jti` are sent to the event bus (docs/app/events.md). `by` is not sent,
        because it may contain the name of an operator.
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
            **({"place": self.place, "place_rank": self.stamp} if self.place else {}),
        }


def json_text(value: dict[str, Any]) -> str:
    """Return JSON text in the form that the record stores.

    The text has no spaces, so its size in bytes is the size that `max_guest_bytes` limits. Letters
    beyond ASCII are not escaped, because an escape such as `\\u0416` takes three times the space.
    Earlier versions wrote escapes and spaces, and such text can still be read.
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def entry_pk(waitlist_id: str, entry_id: str) -> str:
    return f"ENTRY#{waitlist_id}#{entry_id}"


def ids_of(pk: str) -> tuple[str, str]:
    """Return the waitlist id and the entry id that the partition key of an entry contains."""
    _, waitlist_id, entry_id = pk.split("#")
    return waitlist_id, entry_id


def record_key(waitlist_id: str, entry_id: str) -> dict[str, str]:
    return {"pk": entry_pk(waitlist_id, entry_id), "sk": RECORD}


def shard_of(entry_id: str) -> int:
    """Return the entry's shard of the index, from 0 to 15.

    Entry ids are digests, so the entries are spread evenly over the shards.
    """
    return ALPHABET.index(entry_id[0]) % SHARDS


def line_place(waitlist_id: str, shard: int) -> str:
    """Return the index partition of the entries on the waitlist, which is sorted by rank."""
    return f"{waitlist_id}#{shard}"


def ended_place(waitlist_id: str, shard: int) -> str:
    """Return the index partition of the ended stays, which is sorted by time."""
    return f"{waitlist_id}#ended#{shard}"


def banned_place(waitlist_id: str, shard: int) -> str:
    """Return the index partition of the `banned` events of active bans, sorted by stamp."""
    return f"{waitlist_id}#banned#{shard}"


def unreached_place(waitlist_id: str, shard: int) -> str:
    """Return the index partition of entries whose customers get no messages, sorted by time."""
    return f"{waitlist_id}#unreached#{shard}"


def intent_place(entry_id: str) -> str:
    """Return the index partition for the intent of an entry.

    The partition contains joining and leaving entries of all waitlists, sorted by time.
    """
    return intents_place(shard_of(entry_id))


def intents_place(shard: int) -> str:
    """Return the index partition of all intents in a shard."""
    return f"INTENT#{shard}"
