"""Build requests to the private function from the records of entries and waitlists."""

from itertools import islice
from typing import Any, Literal

from msgspec import UNSET, Struct

from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.journal import Change
from waitlist_api.records.lifecycle import state_of
from waitlist_api.records.places import IndexRow
from waitlist_api.records.segments import Segment, Segments
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_api.settings.admission import PERIOD_MILLIS, AdmissionPolicy
from waitlist_api.settings.declared import Settings
from waitlist_api.settings.hours import hours_after
from waitlist_api.settings.waitlist import WaitlistSettings, offer_hours_of
from waitlist_shared import contracts as c
from waitlist_shared.limits import MAX_HOURS

# The largest difference between Redis' clock and a Lambda function's clock.
CLOCK_SKEW_MILLIS = 3_600_000


def place_of(record: EntryRecord, segments: Segments) -> c.Signup | c.Insert:
    """Return the request that adds an entry to the queue."""
    stay = {
        "waitlist_id": record.waitlist_id,
        "entry_id": record.entry_id,
        "join_id": record.join_id,
        "known_stamp": record.known_stamp,
        **tags_of(segments, record),
    }
    if record.intent.ticket is None:
        return c.Signup(**stay)
    return c.Insert(
        **stay,
        ticket=record.intent.ticket,
        priority=record.intent.priority,
        rank=record.intent.rank,
    )


def tags_of(segments: Segments, entry: EntryRecord | IndexRow) -> dict[str, Any]:
    """Return the fields of a request that tell Redis which segments an entry belongs to, and why
    the entry is not ready.
    """
    return {
        "segments": tuple(segments.find(entry.attributes)),
        "segments_version": segments.version,
        "attributes_version": entry.attributes_version,
        "readiness": entry.readiness,
    }


def tag_of(record: EntryRecord, segments: Segments) -> c.Tag:
    """Return the request that tells Redis an entry's segments and why the entry is not ready."""
    return c.Tag(
        waitlist_id=record.waitlist_id,
        entry_id=record.entry_id,
        join_id=record.join_id,
        **tags_of(segments, record),
    )


class EntryMessage(Struct, frozen=True):
    """The base class of requests that depend on the waitlist's declared segments."""

    record: EntryRecord

    @property
    def waitlist_id(self) -> str:
        return self.record.waitlist_id

    def check(self, segments: Segments) -> None:
        """Do nothing, because this type of request is valid whatever segments are declared."""


class Placing(EntryMessage, frozen=True):
    """A request that adds an entry to the queue.

    If `is_checked` is true, the attributes have already been checked against the segments.
    """

    is_checked: bool = False

    def to_request(self, segments: Segments) -> c.Signup | c.Insert:
        return place_of(self.record, segments)

    def check(self, segments: Segments) -> None:
        if not self.is_checked:
            segments.check(self.record.attributes)


class Tagging(EntryMessage, frozen=True):
    """A request that tells Redis an entry's segments and why the entry is not ready."""

    def to_request(self, segments: Segments) -> c.Tag:
        return tag_of(self.record, segments)


class Restoring(EntryMessage, frozen=True):
    """A request that restores an entry in Redis from its record."""

    expected: c.Seen | None = None

    def to_request(self, segments: Segments) -> c.Restore:
        return restore_of(IndexRow.from_record(self.record), segments, expected=self.expected)


class Locating(EntryMessage, frozen=True):
    """A request for an entry's position within a segment.

    `names` contains the attributes that define the segment. If the entry has several values for an
    attribute, it has several positions.
    """

    names: tuple[str, ...]
    field: str

    def to_request(self, segments: Segments) -> c.Position:
        return c.Position(
            waitlist_id=self.waitlist_id,
            entry_id=self.record.entry_id,
            segments=tuple(self.asked(segments)),
            segments_version=segments.version,
            is_poll=True,
        )

    def asked(self, segments: Segments) -> dict[str, Segment]:
        """Return the segments of the entry that are defined by the attributes in `names`.

        Raise InvalidFields if the waitlist declares no segments with these attributes.
        """
        canonical = segments.declared_names(self.names, self.field)
        own = segments.find(self.record.attributes)
        return {id_: segment for id_, segment in own.items() if tuple(segment) == canonical}


