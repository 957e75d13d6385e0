"""The messages by which maintenance detects lost writes and restores an order."""

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
    """Counts a run of maintenance, and compares the count with that of the previous run.

    If `pace` is given, it replaces the pace that polls read.
    """

    epoch: Epoch | None = None
    known_beat: Number = 0
    pace: PaceText | None = None


@answers(Heartbeat)
class HeartbeatResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `beats`, or `behind` if Redis has lost its most recent writes.

    `behind` means that all writes since the second-to-last heartbeat may be lost. All stamps of
    this epoch are later than `epoch_start`.
    """

    epoch: Epoch
    beat: Number
    stamp: Ticket
    epoch_start: Ticket
    counters: Counters


class Inspect(OnEntry, frozen=True, kw_only=True):
    """Reads the state of an entry in Redis, to compare it with the record."""


@answers(Inspect)
class InspectResult(Result, frozen=True, kw_only=True):
    """The state of an entry in Redis. `state` is a PlaceState, or `absent`.

    `time_millis` is as in Restore. For a waiting entry it is the end of its delay. `ticket`
    identifies the stay that has the place. `stamp` is the stamp of the decision that took the entry
    out of the queue, and `dirty_stamp` the stamp of a decision that the record may lack. Each
    of them is 0 if there is no such decision. `attributes_version` is the version of the entry's
    segments in Redis, and `readiness_version` the version of its readiness. They are None if Redis
    has no segments or no readiness of the entry.
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
    """A waiting entry to restore. The encoding is compact, because a rebuild sends many entries.

    `known_stamp` is as in Restore.
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
    """Restores up to 50 different waiting entries at the ranks that their records have."""

    epoch: Epoch
    segments_version: Number = 0
    stays: Annotated[tuple[WaitingStay, ...], Meta(min_length=1, max_length=MAX_RESTORE_MANY)]


@answers(RestoreMany)
class RestoreManyResult(Result, frozen=True, kw_only=True):
    """The number of entries for each outcome.

    An entry was restored, was present already, or is gone because its stay has ended.
    """

    restored: Number = 0
    present: Number = 0
    gone: Number = 0
