"""Rebuilds a lost order from the record; any number may try, one does it."""

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any

from waitlist_api.clock import LeftMillis, NowMillis, without_end
from waitlist_api.maintenance.rebuild_passes import RebuildPasses
from waitlist_api.maintenance.rebuild_run import RebuildRun
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.queue.client import QueueClient
from waitlist_api.queue.messages import init_of
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.entry import SHARDS
from waitlist_api.records.lease import Lease, Leases
from waitlist_api.records.rebuild_progress import RebuildProgress, Stage
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords
from waitlist_shared import contracts as c

logger = logging.getLogger(__name__)

# At most so often the lease is renewed and progress noted: what a killed run did since is repeated.
NOTE_SECONDS = 5.0
# A run stops with so much of its time left: a page and its repeats take less than half of it.
STOP_MILLIS = 60_000
# A write that was under way when Redis was lost, and the index after it, have arrived by then.
SETTLED_MILLIS = 2_000

# Shards at once: more would only wait for each other, and keep Redis from others.
AT_ONCE = 4

Pass = Callable[[RebuildRun, int], None]


class Rebuilder:
    """Restores waitlists whose order Redis has lost.

    First pass: everybody in the index, shards in parallel. Second pass: whoever changed or left
    since shortly before, or is leaving, as the table has them. Third pass: whatever the journal
    has of that time, for the index may be behind; it is enough where another server, hardly
    behind the last, has taken over. A run whose time is up, or that is cut off, is gone on with by
    the next. A flush in between changes the epoch, so does another server, and an operator may
    change the segments: every restore by the old ones is refused then, and the next run begins
    anew.
    """

    def __init__(
        self,
        queue: QueueClient,
        recovering_queue: RecoveringQueue,
        waitlists: WaitlistRecords,
        passes: RebuildPasses,
        leases: Leases,
        now_millis: NowMillis,
        pause: Callable[[float], None],
        metrics: MetricsCollector,
    ) -> None:
        self._queue = queue
        self._recovering_queue = recovering_queue
        self._waitlists = waitlists
        self._passes: dict[Stage, Pass] = {
            "line": passes.line,
            "changes": passes.changes,
            "journal": passes.journal,
        }
        self._leases = leases
        self._now_millis = now_millis
        self._pause = pause
        self._metrics = metrics

    def rebuild(self, waitlist: WaitlistRecord, left_millis: LeftMillis = without_end) -> bool:
        """Rebuild a waitlist unless another does; return whether its order is complete now."""
        lease = self._leases.take(waitlist)
        if lease is None:
            return False
        run: RebuildRun | None = None
        is_whole = False
        try:
            opened = self._recovering_queue.initialise(waitlist.waitlist_id)
            if opened.state == "hydrating":
                run = self._run_of(lease, opened, lambda: left_millis() < STOP_MILLIS)
                self._restore(run, lease)
            is_whole = True
        except _TimeIsUp:
            logger.info("rebuild stops for now", extra=_about(waitlist, run))
        finally:
            lease.release(is_rebuilt=is_whole)
            # Also after a failure, which may have passed: all positions wait for this. A run that
            # came no further would only be followed by the same at once.
            if run is not None and not is_whole and run.has_advanced:
                self._queue.start_maintenance(waitlist.waitlist_id)
        return is_whole

    def forget(self, waitlist: WaitlistRecord) -> None:
        """Take back the progress of a rebuild that ended without saying so."""
        self._waitlists.forget_rebuild(waitlist)

    def _run_of(
        self, lease: Lease, opened: c.InitResult, is_time_up: Callable[[], bool]
    ) -> RebuildRun:
        """Return a run that goes on where the last one stopped, or begins."""
        waitlist, rebuild = lease.waitlist, lease.waitlist.rebuild
        # From here on an order of another life is outdated, wherever it comes from.
        watch = replace(waitlist.checkpoint, epoch=opened.epoch, beat=0, audited=0)
        self._waitlists.write_checkpoint(waitlist.waitlist_id, watch)
        version = waitlist.segments_version
        if rebuild is None or (rebuild.epoch, rebuild.segments_version) != (opened.epoch, version):
            rebuild = self._begun(waitlist, opened)
            lease.renew(rebuild)
            self._metrics.add("rebuilds_started")
        run = RebuildRun(waitlist, opened, rebuild, is_time_up)
        logger.info("rebuild begins or goes on", extra=_about(waitlist, run))
        return run

    def _begun(self, waitlist: WaitlistRecord, opened: c.InitResult) -> RebuildProgress:
        return RebuildProgress(
            epoch=opened.epoch,
            segments_version=waitlist.segments_version,
            began_millis=self._now_millis(),
            expected=waitlist.checkpoint.present,
        )

    def _restore(self, run: RebuildRun, lease: Lease) -> None:
        if run.rebuild.stage == "line":
            self._do("line", run, lease)
            run.begin("changes")
        settled_millis = run.rebuild.began_millis + SETTLED_MILLIS
        self._pause(max(0, settled_millis - self._now_millis()) / 1000)
        if run.rebuild.stage == "changes":
            self._do("changes", run, lease)
            run.begin("journal")
        self._do("journal", run, lease)
        self._queue.send(init_of(run.waitlist, "finish_rebuild", run.epoch))
        self._metrics.add("rebuilds_finished")
        logger.info("rebuild ends", extra=_about(run.waitlist, run))

    def _do(self, stage: Stage, run: RebuildRun, lease: Lease) -> None:
        """Do a stage in all shards that are not done with it; raise if there was no time."""
        work = self._passes[stage]
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
    """The rest is for the next run."""


def _about(waitlist: WaitlistRecord, run: RebuildRun | None) -> dict[str, Any]:
    about: dict[str, Any] = {"waitlist_id": waitlist.waitlist_id}
    if run is not None:
        rebuild = run.rebuild
        about |= {"stage": rebuild.stage, "done": rebuild.done, "total": rebuild.total}
    return about
