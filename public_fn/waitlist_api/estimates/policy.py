"""Extract the parts of an admission policy that determine how fast people are admitted."""

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import groupby, islice, takewhile

from waitlist_api.estimates.hours import MOST_HOURS
from waitlist_api.estimates.select_pace import MOST_INSTANTS, Policy
from waitlist_api.settings.admission import PERIOD_MILLIS, AdmissionPolicy, OfferHours, Scheduled
from waitlist_api.settings.hours import hours_after
from waitlist_api.settings.schedule import Instant, instants_after

# If a policy has offer hours, an estimate moves its scheduled times into these hours. The estimate
# reads at most this many scheduled times.
MOST_MOVED = 2_000
# Search the last hour for the most recent scheduled time. If there is none, search the last day.
LOOKED_BACK_MILLIS = (3_600_000, 86_400_000)


def policy_of(admission: AdmissionPolicy | None, now_millis: int) -> Policy | None:
    """Return the parts of a policy that determine how fast people are admitted.

    Return None if people are admitted only by operators.
    """
    if admission is None:
        return None
    limits = (admission.rate, admission.schedule or None, admission.max_inside)
    if limits == (None, None, None):
        return None
    rate, is_sum = None, admission.combine == "sum"
    if admission.rate is not None:
        rate = admission.rate.count * 1000 / PERIOD_MILLIS[admission.rate.per]
    instants = None
    if admission.schedule:
        spread = None if is_sum else rate
        found = _instants(admission.schedule, spread, now_millis)
        if admission.offer_hours:
            found = _within(admission.offer_hours, islice(found, MOST_MOVED), now_millis)
        instants = [
            (instant.millis / 1000, instant.count) for instant in islice(found, MOST_INSTANTS)
        ]
    hours = hours_after(admission.offer_hours, now_millis) if admission.offer_hours else ()
    return Policy(
        rate=rate,
        rate_from=(admission.rate.from_millis or 0) / 1000 if admission.rate else 0.0,
        is_sum=is_sum,
        instants=instants,
        max_inside=admission.max_inside,
        pass_seconds=admission.pass_seconds,
        is_whole_pass=admission.customer_exit == "frees_at_end",
        offer_seconds=admission.offer_seconds if admission.acceptance == "enter" else 0,
        hours=[(span.opens / 1000, span.closes / 1000) for span in islice(hours, MOST_HOURS)],
    )


def _within(hours: OfferHours, found: Iterator[Instant], now_millis: int) -> Iterator[Instant]:
    """Yield the times when the schedule makes offers.

    If a scheduled time is outside the offer hours, its offers are made when the next offer hours
    begin.
    """
    opening = hours_after(hours, now_millis)
    current = next(opening)

    def offered_at(instant: Instant) -> int:
        nonlocal current
        while current.closes <= instant.millis:
            current = next(opening)
        return instant.millis if instant.millis < now_millis else max(instant.millis, current.opens)

    for millis, some in groupby(found, offered_at):
        yield Instant(millis, sum(instant.count for instant in some))


def _instants(
    schedule: Sequence[Scheduled], rate: float | None, now_millis: int
) -> Iterator[Instant]:
    """Yield the scheduled times after `now_millis`.

    If the rate is too low to have admitted everybody from the previous scheduled time by now, yield
    that previous time first.
    """
    last = _last_before(schedule, now_millis) if rate else None
    if last and rate and last.count / rate > (now_millis - last.millis) / 1000:
        yield last
    yield from instants_after(schedule, now_millis)


def _last_before(schedule: Sequence[Scheduled], now_millis: int) -> Instant | None:
    for back in LOOKED_BACK_MILLIS:
        since = instants_after(schedule, now_millis - back)
        past = deque(takewhile(lambda instant: instant.millis <= now_millis, since), maxlen=1)
        if past:
            return past[0]
    return None
