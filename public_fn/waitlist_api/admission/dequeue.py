"""Dequeue: send a claim or an admission to the queue, idempotently."""

import hashlib
import json
import secrets
from typing import Any

from msgspec import Struct, structs

from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.queue.segmented import SegmentedQueue
from waitlist_api.records.segments import Segment, Segments
from waitlist_shared import contracts as c
from waitlist_shared.limits import INTERNAL_ONCE_SECONDS, ONCE_SECONDS


class Dequeue(Struct, frozen=True):
    """Sends claims and admissions, from the whole queue or from a segment."""

    recovering_queue: RecoveringQueue
    segmented_queue: SegmentedQueue

    def send(self, request: c.Claim | c.Admit, segment: Segment | None) -> Any:
        """Return the result; raise InvalidFields if the segment is not declared."""
        if segment is None:
            return self.recovering_queue.read(request)
        return self.segmented_queue.send(_Within(request, segment))


class _Within(Struct, frozen=True):
    """A claim or an admission from a segment."""

    request: c.Claim | c.Admit
    segment: Segment

    @property
    def waitlist_id(self) -> str:
        return self.request.waitlist_id

    def under(self, segments: Segments) -> c.Claim | c.Admit:
        return structs.replace(
            self.request,
            segment=segments.named(self.segment, "body.filter"),
            segments_version=segments.version,
        )

    def check(self, segments: Segments) -> None:
        """The segment is checked where its id is made."""


def once_fields(by: str, idempotency_key: str, asked: list[Any]) -> dict[str, Any]:
    """Return the fields by which Redis recognises a repeat, and that it asks for the same."""
    # Without the client's key, only retries within this call are recognised.
    key = idempotency_key or secrets.token_hex(16)
    return {
        # Keys are per operator, so that another operator's repeat cannot return the claim tokens.
        "once_key": _digest(f"{by}\0{key}"),
        "once_body": _digest(json.dumps(asked, sort_keys=True)),
        "once_seconds": ONCE_SECONDS if idempotency_key else INTERNAL_ONCE_SECONDS,
    }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
