"""Count the waiting entries in each segment.

The counts come from Redis, and the attribute values of the segments come from the records.
"""

from msgspec import Struct

from waitlist_api import cursors
from waitlist_api.queue.segmented import SegmentedQueue
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.segments import Segment, Segments
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_shared import contracts as c


class SegmentCount(Struct, frozen=True):
    """A segment, and how many entries are waiting in it."""

    segment: Segment
    waiting: int

    @property
    def sort_key(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Segments are sorted by attribute names first, and then by attribute values."""
        return tuple(self.segment), tuple(self.segment.values())


class _Counting(Struct, frozen=True):
    waitlist_id: str
    after: str | None
    limit: int

    def to_request(self, segments: Segments) -> c.Segments:
        return c.Segments(
            waitlist_id=self.waitlist_id,
            segments_version=segments.version,
            after=self.after,
            limit=self.limit,
        )

    def check(self, segments: Segments) -> None:
        """Do nothing, because the request does not name any segments."""


class SegmentCounts(Struct, frozen=True):
    """Counts the waiting entries in each segment, for operators."""

    entries: EntryRecords
    waitlist_cache: WaitlistCache
    segmented_queue: SegmentedQueue

    def page(
        self, waitlist_id: str, cursor: str | None, limit: int
    ) -> tuple[list[SegmentCount], str | None]:
        """Return the segments with waiting entries, and the cursor for the next page."""
        after = cursors.decode_segment(cursor)
        # The counts come from Redis, and the segments' attribute values come from the records. If
        # an entry leaves between the two reads, its segment's values may not be found, so try
        # twice.
        for _ in range(2):
            segments, counts = self._count(waitlist_id, after, limit)
            names = self._find_names(segments, counts)
            if all(count.segment in names for count in counts):
                break
        named = [
            SegmentCount(names[count.segment], count.waiting)
            for count in counts
            if count.segment in names
        ]
        following = counts[-1].segment if len(counts) == limit else None
        return sorted(named, key=lambda count: count.sort_key), cursors.encode(following)

    def _count(
        self, waitlist_id: str, after: str | None, limit: int
    ) -> tuple[Segments, tuple[c.SegmentDepth, ...]]:
        counted: c.SegmentsResult = self.segmented_queue.send(_Counting(waitlist_id, after, limit))
        return self.waitlist_cache.find(waitlist_id).segments, counted.depths

    def _find_names(
        self, segments: Segments, counts: tuple[c.SegmentDepth, ...]
    ) -> dict[str, Segment]:
        """Return the attribute values of the segments, by segment id."""
        names: dict[str, Segment] = {}
        for turn in range(max((len(count.first) for count in counts), default=0)):
            unnamed = [count.first for count in counts if count.segment not in names]
            ids = dict.fromkeys(first[turn] for first in unnamed if len(first) > turn)
            for record in self.entries.get_many(segments.waitlist_id, list(ids)).values():
                names |= segments.find(record.attributes)
        return names
