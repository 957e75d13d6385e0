"""A maintenance run: finishes intents, rebuilds, reconciles, deletes, checks Redis."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

from msgspec import Struct

from waitlist_api.admission.admit import Admissions
from waitlist_api.clock import LeftMillis, NowMillis, without_end
from waitlist_api.maintenance.finish_intents import INTENT_AGE_MILLIS, IntentFinisher
from waitlist_api.maintenance.gauges import measure_depth, measure_state
from waitlist_api.maintenance.heartbeat import Heartbeat
from waitlist_api.maintenance.isolation import run_each, run_isolated
from waitlist_api.maintenance.rebuild import Rebuilder
from waitlist_api.maintenance.reconcile import Reconciler
from waitlist_api.maintenance.sampler import Sampler
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.queue.client import QueueClient, send_batch
from waitlist_api.queue.messages import init_of
from waitlist_api.records.entry import SHARDS, ended_place, line_place
from waitlist_api.records.erasures import Erasures
from waitlist_api.records.lease import Leases
from waitlist_api.records.places import IndexRow, Places
from waitlist_api.records.samples import SampleRecords
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords
from waitlist_api.waitlists.reindex import Reindexer
from waitlist_shared import contracts as c
from waitlist_shared.errors import Cold, WaitlistError
from waitlist_shared.limits import MAX_BATCH

NEW_SETTINGS_MILLIS = 15 * 60_000
# No admission run of 100 entries begins with less time left.
ADMIT_STOP_MILLIS = 60_000
# Scan twice, because the index lags. The waitlist itself is deleted only when no request that
# started before the deletion can still be running.
DELETE_LOOKS = 2


class MaintenanceRunner(Struct, frozen=True):
    """Runs maintenance of one waitlist or of all."""

    queue: QueueClient
    waitlists: WaitlistRecords
    erasures: Erasures
    places: Places
    intent_finisher: IntentFinisher
    rebuilder: Rebuilder
    reconciler: Reconciler
    reindexer: Reindexer
    admissions: Admissions
    heartbeat: Heartbeat
    sampler: Sampler
    samples: SampleRecords
    leases: Leases
    now_millis: NowMillis
    metrics: MetricsCollector

    def run_all(self, left_millis: LeftMillis = without_end) -> None:
        """Finish intents, then maintain every waitlist.

        Long work stops before the time of the run ends; the next run continues it.
        """
        self.intent_finisher.finish_intents()
        waitlists = iter(self.waitlists.all())
        while page := list(islice(waitlists, MAX_BATCH)):
            alive = _alive(page)
            self._run_page(page, left_millis)
            # Counted again, because this run may have admitted.
            answers = self._count(alive)
            for answer in answers:
                measure_depth(self.metrics, answer, self.now_millis())
            paces = self.sampler.sample(alive, answers)
            check = partial(self.heartbeat.check, left_millis=left_millis, paces=paces)
            run_isolated(check, alive)

    def run_one(self, waitlist_id: str, left_millis: LeftMillis = without_end) -> None:
        """Maintain one waitlist, at the request of another function."""
        waitlist = self.waitlists.get(waitlist_id)
        if waitlist is not None:
            self._run_page([waitlist], left_millis)

    def _count(self, waitlists: Sequence[WaitlistRecord]) -> list[c.Result | WaitlistError]:
        """Return the stats, or an error, of each waitlist."""
        requests = [c.Stats(waitlist_id=waitlist.waitlist_id) for waitlist in waitlists]
        try:
            return send_batch(self.queue, requests) if requests else []
        except WaitlistError as error:
            # Other pages, and waitlists that are being deleted, must not wait for these.
            return [error] * len(waitlists)

    def _run_page(self, waitlists: Sequence[WaitlistRecord], left_millis: LeftMillis) -> None:
        """Maintain waitlists, and delete those that are being deleted."""
        alive = _alive(waitlists)
        answers = self._count(alive)
        for waitlist, answer in zip(alive, answers, strict=True):
            measure_state(self.metrics, waitlist, answer, self.now_millis())
        for waitlist, answer in zip(alive, answers, strict=True):
            run_isolated(partial(self._keep, answer=answer, left_millis=left_millis), waitlist)
        for waitlist in waitlists:
            if waitlist.deleting:
                run_isolated(self._delete, waitlist)

    def _keep(
        self, waitlist: WaitlistRecord, answer: c.Result | WaitlistError, left_millis: LeftMillis
    ) -> None:
        if isinstance(answer, c.StatsResult) and answer.state == "warm":
            self._keep_warm(waitlist, answer, left_millis)
        elif isinstance(answer, c.StatsResult | Cold):
            is_whole = self.rebuilder.rebuild(waitlist, left_millis)
            if is_whole and waitlist.segments_state == "building":
                self.reindexer.reindex(waitlist)
        elif isinstance(answer, WaitlistError):
            raise answer

    def _keep_warm(
        self, waitlist: WaitlistRecord, stats: c.StatsResult, left_millis: LeftMillis
    ) -> None:
        """Maintain a waitlist whose order is complete; admit as its policy or a quota says."""
        admits = waitlist.settings.admission is not None or stats.quota > 0
        is_overdue = admits and not waitlist.settings.paused
        try:
            self.rebuilder.forget(waitlist)
            self._repeat_settings(waitlist, stats.epoch)
            known_until = waitlist.checkpoint.stamp_before_last or waitlist.checkpoint.stamp
            self.reconciler.reconcile(waitlist.waitlist_id, known_until)
            if "building" in (stats.segments_state, waitlist.segments_state):
                self.reindexer.reindex(waitlist)
            is_overdue = is_overdue and not self._admit(waitlist.waitlist_id, left_millis)
        finally:
            if is_overdue:
                # Places may be due at a waitlist at which no customer polls.
                self.metrics.add("admissions_overdue")

    def _admit(self, waitlist_id: str, left_millis: LeftMillis) -> bool:
        """Offer all places that are due; return False if the time of this run ends before."""
        while self.admissions.run(waitlist_id).is_more:
            if left_millis() < ADMIT_STOP_MILLIS:
                return False
        return True

    def _repeat_settings(self, waitlist: WaitlistRecord, epoch: str) -> None:
        """Send new settings again: the request that wrote them may have been cut off."""
        if waitlist.updated_millis > self.now_millis() - NEW_SETTINGS_MILLIS:
            self.queue.send(init_of(waitlist, "configure", epoch))

    def _delete(self, waitlist: WaitlistRecord) -> None:
        """Erase a waitlist's entries; and the waitlist, when none is left and none can be added."""
        waitlist_id = waitlist.waitlist_id
        lease = self.leases.take(waitlist)
        if lease is None:
            return
        is_over = waitlist.updated_millis < self.now_millis() - INTENT_AGE_MILLIS
        for _ in range(DELETE_LOOKS):
            if self._erase_everybody(waitlist_id, lease.renew) == 0 and is_over:
                lease.renew()
                self.samples.delete(waitlist_id)
                self.queue.send(c.Purge(waitlist_id=waitlist_id))
                self.waitlists.finish_delete(waitlist_id, lease.owner)
                return
        lease.release()

    def _erase_everybody(self, waitlist_id: str, renew: Callable[[], None]) -> int:
        found = 0
        for page in filter(None, self._everybody(waitlist_id)):
            found += len(page)
            # Before erasing: without the lease they may belong to the next waitlist of this id.
            renew()
            run_each(lambda one: self.erasures.forget(waitlist_id, one.entry_id, one.join_id), page)
        return found

    def _everybody(self, waitlist_id: str) -> Iterator[list[IndexRow]]:
        for shard in range(SHARDS):
            yield from self.places.at(line_place(waitlist_id, shard))
            yield from self.places.at(ended_place(waitlist_id, shard))
            yield from self.places.unfinished(waitlist_id, shard)


def _alive(waitlists: Sequence[WaitlistRecord]) -> list[WaitlistRecord]:
    return [waitlist for waitlist in waitlists if not waitlist.deleting]
