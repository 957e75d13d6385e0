"""Checks whether a Redis that still answers has lost writes since the last check.

Each minute in which a waitlist has changed, maintenance increments its heartbeat in Redis and
stores it in the record (checkpoint). A failover
always loses the newest writes: if the last two heartbeats are still in Redis, so is everything
before them, and the journal has every later change. Otherwise the order is too old to be repaired,
and is rebuilt.
"""

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct, to_builtins

from waitlist_api.clock import LeftMillis, without_end
from waitlist_api.maintenance.audit import Auditor, AuditWindow
from waitlist_api.maintenance.rebuild import Rebuilder
from waitlist_api.maintenance.rebuild_passes import NO_CHECKPOINT_LOOK_STAMPS
from waitlist_api.maintenance.strays import Strays
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.queue.client import QueueClient, send_batch
from waitlist_api.queue.messages import beat_of
from waitlist_api.records.journal import MINUTE
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords
from waitlist_shared import contracts as c
from waitlist_shared.errors import Cold, Outdated, Rebuilding

logger = logging.getLogger(__name__)

# The audit reads at most this much of the journal, also after a longer pause of maintenance.
LONGEST = 24 * 60 * MINUTE
# A continued audit goes back this far: a decision of the last minutes may have been recorded after
# the former run read the journal.
OVERLAP = 2 * MINUTE
NONE: Mapping[str, str] = MappingProxyType({})


class Heartbeat(Struct, frozen=True):
    """Detects lost writes of waitlists whose order is in Redis."""

    queue: QueueClient
    waitlists: WaitlistRecords
    auditor: Auditor
    strays: Strays
    rebuilder: Rebuilder
    metrics: MetricsCollector

    def check(
        self,
        waitlists: Sequence[WaitlistRecord],
        left_millis: LeftMillis = without_end,
        paces: Mapping[str, str] = NONE,
        seen: int = 0,
        told: Mapping[str, str] = NONE,
    ) -> bool:
        """Increment the heartbeat of each waitlist; rebuild outdated orders, audit the others.

        The heartbeat also brings the waitlist's pace. Changes up to the stamp `seen` are compared
        already, unless Redis has lost the last heartbeat. Return whether every waitlist is
        compared, or will be by its rebuild.

        The run has done all that was due on the waitlists in `told`, which has what their
        checkpoints have of that name. The others are unfinished, and so are those on which this
        check leaves anything undone: their checkpoints say so, and the next run maintains them.
        """
        missed = {one.waitlist_id for one in waitlists}
        rebuilt: set[str] = set()
        try:
            for waitlist_id in self._compared(waitlists, paces, seen, rebuilt, left_millis, told):
                missed.discard(waitlist_id)
        finally:
            self.metrics.add("beats_missed", len(missed))
        return missed <= rebuilt

    def _compared(
        self,
        waitlists: Sequence[WaitlistRecord],
        paces: Mapping[str, str],
        seen: int,
        rebuilt: set[str],
        left_millis: LeftMillis,
        told: Mapping[str, str],
    ) -> Iterator[str]:
        """Yield the ids of waitlists whose order is checked; add those with a rebuild to do."""
        beats = [beat_of(one, paces.get(one.waitlist_id)) for one in waitlists]
        answers = send_batch(self.queue, beats) if beats else []
        windows: dict[str, AuditWindow] = {}
        for waitlist, answer in zip(waitlists, answers, strict=True):
            if isinstance(answer, c.HeartbeatResult):
                windows[waitlist.waitlist_id] = _window(waitlist, answer, seen)
                if answer.outcome == "behind":
                    _warn(
                        "Redis has lost the last heartbeat; comparing later changes",
                        waitlist,
                    )
                    self.metrics.add("beats_lost")
            elif isinstance(answer, Outdated):
                if not self._is_rebuilt_since(waitlist):
                    self._start_over(waitlist, left_millis)
                yield waitlist.waitlist_id
            elif isinstance(answer, Cold | Rebuilding):
                rebuilt.add(waitlist.waitlist_id)
        left = dict(windows)
        compared: dict[str, int] = {}
        for reached in self.auditor.audit(windows, left_millis):
            for waitlist_id, one in list(left.items()):
                if reached >= one.beat.stamp:
                    compared[waitlist_id] = reached
                    del left[waitlist_id]
                elif reached > one.since and not one.failed:
                    self._note(one, reached)
            if left:
                _log_progress(left.values(), reached)
        self.metrics.add("audits_unfinished", len(left))
        beats_seen = {id_: (one.since, one.beat) for id_, one in windows.items()}
        unfinished = self.strays.take_out(beats_seen, left_millis)
        # Last of all, because a run that dies before this leaves the waitlist busy.
        for waitlist_id, reached in compared.items():
            window = windows[waitlist_id]
            if window.failed:
                continue
            is_finished = waitlist_id not in unfinished
            self._note(window, reached, told.get(waitlist_id) if is_finished else None)
            yield waitlist_id

    def _is_rebuilt_since(self, waitlist: WaitlistRecord) -> bool:
        """Return whether this run or another has rebuilt the order since `waitlist` was read."""
        now = self.waitlists.get(waitlist.waitlist_id)
        return now is not None and now.checkpoint.epoch != waitlist.checkpoint.epoch

    def _start_over(self, waitlist: WaitlistRecord, left_millis: LeftMillis) -> None:
        _warn("the order in Redis is older than the last checkpoint; rebuilding it", waitlist)
        self.metrics.add("orders_outdated")
        self.queue.send(c.Purge(waitlist_id=waitlist.waitlist_id))
        self.rebuilder.rebuild(waitlist, left_millis)

    def _note(self, windows: AuditWindow, reached: int, told: str | None = None) -> None:
        """Write the checkpoint, after all changes up to a stamp were compared.

        Without `told` the waitlist is unfinished.
        """
        watch, beat = windows.waitlist.checkpoint, windows.beat
        number = self._beat_behind_repairs(windows) if windows.repaired else beat.beat
        if number is None:
            return
        is_whole = reached >= beat.stamp
        if is_whole:
            watch = watch.after(beat.epoch, number, beat.stamp, to_builtins(beat.counters), told)
        if windows.repaired or not is_whole:
            watch = watch.audited_until(beat.epoch, number, reached, since=windows.began)
        self.waitlists.write_checkpoint(windows.waitlist.waitlist_id, watch)

    def _beat_behind_repairs(self, windows: AuditWindow) -> int | None:
        """Increment the heartbeat after repairs: while Redis has it, it has the repairs.

        Return None if Redis has lost more since.
        """
        beat = windows.beat
        waitlist_id = windows.waitlist.waitlist_id
        request = c.Heartbeat(waitlist_id=waitlist_id, epoch=beat.epoch, known_heartbeat=beat.beat)
        (answer,) = send_batch(self.queue, [request])
        if isinstance(answer, c.HeartbeatResult) and answer.outcome == "beats":
            return answer.beat
        return None


