"""The messages about segments.

They say which entries belong to a segment, and how many of these entries are waiting.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from waitlist_shared.contracts.common import (
    EntryId,
    Number,
    OnEntry,
    OnTaggedStay,
    OnWaitlist,
    Result,
    SegmentId,
    Ticket,
    answers,
)
from waitlist_shared.limits import MAX_BATCH, MAX_PAGE


class MarkDirty(OnEntry, frozen=True, kw_only=True):
    """Marks an entry before its record is changed, so that maintenance soon compares the entry with
    its record.
    """

    # The newest logical timestamp in the record. Redis returns a later timestamp.
    known_stamp: Ticket = 0


@answers(MarkDirty)
class MarkDirtyResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `marked`, or `absent` if Redis does not have the entry."""

    stamp: Ticket


class Tag(OnTaggedStay, frozen=True, kw_only=True):
    """Writes an entry's segments, and the reasons why it is not ready.

    The entry may be waiting, claimed, offered a slot, or parked (set aside).
    """


@answers(Tag)
class TagResult(Result, frozen=True):
    """The `outcome` is `tagged`, or `kept` if Redis already has these values or newer ones.

    The outcome is `absent` if Redis does not have the entry.
    """


class Untagged(OnWaitlist, frozen=True, kw_only=True):
    """Lists entries that are missing from the segment index.

    If no entry is missing, Redis marks the index as complete.
    """

    segments_version: Number
    which: Literal["waiting", "not_ready", "held", "parked"] = "waiting"
    offset: Number = 0
    limit: Annotated[int, Meta(ge=1, le=MAX_BATCH)] = MAX_BATCH


@answers(Untagged)
class UntaggedResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `untagged`, or `ready` if no entry is missing from the segment index."""

    # The number of entries that this call has checked. It is 0 if earlier calls have checked all
    # entries.
    looked_at: int = 0
    entry_ids: tuple[EntryId, ...] = ()


class Segments(OnWaitlist, frozen=True, kw_only=True):
    """Reads a page of the segments that have waiting entries, with the number of these entries and
    the first of them.

    The page begins after the segment `after`.
    """

    segments_version: Number
    after: SegmentId | None = None
    limit: Annotated[int, Meta(ge=1, le=MAX_PAGE)] = MAX_PAGE


class SegmentDepth(Struct, frozen=True, kw_only=True):
    """A segment's number of waiting entries, and the ids of the first few.

    The caller reads the segment's attribute values from the records of these entries.
    """

    segment: SegmentId
    waiting: int
    first: tuple[EntryId, ...]


@answers(Segments)
class SegmentsResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `segments`. A page with fewer segments than `limit` is the last page."""

    depths: tuple[SegmentDepth, ...] = ()