def restore_of(
    placed: IndexRow,
    segments: Segments,
    epoch: str | None = None,
    *,
    when: Literal["absent", "older"] = "absent",
    expected: c.Seen | None = None,
) -> c.Restore:
    """Return the request that restores an entry in Redis from its record.

    If Redis already has the entry, `when` decides whether the request may replace it.
    """
    state = state_of(placed)
    is_held = placed.status == "offered"
    time_millis = placed.hold.until_millis if is_held else placed.hold.parked_millis
    return c.Restore(
        waitlist_id=placed.waitlist_id,
        entry_id=placed.entry_id,
        join_id=placed.join_id,
        rank=placed.rank or 0,
        ticket=placed.ticket or 0,
        stamp=placed.stamp,
        known_stamp=placed.known_stamp,
        epoch=epoch,
        when=when if expected is None else "unchanged",
        once_key=placed.hold.once_key or None,
        once_stamp=placed.hold.once_stamp or None,
        state=state,
        token=placed.hold.token if is_held else None,
        time_millis=time_millis or 0,
        attempts=placed.hold.attempts,
        expected=expected,
        **tags_of(segments, placed),
    )


def renew_of(record: EntryRecord, ticket: int) -> c.Renew:
    """Return the request that restarts an admitted customer's pass.

    A pass starts when Redis admits the customer. If the admission is recorded late, the pass is
    restarted so that the customer does not lose part of it.
    """
    return c.Renew(
        waitlist_id=record.waitlist_id,
        entry_id=record.entry_id,
        ticket=ticket,
        is_claim=record.status == "offered" and not record.hold.is_offer,
    )


def leave_of(record: EntryRecord) -> c.Leave:
    """Return the request that removes an entry whose record has the status `leaving`."""
    return c.Leave(**_stay(record), is_declining=record.is_declining)


def drop_of(record: EntryRecord, *, counts: bool = False, now_millis: int | None = None) -> c.Drop:
    """Return the request that removes an entry from Redis, whatever its state.

    If a request about the removed signup arrives later, Redis ignores it.
    """
    return c.Drop(
        **_stay(record),
        is_admitted=counts and record.status == "admitted",
        is_erased=record.intent.erase,
        inside_until_millis=None if now_millis is None else record.inside_until(now_millis),
    )


def drop_of_admitted(placed: IndexRow) -> c.Drop:
    """Return the request that a rebuild uses to restore a customer who was admitted and still
    counts as inside.
    """
    return c.Drop(
        waitlist_id=placed.waitlist_id,
        entry_id=placed.entry_id,
        join_id=placed.join_id,
        ticket=placed.ticket,
        known_stamp=placed.known_stamp,
        inside_until_millis=placed.end.inside_until_millis,
    )


def drop_of_former(record: EntryRecord, now_millis: int | None = None) -> c.Drop | None:
    """If a customer is joining again, return the request that removes their previous signup from
    Redis.

    Return None if the previous signup never got a place in the queue.
    """
    former = record.former
    if former is None or former.ticket is None:
        return None
    return drop_of(former, now_millis=now_millis)


def drop_of_earlier(record: EntryRecord, ticket: int) -> c.Drop | None:
    """Return the request that removes the customer's earlier signup with this `ticket`.

    Return None if the ticket belongs to the customer's current signup.
    """
    former = record.former
    if former is not None and former.ticket == ticket:
        return drop_of(former, counts=True)
    if ticket > record.stamp or ticket == record.intent.ticket:
        return None
    return drop_of_place(record.waitlist_id, record.entry_id, ticket)


def drop_of_place(waitlist_id: str, entry_id: str, ticket: int) -> c.Drop:
    """Return the request that removes the entry with this ticket from Redis.

    Use this function if no record contains the ticket. If a record contains it, use `drop_of`.
    """
    return c.Drop(waitlist_id=waitlist_id, entry_id=entry_id, join_id=c.NO_STAY, ticket=ticket)


