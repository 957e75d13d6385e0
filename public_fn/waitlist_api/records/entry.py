"""One customer's entry in the record, and how it stands in an item of the table."""

import json
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from waitlist_api.clock import iso_of
from waitlist_api.records.table import Item
from waitlist_shared.ranks import priority_of, time_of

Status = Literal["joining", "waiting", "offered", "parked", "leaving", "left", "admitted"]
# Those who have a place: in line, held by a claim, or put aside.
PRESENT: tuple[Status, ...] = ("waiting", "offered", "parked")
# Those who may sign up again where the list lets them.
ENDED: tuple[Status, ...] = ("left", "admitted")

SHARDS = 16
ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
RECORD = "RECORD"
HISTORY = "HISTORY#"
# Who a history's event is by, for those who may not read names: any other is an operator's ARN.
KINDS = ("customer", "maintenance")


@dataclass(frozen=True, kw_only=True)
class EntryRecord:
    """What the record knows of one entry.

    `join_id` tells this stay in line from earlier and later ones; `stamp` is the newest change
    of order that the record has seen; `ticket` was drawn at signup. `signup_key` is a digest of
    the client's Idempotency-Key, `signup_body` one of the body that came with it.
    `once_key` and `once_stamp` are those of the last move, so that
    a rebuilt Redis still recognises its repeat. `claim_token` is the last
    hold's, kept after its end so that a late token can be told from a foreign one; `hold_end` is
    how somebody ended it (released, parked or redriven; nothing if time did); `attempts`
    counts the holds that expired. `previous` is what a rejoin goes back to when
    the list refuses it. `expires_at` is when an ended stay deletes itself, in seconds since 1970,
    or some days later. `attributes_version` counts the changes of the attributes, over all stays;
    `edited_stamp` is that of the last change of attributes or profile, which moves nothing.
    While an import is joining, `wanted` is the ticket that it is to have, in the tier of
    `wanted_priority`: whoever takes the intent to its end puts it there. `drawn` is the stamp at
    which that was decided, `joining_by` the operator.
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
    signup_key: str = ""
    signup_body: str = ""
    rank: int | None = None
    ticket: int | None = None
    stamp: int = 0
    edited_stamp: int = 0
    claim_token: str = ""
    claimed_until_millis: int | None = None
    hold_end: str = ""
    attempts: int = 0
    parked_millis: int | None = None
    park_reason: str = ""
    admitted_millis: int | None = None
    leaving_by: str = ""
    leaving_reason: str = ""
    left_millis: int | None = None
    once_key: str = ""
    once_stamp: int = 0
    erase: bool = False
    previous: dict[str, Any] | None = None
    wanted: int | None = None
    wanted_priority: int = 0
    drawn: int = 0
    joining_by: str = ""
    expires_at: int | None = None

    def is_expired(self, now_millis: int) -> bool:
        """Return whether the record should be gone: DynamoDB deletes late, by up to some days."""
        return self.expires_at is not None and self.expires_at * 1000 <= now_millis

    @property
    def key(self) -> tuple[str, str]:
        """Whose record it is: waitlist and entry."""
        return self.waitlist_id, self.entry_id

    @property
    def former_ticket(self) -> int | None:
        """The ticket of the stay before, while somebody joins again."""
        return (self.previous or {}).get("ticket")

    @property
    def priority(self) -> int:
        return 0 if self.rank is None else priority_of(self.rank)

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read an item; absent attributes have their defaults."""
        known = {name: item[name] for name in cls.__dataclass_fields__ if name in item}
        for name in ("profile", "attributes"):
            known[name] = json.loads(known.get(name) or "{}")
        # An erased person has none.
        known.setdefault("customer_id", "")
        return cls(**known)

    def values(self) -> dict[str, Any]:
        """Return the fields that are set, as they stand in an item."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        # As text, so that every JSON number and depth comes back as the caller sent it.
        fields["profile"] = json_text(self.profile)
        fields["attributes"] = json_text(self.attributes)
        return {name: value for name, value in fields.items() if value not in (None, "", 0)}

    def to_item(self, place: str, place_rank: int) -> Item:
        """Return the whole item, indexed at a place."""
        return {
            **record_key(self.waitlist_id, self.entry_id),
            **self.values(),
            "place": place,
            "place_rank": place_rank,
        }


@dataclass(frozen=True, kw_only=True)
class HistoryEvent:
    """Why an entry moved; ordered by the stamp of the change, which also tells its time."""

    stamp: int
    event: str
    by: str
    reason: str = ""
    detail: dict[str, Any] = field(default_factory=dict)
    expires_at: int | None = None

    @classmethod
    def from_item(cls, item: Item) -> Self:
        known = {name: item[name] for name in cls.__dataclass_fields__ if name in item}
        return cls(**known)

    def is_expired(self, now_millis: int) -> bool:
        """Return whether the event should be gone, as its record should."""
        return self.expires_at is not None and self.expires_at * 1000 <= now_millis

    @staticmethod
    def key(waitlist_id: str, entry_id: str, stamp: int, event: str) -> dict[str, str]:
        return {"pk": entry_pk(waitlist_id, entry_id), "sk": f"{HISTORY}{stamp:016d}#{event}"}

    def to_item(self, waitlist_id: str, entry_id: str) -> Item:
        """Return the item; a repeated write of the same change is the same item.

        `at` and `by_kind` are for the events outside (docs/events.md), which are made of the item
        without any code.
        """
        return {
            **self.key(waitlist_id, entry_id, self.stamp, self.event),
            "waitlist_id": waitlist_id,
            "entry_id": entry_id,
            "stamp": self.stamp,
            "event": self.event,
            "by": self.by,
            "by_kind": self.by if self.by in KINDS else "operator",
            "at": iso_of(time_of(self.stamp)),
            **({"reason": self.reason} if self.reason else {}),
            **({"detail": self.detail} if self.detail else {}),
            **({"expires_at": self.expires_at} if self.expires_at else {}),
        }


def json_text(value: dict[str, Any]) -> str:
    """Return JSON as the record stores it: as UTF-8, for Cyrillic a third of `\\uXXXX`.

    An earlier version wrote `\\uXXXX`; reading takes both.
    """
    return json.dumps(value, ensure_ascii=False)


def entry_pk(waitlist_id: str, entry_id: str) -> str:
    return f"ENTRY#{waitlist_id}#{entry_id}"


def record_key(waitlist_id: str, entry_id: str) -> dict[str, str]:
    return {"pk": entry_pk(waitlist_id, entry_id), "sk": RECORD}


def shard_of(entry_id: str) -> int:
    """Return which of the 16 index partitions an entry is in: ids are digests, so all alike."""
    return ALPHABET.index(entry_id[0]) % SHARDS


def line_place(waitlist_id: str, shard: int) -> str:
    """Index partition of those who have a place in line, by rank."""
    return f"{waitlist_id}#{shard}"


def ended_place(waitlist_id: str, shard: int) -> str:
    """Index partition of those who left, by the time they did."""
    return f"{waitlist_id}#ended#{shard}"


def intent_place(entry_id: str) -> str:
    """Index partition of those who are joining or leaving, on all lists, by time."""
    return intents_of(shard_of(entry_id))


def intents_of(shard: int) -> str:
    """Index partition of one shard of the intents."""
    return f"INTENT#{shard}"
