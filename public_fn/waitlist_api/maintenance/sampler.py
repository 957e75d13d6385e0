"""Store the current counts of each active waitlist, and compute how fast it admits customers."""

from collections.abc import Sequence

from msgspec import Struct, field

from waitlist_api.clock import NowMillis
from waitlist_api.estimates.policy import policy_of
from waitlist_api.estimates.recent import Recent, sample_of
from waitlist_api.maintenance.isolation import run_each, run_isolated
from waitlist_api.records.samples import Every, Sample, SampleRecords
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_api.settings.waitlist import admission_of, until_millis_of
from waitlist_shared import contracts as c
from waitlist_shared.errors import WaitlistError

# How long samples in memory are used before they are read again. A different process may have
# stored newer samples.
PAUSE_MILLIS = 150_000
# The number of waitlists whose samples stay in memory. The samples of one waitlist take up 300 KB.
# All other waitlists' samples are read from the table every minute.
MOST_KEPT = 500


class Sampler(Struct):
    """Stores samples of each waitlist's counts, and computes how fast the waitlist admits
    customers.
    """

    samples: SampleRecords
    now_millis: NowMillis
    _kept: dict[str, Recent] = field(default_factory=dict)

    def sample(
        self,
        waitlists: Sequence[WaitlistRecord],
        answers: Sequence[c.Result | WaitlistError],
        quiet_until: int = 0,
    ) -> dict[str, str]:
        """Store the counts of each waitlist whose queue is complete.

        Return how fast each of these waitlists admits customers.
        """
        paces: dict[str, str] = {}
        writes: list[tuple[str, Every, Sample]] = []
        now_millis = self.now_millis()

        def sample_one(surveyed: tuple[WaitlistRecord, c.Result | WaitlistError]) -> None:
            waitlist, stats = surveyed
            if not isinstance(stats, c.StatsResult) or stats.state != "warm":
                return
            waitlist_id = waitlist.waitlist_id
            recent = self._recent(waitlist, now_millis)
            sample = sample_of(waitlist, stats, now_millis)
            writes.extend((waitlist_id, *kept) for kept in recent.add(sample, quiet_until))
            policy = policy_of(admission_of(waitlist.settings), now_millis)
            paces[waitlist_id] = recent.pace(sample, policy, until_millis_of(waitlist.settings))

        run_each(sample_one, zip(waitlists, answers, strict=True))
        if run_isolated(self._store, writes) is None:
            # The samples could not be stored. Forget the samples in memory, so that the next run
            # reads the stored ones.
            for waitlist_id in paces:
                self._kept.pop(waitlist_id, None)
            paces.clear()
        while len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return paces

    def _store(self, writes: Sequence[tuple[str, Every, Sample]]) -> bool:
        self.samples.write(writes)
        return True

    def _recent(self, waitlist: WaitlistRecord, now_millis: int) -> Recent:
        recent = self._kept.pop(waitlist.waitlist_id, None)
        if recent is None or not _is_whole(recent, waitlist, now_millis):
            recent = Recent.read(self.samples, waitlist, now_millis)
        self._kept[waitlist.waitlist_id] = recent
        return recent


def _is_whole(recent: Recent, waitlist: WaitlistRecord, now_millis: int) -> bool:
    """Return whether the samples in memory belong to this waitlist and are recent."""
    is_same = recent.created_millis == waitlist.created_millis
    return is_same and now_millis - recent.seen_millis < PAUSE_MILLIS
