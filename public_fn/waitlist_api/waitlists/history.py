"""Read a waitlist's counts over the last hour, day or week, and since midnight."""

from collections.abc import Sequence
from typing import Literal, Self

from msgspec import Struct

from waitlist_api.clock import NowMillis, last_midnight
from waitlist_api.records.message_counts import MessageCounts
from waitlist_api.records.samples import (
    HOUR_MILLIS,
    KEPT_MINUTES_MILLIS,
    KEPT_SECONDS,
    MINUTE_MILLIS,
    Every,
    Sample,
    SampleRecords,
)
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_shared.contracts import Counters

Period = Literal["hour", "day", "week"]
KEPT_MILLIS = KEPT_SECONDS["hour"] * 1000


class Series(Struct, frozen=True, kw_only=True):
    """How a period's counts are shown: the number of points, the time between two points, and the
    kind of samples to read.
    """

    points: int
    step_millis: int
    every: Every


SERIES: dict[Period, Series] = {
    "hour": Series(points=60, step_millis=MINUTE_MILLIS, every="minute"),
    "day": Series(points=144, step_millis=10 * MINUTE_MILLIS, every="minute"),
    "week": Series(points=168, step_millis=HOUR_MILLIS, every="hour"),
}


class Flows(Struct, frozen=True, kw_only=True):
    """The number of customers who joined, were admitted or left in a period, and the number of
    offers that ended in each way.
    """

    joined: int = 0
    admitted: int = 0
    left: int = 0
    entered: int = 0
    declined: int = 0
    no_shows: int = 0

    @classmethod
    def between(cls, before: Sample, after: Sample) -> Self:
        """Return the number of events between two samples."""
        # If Redis has lost data, a counter can be lower than in the previous sample. In that case,
        # return 0 rather than a negative number of events.
        names = Flows.__struct_fields__
        return cls(**{name: max(0, getattr(after, name) - getattr(before, name)) for name in names})


class Point(Struct, frozen=True, kw_only=True):
    """The counts at a point in time, and the number of events since the previous point."""

    millis: int
    flows: Flows
    waiting: int
    not_ready: int
    offered: int
    parked: int
    inside: int


class CountHistory(Struct, frozen=True):
    """Reads waitlists' samples and message counts."""

    samples: SampleRecords
    message_counts: MessageCounts
    waitlist_cache: WaitlistCache
    now_millis: NowMillis

    def sources(self, waitlist_id: str) -> dict[str, int]:
        """Return the number of signups from each source since the waitlist was created."""
        return self.samples.sources(waitlist_id)

    def messages(self, waitlist_id: str) -> dict[tuple[str, str], int]:
        """Return the number of messages by kind and state since the waitlist was created."""
        return self.message_counts.read(waitlist_id)

    def points(self, waitlist_id: str, period: Period) -> list[Point]:
        """Return the points of a period, oldest first.

        There are no points before the first sample.
        """
        series = SERIES[period]
        step = series.step_millis
        created = self.waitlist_cache.look_up(waitlist_id).created_millis
        last = self.now_millis() // step * step
        start = last - series.points * step
        found = self.samples.read(waitlist_id, series.every, start - HOUR_MILLIS)
        before = self.samples.last(waitlist_id, start, start - KEPT_MILLIS)
        # The last hourly sample may be hours old, because none is written while nothing happens.
        # Also read the newest per-minute sample, which can be later.
        newest = self.samples.last(waitlist_id, last, last - KEPT_MINUTES_MILLIS, "minute")
        known = (before, *found, newest)
        samples = [sample for sample in known if sample is not None and sample.millis >= created]
        if created > start:
            samples.insert(0, Sample(millis=created))
        # A sample is taken shortly after an hour or a minute begins, so round its time down.
        every = HOUR_MILLIS if series.every == "hour" else MINUTE_MILLIS
        timed = [(sample.millis // every * every, sample) for sample in samples]
        return _points(timed, range(start, last + step, step))

    def last_hour(self, waitlist_id: str, now: Counters) -> Flows:
        """Return the number of events in the last hour.

        `now` contains the counters' current values.
        """
        created = self.waitlist_cache.find(waitlist_id).created_millis
        begin = self.now_millis() - HOUR_MILLIS
        if created >= begin:
            before = Sample(millis=created)
        else:
            found = self.samples.last(
                waitlist_id, begin, max(created, begin - KEPT_MINUTES_MILLIS), "minute"
            ) or self.samples.last(waitlist_id, begin, max(created, begin - KEPT_MILLIS))
            if found is None:
                return Flows()
            before = found
        return Flows.between(before, Sample.counted(self.now_millis(), now))

    def admitted_today(self, waitlist_id: str, admitted: int) -> int:
        """Return how many customers were admitted since midnight in the waitlist's time zone."""
        waitlist = self.waitlist_cache.find(waitlist_id)
        created = waitlist.created_millis
        midnight = last_midnight(self.now_millis(), waitlist.settings.timezone)
        if created >= midnight:
            return admitted
        # Use the sample at midnight, or else the last sample before midnight. In some time zones,
        # midnight is not on the hour in UTC, so there is only a per-minute sample.
        every: Every = "minute" if midnight % HOUR_MILLIS else "hour"
        first = self.samples.last(
            waitlist_id, midnight, max(created, midnight - HOUR_MILLIS), every
        ) or self.samples.last(waitlist_id, midnight, max(created, midnight - KEPT_MILLIS))
        return max(0, admitted - first.admitted) if first else 0


def _points(timed: Sequence[tuple[int, Sample]], times: range) -> list[Point]:
    """Return a point for each time except the first, which marks where the first period begins.

    A point contains the counts of the newest sample taken at or before its time.
    """
    points: list[Point] = []
    samples = sorted(timed, key=lambda timed_sample: timed_sample[0])
    former: Sample | None = None
    for millis in times:
        past = [sample for at, sample in samples if at <= millis]
        samples = samples[len(past) :]
        newest = past[-1] if past else former
        if newest is not None and millis > times.start:
            # What happened before the first sample is not known, so the first point counts only the
            # events after that sample.
            points.append(_point(millis, former or past[0], newest))
        former = newest
    return points


def _point(millis: int, former: Sample, sample: Sample) -> Point:
    return Point(
        millis=millis,
        flows=Flows.between(former, sample),
        waiting=sample.waiting,
        not_ready=sample.not_ready,
        offered=sample.offered,
        parked=sample.parked,
        inside=sample.inside,
    )
