"""Send messages that depend on the declared segments. Repeat them if the segments change."""

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
    """A message whose content depends on the declared segments of the waitlist."""

    @property
    def waitlist_id(self) -> str: ...

    def to_request(self, segments: Segments) -> Any:
        """Return the request to send, or None if there is nothing to send.

        InvalidFields is raised if the segments do not accept the message.
        """

    def check(self, segments: Segments) -> None:
        """Raise InvalidFields if segments that were declared in the meantime refuse the message."""


class SegmentedQueue(Struct, frozen=True):
    """Sends messages so that the service and Redis use the same declared segments.

    Either of the two may have outdated segments.
    """

    waitlist_cache: WaitlistCache
    recovering_queue: RecoveringQueue

    def send(self, message: Segmented) -> Any:
        """Send a message built from the cached segments, and return the result.

        If Redis answers StaleSegments, the message is built again from the current segments.
        """
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
        """Send messages about one waitlist in one invocation. Return the result or error of each.

        If Redis refuses some of the messages because of stale segments, all messages are sent
        again.
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
        """Send the segments of a record to Redis. Raise Gone if the stay has ended."""
        self.send(Tagging(record))

    def catch_up(self, waitlist_id: str) -> Segments:
        """Read the current segments, send them to Redis, and return them.

        Redis has outdated settings if the request that changed the settings was interrupted.
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
