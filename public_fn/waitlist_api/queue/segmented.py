"""Sends messages that depend on the declared segments; repeats one after they have changed."""

from collections.abc import Sequence
from typing import Any, Protocol

from msgspec import Struct

from waitlist_api.queue.client import send_batch
from waitlist_api.queue.messages import Tagging
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.segments import Segments
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_shared import contracts as c
from waitlist_shared.errors import StaleSegments, WaitlistError


class Segmented(Protocol):
    """What is to be sent, before it is known by which segments."""

    @property
    def waitlist_id(self) -> str: ...

    def to_request(self, segments: Segments) -> Any:
        """Return the message, or None if nothing is to be sent; raise InvalidFields."""

    def check(self, segments: Segments) -> None:
        """Raise InvalidFields if segments that were declared meanwhile refuse the request."""


class SegmentedQueue(Struct, frozen=True):
    """Agrees with Redis on the declared segments, whichever of the two is behind."""

    waitlist_cache: WaitlistCache
    recovering_queue: RecoveringQueue

    def send(self, message: Segmented) -> Any:
        """Send by the cached segments; after StaleSegments again by the current ones."""
        request = self.waitlist_cache.checked(message.waitlist_id, message.to_request)
        for _ in range(MAX_CONFLICT_RETRIES):
            try:
                return self._send(request)
            except StaleSegments:
                segments = self.catch_up(message.waitlist_id)
            message.check(segments)
            request = message.to_request(segments)
        return self._send(request)

    def send_batch(self, messages: Sequence[Segmented]) -> list[c.Result | WaitlistError]:
        """Send messages about one waitlist in one invocation; return the result or error of each.

        Redis may refuse some as stale, and then gets all of them again.
        """
        waitlist_id = messages[0].waitlist_id
        segments = self.waitlist_cache.find(waitlist_id).segments
        for _ in range(MAX_CONFLICT_RETRIES):
            requests = [
                one for message in messages if (one := message.to_request(segments)) is not None
            ]
            answers = send_batch(self.recovering_queue.queue, requests)
            if not any(isinstance(answer, StaleSegments) for answer in answers):
                return answers
            segments = self.catch_up(waitlist_id)
        raise StaleSegments

    def update(self, record: EntryRecord) -> None:
        """Write the segments of a record to Redis; raise Gone if its stay has ended."""
        self.send(Tagging(record))

    def catch_up(self, waitlist_id: str) -> Segments:
        """Return the current segments, which Redis then has too.

        Redis has old settings if the request that changed them was cut off.
        """
        waitlist = self.waitlist_cache.look_up(waitlist_id)
        self.recovering_queue.resend_settings(waitlist)
        return waitlist.segments

    def _send(self, request: c.OnWaitlist | None) -> Any:
        if request is None:
            return None
        if isinstance(request, c.Signup | c.Insert):
            return self.recovering_queue.write(request)
        return self.recovering_queue.read(request)
