"""The samples that a pace is made of, and the pace of them."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.estimates.pace import UNKNOWN
from waitlist_api.estimates.select_pace import Policy, pace_of
from waitlist_api.records.samples import (
    DAY_MILLIS,
    HOUR_MILLIS,
    KEPT_MINUTES_MILLIS,
    MINUTE_MILLIS,
    Every,
    Sample,
    SampleRecords,
)
from waitlist_api.records.waitlists import WaitlistRecord, offer_hours_of
from waitlist_api.settings.hours import is_closed
from waitlist_shared import contracts as c

# A pace is made of the minutes of so long, and of the hours of so long.
MINUTES_MILLIS, HOURS_MILLIS = 3 * HOUR_MILLIS, 28 * DAY_MILLIS


class Recent(Struct):
    """The samples of a waitlist that a pace is made of, in order of time.

    A waitlist in which nothing happens has none, so `minutes` begins with the last one before the
    minutes of the pace.
    """

    created_millis: int
    minutes: list[Sample]
    hours: list[Sample]
    seen_millis: int

    @classmethod
    def read(cls, samples: SampleRecords, waitlist: WaitlistRecord, now_millis: int) -> Self:
        """Read the samples of a waitlist from the record."""
        waitlist_id, created = waitlist.waitlist_id, waitlist.created_millis
        begin_millis = now_millis - MINUTES_MILLIS
        before = samples.last(waitlist_id, begin_millis, now_millis - KEPT_MINUTES_MILLIS, "minute")
        minutes = samples.read(waitlist_id, "minute", begin_millis)
        if before is not None and before not in minutes:
            minutes.insert(0, before)
        hours = samples.read(waitlist_id, "hour", now_millis - HOURS_MILLIS)
        # A deleted waitlist of the same id may have left a sample of its last minute.
        return cls(created, _since(minutes, created), _since(hours, created), now_millis)

    def add(self, sample: Sample, quiet_until: int = 0) -> list[tuple[Every, Sample]]:
        """Add a sample; return those to store, each with the series that it belongs to.

        Before it comes its predecessor once more if nothing happened up to `quiet_until`: at the
        beginning of the next hour, and at that time.
        """
        kept: list[tuple[Every, Sample]] = []
        if self.minutes:
            last = self.minutes[-1]
            next_hour = (_hour(last) + 1) * HOUR_MILLIS
            # In minutes of their own: a series has one sample of each.
            quiet_until = min(quiet_until, sample.millis - MINUTE_MILLIS)
            quiet_minute = quiet_until // MINUTE_MILLIS * MINUTE_MILLIS
            for millis in sorted({next_hour, quiet_minute}):
                if last.millis < millis <= quiet_minute:
                    kept += self._kept(replace(last, millis=millis))
        return [*kept, *self._kept(sample)]

    def _kept(self, sample: Sample) -> Iterator[tuple[Every, Sample]]:
        self.seen_millis = sample.millis
        last = self.minutes[-1] if self.minutes else None
        if last is None or sample.waiting or replace(last, millis=sample.millis) != sample:
            begin_millis = sample.millis - MINUTES_MILLIS
            before = [one for one in self.minutes if one.millis < begin_millis][-1:]
            self.minutes = [*before, *_since(self.minutes, begin_millis), sample]
            yield "minute", sample
        if not self.hours or _hour(self.hours[-1]) < _hour(sample):
            self.hours = _since(self.hours, sample.millis - HOURS_MILLIS)
            self.hours.append(sample)
            yield "hour", sample

    def pace(self, newest: Sample, policy: Policy | None) -> str:
        """Return the pace as text for Redis, up to a sample that need not be kept."""
        minutes = _since(_filled(self.minutes, MINUTE_MILLIS), newest.millis - MINUTES_MILLIS)
        hours = _filled(self.hours, HOUR_MILLIS)
        minutes = [one for one in minutes if one.millis < newest.millis]
        hours = [one for one in hours if one.millis < newest.millis]
        pace = pace_of([*minutes, newest], [*hours, newest], policy)
        return pace.encode() if pace else UNKNOWN


def _filled(samples: Sequence[Sample], step_millis: int) -> list[Sample]:
    """Return samples with those that were not stored because nothing had happened since."""
    filled = list(samples[:1])
    for before, after in pairwise(samples):
        if replace(before, millis=after.millis) == after:
            between = range(before.millis + step_millis, after.millis, step_millis)
            filled += [replace(before, millis=millis) for millis in between]
        filled.append(after)
    return filled


def sample_of(waitlist: WaitlistRecord, stats: c.StatsResult, now_millis: int) -> Sample:
    """Return the counts of a waitlist as the sample of a moment."""
    return Sample.counted(
        now_millis,
        stats.counters,
        waiting=stats.waiting,
        not_ready=stats.not_ready,
        offered=stats.offered,
        parked=stats.parked,
        inside=stats.inside,
        version=waitlist.version,
        # Neither shows how fast the list can serve.
        paused=waitlist.settings.paused or is_closed(offer_hours_of(waitlist.settings), now_millis),
    )


def _since(samples: Sequence[Sample], millis: int) -> list[Sample]:
    return [one for one in samples if one.millis >= millis]


def _hour(sample: Sample) -> int:
    return sample.millis // HOUR_MILLIS
