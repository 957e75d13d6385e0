"""Rebuilds a lost order from the record; any number may try, one does it."""

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any

from waitlist_api.clock import NowMillis
from waitlist_api.cold_guard import ColdGuard, warm_of
from waitlist_api.comparing import drop_of_erased
from waitlist_api.lease import Leases
from waitlist_api.leaving import drop_of, drop_of_former
from waitlist_api.queue_client import QueueClient, send_batch
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, SHARDS, EntryRecord
from waitlist_api.records.journal import ERASED, MINUTE, Change, Journal
from waitlist_api.records.places import Placed, Places
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords
from waitlist_api.segments import Segments
from waitlist_api.standing import restore_of
from waitlist_shared import contracts as c
from waitlist_shared.errors import WaitlistError
from waitlist_shared.limits import MAX_BATCH

logger = logging.getLogger(__name__)

# The index is behind the table by moments and the writers' clocks are off by minutes: whatever
# changed this long before the rebuild began is read again, from the table itself.
SECOND_LOOK_MILLIS = 15 * 60_000
SECOND_LOOK_STAMPS = 15 * MINUTE
LONGEST_LOOK_STAMPS = 24 * 60 * MINUTE
# Of an order that was never watched, longer: after a clock has gone back, its next life begins
# later than any clock says.
UNWATCHED_LOOK_STAMPS = 60 * MINUTE
RENEW_SECONDS = 15.0
# A write that was under way when Redis was lost, and the index after it, have arrived by then.
SETTLED_MILLIS = 2_000


class Rebuilder:
    """Restores waitlists whose order Redis has lost.

    First pass: everybody in the index, shards in parallel. Second pass: whoever changed or left
    since shortly before, or is leaving, as the table has them. Third pass: whatever the journal
    has of that time, for the index may be behind; it is enough where another server, hardly
    behind the last, has taken over. A flush in between changes the epoch, so does another server,
    and an operator may change the segments: every restore by the old ones is refused then, and
    the next run begins anew.
    """

    def __init__(
        self,
        queue: QueueClient,
        guard: ColdGuard,
        waitlists: WaitlistRecords,
        entries: EntryRecords,
        places: Places,
        journal: Journal,
        leases: Leases,
        now_millis: NowMillis,
        pause: Callable[[float], None],
    ) -> None:
        self._queue = queue
        self._guard = guard
        self._waitlists = waitlists
        self._entries = entries
        self._places = places
        self._journal = journal
        self._leases = leases
        self._now_millis = now_millis
        self._pause = pause

    def rebuild(self, waitlist: WaitlistRecord) -> bool:
        """Rebuild a waitlist unless another does; return whether its order is complete now."""
        lease = self._leases.take(waitlist)
        if lease is None:
            return False
        try:
            opened = self._guard.open(waitlist.waitlist_id)
            if opened.state == "hydrating":
                logger.info("rebuild begins", extra={"waitlist_id": waitlist.waitlist_id})
                # From here on an order of another life is outdated, wherever it comes from.
                watch = replace(waitlist.watch, epoch=opened.epoch, beat=0)
                self._waitlists.note_watch(waitlist.waitlist_id, watch)
                self._restore(waitlist, opened, lease.renew)
            return True
        finally:
            lease.release()

    def _restore(
        self, waitlist: WaitlistRecord, opened: c.InitResult, renew: Callable[[], None]
    ) -> None:
        began_millis, epoch = self._now_millis(), opened.epoch
        counted: Counter[str] = Counter()

        def first_pass(shard: int) -> int:
            return self._first_pass(waitlist.segments, shard, epoch)

        def second_pass(shard: int) -> int:
            since_millis = began_millis - SECOND_LOOK_MILLIS
            return self._second_pass(waitlist.segments, shard, epoch, since_millis)

        def third_pass(shard: int) -> int:
            return self._third_pass(waitlist, shard, opened, counted)

        # On another server that was hardly behind all but the last minutes are in order.
        is_whole = opened.is_mending
        restored = 0 if is_whole else _in_parallel(first_pass, renew)
        self._pause(max(0, began_millis + SETTLED_MILLIS - self._now_millis()) / 1000)
        corrected = 0 if is_whole else _in_parallel(second_pass, renew)
        corrected += _in_parallel(third_pass, renew)
        self._queue.send(warm_of(waitlist, epoch, counted))
        logger.info(
            "rebuild ends",
            extra={
                "waitlist_id": waitlist.waitlist_id,
                "restored": restored,
                "looked_at_twice": corrected,
            },
        )

    def _first_pass(self, segments: Segments, shard: int, epoch: str) -> int:
        restored = 0
        for page in self._places.in_line(segments.waitlist_id, shard):
            restored += self._send([restore_of(placed, segments, epoch) for placed in page])
        return restored

    def _second_pass(self, segments: Segments, shard: int, epoch: str, since_millis: int) -> int:
        looked_at = 0
        waitlist_id = segments.waitlist_id
        for page in self._changed(waitlist_id, shard, since_millis):
            records = self._entries.get_many(waitlist_id, [placed.entry_id for placed in page])
            corrections = [
                _correction(one, records.get(one.entry_id), segments, epoch) for one in page
            ]
            looked_at += self._send([one for one in corrections if one is not None])
        return looked_at

    def _third_pass(
        self, waitlist: WaitlistRecord, shard: int, opened: c.InitResult, counted: Counter[str]
    ) -> int:
        """Correct and count by the journal, which is never behind, up to this life of the order."""
        looked_at = 0
        recent = max(0, opened.born - SECOND_LOOK_STAMPS)
        counted_after = opened.counted_until or max(0, opened.born - UNWATCHED_LOOK_STAMPS)
        since = max(min(counted_after, recent), opened.born - LONGEST_LOOK_STAMPS)
        for page in self._journal.of_shard(shard, since, opened.born):
            changes = [one for one in page if one.waitlist_id == waitlist.waitlist_id]
            counted.update(one.counts for one in changes if one.counted_at > counted_after)
            records = self._entries.get_many(
                waitlist.waitlist_id, [change.entry_id for change in changes]
            )
            corrections = [
                _correction_of(one, records.get(one.entry_id), waitlist.segments, opened.epoch)
                for one in {one.entry_id: one for one in changes}.values()
            ]
            looked_at += self._send([one for one in corrections if one is not None])
        return looked_at

    def _changed(self, waitlist_id: str, shard: int, since_millis: int) -> Iterator[list[Placed]]:
        yield from self._places.changed_in_line(waitlist_id, shard, since_millis)
        yield from self._places.ended(waitlist_id, shard, since_millis)
        yield from self._places.unfinished(waitlist_id, shard)

    def _send(self, requests: list[c.Single]) -> int:
        for start in range(0, len(requests), MAX_BATCH):
            for answer in send_batch(self._queue, requests[start : start + MAX_BATCH]):
                if isinstance(answer, WaitlistError) and answer.code != "gone":
                    raise answer
        return len(requests)


