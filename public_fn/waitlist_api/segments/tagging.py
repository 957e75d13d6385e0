"""Sends what carries an entry's segments, and sends it again where others are declared by now."""

from collections.abc import Callable
from typing import Any, TypeVar

from waitlist_api.cold_guard import ColdGuard
from waitlist_api.directory import Directory
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.places import Placed
from waitlist_api.segments.declared import Segments
from waitlist_shared import contracts as c
from waitlist_shared.errors import StaleSegments

# Each turn meets another change of the declaration: two within one request are rare.
TURNS = 3

T = TypeVar("T")


class Tagger:
    """Knows the declared segments as well as Redis does, whichever of the two is behind."""

    def __init__(self, directory: Directory, guard: ColdGuard) -> None:
        self._directory = directory
        self._guard = guard

    def send(
        self,
        waitlist_id: str,
        send: Callable[[Segments], T],
        check: Callable[[Segments], None] = lambda _: None,
    ) -> T:
        """Send by the segments that are remembered, and after StaleSegments by those of now.

        `check` judges those of now first: Redis has taken nothing so far, and may be spared it.
        """
        segments = self._directory.find(waitlist_id).segments
        for _ in range(TURNS):
            try:
                return send(segments)
            except StaleSegments:
                waitlist = self._directory.look_up(waitlist_id)
                # Redis is behind where the request that changed the segments was cut off.
                self._guard.repeat(waitlist)
                segments = waitlist.segments
            check(segments)
        return send(segments)

    def tag(self, record: EntryRecord) -> None:
        """Put an entry into the segments of its record; raise Gone if its stay has ended."""
        self.send(record.waitlist_id, lambda segments: self._guard.read(tag_of(record, segments)))


def tags_of(segments: Segments, entry: EntryRecord | Placed) -> dict[str, Any]:
    """Return what tells an entry's segments in every message that does."""
    return {
        "segments": tuple(segments.of(entry.attributes)),
        "segments_version": segments.version,
        "attributes_version": entry.attributes_version,
    }


def tag_of(record: EntryRecord, segments: Segments) -> c.Tag:
    """Return the message that puts an entry into its segments, wherever on the list it is."""
    return c.Tag(
        waitlist_id=record.waitlist_id,
        entry_id=record.entry_id,
        join_id=record.join_id,
        **tags_of(segments, record),
    )
