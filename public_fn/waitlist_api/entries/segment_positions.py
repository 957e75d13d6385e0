"""Read an entry's position within its segments, such as "3rd in line for Spanish"."""

from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.entries.position import EntryView, Positions, view_of
from waitlist_api.queue.messages import Locating
from waitlist_api.queue.segmented import SegmentedQueue
from waitlist_api.records.conflicts import retry_on_conflict
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.segments import Segment
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone, Rebuilding

FIELD = "query.segment"


class SegmentPlace(Struct, frozen=True):
    """An entry's position within a segment. `total` is None if the waitlist hides its totals."""

    segment: Segment
    position: int
    total: int | None


class _Answer(Struct, frozen=True):
    """An entry's positions in the queue and in the requested segments, as returned by Redis."""

    asked: tuple[Segment, ...]
    found: c.PositionResult

    @property
    def is_whole(self) -> bool:
        """True if Redis has returned a position for each segment in the request."""
        return all(place.position is not None for place in self.found.places)

    def places(self) -> list[SegmentPlace]:
        return [
            SegmentPlace(segment, place.position, self._shown(place.total))
            for segment, place in zip(self.asked, self.found.places, strict=True)
            if place.position is not None
        ]

    def _shown(self, total: int) -> int | None:
        return None if self.found.hide_counts else total


class SegmentPositions(Struct, frozen=True):
    """Reads an entry's positions in the queue and in its segments with a single request."""

    waitlist_cache: WaitlistCache
    entries: EntryRecords
    segmented_queue: SegmentedQueue
    positions: Positions

    def read(
        self, waitlist_id: str, entry_id: str, names: Sequence[str]
    ) -> tuple[EntryView, list[SegmentPlace]]:
        """Return the entry's position in the queue, and its positions within segments.

        `names` contains the attributes that define a segment. An entry with several values for an
        attribute belongs to several segments, and has a position in each of them.
        """

        def attempt() -> tuple[EntryView, list[SegmentPlace]] | None:
            record = self.entries.find(waitlist_id, entry_id)
            answer = self._ask(record, names)
            view = view_of(entry_id, answer.found, answer.found.hide_counts)
            if view is None:
                # Redis does not have the entry. Read its position, which restores the entry, and
                # then ask for the segments again.
                view = self.positions.read(waitlist_id, entry_id)
                return None if view.position is not None else (view, [])
            if answer.found.has_call_numbers:
                view = view.with_call_number(record)
            if view.position is None:
                return view, []
            if answer.is_whole:
                view = self.positions.without_old_question(waitlist_id, view)
                return replace(view, is_due=answer.found.is_due), answer.places()
            # Redis does not have all the entry's segments, because an edit was interrupted or is in
            # progress. Send the segments from the record.
            with suppress(Gone):
                self.segmented_queue.update(record)
            return None

        return retry_on_conflict(attempt, Rebuilding)

    def _ask(self, record: EntryRecord, names: Sequence[str]) -> _Answer:
        message = Locating(record, tuple(names), FIELD)
        found: c.PositionResult = self.segmented_queue.send(message)
        asked = message.asked(self.waitlist_cache.find(record.waitlist_id).segments)
        if found.places and len(asked) != len(found.places):
            # An operator has changed the segments in the meantime, so ask Redis again.
            return self._ask(record, names)
        return _Answer(tuple(asked.values()), found)
