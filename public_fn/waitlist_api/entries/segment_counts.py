"""The number of waiting entries per segment: Redis counts, records give the segments' names."""

from msgspec import Struct

from waitlist_api import cursors
from waitlist_api.queue.segmented import SegmentedQueue
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.segments import Segment, Segments
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_shared import contracts as c


class SegmentCount(Struct, frozen=True):
    """The number of waiting entries in a segment."""

    segment: Segment
    waiting: int

    @property
    def reading_order(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The attributes' names, then their values."""
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
        """Any segments may be counted."""


class SegmentCounts(Struct, frozen=True):
    """Counts waiting entries by segment, for operators."""

    entries: EntryRecords
    waitlist_cache: WaitlistCache
    segmented_queue: SegmentedQueue

    def page(
        self, waitlist_id: str, cursor: str | None, limit: int
    ) -> tuple[list[SegmentCount], str | None]:
        """Return segments with waiting entries, and the cursor of the next page.

        A segment is left out if no record of its entries names it in two attempts.
        """
        after = cursors.decode_segment(cursor)
        # A leave or an edit between the two reads can leave a segment without a name.
        for _ in range(2):
            segments, counts = self._count(waitlist_id, after, limit)
            names = self._names(segments, counts)
            if all(one.segment in names for one in counts):
                break
        named = [
            SegmentCount(names[one.segment], one.waiting) for one in counts if one.segment in names
        ]
        following = counts[-1].segment if len(counts) == limit else None
        return sorted(named, key=lambda one: one.reading_order), cursors.encode(following)

    def _count(
        self, waitlist_id: str, after: str | None, limit: int
    ) -> tuple[Segments, tuple[c.SegmentDepth, ...]]:
        counted: c.SegmentsResult = self.segmented_queue.send(_Counting(waitlist_id, after, limit))
        return self.waitlist_cache.find(waitlist_id).segments, counted.depths

    def _names(self, segments: Segments, counts: tuple[c.SegmentDepth, ...]) -> dict[str, Segment]:
        """Return names by id: from each segment's first entry, else from its second, and so on."""
        names: dict[str, Segment] = {}
        for turn in range(max((len(one.first) for one in counts), default=0)):
            unnamed = [one.first for one in counts if one.segment not in names]
            ids = dict.fromkeys(first[turn] for first in unnamed if len(first) > turn)
            for record in self.entries.get_many(segments.waitlist_id, list(ids)).values():
                names |= segments.of(record.attributes)
        return names
