"""The samples that a pace is made of, and the pace of them."""

from collections.abc import Sequence
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.estimates.pace import UNKNOWN
from waitlist_api.estimates.select_pace import Policy, pace_of
from waitlist_api.records.samples import DAY_MILLIS, HOUR_MILLIS, Every, Sample, SampleRecords
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_shared import contracts as c

# A pace is made of the minutes of so long, and of the hours of so long.
MINUTES_MILLIS, HOURS_MILLIS = 3 * HOUR_MILLIS, 28 * DAY_MILLIS


class Recent(Struct):
    """The samples of a waitlist that a pace is made of, in order of time."""

    created_millis: int
    minutes: list[Sample]
    hours: list[Sample]
    seen_millis: int

    @classmethod
    def read(cls, samples: SampleRecords, waitlist: WaitlistRecord, now_millis: int) -> Self:
        """Read the samples of a waitlist from the record."""
        waitlist_id, created = waitlist.waitlist_id, waitlist.created_millis
        minutes = samples.read(waitlist_id, "minute", now_millis - MINUTES_MILLIS)
        hours = samples.read(waitlist_id, "hour", now_millis - HOURS_MILLIS)
        # A deleted waitlist of the same id may have left a sample of its last minute.
        return cls(created, _since(minutes, created), _since(hours, created), now_millis)

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


def sample_of(waitlist: WaitlistRecord, stats: c.StatsResult, now_millis: int) -> Sample:
    """Return the counts of a waitlist as the sample of a moment."""
    return Sample.counted(
        now_millis,
        stats.counters,
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
