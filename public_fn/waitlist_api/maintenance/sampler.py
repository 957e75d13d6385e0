"""Samples the counts of each waitlist every minute, and works out its pace."""

from collections.abc import Sequence
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from waitlist_api.clock import NowMillis
from waitlist_api.maintenance.isolation import run_isolated
from waitlist_api.records.samples import (
    DAY_MILLIS,
    HOUR_MILLIS,
    Every,
    Sample,
    SampleRecords,
)
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_api.wait.known import Policy, pace_of
from waitlist_api.wait.pace import UNKNOWN
from waitlist_api.wait.policy import policy_of
from waitlist_shared import contracts as c
from waitlist_shared.errors import WaitlistError

# A pace is made of the minutes of so long, and of the hours of so long.
MINUTES_MILLIS, HOURS_MILLIS = 3 * HOUR_MILLIS, 28 * DAY_MILLIS
# After a longer pause another process may have stored samples.
PAUSE_MILLIS = 150_000
# A process keeps the samples of so many waitlists, 300 KB each; others are read every minute.
MOST_KEPT = 500


class _Recent(Struct):
    """The samples of a waitlist that a pace is made of, in order of time."""

    created_millis: int
    minutes: list[Sample]
    hours: list[Sample]
    seen_millis: int

    def is_of(self, waitlist: WaitlistRecord, now_millis: int) -> bool:
        """Return whether nothing else can have been stored since."""
        is_same = self.created_millis == waitlist.created_millis
        return is_same and now_millis - self.seen_millis < PAUSE_MILLIS

    def add(self, sample: Sample) -> list[Every]:
        """Add a sample; return which series it belongs to."""
        self.seen_millis = sample.millis
        kept: list[Every] = []
        last = self.minutes[-1] if self.minutes else None
        if last is None or sample.waiting or replace(last, millis=sample.millis) != sample:
            self.minutes = _since(self.minutes, sample.millis - MINUTES_MILLIS)
            self.minutes.append(sample)
            kept.append("minute")
        if not self.hours or _hour(self.hours[-1]) < _hour(sample):
            self.hours = _since(self.hours, sample.millis - HOURS_MILLIS)
            self.hours.append(sample)
            kept.append("hour")
        return kept

    def pace(self, newest: Sample, policy: Policy | None) -> str:
        """Return the pace as text for Redis, up to a sample that need not be kept."""
        minutes = [one for one in self.minutes if one.millis < newest.millis]
        hours = [one for one in self.hours if one.millis < newest.millis]
        pace = pace_of([*minutes, newest], [*hours, newest], policy)
        return pace.encode() if pace else UNKNOWN


class Sampler(Struct):
    """Samples waitlists; keeps the last samples in memory, as long as the process lives."""

    samples: SampleRecords
    now_millis: NowMillis
    _kept: dict[str, _Recent] = field(default_factory=dict)

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
            sample = _sample_of(waitlist, stats, now_millis)
            writes.extend((waitlist_id, every, sample) for every in recent.add(sample))
            policy = policy_of(waitlist.settings.admission, now_millis)
            paces[waitlist_id] = recent.pace(sample, policy)

        for waitlist, answer in zip(waitlists, answers, strict=True):
            run_isolated(partial(sample_one, stats=answer), waitlist)
        run_isolated(self.samples.write, writes)
        return paces

    def _recent(self, waitlist: WaitlistRecord, now_millis: int) -> _Recent:
        waitlist_id, created = waitlist.waitlist_id, waitlist.created_millis
        recent = self._kept.pop(waitlist_id, None)
        if recent is None or not recent.is_of(waitlist, now_millis):
            minutes = self.samples.read(waitlist_id, "minute", now_millis - MINUTES_MILLIS)
            hours = self.samples.read(waitlist_id, "hour", now_millis - HOURS_MILLIS)
            # A deleted waitlist of the same id may have left a sample of its last minute.
            recent = _Recent(created, _since(minutes, created), _since(hours, created), now_millis)
        if len(self._kept) >= MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[waitlist_id] = recent
        return recent


def _sample_of(waitlist: WaitlistRecord, stats: c.StatsResult, now_millis: int) -> Sample:
    return Sample(
        millis=now_millis,
        joined=stats.counters.signed_up,
        admitted=stats.counters.admitted,
        left=stats.counters.left,
        waiting=stats.waiting,
        offered=stats.offered,
        parked=stats.parked,
        inside=stats.inside,
        version=waitlist.version,
        paused=waitlist.settings.paused,
    )


def _since(samples: Sequence[Sample], millis: int) -> list[Sample]:
    return [one for one in samples if one.millis >= millis]


def _hour(sample: Sample) -> int:
    return sample.millis // HOUR_MILLIS
