"""Send claims and admissions to Redis, with digests that identify repeated requests."""

import hashlib
import json
import secrets
from collections.abc import Sequence
from typing import Any

from msgspec import Struct, structs

from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.queue.segmented import SegmentedQueue
from waitlist_api.records.segments import Segment, Segments
from waitlist_shared import contracts as c
from waitlist_shared.limits import INTERNAL_ONCE_SECONDS, ONCE_SECONDS


class Dequeue(Struct, frozen=True):
    """Sends claims and admissions for the whole queue or for segments of the queue."""

    recovering_queue: RecoveringQueue
    segmented_queue: SegmentedQueue

    def send(
        self,
        request: c.Claim | c.Admit,
        filter_: Segment | None = None,
        filters: Sequence[Segment] | None = None,
    ) -> Any:
        """Send the request, and return its result.

        `filters` lists segments in order of preference.
        """
        if filter_ is None and filters is None:
            return self.recovering_queue.read(request)
        return self.segmented_queue.send(_Within(request, filter_, filters or ()))


class _Within(Struct, frozen=True):
    """A claim or an admission for one segment, or for several segments in order of preference."""

    request: c.Claim | c.Admit
    filter: Segment | None
    filters: Sequence[Segment]

    @property
    def waitlist_id(self) -> str:
        return self.request.waitlist_id

    def to_request(self, segments: Segments) -> c.Claim | c.Admit:
        segment = None if self.filter is None else segments.find_id(self.filter, "body.filter")
        filters = tuple(
            segments.find_id(segment_filter, f"body.filters.{number}")
            if segment_filter
            else c.EVERYONE
            for number, segment_filter in enumerate(self.filters)
        )
        return structs.replace(
            self.request, segment=segment, filters=filters, segments_version=segments.version
        )

    def check(self, segments: Segments) -> None:
        """Do nothing, because `to_request` raises an error if a segment does not exist."""


def once_fields(by: str, idempotency_key: str, asked: Sequence[Any]) -> dict[str, Any]:
    """Return the request fields by which Redis recognises a repeated request."""
    # If the client has sent no key, use a random key, so that Redis recognises the retries of this
    # call.
    key = idempotency_key or secrets.token_hex(16)
    return {
        # Include the operator in the digest. If a second operator uses the same key, Redis must not
        # return the first operator's claim tokens.
        "once_key": _digest(f"{by}\0{key}"),
        "once_body": _digest(json.dumps(asked, sort_keys=True)),
        "once_seconds": ONCE_SECONDS if idempotency_key else INTERNAL_ONCE_SECONDS,
    }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
