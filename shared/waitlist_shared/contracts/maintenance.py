"""The messages of maintenance that detect lost writes and restore an order."""

from typing import Annotated

from msgspec import Meta, Struct, field

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
from waitlist_shared.limits import MAX_FILL


class Heartbeat(OnWaitlist, frozen=True, kw_only=True, tag="beat"):
    """Counts a run of maintenance, and compares with the count of the run before.

    A `pace` replaces the one that polls read.
    """

    epoch: Epoch | None = None
    known_heartbeat: Number = field(default=0, name="known_beat")
    pace: PaceText | None = None


@answers(Heartbeat)
class HeartbeatResult(Result, frozen=True, kw_only=True):
    """`outcome` is beats, or behind: Redis has lost what came since the beat before the last.

    All stamps of this epoch are later than `epoch_start`.
    """

    epoch: Epoch
    beat: Number
    stamp: Ticket
    epoch_start: Ticket = field(name="born")
    counters: Counters


class Inspect(OnEntry, frozen=True, kw_only=True, tag="look"):
    """Reads how Redis has an entry, to compare it with its record."""


@answers(Inspect)
class InspectResult(Result, frozen=True, kw_only=True):
    """`state` is a PlaceState, or absent; `time_millis` as in Restore, or when a delay ends.

    `ticket` is that of the stay that has the place, None if an older private function answers.
    `stamp` is that of the decision that took the entry out of the queue, `unsettled_stamp` that of
    a decision that the record may lack; 0 without one. `attributes_version` is that of the entry's
    segments in Redis, `readiness_version` that of its readiness, None if Redis has none.
    """

    state: str
    rank: Rank
    token: str
    time_millis: Number
    stamp: Number
    unsettled_stamp: Number
    attributes_version: Number | None = None
    ticket: Ticket | None = None
    readiness_version: Number | None = None


class WaitingStay(Struct, frozen=True, array_like=True, gc=False):
    """A waiting entry to restore, in few bytes, because a rebuild sends many.

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


class RestoreMany(OnWaitlist, frozen=True, kw_only=True, tag="fill"):
    """Puts up to 50 waiting entries back at their recorded ranks; it has each entry once."""

    epoch: Epoch
    segments_version: Number = 0
    stays: Annotated[tuple[WaitingStay, ...], Meta(min_length=1, max_length=MAX_FILL)]


@answers(RestoreMany)
class RestoreManyResult(Result, frozen=True, kw_only=True):
    """How many entries were restored, were present, and had ended their stay."""

    restored: Number = 0
    present: Number = 0
    gone: Number = 0
