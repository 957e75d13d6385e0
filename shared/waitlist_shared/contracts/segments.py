"""The messages about segments: the entries in each, and how many of them wait."""

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


class MarkDirty(OnEntry, frozen=True, kw_only=True, tag="mark"):
    """Marks an entry whose record is about to change: maintenance compares it within a minute.

    The stamp of the change is later than `known_stamp`, the newest one that the record has.
    """

    known_stamp: Ticket = 0


@answers(MarkDirty)
class MarkDirtyResult(Result, frozen=True, kw_only=True):
    """`outcome` is marked, or absent if Redis does not have the entry."""

    stamp: Ticket


class Tag(OnTaggedStay, frozen=True, kw_only=True, tag="tag"):
    """Writes an entry's segments and readiness, wherever on the list the entry is."""


@answers(Tag)
class TagResult(Result, frozen=True):
    """`outcome` is tagged, kept (what is known is as new) or absent."""


class Untagged(OnWaitlist, frozen=True, kw_only=True, tag="untagged"):
    """Lists entries that the index of segments lacks; without any, the segments are ready."""

    segments_version: Number
    which: Literal["waiting", "not_ready", "held", "parked"] = "waiting"
    offset: Number = 0
    limit: Annotated[int, Meta(ge=1, le=MAX_BATCH)] = MAX_BATCH


@answers(Untagged)
class UntaggedResult(Result, frozen=True, kw_only=True):
    """`outcome` is untagged, or ready; `looked_at` is 0 behind the end."""

    looked_at: int = 0
    entry_ids: tuple[EntryId, ...] = ()


class Segments(OnWaitlist, frozen=True, kw_only=True, tag="segments"):
    """Reads the segments with waiting entries, those behind `after`."""

    segments_version: Number
    after: SegmentId | None = None
    limit: Annotated[int, Meta(ge=1, le=MAX_PAGE)] = MAX_PAGE


class SegmentDepth(Struct, frozen=True, kw_only=True):
    """How many entries wait in a segment, and the first of them: their records have its name."""

    segment: SegmentId
    waiting: int
    first: tuple[EntryId, ...]


@answers(Segments)
class SegmentsResult(Result, frozen=True, kw_only=True):
    """`outcome` is segments; fewer than `limit` are the last."""

    depths: tuple[SegmentDepth, ...] = ()
