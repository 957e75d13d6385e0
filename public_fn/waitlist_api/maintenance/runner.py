"""Runs maintenance for one waitlist or for all waitlists."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

from msgspec import Struct, field

from waitlist_api.admission.admit import Admissions
from waitlist_api.clock import IsTimeUp, LeftMillis, NowMillis, no_deadline
from waitlist_api.maintenance.finish_intents import INTENT_AGE_MILLIS, IntentFinisher
from waitlist_api.maintenance.gauges import measure_depth, measure_state
from waitlist_api.maintenance.heartbeat import Heartbeat
from waitlist_api.maintenance.isolation import run_each, run_isolated
from waitlist_api.maintenance.notifier import Notifier, count_near
from waitlist_api.maintenance.quiet import is_quiet
from waitlist_api.maintenance.rebuild import Rebuilder
from waitlist_api.maintenance.reconcile import Reconciler
from waitlist_api.maintenance.sampler import Sampler
from waitlist_api.maintenance.steps import Steps
from waitlist_api.maintenance.work import WorkRunner
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.queue.client import QueueClient, send_batch
from waitlist_api.queue.messages import init_of
from waitlist_api.records.entry import SHARDS, ended_place, line_place
from waitlist_api.records.erasures import Erasures
from waitlist_api.records.journal import MINUTE, Journal
from waitlist_api.records.lease import Leases
from waitlist_api.records.places import IndexRow, Places
from waitlist_api.records.rounds import Round, Rounds
from waitlist_api.records.samples import SampleRecords
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords
from waitlist_api.waitlists.reindex import Reindexer
from waitlist_shared import contracts as c
from waitlist_shared.errors import Cold, WaitlistError
from waitlist_shared.limits import MAX_BATCH

# After this time, a run does not start another batch of waitlists. The next run continues the work.
RUN_MILLIS = 50_000
# How long a run spends on interrupted requests to join or leave before it does its other work. The
# remaining requests are finished at the end of the run.
INTENTS_MILLIS = 15_000
# To find the waitlists with changes, a run reads the journal since the previous run. If this period
# is longer than LONGEST_READ, the run maintains every waitlist instead.
LONGEST_READ = 60 * MINUTE
# The largest number of waitlists in a batch. Some steps send two messages to Redis for each
# waitlist, and one request can contain at most MAX_BATCH messages.
TOGETHER = MAX_BATCH // 2
# A run with less time left than this does not start another page of work.
STOP_MILLIS = 60_000
# How many times one run searches a deleted waitlist for entries. A search can miss entries, because
# its index may be outdated. When a search finds no entries, and all requests that began before the
# deletion have ended, the waitlist itself is deleted.
DELETE_LOOKS = 2


# A waitlist, and either its statistics or the error that Redis returned instead of them. If the
# waitlist is being deleted, the second value is None.
Surveyed = tuple[WaitlistRecord, c.Result | WaitlistError | None]


class Survey(Struct):
    """The waitlists that need maintenance, according to all changes up to the logical timestamp
    `until`.
    """

    busy: list[Surveyed] = field(default_factory=list)
    until: int = 0


class MaintenanceRunner(Struct, frozen=True):
    """Runs maintenance for one waitlist or for all waitlists."""

    queue: QueueClient
    waitlists: WaitlistRecords
    erasures: Erasures
    places: Places
    intent_finisher: IntentFinisher
    rebuilder: Rebuilder
    reconciler: Reconciler
    reindexer: Reindexer
    steps: Steps
    work_runner: WorkRunner
    notifier: Notifier
    admissions: Admissions
    heartbeat: Heartbeat
    sampler: Sampler
    samples: SampleRecords
    journal: Journal
    rounds: Rounds
    leases: Leases
    now_millis: NowMillis
    metrics: MetricsCollector

    def run_all(self, left_millis: LeftMillis = no_deadline) -> None:
        """Finish interrupted requests to join or leave, then maintain every waitlist that needs
        it.
        """
        began_millis = self.now_millis()

        def runs_for(millis: int) -> bool:
            return self.now_millis() - began_millis >= millis

        are_finished = self.intent_finisher.finish_intents(partial(runs_for, INTENTS_MILLIS))
        note, running = self.rounds.read()
        self.work_runner.run_all(running)
        is_hurried = _is_time_up(left_millis)
        survey = self._survey(0 if is_hurried else note.seen_before)
        note = note.begun(began_millis, survey.until)
        left = [surveyed for surveyed in survey.busy if surveyed[0].waitlist_id > note.after]
        others = survey.busy[: len(survey.busy) - len(left)]
        while left:
            batch, left = left[:TOGETHER], left[TOGETHER:]
            is_whole = self._maintain(batch, note, left_millis)
            note = note.done_up_to(batch[-1][0].waitlist_id, is_whole=is_whole)
            if not left or runs_for(RUN_MILLIS + 1):
                break
            note = self.rounds.write(note)
        for _, answer in (*others, *left):
            measure_depth(self.metrics, answer, self.now_millis())
        self.metrics.add("waitlists_left", len(left))
        if left or note.began_millis < began_millis:
            behind_millis = self.now_millis() - note.began_millis
            self.metrics.at_least("behind_seconds", behind_millis // 1000)
        self.rounds.write(note if left else note.ended())
        if not are_finished and not self.intent_finisher.finish_intents(
            partial(runs_for, RUN_MILLIS)
        ):
            self.intent_finisher.count_late_intents()

    def _survey(self, seen: int) -> Survey:
        """Ask Redis for the statistics of all waitlists, and find the waitlists that need
        maintenance.
        """
        survey = Survey()
        changed: set[str] | None = None
        is_asked = False
        waitlists = iter(self.waitlists.all())
        while page := list(islice(waitlists, MAX_BATCH)):
            alive = _alive(page)
            is_asked = is_asked or bool(alive)
            answers = dict(
                zip((waitlist.waitlist_id for waitlist in alive), self.count(alive), strict=True)
            )
            stats = [answer for answer in answers.values() if isinstance(answer, c.StatsResult)]
            if stats and not survey.until:
                changed = self._changed(seen, stats)
            for stat in stats:
                survey.until = min(survey.until or stat.clock_stamp, stat.clock_stamp)
            for waitlist in page:
                answer = answers.get(waitlist.waitlist_id)
                now_millis = self.now_millis()
                if answer is not None:
                    measure_state(self.metrics, waitlist, answer, now_millis)
                if answer is not None and is_quiet(
                    waitlist, answer, changed, now_millis, self.steps
                ):
                    measure_depth(self.metrics, answer, now_millis)
                else:
                    survey.busy.append((waitlist, answer))
        if not is_asked:
            # There are no waitlists, so nothing has been sent to Redis yet. Send a ping, so that
            # the run fails if Redis does not answer.
            self.queue.send(c.Ping())
        return survey

    def _changed(self, seen: int, stats: Sequence[c.StatsResult]) -> set[str] | None:
        """Return the waitlists that have changed since the logical timestamp `seen`.

        Return None if `seen` is so long ago that reading all changes since then would take too
        long.
        """
        until = max(max(stat.clock_stamp, stat.last_stamp) for stat in stats)
        if not seen or until - seen > LONGEST_READ:
            return None
        steps = self.journal.in_steps(seen, until)
        return {change.waitlist_id for _, page in steps for change in page}

    def _maintain(self, batch: Sequence[Surveyed], note: Round, left_millis: LeftMillis) -> bool:
        """Maintain a batch of waitlists.

        Return whether every waitlist's changes were compared with Redis.
        """
        told = self._run_page(batch, left_millis)
        alive = _alive([waitlist for waitlist, _ in batch])
        # Read the statistics again, because this run may have admitted customers.
        answers = self.count(alive)
        for answer in answers:
            measure_depth(self.metrics, answer, self.now_millis())
        paces = self.sampler.sample(alive, answers, note.seen_millis)
        check = partial(
            self.heartbeat.check,
            left_millis=left_millis,
            paces=paces,
            seen=note.seen_before,
            told={waitlist_id: told[waitlist_id] for waitlist_id in told if waitlist_id in paces},
        )
        return bool(run_isolated(check, alive))

    def run_one(self, waitlist_id: str, left_millis: LeftMillis = no_deadline) -> None:
        """Maintain a single waitlist at the request of another function."""
        waitlist = self.waitlists.get(waitlist_id)
        if waitlist is not None:
            (answer,) = [None] if waitlist.deleting else self.count([waitlist])
            self._run_page([(waitlist, answer)], left_millis)

    def count(self, waitlists: Sequence[WaitlistRecord]) -> list[c.Result | WaitlistError]:
        """Return the statistics of each waitlist, or the error that Redis returned."""
        requests = [
            c.Stats(waitlist_id=waitlist.waitlist_id, near=count_near(waitlist.settings))
            for waitlist in waitlists
        ]
        try:
            return send_batch(self.queue, requests) if requests else []
        except WaitlistError as error:
            # This batch's statistics cannot be read. Continue, because other batches and deletions
            # must still be processed.
            return [error] * len(waitlists)

    def _run_page(self, batch: Sequence[Surveyed], left_millis: LeftMillis) -> dict[str, str]:
        """Maintain waitlists in parallel, and erase the waitlists that are being deleted.

        For each waitlist whose maintenance is complete, return a digest of the entries whose
        customers have been told that their turn is near.
        """

        def run(surveyed: Surveyed) -> str | None:
            waitlist, answer = surveyed
            if answer is None:
                self._delete(waitlist, partial(_is_time_up, left_millis))
                return None
            return self._maintain_one(waitlist, answer, left_millis)

        told = zip(batch, run_each(run, batch), strict=True)
        return {waitlist.waitlist_id: text for (waitlist, _), text in told if text is not None}

    def _maintain_one(
        self, waitlist: WaitlistRecord, answer: c.Result | WaitlistError, left_millis: LeftMillis
    ) -> str | None:
        """Run all maintenance steps for a waitlist.

        Return a digest (hash) of the entries whose customers have been told that their turn is
        near. Return None if some steps are not complete, so that the next run continues them.
        """
        if isinstance(answer, c.StatsResult) and answer.state == "warm":
            return self._maintain_warm(waitlist, answer, left_millis)
        if isinstance(answer, c.StatsResult | Cold):
            is_whole = self.rebuilder.rebuild(waitlist, left_millis)
            if is_whole and waitlist.segments_state == "building":
                self.reindexer.reindex(waitlist, partial(_is_time_up, left_millis))
        elif isinstance(answer, WaitlistError):
            raise answer
        return None

    def _maintain_warm(
        self, waitlist: WaitlistRecord, stats: c.StatsResult, left_millis: LeftMillis
    ) -> str | None:
        """Maintain a waitlist whose queue is complete, and admit customers if the policy allows
        it.
        """
        is_time_up = partial(_is_time_up, left_millis)
        admits = waitlist.settings.admission is not None or stats.quota > 0
        is_overdue = admits and not waitlist.settings.paused
        try:
            self.rebuilder.forget(waitlist)
            if stats.settings_version < waitlist.version:
                # Redis does not have the newest settings. Either the request that changed them was
                # interrupted, or Redis has lost the change.
                self.queue.send(init_of(waitlist, "configure", stats.epoch))
            known_until = waitlist.checkpoint.stamp_before_last or waitlist.checkpoint.stamp
            self.reconciler.reconcile(waitlist.waitlist_id, known_until, is_time_up)
            if "building" in (stats.segments_state, waitlist.segments_state):
                self.reindexer.reindex(waitlist, is_time_up)
            is_overdue = is_overdue and not self._admit(waitlist.waitlist_id, left_millis)
            unfinished = [step for step in self.steps if not step.run(waitlist, stats, is_time_up)]
            told = self.notifier.notify(waitlist, stats, is_time_up)
        finally:
            if is_overdue:
                # This run did not make all offers that the policy allows, so admissions may be
                # late. Count the waitlist in the `admissions_overdue` gauge.
                self.metrics.add("admissions_overdue")
        return None if unfinished or is_overdue else told

    def _admit(self, waitlist_id: str, left_millis: LeftMillis) -> bool:
        """Offer all slots that the policy allows now. Return False if the run has no time left."""
        while self.admissions.run(waitlist_id).is_more:
            if _is_time_up(left_millis):
                return False
        return True

    def _delete(self, waitlist: WaitlistRecord, is_time_up: IsTimeUp) -> None:
        """Erase a waitlist's entries, and then the waitlist itself."""
        waitlist_id = waitlist.waitlist_id
        lease = self.leases.take(waitlist)
        if lease is None:
            return
        is_over = waitlist.updated_millis < self.now_millis() - INTENT_AGE_MILLIS
        for _ in range(DELETE_LOOKS):
            if self._erase_entries(waitlist_id, lease.renew, is_time_up) == 0 and is_over:
                lease.renew()
                self.samples.delete(waitlist_id)
                self.work_runner.delete_all(waitlist_id)
                self.queue.send(c.Purge(waitlist_id=waitlist_id))
                self.waitlists.finish_delete(waitlist_id, lease.owner)
                return
        lease.release()

    def _erase_entries(
        self, waitlist_id: str, renew: Callable[[], None], is_time_up: IsTimeUp
    ) -> int:
        """Erase entries until none are left or time runs out.

        Return how many entries were found, including those that could not be erased.
        """
        found = 0
        for page in filter(None, self._all_entries(waitlist_id)):
            found += len(page)
            # Renew the lease before erasing entries. If the lease has been lost, a different run
            # may have deleted the waitlist, and these entries may belong to a new waitlist with the
            # same id.
            renew()
            run_each(partial(self._erase_entry, is_time_up=is_time_up), page)
            if is_time_up():
                break
        return found

    def _erase_entry(self, row: IndexRow, is_time_up: IsTimeUp) -> None:
        if not is_time_up():
            stay = (row.waitlist_id, row.entry_id, row.join_id, row.stamp)
            self.erasures.forget(*stay, is_time_up)

    def _all_entries(self, waitlist_id: str) -> Iterator[list[IndexRow]]:
        for shard in range(SHARDS):
            yield from self.places.pages_at(line_place(waitlist_id, shard))
            yield from self.places.pages_at(ended_place(waitlist_id, shard))
            yield from self.places.scheduled(waitlist_id, shard)


def _is_time_up(left_millis: LeftMillis) -> bool:
    return left_millis() < STOP_MILLIS


def _alive(waitlists: Sequence[WaitlistRecord]) -> list[WaitlistRecord]:
    return [waitlist for waitlist in waitlists if not waitlist.deleting]
