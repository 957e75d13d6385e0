"""Each minute's watch over orders that answer: have they lost something since the last?

Maintenance counts its runs in Redis (beats) and notes them in the record. What a failover loses is
always the newest: if the last two beats are still there, everything before them is too, and the
journal tells what came after. If they are not, the order is too old to be mended and is rebuilt.
"""

import logging
from collections.abc import Iterator, Sequence

from msgspec import to_builtins

from waitlist_api.care.auditing import Auditor, Watched
from waitlist_api.care.rebuilding import Rebuilder
from waitlist_api.clock import LeftMillis, without_end
from waitlist_api.queue_client import QueueClient, send_batch
from waitlist_api.records.journal import MINUTE
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords
from waitlist_api.telling.tally import Tally
from waitlist_shared import contracts as c
from waitlist_shared.errors import Outdated

logger = logging.getLogger(__name__)

# After a longer pause of maintenance no more than this is read of the journal.
LONGEST = 24 * 60 * MINUTE


class Watching:
    """Watches waitlists whose order is in Redis."""

    def __init__(
        self,
        queue: QueueClient,
        waitlists: WaitlistRecords,
        auditor: Auditor,
        rebuilder: Rebuilder,
        tally: Tally,
    ) -> None:
        self._queue = queue
        self._waitlists = waitlists
        self._auditor = auditor
        self._rebuilder = rebuilder
        self._tally = tally

    def watch(
        self, waitlists: Sequence[WaitlistRecord], left_millis: LeftMillis = without_end
    ) -> None:
        """Count a beat of each waitlist; rebuild what is outdated, audit the others."""
        missed = {one.waitlist_id for one in waitlists}
        try:
            for waitlist_id in self._compared(waitlists, left_millis):
                missed.discard(waitlist_id)
        finally:
            self._tally.add("beats_missed", len(missed))

    def _compared(
        self, waitlists: Sequence[WaitlistRecord], left_millis: LeftMillis
    ) -> Iterator[str]:
        """Yield whose order is known to be as it was, or is on the way to be so again."""
        answers = send_batch(self._queue, [_beat(one) for one in waitlists]) if waitlists else []
        watched: dict[str, Watched] = {}
        for waitlist, answer in zip(waitlists, answers, strict=True):
            if isinstance(answer, c.BeatResult):
                watched[waitlist.waitlist_id] = Watched(waitlist, _since(waitlist, answer), answer)
                if answer.outcome == "behind":
                    _warn("Redis has lost the last beat: what changed since is compared", waitlist)
                    self._tally.add("beats_lost")
            elif isinstance(answer, Outdated):
                self._start_over(waitlist, left_millis)
                yield waitlist.waitlist_id
        self._auditor.audit(watched)
        for waitlist_id, one in watched.items():
            self._note(one)
            yield waitlist_id

    def _start_over(self, waitlist: WaitlistRecord, left_millis: LeftMillis) -> None:
        _warn("the order in Redis is older than the last watch: it is rebuilt", waitlist)
        self._tally.add("orders_outdated")
        self._queue.send(c.Purge(waitlist_id=waitlist.waitlist_id))
        self._rebuilder.rebuild(waitlist, left_millis)

    def _note(self, watched: Watched) -> None:
        """Keep what was seen, now that everything before it has been compared."""
        lost, beat = watched.lost_counts(), watched.beat
        waitlist_id = watched.waitlist.waitlist_id
        if any(lost.values()):
            logger.warning(
                "Redis had lost counts; they are added", extra={**lost, "waitlist_id": waitlist_id}
            )
            self._tally.add("losses_mended", sum(lost.values()))
            counters = c.Counters(**lost)
            self._queue.send(c.Count(waitlist_id=waitlist_id, epoch=beat.epoch, counters=counters))
        counts = {name: count + lost[name] for name, count in to_builtins(beat.counters).items()}
        watch = watched.waitlist.watch.after(beat.epoch, beat.beat, beat.stamp, counts)
        self._waitlists.note_watch(waitlist_id, watch)


def _warn(message: str, waitlist: WaitlistRecord) -> None:
    logger.warning(message, extra={"waitlist_id": waitlist.waitlist_id})


def _beat(waitlist: WaitlistRecord) -> c.Beat:
    return c.Beat(
        waitlist_id=waitlist.waitlist_id,
        epoch=waitlist.watch.epoch or None,
        known_beat=waitlist.watch.beat,
    )


def _since(waitlist: WaitlistRecord, beat: c.BeatResult) -> int:
    """Return the stamp from which on changes may be lost, though the last beats are not."""
    watch = waitlist.watch
    return max(watch.previous_stamp or watch.stamp or beat.born, beat.stamp - LONGEST)
