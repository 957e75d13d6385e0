"""Sends messages that depend on the declared segments; repeats one after they have changed."""

from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct

from waitlist_api.queue.messages import tag_of
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.segments import Segments
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_shared.errors import StaleSegments

T = TypeVar("T")


class SegmentedQueue(Struct, frozen=True):
    """Agrees with Redis on the declared segments, whichever of the two is behind."""

    waitlist_cache: WaitlistCache
    recovering_queue: RecoveringQueue

    def send(
        self,
        waitlist_id: str,
        send: Callable[[Segments], T],
        check: Callable[[Segments], None] = lambda _: None,
    ) -> T:
        """Send by the cached segments; after StaleSegments send again by the current ones.

        `check` validates the current segments before the message is sent again.
        """
        segments = self.waitlist_cache.find(waitlist_id).segments
        for _ in range(MAX_CONFLICT_RETRIES):
            try:
                return send(segments)
            except StaleSegments:
                waitlist = self.waitlist_cache.look_up(waitlist_id)
                # Redis has old settings if the request that changed them was cut off.
                self.recovering_queue.resend_settings(waitlist)
                segments = waitlist.segments
            check(segments)
        return send(segments)

    def update(self, record: EntryRecord) -> None:
        """Write the segments of a record to Redis; raise Gone if its stay has ended."""
        self.send(
            record.waitlist_id,
            lambda segments: self.recovering_queue.read(tag_of(record, segments)),
        )
