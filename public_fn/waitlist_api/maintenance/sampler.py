"""Samples the counts of each waitlist every minute, and works out its pace."""

from collections.abc import Sequence
from functools import partial

from msgspec import Struct, field

from waitlist_api.clock import NowMillis
from waitlist_api.estimates.policy import policy_of
from waitlist_api.estimates.recent import Recent, sample_of
from waitlist_api.maintenance.isolation import run_isolated
from waitlist_api.records.samples import Every, Sample, SampleRecords
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_shared import contracts as c
from waitlist_shared.errors import WaitlistError

# After a longer pause another process may have stored samples.
PAUSE_MILLIS = 150_000
# A process keeps the samples of so many waitlists, 300 KB each; others are read every minute.
MOST_KEPT = 500


class Sampler(Struct):
    """Samples waitlists; keeps the last samples in memory, as long as the process lives."""

    samples: SampleRecords
    now_millis: NowMillis
    _kept: dict[str, Recent] = field(default_factory=dict)

    def sample(
        self,
        waitlists: Sequence[WaitlistRecord],
        answers: Sequence[c.Result | WaitlistError],
    ) -> dict[str, str]:
        """Store the counts of warm waitlists; return the pace of each by its id."""
        paces: dict[str, str] = {}
        writes: list[tuple[str, Every, Sample]] = []
        now_millis = self.now_millis()

        def sample_one(waitlist: WaitlistRecord, stats: c.Result | WaitlistError) -> None:
            if not isinstance(stats, c.StatsResult) or stats.state != "warm":
                return
            waitlist_id = waitlist.waitlist_id
            recent = self._recent(waitlist, now_millis)
            sample = sample_of(waitlist, stats, now_millis)
            writes.extend((waitlist_id, every, sample) for every in recent.add(sample))
            policy = policy_of(waitlist.settings.admission, now_millis)
            paces[waitlist_id] = recent.pace(sample, policy)

        for waitlist, answer in zip(waitlists, answers, strict=True):
            run_isolated(partial(sample_one, stats=answer), waitlist)
        run_isolated(self.samples.write, writes)
        return paces

    def _recent(self, waitlist: WaitlistRecord, now_millis: int) -> Recent:
        recent = self._kept.pop(waitlist.waitlist_id, None)
        if recent is None or not _is_whole(recent, waitlist, now_millis):
            recent = Recent.read(self.samples, waitlist, now_millis)
        if len(self._kept) >= MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[waitlist.waitlist_id] = recent
        return recent


def _is_whole(recent: Recent, waitlist: WaitlistRecord, now_millis: int) -> bool:
    """Return whether nothing else can have been stored since."""
    is_same = recent.created_millis == waitlist.created_millis
    return is_same and now_millis - recent.seen_millis < PAUSE_MILLIS
