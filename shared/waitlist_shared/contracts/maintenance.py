"""The messages with which maintenance detects lost writes in Redis and restores a queue."""

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
    """Increments the heartbeat count of a waitlist in Redis.

    `known_beat` is the count after the previous heartbeat. If Redis has a lower count, Redis has
    lost writes. `pace` describes how fast people are admitted. If it is given, Redis stores it and
    returns it when customers poll.
    """

    epoch: Epoch | None = None
    known_beat: Number = 0
    pace: PaceText | None = None


@answers(Heartbeat)
class HeartbeatResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `beats`, or `behind` if Redis has lost its most recent writes.

    If the outcome is `behind`, all writes since the second-to-last heartbeat may be lost. Every
    stamp (logical timestamp) in this epoch is later than `epoch_start`.
    """

    epoch: Epoch
    beat: Number
    stamp: Ticket
    epoch_start: Ticket
    counters: Counters


class Inspect(OnEntry, frozen=True, kw_only=True):
    """Reads the state of an entry in Redis, so that maintenance can compare it with the record."""


@answers(Inspect)
class InspectResult(Result, frozen=True, kw_only=True):
    """The state of an entry in Redis. `state` is a PlaceState, or `absent`.

    - `ticket` identifies the signup that the entry belongs to.
    - `time_millis` is the deadline of a hold or an offer, the time at which the entry was parked,
      or the time at which the pass of an admitted customer ends. For a waiting entry it is the end
      of the entry's delay.
    - `stamp` is the logical timestamp of the decision that took the entry out of the queue. It is 0
      for a waiting entry.
    - `dirty_stamp` is the logical timestamp of the last decision that the record may lack, or 0.
    - `attributes_version` is the version of the entry's segments in Redis. It is None if Redis has
      no segments for the entry.
    - `readiness_version` is the version of the entry's readiness in Redis. It is None if Redis has
      no readiness for the entry.
    """

    state: str
    rank: Rank
    token: str
    time_millis: Number
    stamp: Number
    dirty_stamp: Number
    attributes_version: Number | None = None
    ticket: Ticket | None = None
    readiness_version: Number | None = None


class WaitingStay(Struct, frozen=True, array_like=True, gc=False):
    """A waiting entry that a rebuild restores.

    The encoding is compact, because a rebuild sends many entries. `known_stamp` has the same
    meaning as in Restore.
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
    """Restores up to 50 different waiting entries at the ranks in their records."""

    epoch: Epoch
    segments_version: Number = 0
    stays: Annotated[tuple[WaitingStay, ...], Meta(min_length=1, max_length=MAX_RESTORE_MANY)]


@answers(RestoreMany)
class RestoreManyResult(Result, frozen=True, kw_only=True):
    """The number of entries for each outcome.

    An entry was restored, was already present, or is gone. An entry is gone if the customer has
    left the waitlist or was admitted.
    """

    restored: Number = 0
    present: Number = 0
    gone: Number = 0
