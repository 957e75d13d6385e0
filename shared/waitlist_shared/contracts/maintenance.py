"""The messages that maintenance uses to detect lost writes in Redis and to restore a queue."""

from typing import Annotated

from msgspec import Meta, Struct

from waitlist_shared.contracts.common import (
    EntryId,
    Epoch,
    JoinId,
    Number,
    OnEntry,
    OnWaitlist,
    PaceText,
    Rank,
    Readiness,
    Result,
    SegmentIds,
    Ticket,
    answers,
)
from waitlist_shared.contracts.queue import Counters
from waitlist_shared.limits import MAX_RESTORE_MANY


class Heartbeat(OnWaitlist, frozen=True, kw_only=True):
    """Increments a counter in Redis.

    If the counter is lower than the caller expects, Redis has lost writes.
    """

    epoch: Epoch | None = None
    # The counter's value after the previous heartbeat. If the counter in Redis is lower, Redis has
    # lost writes.
    known_beat: Number = 0
    # How fast the waitlist admits people, as text. Redis returns this text when customers poll.
    pace: PaceText | None = None


@answers(Heartbeat)
class HeartbeatResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `beats` if the counter has the expected value. It is `behind` if the counter
    is lower, which shows that Redis has lost recent writes.
    """

    epoch: Epoch
    beat: Number
    stamp: Ticket
    # All logical timestamps of this queue are later than `epoch_start`.
    epoch_start: Ticket
    counters: Counters


class Inspect(OnEntry, frozen=True, kw_only=True):
    """Reads an entry's state in Redis, so that maintenance can compare it with the entry's
    record.
    """


@answers(Inspect)
class InspectResult(Result, frozen=True, kw_only=True):
    """The state of an entry in Redis."""

    state: str  # a PlaceState, or `absent`
    rank: Rank
    token: str
    # Depending on the entry's state, this is when its claim, offer or pass ends, when it was
    # parked, or when a waiting entry's delay ends.
    time_millis: Number
    # The logical timestamp of the decision that took the entry out of the queue, or 0 if the entry
    # is waiting.
    stamp: Number
    # The logical timestamp of the last decision about the entry, if the record may not contain this
    # decision yet. Otherwise it is 0.
    dirty_stamp: Number
    # The version of the attributes from which the entry's segments in Redis were computed, or None
    # if Redis has no segments for the entry.
    attributes_version: Number | None = None
    # The ticket identifies the signup to which the entry belongs.
    ticket: Ticket | None = None
    # The version of the entry's readiness data, or None if Redis has none for the entry.
    readiness_version: Number | None = None


class WaitingStay(Struct, frozen=True, array_like=True, gc=False):
    """A waiting entry to restore.

    A rebuild sends very many entries, so each entry is encoded as an array, which is shorter than
    an object.
    """

    entry_id: EntryId
    join_id: JoinId
    rank: Rank
    ticket: Ticket
    known_stamp: Ticket
    attempts: Number = 0
    segments: SegmentIds = ()
    attributes_version: Number = 0
    readiness: Readiness | None = None


class RestoreMany(OnWaitlist, frozen=True, kw_only=True):
    """Restores up to 50 different waiting entries in Redis at the places in their records. An entry
    that Redis already has keeps its place.
    """

    epoch: Epoch
    segments_version: Number = 0
    stays: Annotated[tuple[WaitingStay, ...], Meta(min_length=1, max_length=MAX_RESTORE_MANY)]


@answers(RestoreMany)
class RestoreManyResult(Result, frozen=True, kw_only=True):
    """The number of entries for each outcome."""

    restored: Number = 0
    present: Number = 0
    gone: Number = 0  # the customer has left the waitlist or was admitted
