"""Each minute's watch over orders that answer: have they lost something since the last?

Maintenance counts its runs in Redis (beats) and notes them in the record. What a failover loses is
always the newest: if the last two beats are still there, everything before them is too, and the
journal tells what came after. If they are not, the order is too old to be mended and is rebuilt.
"""

import logging
from collections.abc import Collection, Iterator, Sequence

from msgspec import to_builtins

from waitlist_api.clock import LeftMillis, without_end
from waitlist_api.maintenance.audit import Auditor, AuditWindow
from waitlist_api.maintenance.rebuild import Rebuilder
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.queue.client import QueueClient, send_batch
from waitlist_api.queue.messages import beat_of
from waitlist_api.records.journal import MINUTE
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords
from waitlist_shared import contracts as c
from waitlist_shared.errors import Outdated

logger = logging.getLogger(__name__)

# After a longer pause of maintenance no more than this is read of the journal.
LONGEST = 24 * 60 * MINUTE
# An audit that goes on looks this far back: what one run of maintenance has seen, the last minutes
# of it, may have been recorded only now.
OVERLAP = 2 * MINUTE


class Heartbeat:
    """Watches waitlists whose order is in Redis."""

    def __init__(
        self,
        queue: QueueClient,
        waitlists: WaitlistRecords,
        auditor: Auditor,
        rebuilder: Rebuilder,
        metrics: MetricsCollector,
    ) -> None:
        self._queue = queue
        self._waitlists = waitlists
        self._auditor = auditor
        self._rebuilder = rebuilder
        self._metrics = metrics

    def check(
        self, waitlists: Sequence[WaitlistRecord], left_millis: LeftMillis = without_end
    ) -> None:
        """Count a beat of each waitlist; rebuild what is outdated, audit the others."""
        missed = {one.waitlist_id for one in waitlists}
        try:
            for waitlist_id in self._compared(waitlists, left_millis):
                missed.discard(waitlist_id)
        finally:
            self._metrics.add("beats_missed", len(missed))

    def _compared(
        self, waitlists: Sequence[WaitlistRecord], left_millis: LeftMillis
    ) -> Iterator[str]:
        """Yield whose order is known to be as it was, or is on the way to be so again."""
        answers = send_batch(self._queue, [beat_of(one) for one in waitlists]) if waitlists else []
        windows: dict[str, AuditWindow] = {}
        for waitlist, answer in zip(waitlists, answers, strict=True):
            if isinstance(answer, c.HeartbeatResult):
                windows[waitlist.waitlist_id] = _window(waitlist, answer)
                if answer.outcome == "behind":
                    _warn("Redis has lost the last beat: what changed since is compared", waitlist)
                    self._metrics.add("beats_lost")
            elif isinstance(answer, Outdated):
                self._start_over(waitlist, left_millis)
                yield waitlist.waitlist_id
        left = dict(windows)
        for reached in self._auditor.audit(windows, left_millis):
            for waitlist_id, one in list(left.items()):
                if reached > one.since:
                    self._note(one, reached)
                if reached >= one.beat.stamp:
                    del left[waitlist_id]
                    yield waitlist_id
            if left:
                _log_progress(left.values(), reached)
        self._metrics.add("audits_unfinished", len(left))

    def _start_over(self, waitlist: WaitlistRecord, left_millis: LeftMillis) -> None:
        _warn("the order in Redis is older than the last watch: it is rebuilt", waitlist)
        self._metrics.add("orders_outdated")
        self._queue.send(c.Purge(waitlist_id=waitlist.waitlist_id))
        self._rebuilder.rebuild(waitlist, left_millis)

    def _note(self, windows: AuditWindow, reached: int) -> None:
        """Keep what was seen, now that everything up to a stamp has been compared."""
        watch, beat = windows.waitlist.checkpoint, windows.beat
        number = self._beat_behind_repairs(windows) if windows.repaired else beat.beat
        if number is None:
            return
        is_whole = reached >= beat.stamp
        if is_whole:
            watch = watch.after(beat.epoch, number, beat.stamp, to_builtins(beat.counters))
        if windows.repaired or not is_whole:
            watch = watch.audited_until(beat.epoch, number, reached, since=windows.began)
        self._waitlists.write_checkpoint(windows.waitlist.waitlist_id, watch)

    def _beat_behind_repairs(self, windows: AuditWindow) -> int | None:
        """Count another beat: as long as Redis has it, it has the repairs; None if it lost more."""
        beat = windows.beat
        waitlist_id = windows.waitlist.waitlist_id
        request = c.Heartbeat(waitlist_id=waitlist_id, epoch=beat.epoch, known_beat=beat.beat)
        (answer,) = send_batch(self._queue, [request])
        if isinstance(answer, c.HeartbeatResult) and answer.outcome == "beats":
            return answer.beat
        return None


def _log_progress(left: Collection[AuditWindow], reached: int) -> None:
    """Log how far an audit is that goes on, perhaps in the next run."""
    behind = max(one.beat.stamp for one in left) - reached
    logger.info(
        "what has changed since the last watch is compared with Redis",
        extra={"waitlists": len(left), "minutes_left": behind // MINUTE},
    )


def _warn(message: str, waitlist: WaitlistRecord) -> None:
    logger.warning(message, extra={"waitlist_id": waitlist.waitlist_id})


def _window(waitlist: WaitlistRecord, beat: c.HeartbeatResult) -> AuditWindow:
    """Return from where on changes may be lost, though the last beats are not."""
    watch = waitlist.checkpoint
    began = max(watch.previous_stamp or watch.stamp or beat.epoch_start, beat.stamp - LONGEST)
    # Where Redis lost the last beat, it may have lost what an earlier run has put right, too.
    audited = watch.audited - OVERLAP if beat.outcome == "beats" else 0
    return AuditWindow(waitlist, max(began, audited), beat, began)
