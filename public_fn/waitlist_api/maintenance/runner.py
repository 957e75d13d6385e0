"""What maintenance does each minute: finishes intents, rebuilds, deletes, watches over Redis."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

from waitlist_api.clock import LeftMillis, NowMillis, without_end
from waitlist_api.maintenance.finish_intents import INTENT_AGE_MILLIS, IntentFinisher
from waitlist_api.maintenance.gauges import measure
from waitlist_api.maintenance.heartbeat import Heartbeat
from waitlist_api.maintenance.isolation import run_each, run_isolated
from waitlist_api.maintenance.rebuild import Rebuilder
from waitlist_api.maintenance.reconcile import Reconciler
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.queue.client import QueueClient, send_batch
from waitlist_api.queue.messages import init_of
from waitlist_api.records.entry import SHARDS, ended_place, line_place
from waitlist_api.records.erasures import Erasures
from waitlist_api.records.lease import Leases
from waitlist_api.records.places import Placed, Places
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords
from waitlist_api.waitlists.reindex import Reindexer
from waitlist_shared import contracts as c
from waitlist_shared.errors import Cold, WaitlistError
from waitlist_shared.limits import MAX_BATCH

NEW_SETTINGS_MILLIS = 15 * 60_000
# A second look over the index finds it empty, unless it is behind: then the next run does. The
# waitlist's own end also waits until no request that began before can still be under way.
DELETE_LOOKS = 2


class MaintenanceRunner:
    """Brings the record and Redis in line wherever a request was cut off."""

    def __init__(
        self,
        queue: QueueClient,
        waitlists: WaitlistRecords,
        erasures: Erasures,
        places: Places,
        intent_finisher: IntentFinisher,
        rebuilder: Rebuilder,
        reconciler: Reconciler,
        reindexer: Reindexer,
        heartbeat: Heartbeat,
        leases: Leases,
        now_millis: NowMillis,
        metrics: MetricsCollector,
    ) -> None:
        self._queue = queue
        self._waitlists = waitlists
        self._erasures = erasures
        self._places = places
        self._intent_finisher = intent_finisher
        self._rebuilder = rebuilder
        self._reconciler = reconciler
        self._reindexer = reindexer
        self._heartbeat = heartbeat
        self._leases = leases
        self._now_millis = now_millis
        self._metrics = metrics

    def run_all(self, left_millis: LeftMillis = without_end) -> None:
        """Do the work of a minute: unfinished intents, then every waitlist.

        What takes long stops in time, and goes on in the next run.
        """
        self._intent_finisher.finish_intents()
        waitlists = iter(self._waitlists.all())
        while page := list(islice(waitlists, MAX_BATCH)):
            self._run_page(page, left_millis)
            alive = [one for one in page if not one.deleting]
            run_isolated(partial(self._heartbeat.check, left_millis=left_millis), alive)

    def run_one(self, waitlist_id: str, left_millis: LeftMillis = without_end) -> None:
        """Do for one waitlist what cannot wait for the minute."""
        waitlist = self._waitlists.get(waitlist_id)
        if waitlist is not None:
            self._run_page([waitlist], left_millis)

    def _run_page(self, waitlists: Sequence[WaitlistRecord], left_millis: LeftMillis) -> None:
        alive = [waitlist for waitlist in waitlists if not waitlist.deleting]
        requests = [c.Stats(waitlist_id=waitlist.waitlist_id) for waitlist in alive]
        try:
            answers = send_batch(self._queue, requests) if requests else []
        except WaitlistError as error:
            # The other waitlists, and those that are being deleted, are not to wait for these.
            answers = [error] * len(alive)
        for waitlist, answer in zip(alive, answers, strict=True):
            measure(self._metrics, waitlist, answer, self._now_millis())
        for waitlist, answer in zip(alive, answers, strict=True):
            run_isolated(partial(self._keep, answer=answer, left_millis=left_millis), waitlist)
        for waitlist in waitlists:
            if waitlist.deleting:
                run_isolated(self._delete, waitlist)

    def _keep(
        self, waitlist: WaitlistRecord, answer: c.Result | WaitlistError, left_millis: LeftMillis
    ) -> None:
        if isinstance(answer, c.StatsResult) and answer.state == "warm":
            self._rebuilder.forget(waitlist)
            self._repeat_settings(waitlist, answer.epoch)
            self._reconciler.reconcile(waitlist.waitlist_id, waitlist.checkpoint.previous_stamp)
            if "building" in (answer.segments_state, waitlist.segments_state):
                self._reindexer.reindex(waitlist)
        elif isinstance(answer, c.StatsResult | Cold):
            is_whole = self._rebuilder.rebuild(waitlist, left_millis)
            if is_whole and waitlist.segments_state == "building":
                self._reindexer.reindex(waitlist)
        elif isinstance(answer, WaitlistError):
            raise answer

    def _repeat_settings(self, waitlist: WaitlistRecord, epoch: str) -> None:
        """Tell Redis new settings again: the request that wrote them may have been cut off."""
        if waitlist.updated_millis > self._now_millis() - NEW_SETTINGS_MILLIS:
            self._queue.send(init_of(waitlist, "configure", epoch))

    def _delete(self, waitlist: WaitlistRecord) -> None:
        """Erase a waitlist's people; the waitlist itself once nobody is found or can still come."""
        waitlist_id = waitlist.waitlist_id
        lease = self._leases.take(waitlist)
        if lease is None:
            return
        is_over = waitlist.updated_millis < self._now_millis() - INTENT_AGE_MILLIS
        for _ in range(DELETE_LOOKS):
            if self._erase_everybody(waitlist_id, lease.renew) == 0 and is_over:
                lease.renew()
                self._queue.send(c.Purge(waitlist_id=waitlist_id))
                self._waitlists.finish_delete(waitlist_id, lease.owner)
                return
        lease.release()

    def _erase_everybody(self, waitlist_id: str, renew: Callable[[], None]) -> int:
        found = 0
        for page in filter(None, self._everybody(waitlist_id)):
            found += len(page)
            # Before, not after: whoever has lost the lease may be looking at the next waitlist's.
            renew()
            run_each(
                lambda one: self._erasures.forget(waitlist_id, one.entry_id, one.join_id), page
            )
        return found

    def _everybody(self, waitlist_id: str) -> Iterator[list[Placed]]:
        for shard in range(SHARDS):
            yield from self._places.at(line_place(waitlist_id, shard))
            yield from self._places.at(ended_place(waitlist_id, shard))
            yield from self._places.unfinished(waitlist_id, shard)