def _correction(
    placed: Placed, record: EntryRecord | None, segments: Segments, epoch: str
) -> c.Single | None:
    """Return what makes Redis agree with the record; `placed` may be older than that."""
    if record is not None and record.status == "joining" and placed.ticket is None:
        # Its signup is under way and may have a place already; the stay before has none.
        return drop_of_former(record)
    if record is not None and record.status in PRESENT:
        return restore_of(Placed.from_record(record), segments, epoch, overwrite=True)
    return c.Drop(
        waitlist_id=placed.waitlist_id,
        entry_id=placed.entry_id,
        join_id=placed.join_id,
        ticket=placed.ticket,
    )


def _correction_of(
    change: Change, record: EntryRecord | None, segments: Segments, epoch: str
) -> c.Single | None:
    """Return what makes Redis agree with the record of whom the journal speaks of."""
    if record is None:
        return drop_of_erased(change) if change.status == ERASED else None
    if record.status in PRESENT:
        return restore_of(Placed.from_record(record), segments, epoch, overwrite=True)
    return None if record.status == "joining" else drop_of(record)


def _in_parallel(work: Callable[[int], int], renew: Callable[[], None]) -> int:
    """Do the work of every shard, renewing the lease meanwhile; return the sum."""
    with ThreadPoolExecutor(max_workers=SHARDS) as pool:
        pending: set[Future[Any]] = {pool.submit(work, shard) for shard in range(SHARDS)}
        everything = list(pending)
        while pending:
            _, pending = wait(pending, timeout=RENEW_SECONDS)
            renew()
        return sum(future.result() for future in everything)
