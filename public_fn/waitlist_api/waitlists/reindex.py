"""Puts people into their segments anew after an operator has declared others."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from waitlist_api.queue.client import QueueClient, send_batch
from waitlist_api.queue.messages import tag_of
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import ENDED, EntryRecord
from waitlist_api.records.lease import Leases
from waitlist_api.records.segments import Segments
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords
from waitlist_api.segments.index import SegmentIndex
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone, WaitlistError
from waitlist_shared.limits import MAX_BATCH, MAX_COMBINATIONS

logger = logging.getLogger(__name__)

Where = Literal["waiting", "held", "parked"]
EVERYWHERE: tuple[Where, ...] = ("waiting", "held", "parked")
PAGE = MAX_BATCH
# Whoever moves while a round is under way may be met by the next; the next run goes on.
ROUNDS = 4
# No stay is called so: nothing that has ended is in the way of this name.
NO_STAY = "00000000"
Renew = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Reindexer:
    """Tells Redis the segments of everybody on a list, from the record.

    Redis says who is missing, so that whatever cuts this off, the next run goes on. Those who
    come or are changed meanwhile bring their segments themselves.
    """

    queue: QueueClient
    waitlist_cache: WaitlistCache
    segment_index: SegmentIndex
    waitlists: WaitlistRecords
    entries: EntryRecords
    leases: Leases

    def confirm(self, segments: Segments) -> bool:
        """Return whether everybody is in their segments; if so, the record says it from now on."""
        found = self._ask(segments, "waiting", 0, limit=1)
        if found.outcome != "ready":
            return False
        self.waitlists.note_segments(segments, "ready")
        return True

    def reindex(self, waitlist: WaitlistRecord) -> None:
        """Put everybody into the segments that are declared now, unless another does."""
        lease = self.leases.take(waitlist)
        if lease is None:
            return
        try:
            self.waitlist_cache.look_up(waitlist.waitlist_id)
            self.segment_index.send(waitlist.waitlist_id, lambda now: self._index(now, lease.renew))
        finally:
            lease.release()

    def _index(self, segments: Segments, renew: Renew) -> None:
        if self.confirm(segments):
            return
        about = {"waitlist_id": segments.waitlist_id, "segments_version": segments.version}
        logger.info("re-index begins", extra=about)
        self.waitlists.note_segments(segments, "building")
        tagged = sum(self._tag(segments, ids) for ids in self._untagged(segments, renew))
        is_ready = self.confirm(segments)
        logger.info("re-index ends", extra={**about, "tagged": tagged, "is_ready": is_ready})

    def _untagged(self, segments: Segments, renew: Renew) -> Iterator[tuple[str, ...]]:
        """Yield pages of those who are missing, until nobody is or the rounds are over."""
        for where in EVERYWHERE * ROUNDS:
            offset, looked_at = 0, PAGE
            while looked_at:
                renew()
                found = self._ask(segments, where, offset, PAGE)
                if found.outcome == "ready":
                    return
                if found.entry_ids:
                    yield found.entry_ids
                looked_at = found.looked_at
                offset += looked_at

    def _ask(self, segments: Segments, where: Where, offset: int, limit: int) -> c.UntaggedResult:
        found: c.UntaggedResult = self.queue.send(
            c.Untagged(
                waitlist_id=segments.waitlist_id,
                segments_version=segments.version,
                which=where,
                offset=offset,
                limit=limit,
            )
        )
        return found

    def _tag(self, segments: Segments, entry_ids: Sequence[str]) -> int:
        records = self.entries.get_many(segments.waitlist_id, entry_ids)
        tags = [_tag_of(entry_id, records.get(entry_id), segments) for entry_id in entry_ids]
        for answer in send_batch(self.queue, tags):
            if isinstance(answer, WaitlistError) and not isinstance(answer, Gone):
                raise answer
        return len(tags)


def _tag_of(entry_id: str, record: EntryRecord | None, segments: Segments) -> c.Tag:
    if record is None or record.status in ENDED:
        # A place that is about to be given up: in no segment, and in nobody's way until then.
        return c.Tag(
            waitlist_id=segments.waitlist_id,
            entry_id=entry_id,
            join_id=NO_STAY,
            segments_version=segments.version,
        )
    count = segments.count(record.attributes)
    if count > MAX_COMBINATIONS:
        logger.warning(
            "entry %s of %s is in no segment: its attributes make %d combinations, more than %d;"
            " give it fewer values with PATCH, or declare fewer segments",
            entry_id,
            segments.waitlist_id,
            count,
            MAX_COMBINATIONS,
        )
    return tag_of(record, segments)
