"""Dequeue: send a claim or an admission to the queue, idempotently."""

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
    """Sends claims and admissions, from the whole queue or from a segment."""

    recovering_queue: RecoveringQueue
    segmented_queue: SegmentedQueue

    def send(
        self,
        request: c.Claim | c.Admit,
        filter_: Segment | None = None,
        filters: Sequence[Segment] | None = None,
    ) -> Any:
        """Return the result; raise InvalidFields if a segment is not declared.

        With `filters` each entry is of the first that has a ready one; an empty one is everyone.
        """
        if filter_ is None and filters is None:
            return self.recovering_queue.read(request)
        return self.segmented_queue.send(_Within(request, filter_, filters or ()))


class _Within(Struct, frozen=True):
    """A claim or an admission from a segment, or by filters in order of preference."""

    request: c.Claim | c.Admit
    filter: Segment | None
    filters: Sequence[Segment]

    @property
    def waitlist_id(self) -> str:
        return self.request.waitlist_id

    def to_request(self, segments: Segments) -> c.Claim | c.Admit:
        segment = None if self.filter is None else segments.named(self.filter, "body.filter")
        filters = tuple(
            segments.named(one, f"body.filters.{number}") if one else c.EVERYONE
            for number, one in enumerate(self.filters)
        )
        return structs.replace(
            self.request, segment=segment, filters=filters, segments_version=segments.version
        )

    def check(self, segments: Segments) -> None:
        """The segments are checked where their ids are made."""


def once_fields(by: str, idempotency_key: str, asked: Sequence[Any]) -> dict[str, Any]:
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
