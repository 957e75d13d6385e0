"""Detect whether Redis has lost writes even though it still answers.

Maintenance increments a counter in Redis, called the heartbeat. If the counter has an older value,
Redis has lost its newest writes.
"""

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct, to_builtins

from waitlist_api.clock import LeftMillis, no_deadline
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

# An audit reads at most the last day's changes from the journal. Older changes are not audited,
# even if maintenance has not run for several days.
LONGEST_STAMPS = 24 * 60 * MINUTE
# A slow request may write a change with an older timestamp after an audit has read the journal, so
# a run that continues an audit reads the last two minutes again.
OVERLAP = 2 * MINUTE
NONE: Mapping[str, str] = MappingProxyType({})


class Heartbeat(Struct, frozen=True):
    """Detects and repairs writes that Redis has lost."""

    queue: QueueClient
    waitlists: WaitlistRecords
    auditor: Auditor
    strays: Strays
    rebuilder: Rebuilder
    metrics: MetricsCollector

    def check(
        self,
        waitlists: Sequence[WaitlistRecord],
        left_millis: LeftMillis = no_deadline,
        paces: Mapping[str, str] = NONE,
        seen: int = 0,
        told: Mapping[str, str] = NONE,
    ) -> bool:
        """Increment each waitlist's heartbeat counter, and repair the writes that Redis has
        lost.
        """
        missed = {waitlist.waitlist_id for waitlist in waitlists}
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
        """Compare each waitlist's changes with Redis, and rebuild outdated queues.

        Yield the id of each waitlist that is finished. A waitlist cannot be compared if Redis has
        lost its queue or is still restoring it. The ids of these waitlists are added to `rebuilt`,
        and are not yielded.
        """
        beats = [beat_of(waitlist, paces.get(waitlist.waitlist_id)) for waitlist in waitlists]
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
            for waitlist_id, window in list(left.items()):
                if reached >= window.beat.stamp:
                    compared[waitlist_id] = reached
                    del left[waitlist_id]
                elif reached > window.since and not window.failed:
                    self._write_checkpoint(window, reached)
            if left:
                _log_progress(left.values(), reached)
        self.metrics.add("audits_unfinished", len(left))
        beats_seen = {id_: (window.since, window.beat) for id_, window in windows.items()}
        unfinished = self.strays.remove_strays(beats_seen, left_millis)
        # Write the checkpoints at the end of the run. If the run is killed before that, the
        # waitlists have no new checkpoint, and the next run compares them again.
        for waitlist_id, reached in compared.items():
            window = windows[waitlist_id]
            if window.failed:
                continue
            is_finished = waitlist_id not in unfinished
            self._write_checkpoint(window, reached, told.get(waitlist_id) if is_finished else None)
            yield waitlist_id

    def _is_rebuilt_since(self, waitlist: WaitlistRecord) -> bool:
        """Return whether a different run has rebuilt the queue since `waitlist` was read."""
        now = self.waitlists.get(waitlist.waitlist_id)
        return now is not None and now.checkpoint.epoch != waitlist.checkpoint.epoch

    def _start_over(self, waitlist: WaitlistRecord, left_millis: LeftMillis) -> None:
        _warn("the order in Redis is older than the last checkpoint; rebuilding it", waitlist)
        self.metrics.add("orders_outdated")
        self.queue.send(c.Purge(waitlist_id=waitlist.waitlist_id))
        self.rebuilder.rebuild(waitlist, left_millis)

    def _write_checkpoint(self, window: AuditWindow, reached: int, told: str | None = None) -> None:
        """Write a checkpoint, which records that all changes up to the logical timestamp `reached`
        have been compared with Redis.
        """
        checkpoint, beat = window.waitlist.checkpoint, window.beat
        number = self._beat_after_repairs(window) if window.repaired else beat.beat
        if number is None:
            return
        is_whole = reached >= beat.stamp
        if is_whole:
            checkpoint = checkpoint.after(
                beat.epoch, number, beat.stamp, to_builtins(beat.counters), told
            )
        if window.repaired or not is_whole:
            checkpoint = checkpoint.audited_until(beat.epoch, number, reached, since=window.began)
        self.waitlists.write_checkpoint(window.waitlist.waitlist_id, checkpoint)

    def _beat_after_repairs(self, window: AuditWindow) -> int | None:
        """Increment the heartbeat counter a second time after repairing Redis, and return its new
        value.

        Return None if Redis has lost more writes in the meantime.
        """
        beat = window.beat
        waitlist_id = window.waitlist.waitlist_id
        request = c.Heartbeat(waitlist_id=waitlist_id, epoch=beat.epoch, known_beat=beat.beat)
        (answer,) = send_batch(self.queue, [request])
        if isinstance(answer, c.HeartbeatResult) and answer.outcome == "beats":
            return answer.beat
        return None


def _log_progress(left: Collection[AuditWindow], reached: int) -> None:
    """Log the progress of an unfinished audit, which the next run may continue."""
    behind = max(window.beat.stamp for window in left) - reached
    logger.info(
        "comparing changes since the last checkpoint with Redis",
        extra={"waitlists": len(left), "minutes_left": behind // MINUTE},
    )


def _warn(message: str, waitlist: WaitlistRecord) -> None:
    logger.warning(message, extra={"waitlist_id": waitlist.waitlist_id})


def _window(waitlist: WaitlistRecord, beat: c.HeartbeatResult, seen: int) -> AuditWindow:
    """Return the range of changes that Redis may have lost."""
    checkpoint = waitlist.checkpoint
    began = max(checkpoint.stamp_before_last or _before_order(beat), beat.stamp - LONGEST_STAMPS)
    # If Redis has lost the counter's last increment, it may also have lost what the previous run
    # repaired, so compare all changes since `began` again.
    audited = max(checkpoint.audited, seen) - OVERLAP if beat.outcome == "beats" else 0
    return AuditWindow(waitlist, max(began, audited), beat, began)


def _before_order(beat: c.HeartbeatResult) -> int:
    """Return a logical timestamp one hour before the queue was created or rebuilt.

    A new or rebuilt queue's first audit compares the changes after this timestamp.
    """
    return max(0, beat.epoch_start - NO_CHECKPOINT_LOOK_STAMPS)
