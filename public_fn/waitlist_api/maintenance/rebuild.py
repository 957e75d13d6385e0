"""Use the records in DynamoDB to rebuild a queue that Redis has lost."""

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.clock import LeftMillis, NowMillis, no_deadline
from waitlist_api.maintenance.rebuild_passes import RebuildPasses
from waitlist_api.maintenance.rebuild_run import RebuildRun
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.queue.client import QueueClient
from waitlist_api.queue.messages import init_of
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.entry import SHARDS
from waitlist_api.records.lease import Lease, Leases
from waitlist_api.records.rebuild_progress import RebuildProgress
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords
from waitlist_shared import contracts as c

logger = logging.getLogger(__name__)

# The interval at which a rebuild renews its lease and saves its progress. If a run is killed, the
# next run repeats at most one interval's work.
NOTE_SECONDS = 5.0
# A run with less time left than this stops.
STOP_MILLIS = 60_000
# When Redis loses its data, some writes to the DynamoDB table may be in progress. After this time,
# they have reached the table and its index, so a rebuild does not begin its second pass earlier.
SETTLED_MILLIS = 2_000

# The number of shards that a rebuild restores in parallel. More shards would not make the rebuild
# faster, but would make other requests slower.
AT_ONCE = 4

Pass = Callable[[RebuildRun, int], None]


class Rebuilder(Struct, frozen=True):
    """Restores the queues that Redis has lost.

    The first pass restores all entries in an index of the table. The index may be outdated, so two
    further passes correct the entries that have changed recently.
    """

    queue: QueueClient
    recovering_queue: RecoveringQueue
    waitlists: WaitlistRecords
    passes: RebuildPasses
    leases: Leases
    now_millis: NowMillis
    pause: Callable[[float], None]
    metrics: MetricsCollector

    def rebuild(self, waitlist: WaitlistRecord, left_millis: LeftMillis = no_deadline) -> bool:
        """Rebuild a waitlist's queue. Return whether the queue is complete."""
        lease = self.leases.take(waitlist)
        if lease is None:
            return False
        run: RebuildRun | None = None
        is_whole = False
        try:
            opened = self.recovering_queue.initialise(waitlist.waitlist_id)
            if opened.state == "hydrating":
                run = self._open_run(lease, opened, lambda: left_millis() < STOP_MILLIS)
                self._restore(run, lease)
            is_whole = True
        except _TimeIsUp:
            logger.info("rebuild pauses", extra=_about(waitlist, run))
        finally:
            lease.release(is_rebuilt=is_whole)
            # Positions cannot be read until the rebuild is complete. If this run has made progress,
            # start the next run at once, even after an error.
            if run is not None and not is_whole and run.has_advanced:
                self.queue.start_maintenance(waitlist.waitlist_id)
        return is_whole

    def forget(self, waitlist: WaitlistRecord) -> None:
        """Delete the saved progress of a rebuild that is complete."""
        self.waitlists.forget_rebuild(waitlist)

    def _open_run(
        self, lease: Lease, opened: c.InitResult, is_time_up: Callable[[], bool]
    ) -> RebuildRun:
        """Return a run that continues the last rebuild or starts a new one."""
        waitlist, rebuild = lease.waitlist, lease.waitlist.rebuild
        # Store the new queue's id before restoring any entries. If a failover brings back an older
        # queue, its different id tells maintenance that it is outdated.
        checkpoint = replace(waitlist.checkpoint, epoch=opened.epoch, beat=0, audited=0)
        self.waitlists.write_checkpoint(waitlist.waitlist_id, checkpoint)
        version = waitlist.segments_version
        if rebuild is None or (rebuild.epoch, rebuild.segments_version) != (opened.epoch, version):
            rebuild = self._new_progress(waitlist, opened)
            lease.renew(rebuild)
            self.metrics.add("rebuilds_started")
        run = RebuildRun(waitlist, opened, rebuild, is_time_up)
        logger.info("rebuild starts or continues", extra=_about(waitlist, run))
        return run

    def _new_progress(self, waitlist: WaitlistRecord, opened: c.InitResult) -> RebuildProgress:
        return RebuildProgress(
            epoch=opened.epoch,
            segments_version=waitlist.segments_version,
            began_millis=self.now_millis(),
            expected=waitlist.checkpoint.present,
        )

    def _restore(self, run: RebuildRun, lease: Lease) -> None:
        if run.rebuild.stage == "line":
            self._run_pass(self.passes.restore_line, run, lease)
            run.begin("changes")
        settled_millis = run.rebuild.began_millis + SETTLED_MILLIS
        self.pause(max(0, settled_millis - self.now_millis()) / 1000)
        if run.rebuild.stage == "changes":
            self._run_pass(self.passes.correct_changed, run, lease)
            run.begin("journal")
        self._run_pass(self.passes.correct_by_journal, run, lease)
        self.queue.send(init_of(run.waitlist, "finish_rebuild", run.epoch))
        self.metrics.add("rebuilds_finished")
        logger.info("rebuild ends", extra=_about(run.waitlist, run))

    def _run_pass(self, work: Pass, run: RebuildRun, lease: Lease) -> None:
        """Run a pass of the rebuild on all unfinished shards. Raise _TimeIsUp if the run has to
        stop.
        """
        shards = [shard for shard in range(SHARDS) if not run.rebuild.is_at_end(shard)]
        with ThreadPoolExecutor(max_workers=min(SHARDS, AT_ONCE)) as pool:
            pending: set[Future[Any]] = {pool.submit(work, run, shard) for shard in shards}
            everything = list(pending)
            try:
                while pending:
                    _, pending = wait(pending, timeout=NOTE_SECONDS)
                    lease.renew(run.rebuild)
            except BaseException:
                run.give_up()
                raise
        for future in everything:
            future.result()
        if not all(run.rebuild.is_at_end(shard) for shard in shards):
            raise _TimeIsUp


class _TimeIsUp(Exception):
    """The run has no time left. The next run continues the rebuild."""


def _about(waitlist: WaitlistRecord, run: RebuildRun | None) -> dict[str, Any]:
    about: dict[str, Any] = {"waitlist_id": waitlist.waitlist_id}
    if run is not None:
        rebuild = run.rebuild
        about |= {"stage": rebuild.stage, "done": rebuild.done, "total": rebuild.total}
    return about
