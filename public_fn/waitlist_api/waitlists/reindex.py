"""Reindex entries after an operator has changed the declared segments."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Literal

from msgspec import Struct

from waitlist_api.clock import IsTimeUp, never
from waitlist_api.queue.client import QueueClient, send_all
from waitlist_api.queue.messages import tag_of
from waitlist_api.queue.segmented import SegmentedQueue
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import ENDED, EntryRecord
from waitlist_api.records.lease import Leases
from waitlist_api.records.segments import Segments
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords
from waitlist_shared import contracts as c
from waitlist_shared.errors import StaleSegments
from waitlist_shared.limits import MAX_BATCH, MAX_COMBINATIONS

logger = logging.getLogger(__name__)

Where = Literal["waiting", "held", "parked"]
EVERYWHERE: tuple[Where, ...] = ("waiting", "held", "parked")
PAGE = MAX_BATCH
# How many times to search for entries that are not indexed yet. A search can miss an entry that is
# moved while it runs.
ROUNDS = 4
Renew = Callable[[], None]


class Reindexer(Struct, frozen=True):
    """Copies every entry's segments from its record to Redis.

    Redis knows which entries are not indexed yet, so an interrupted run can be continued.
    """

    queue: QueueClient
    segmented_queue: SegmentedQueue
    waitlists: WaitlistRecords
    entries: EntryRecords
    leases: Leases

    def confirm(self, segments: Segments) -> bool:
        """Return whether Redis has indexed all entries.

        If it has, also record this in the waitlist's record.
        """
        found = self._ask(segments, "waiting", 0, limit=1)
        if found.outcome != "ready":
            return False
        self.waitlists.note_segments(segments, "ready")
        return True

    def reindex(self, waitlist: WaitlistRecord, is_time_up: IsTimeUp = never) -> None:
        """Index all entries by the current segments, unless another process is already doing
        this.
        """
        lease = self.leases.take(waitlist)
        if lease is None:
            return
        try:
            for _ in range(ROUNDS):
                # An operator has changed the segments again.
                with suppress(StaleSegments):
                    segments = self.segmented_queue.catch_up(waitlist.waitlist_id)
                    self._index(segments, lease.renew, is_time_up)
                    break
        finally:
            lease.release()

    def _index(self, segments: Segments, renew: Renew, is_time_up: IsTimeUp) -> None:
        if self.confirm(segments):
            return
        about = {"waitlist_id": segments.waitlist_id, "segments_version": segments.version}
        logger.info("re-index begins", extra=about)
        self.waitlists.note_segments(segments, "building")
        pages = self._unindexed(segments, renew, is_time_up)
        indexed = sum(self._write(segments, ids) for ids in pages)
        is_ready = self.confirm(segments)
        logger.info("re-index ends", extra={**about, "tagged": indexed, "is_ready": is_ready})

    def _unindexed(
        self, segments: Segments, renew: Renew, is_time_up: IsTimeUp
    ) -> Iterator[tuple[str, ...]]:
        """Yield the ids of entries that are not indexed yet, one page at a time."""
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
                if is_time_up():
                    return

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

    def _write(self, segments: Segments, entry_ids: Sequence[str]) -> int:
        records = self.entries.get_many(segments.waitlist_id, entry_ids)
        messages = [
            _message_of(entry_id, records.get(entry_id), segments) for entry_id in entry_ids
        ]
        send_all(self.queue, messages)
        return len(messages)


def _message_of(entry_id: str, record: EntryRecord | None, segments: Segments) -> c.Tag:
    if record is None or record.status in ENDED:
        # The signup has ended, so the entry belongs to no segment. Send it to Redis without
        # segments, because the index is complete only when every entry in Redis has been indexed.
        return c.Tag(
            waitlist_id=segments.waitlist_id,
            entry_id=entry_id,
            join_id=c.NO_STAY,
            segments_version=segments.version,
        )
    count = segments.count(record.attributes)
    if count > MAX_COMBINATIONS:
        logger.warning(
            "entry %s of waitlist %s is in no segment, because its attributes make %d combinations"
            " and only %d are allowed; give the entry fewer values with PATCH, or declare fewer"
            " segments",
            entry_id,
            segments.waitlist_id,
            count,
            MAX_COMBINATIONS,
        )
    return tag_of(record, segments)
