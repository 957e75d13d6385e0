"""Sends what carries an entry's segments, and sends it again where others are declared by now."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from waitlist_api.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.queue.messages import tag_of
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.segments import Segments
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_shared.errors import StaleSegments

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SegmentIndex:
    """Knows the declared segments as well as Redis does, whichever of the two is behind."""

    waitlist_cache: WaitlistCache
    recovering_queue: RecoveringQueue

    def send(
        self,
        waitlist_id: str,
        send: Callable[[Segments], T],
        check: Callable[[Segments], None] = lambda _: None,
    ) -> T:
        """Send by the segments that are remembered, and after StaleSegments by those of now.

        `check` judges those of now first: Redis has taken nothing so far, and may be spared it.
        """
        segments = self.waitlist_cache.find(waitlist_id).segments
        for _ in range(MAX_CONFLICT_RETRIES):
            try:
                return send(segments)
            except StaleSegments:
                waitlist = self.waitlist_cache.look_up(waitlist_id)
                # Redis is behind where the request that changed the segments was cut off.
                self.recovering_queue.resend_settings(waitlist)
                segments = waitlist.segments
            check(segments)
        return send(segments)

    def tag(self, record: EntryRecord) -> None:
        """Put an entry into the segments of its record; raise Gone if its stay has ended."""
        self.send(
            record.waitlist_id,
            lambda segments: self.recovering_queue.read(tag_of(record, segments)),
        )
