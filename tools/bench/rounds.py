"""Measure the two sides of a comparison alternately.

The machine's speed drifts over time, but hardly changes between two measurements.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median, quantiles

from tools.bench.queue_client import Disturbed

WARM_UP_ROUNDS = 3
# How many rounds may be repeated because Redis did not answer in time.
DISTURBED_ROUNDS = 10


@dataclass(frozen=True)
class Round:
    """The two sides of a comparison, which are timed. Afterwards, `verify` raises an exception if
    either of them has failed.
    """

    ours: Callable[[], None]
    baseline: Callable[[], None]
    verify: Callable[[], None]


@dataclass(frozen=True)
class Speed:
    """`ratio` is our speed divided by the baseline's speed, in the median round. `low` and `high`
    are the ratio's quartiles over all rounds.
    """

    ours_per_second: float
    baseline_per_second: float
    ratio: float
    low: float
    high: float


def measure(
    prepare: Callable[[], Round], operations: int, rounds: int, tick: Callable[[], None]
) -> Speed:
    """The two sides take turns going first, so that neither has an advantage."""
    seconds: list[tuple[float, float]] = []
    disturbed = 0
    while len(seconds) < WARM_UP_ROUNDS + rounds:
        try:
            seconds.append(_timed(prepare(), ours_first=len(seconds) % 2 == 0))
        except Disturbed:
            disturbed += 1
            if disturbed > DISTURBED_ROUNDS:
                raise
        else:
            tick()
    del seconds[:WARM_UP_ROUNDS]
    ratios = [baseline / ours for ours, baseline in seconds]
    low, ratio, high = quantiles(ratios, n=4, method="inclusive")
    return Speed(
        ours_per_second=operations / median(ours for ours, _ in seconds),
        baseline_per_second=operations / median(baseline for _, baseline in seconds),
        ratio=ratio,
        low=low,
        high=high,
    )


def _timed(work: Round, ours_first: bool) -> tuple[float, float]:
    if ours_first:
        ours, baseline = _seconds(work.ours), _seconds(work.baseline)
    else:
        baseline, ours = _seconds(work.baseline), _seconds(work.ours)
    work.verify()
    return ours, baseline


def _seconds(run: Callable[[], None]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start
