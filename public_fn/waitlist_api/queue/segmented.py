"""Send requests that depend on the declared segments, and retry if the segments have changed."""

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
    """A request that depends on the declared segments of the waitlist."""

    @property
    def waitlist_id(self) -> str: ...

    def to_request(self, segments: Segments) -> Any:
        """Return the request to send, or None if there is nothing to send.

        Raise InvalidFields if the request does not fit the segments that the waitlist declares.
        """

    def check(self, segments: Segments) -> None:
        """Raise InvalidFields if the request does not fit the waitlist's current segments, which
        may have changed after the request was built.
        """


class SegmentedQueue(Struct, frozen=True):
    """Sends requests, and ensures that the service and Redis use the same declared segments."""

    waitlist_cache: WaitlistCache
    recovering_queue: RecoveringQueue

    def send(self, message: Segmented) -> Any:
        """Send a request that is based on the waitlist's cached segments, and return the result.

        If the segments have changed, read them again and retry.
        """
        request = self.waitlist_cache.checked(
            message.waitlist_id, lambda waitlist: message.to_request(waitlist.segments)
        )
        for _ in range(MAX_CONFLICT_RETRIES):
            try:
                return self._send(request)
            except StaleSegments:
                segments = self.catch_up(message.waitlist_id)
            message.check(segments)
            request = message.to_request(segments)
        return self._send(request)

    def send_batch(self, messages: Sequence[Segmented]) -> list[c.Result | WaitlistError]:
        """Send requests about one waitlist in one invocation.

        Return the result or the error of each request.
        """
        waitlist_id = messages[0].waitlist_id
        segments = self.waitlist_cache.find(waitlist_id).segments
        for _ in range(MAX_CONFLICT_RETRIES):
            requests = [
                request
                for message in messages
                if (request := message.to_request(segments)) is not None
            ]
            answers = send_batch(self.recovering_queue.queue, requests)
            if not any(isinstance(answer, StaleSegments) for answer in answers):
                return answers
            segments = self.catch_up(waitlist_id)
        raise StaleSegments

    def update(self, record: EntryRecord) -> None:
        """Send an entry's segments to Redis. Raise Gone if the signup has ended."""
        self.send(Tagging(record))

    def catch_up(self, waitlist_id: str) -> Segments:
        """Read the current segments, send them to Redis, and return them."""
        waitlist = self.waitlist_cache.look_up(waitlist_id)
        self.recovering_queue.resend_settings(waitlist)
        return waitlist.segments

    def _send(self, request: c.OnWaitlist | None) -> Any:
        if request is None:
            return None
        if isinstance(request, c.Signup | c.Insert):
            return self.recovering_queue.write(request)
        return self.recovering_queue.read(request)
