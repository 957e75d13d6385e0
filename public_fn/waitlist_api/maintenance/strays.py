"""Find entries in Redis that have no record, and remove them from the queue.

A message that arrives very late can add an entry without a record.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct

from waitlist_api.clock import LeftMillis, no_deadline
from waitlist_api.maintenance.isolation import run_isolated
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.queue.client import QueueClient, send_batch
from waitlist_api.queue.messages import drop_of_place
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import ENDED, EntryRecord
from waitlist_api.records.journal import MINUTE
from waitlist_shared import contracts as c
from waitlist_shared.limits import MAX_PAGE, MAX_PRIORITY
from waitlist_shared.ranks import TIER

logger = logging.getLogger(__name__)

# How long maintenance waits before it checks again whether an entry still has no record. By then,
# every signup that was in progress has finished.
IN_FLIGHT_SECONDS = 10.0
STOP_MILLIS = 60_000
# If a signup is cancelled just after maintenance has checked its entry, the entry no longer has a
# record. That is why each run also checks the entries that joined up to two minutes before the last
# run.
OVERLAP = 2 * MINUTE


class Strays(Struct, frozen=True):
    """Compares all new entries, and one page of older entries, with their records."""

    queue: QueueClient
    entries: EntryRecords
    pause: Callable[[float], None]
    metrics: MetricsCollector

    def remove_strays(
        self,
        beats: Mapping[str, tuple[int, c.HeartbeatResult]],
        left_millis: LeftMillis = no_deadline,
    ) -> set[str]:
        """Remove the entries that have no record.

        Return the waitlists that could not be checked completely.
        """
        unfinished: set[str] = set()
        found: dict[str, list[c.WaitingEntry]] = {}
        for waitlist_id, page in self._pages(beats, left_millis, unfinished):
            strays = run_isolated(partial(self._find_strays, waitlist_id), page)
            if strays is None:
                unfinished.add(waitlist_id)
            elif strays:
                found.setdefault(waitlist_id, []).extend(strays)
        if found:
            # A signup can reach Redis before its record is written, so an entry without a record
            # may belong to a signup in progress. After this pause, such a signup has finished.
            self.pause(IN_FLIGHT_SECONDS)
        for waitlist_id, once in found.items():
            if run_isolated(partial(self._drop, waitlist_id), once) is None:
                unfinished.add(waitlist_id)
        return unfinished

    def _drop(self, waitlist_id: str, once: Sequence[c.WaitingEntry]) -> bool:
        """Remove the entries that still have no record."""
        for stray in self._find_strays(waitlist_id, once):
            self.queue.send(drop_of_place(waitlist_id, stray.entry_id, stray.ticket))
            self.metrics.add("losses_mended")
            logger.warning(
                "removed an entry that has no record",
                extra={"waitlist_id": waitlist_id, "entry_id": stray.entry_id},
            )
        return True

    def _pages(
        self,
        beats: Mapping[str, tuple[int, c.HeartbeatResult]],
        left_millis: LeftMillis,
        unfinished: set[str],
    ) -> Iterator[tuple[str, list[c.WaitingEntry]]]:
        """Yield each waitlist's new entries, and one page of its older entries.

        If a page cannot be read, add the waitlist to `unfinished`.
        """
        wanted: list[c.ListWaiting] = []
        for waitlist_id, (since, beat) in beats.items():
            behind = MAX_PRIORITY * TIER + max(since - OVERLAP, 0)
            wanted += [
                c.ListWaiting(waitlist_id=waitlist_id, after=behind),
                c.ListWaiting(waitlist_id=waitlist_id, first=1 + beat.beat * MAX_PAGE),
            ]
        while wanted and left_millis() >= STOP_MILLIS:
            answers = send_batch(self.queue, wanted)
            requests, wanted = wanted, []
            for request, answer in zip(requests, answers, strict=True):
                if not isinstance(answer, c.ListWaitingResult):
                    unfinished.add(request.waitlist_id)
                    continue
                yield request.waitlist_id, answer.entries
                is_of_beat = request.first is not None
                if is_of_beat and not answer.entries and answer.total and (request.first or 0) > 1:
                    # This page begins after the queue's last entry, so begin again at the head of
                    # the queue.
                    pages = -(-answer.total // MAX_PAGE)
                    first = 1 + ((request.first or 1) - 1) // MAX_PAGE % pages * MAX_PAGE
                    wanted.append(c.ListWaiting(waitlist_id=request.waitlist_id, first=first))
                elif not is_of_beat and answer.next_rank is not None:
                    wanted.append(
                        c.ListWaiting(waitlist_id=request.waitlist_id, after=answer.next_rank)
                    )
        unfinished.update(request.waitlist_id for request in wanted)

    def _find_strays(
        self, waitlist_id: str, page: Sequence[c.WaitingEntry]
    ) -> list[c.WaitingEntry]:
        records = self.entries.get_many(waitlist_id, [entry.entry_id for entry in page])
        return [entry for entry in page if _is_stray(entry, records.get(entry.entry_id))]


def _is_stray(entry: c.WaitingEntry, record: EntryRecord | None) -> bool:
    """Return whether the entry in Redis belongs to a signup that the table does not contain."""
    return record is None or (record.status in ENDED and record.ticket != entry.ticket)
