"""Keep a waitlist's recent samples, and use them to compute how fast it admits people."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.estimates.pace import OVER, UNKNOWN
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
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_api.settings.hours import is_closed
from waitlist_api.settings.waitlist import is_over, offer_hours_of
from waitlist_shared import contracts as c

# The pace is computed from the per-minute samples of the last 3 hours and the hourly samples of the
# last 4 weeks.
MINUTES_MILLIS, HOURS_MILLIS = 3 * HOUR_MILLIS, 28 * DAY_MILLIS


class Recent(Struct):
    """A waitlist's recent samples, in chronological order."""

    created_millis: int
    minutes: list[Sample]
    hours: list[Sample]
    seen_millis: int

    @classmethod
    def read(cls, samples: SampleRecords, waitlist: WaitlistRecord, now_millis: int) -> Self:
        """Read a waitlist's stored samples."""
        waitlist_id, created = waitlist.waitlist_id, waitlist.created_millis
        begin_millis = now_millis - MINUTES_MILLIS
        before = samples.last(waitlist_id, begin_millis, now_millis - KEPT_MINUTES_MILLIS, "minute")
        minutes = samples.read(waitlist_id, "minute", begin_millis)
        if before is not None and before not in minutes:
            minutes.insert(0, before)
        hours = samples.read(waitlist_id, "hour", now_millis - HOURS_MILLIS)
        # Leave out samples from before this waitlist was created. They belong to a deleted waitlist
        # that had the same id.
        return cls(created, _since(minutes, created), _since(hours, created), now_millis)

    def add(self, sample: Sample, quiet_until: int = 0) -> list[tuple[Every, Sample]]:
        """Add a sample, and return the samples that must be stored.

        Each sample is paired with the name of its series, `minute` or `hour`.
        """
        kept: list[tuple[Every, Sample]] = []
        if self.minutes:
            last = self.minutes[-1]
            next_hour = (_hour(last) + 1) * HOUR_MILLIS
            # The counts stayed the same until `quiet_until`, so no sample was stored in the
            # meantime. Store a copy of the last sample for that time. Only one sample is stored per
            # minute, so the copy must be at least a minute older than the new sample.
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
            before = [older for older in self.minutes if older.millis < begin_millis][-1:]
            self.minutes = [*before, *_since(self.minutes, begin_millis), sample]
            yield "minute", sample
        if not self.hours or _hour(self.hours[-1]) < _hour(sample):
            self.hours = _since(self.hours, sample.millis - HOURS_MILLIS)
            self.hours.append(sample)
            yield "hour", sample

    def pace(self, newest: Sample, policy: Policy | None, until_millis: int | None = None) -> str:
        """Return the pace (how fast people are admitted) as text for Redis.

        `newest` is the current sample, which is not necessarily stored. `until_millis` is when
        admissions end, or None if they have no end.
        """
        if until_millis is not None and newest.millis >= until_millis:
            return OVER
        minutes = _since(_filled(self.minutes, MINUTE_MILLIS), newest.millis - MINUTES_MILLIS)
        hours = _filled(self.hours, HOUR_MILLIS)
        minutes = [sample for sample in minutes if sample.millis < newest.millis]
        hours = [sample for sample in hours if sample.millis < newest.millis]
        pace = pace_of([*minutes, newest], [*hours, newest], policy)
        return replace(pace, until=(until_millis or 0) // 1000).encode() if pace else UNKNOWN


def _filled(samples: Sequence[Sample], step_millis: int) -> list[Sample]:
    """If two successive samples have the same counts, fill the gap between them with copies.

    No samples are stored while a waitlist's counts stay the same.
    """
    filled = list(samples[:1])
    for before, after in pairwise(samples):
        if replace(before, millis=after.millis) == after:
            between = range(before.millis + step_millis, after.millis, step_millis)
            filled += [replace(before, millis=millis) for millis in between]
        filled.append(after)
    return filled


def sample_of(waitlist: WaitlistRecord, stats: c.StatsResult, now_millis: int) -> Sample:
    """Return the current counts of a waitlist as a sample."""
    return Sample.counted(
        now_millis,
        stats.counters,
        waiting=stats.waiting,
        not_ready=stats.not_ready,
        offered=stats.offered,
        parked=stats.parked,
        inside=stats.inside,
        version=waitlist.version,
        # The waitlist counts as paused outside the offer hours and after admissions have ended.
        # Samples from such times do not show how fast it admits people.
        paused=waitlist.settings.paused
        or is_closed(offer_hours_of(waitlist.settings), now_millis)
        or is_over(waitlist.settings, now_millis),
    )


def _since(samples: Sequence[Sample], millis: int) -> list[Sample]:
    return [sample for sample in samples if sample.millis >= millis]


def _hour(sample: Sample) -> int:
    return sample.millis // HOUR_MILLIS