def _log_progress(left: Collection[AuditWindow], reached: int) -> None:
    """Log the progress of an unfinished audit, which the next run may continue."""
    behind = max(one.beat.stamp for one in left) - reached
    logger.info(
        "comparing changes since the last checkpoint with Redis",
        extra={"waitlists": len(left), "minutes_left": behind // MINUTE},
    )


def _warn(message: str, waitlist: WaitlistRecord) -> None:
    logger.warning(message, extra={"waitlist_id": waitlist.waitlist_id})


def _window(waitlist: WaitlistRecord, beat: c.HeartbeatResult, seen: int) -> AuditWindow:
    """Return the range of stamps whose changes Redis may have lost."""
    watch = waitlist.checkpoint
    began = max(watch.stamp_before_last or _before_order(beat), beat.stamp - LONGEST)
    # If Redis lost the last heartbeat, it may also have lost repairs of an earlier run.
    audited = max(watch.audited, seen) - OVERLAP if beat.outcome == "beats" else 0
    return AuditWindow(waitlist, max(began, audited), beat, began)


def _before_order(beat: c.HeartbeatResult) -> int:
    """Return a stamp at which the first comparison of an order begins: one before the order began.

    A request may get a place from an order that is then lost, and record the place after the
    rebuild has read the journal. The place has a stamp of the lost order.
    """
    return max(0, beat.epoch_start - NO_CHECKPOINT_LOOK_STAMPS)