def _stay(record: EntryRecord) -> dict[str, Any]:
    return {
        "waitlist_id": record.waitlist_id,
        "entry_id": record.entry_id,
        "join_id": record.join_id,
        "ticket": record.ticket,
        "known_stamp": record.known_stamp,
    }


def drop_of_erased(change: Change, ticket: int | None = None) -> c.Drop:
    """Return the request that removes an entry from Redis after its record was erased."""
    return c.Drop(
        waitlist_id=change.waitlist_id,
        entry_id=change.entry_id,
        join_id=change.join_id,
        ticket=ticket,
    )


def init_of(record: WaitlistRecord, mode: c.Mode, epoch: str, floor_ticket: int = 0) -> c.Init:
    """Return the request that creates a waitlist in Redis, changes its settings, or ends its
    rebuild.
    """
    settings = record.settings
    return c.Init(
        waitlist_id=record.waitlist_id,
        settings=c.Settings(
            version=record.version,
            segments_version=record.segments_version,
            schedule_version=record.schedule_version,
            schedule_since=record.schedule_since,
            **_enforced(settings),
            **_admission_of(settings.admission),
            **_opening_of(settings),
            has_call_numbers=True if settings.call_numbers else UNSET,
        ),
        mode=mode,
        epoch=epoch,
        floor_ticket=floor_ticket,
        counters=c.Counters(**record.checkpoint.counters),
        scheduled_until=record.scheduled_until,
    )


def _enforced(group: Settings) -> dict[str, Any]:
    """Return the settings that have the same names in the API and in the Redis scripts."""
    names = set(group.__struct_fields__) & set(c.Settings.__struct_fields__) - {"admission"}
    return {name: getattr(group, name) for name in names}


def _admission_of(policy: AdmissionPolicy | None) -> dict[str, Any]:
    """Return the fields of an admission policy in the form that the Redis scripts need."""
    if policy is None:
        return {}
    rate = policy.rate
    return {
        **_enforced(policy),
        "admission": True,
        "rate_count": rate.count if rate else None,
        "rate_millis": PERIOD_MILLIS[rate.per] if rate else None,
        "rate_from": rate.from_millis if rate else None,
        "rate_counts": rate.counts if rate else "offered",
        **({"has_hours": True} if policy.offer_hours else {}),
        **({"presence_seconds": policy.presence.seconds} if policy.presence else {}),
        **_misses_of(policy),
        **({} if policy.until_millis is None else {"until_millis": policy.until_millis}),
    }


def _misses_of(policy: AdmissionPolicy) -> dict[str, Any]:
    misses = policy.misses
    return {} if misses is None else {"misses_at_most": misses.at_most, "misses_then": misses.then}


def hours_of(settings: WaitlistSettings, now_millis: int) -> tuple[c.Hours, ...]:
    """Return the admission policy's next offer hours, as they are sent to the private function.

    Return an empty tuple if the policy can make offers at any time.
    """
    hours = offer_hours_of(settings)
    if hours is None:
        return ()
    found = islice(hours_after(hours, now_millis - CLOCK_SKEW_MILLIS), MAX_HOURS)
    return tuple(c.Hours(span.opens, span.closes) for span in found)


def _opening_of(settings: WaitlistSettings) -> dict[str, Any]:
    times = {"opens_millis": settings.opens_millis, "closes_millis": settings.closes_millis}
    return {name: millis for name, millis in times.items() if millis is not None}


def beat_of(waitlist: WaitlistRecord, pace: str | None = None) -> c.Heartbeat:
    """Return the request that increments the heartbeat, a counter in Redis that reveals lost
    writes.
    """
    return c.Heartbeat(
        waitlist_id=waitlist.waitlist_id,
        epoch=waitlist.checkpoint.epoch or None,
        known_beat=waitlist.checkpoint.beat,
        pace=pace,
    )


def fill_stay_of(placed: IndexRow, segments: Segments) -> c.WaitingStay:
    return c.WaitingStay(
        placed.entry_id,
        placed.join_id,
        placed.rank or 0,
        placed.ticket or 0,
        placed.known_stamp,
        placed.hold.attempts,
        tuple(segments.find(placed.attributes)) if segments.declared else (),
        placed.attributes_version,
        placed.readiness,
    )
