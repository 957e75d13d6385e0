"""Simulate people who wait, and measure how often their real wait is within the estimate and how
wrong the estimate is.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from tools.bench.simulated_lists import (
    DAY,
    HOUR,
    MINUTE,
    Look,
    Scenario,
    Simulation,
    at_random,
    bursts,
    inside_of,
    launch,
    rooms,
    steady,
)
from tools.bench.sizes import Sizes
from tools.bench.targets import Row, Target
from waitlist_api.estimates.select_pace import Policy

WITHIN = Target("≥", 0.8)
# Errors are divided by the real wait. A wait of less than a minute counts as a minute, so that
# short waits do not cause huge relative errors.
SHORTEST = MINUTE
OPENS, CLOSES = 9 * HOUR, 17 * HOUR


def _halved(now: int) -> float:
    return (20 if now < 3 * HOUR else 10) / MINUTE


def _in_office_hours(now: int) -> float:
    return 2 / MINUTE if OPENS <= now % DAY < CLOSES else 0.0


# At a rate of 5 people a minute, 100 people are inside within half an hour. From then on, people
# can enter only when others exit.
LAUNCH = Policy(rate=5 / MINUTE, max_inside=100, pass_seconds=HOUR)


def _until_they_go_out(chance: random.Random) -> float:
    return chance.uniform(10 * MINUTE, HOUR)


def _whole_pass(_: random.Random) -> float:
    return HOUR


def _launch(name: str, stay: Callable[[random.Random], float]) -> Scenario:
    return Scenario(
        name=name,
        service=launch(LAUNCH, stay),
        inside=inside_of,
        policy=LAUNCH,
        joining=1 / MINUTE,
        waiting=2000,
        seconds=6 * HOUR,
        warm_up=2 * MINUTE,
        look_every=2 * MINUTE,
    )


SCENARIOS = (
    Scenario(
        name="constant service",
        service=steady(10 / MINUTE),
        joining=9.5 / MINUTE,
        waiting=300,
        seconds=8 * HOUR,
    ),
    Scenario(
        name="M/M/5",
        service=rooms(5, 5 * MINUTE),
        joining=0.97 / MINUTE,
        waiting=40,
        seconds=24 * HOUR,
        look_every=3 * MINUTE,
    ),
    Scenario(
        name="bursts of 40 every 5 min",
        service=bursts(5 * MINUTE, 40, 20),
        joining=7.6 / MINUTE,
        waiting=300,
        seconds=8 * HOUR,
    ),
    Scenario(
        name="daily batches of 100",
        service=bursts(DAY, 100, 10 * MINUTE, 9 * HOUR),
        joining=98 / DAY,
        waiting=250,
        seconds=40 * DAY,
        warm_up=5 * DAY,
        look_every=HOUR,
        step=MINUTE,
    ),
    Scenario(
        name="30% leaving",
        service=at_random(lambda _: 10 / MINUTE),
        joining=14 / MINUTE,
        waiting=250,
        leaving=0.3 / (25 * MINUTE),
        seconds=8 * HOUR,
    ),
    Scenario(
        name="rate halves midway",
        service=at_random(_halved),
        joining=13 / MINUTE,
        waiting=400,
        seconds=6 * HOUR,
    ),
    Scenario(
        name="office hours",
        service=at_random(_in_office_hours),
        joining=930 / DAY,
        waiting=700,
        seconds=12 * DAY,
        warm_up=3 * DAY,
        look_every=HOUR // 2,
        step=MINUTE,
    ),
    Scenario(
        name="weekly batches of 100",
        service=bursts(7 * DAY, 100, 6 * HOUR, DAY + 9 * HOUR),
        joining=98 / (7 * DAY),
        waiting=250,
        seconds=98 * DAY,
        warm_up=30 * DAY,
        look_every=6 * HOUR,
        step=MINUTE,
    ),
    _launch("launch that fills up", _until_they_go_out),
    _launch("launch of whole passes", _whole_pass),
)


@dataclass(frozen=True)
class Verdict:
    """A scenario's estimates, compared with the real waits. `width` and `error` are medians, as
    fractions of the real wait.
    """

    looks: int
    unknown: int
    within: float
    width: float
    error: float
    by_last_hour: float
    by_last_served: float


def looks_of(scenario: Scenario, sizes: Sizes) -> list[Look]:
    chosen = replace(scenario, look_every=round(scenario.look_every / sizes.wait_polls))
    return [look for seed in range(sizes.wait_runs) for look in Simulation(chosen, seed).looks()]


def verdict_of(looks: Sequence[Look]) -> Verdict:
    known = [(look, look.estimate) for look in looks if look.estimate is not None]
    within = [found.low <= look.real <= found.high for look, found in known]
    return Verdict(
        looks=len(looks),
        unknown=len(looks) - len(known),
        within=sum(within) / len(known),
        width=median((found.high - found.low) / max(look.real, SHORTEST) for look, found in known),
        error=median(_error(found.seconds, look.real) for look, found in known),
        by_last_hour=_median_error([look for look, _ in known], lambda look: look.by_last_hour),
        by_last_served=_median_error([look for look, _ in known], lambda look: look.by_last_served),
    )


def _error(guess: float, real: int) -> float:
    return abs(guess - real) / max(real, SHORTEST)


def _median_error(looks: Sequence[Look], guess: Callable[[Look], float | None]) -> float:
    """A missing guess counts as 0 seconds."""
    return median(_error(guess(look) or 0.0, look.real) for look in looks)


def wait_rows(sizes: Sizes, tick: Callable[[], None]) -> list[Row]:
    rows = []
    for scenario in SCENARIOS:
        rows += _rows(scenario.name, verdict_of(looks_of(scenario, sizes)))
        tick()
    return rows


def _rows(name: str, verdict: Verdict) -> list[Row]:
    baselines = (
        ("position / last hour's rate", verdict.by_last_hour),
        ("wait of the last person served", verdict.by_last_served),
    )
    return [
        Row(
            name=f"{name}: real wait within",
            beside="low to high",
            ratio=verdict.within,
            spread=None,
            ours=f"{verdict.within:.1%}",
            baseline=(f"{verdict.width:.0%} wide, {verdict.unknown / verdict.looks:.0%} unknown"),
            target=WITHIN,
        ),
        *(
            Row(
                name=f"{name}: median error",
                beside=beside,
                ratio=verdict.error / error,
                spread=None,
                ours=f"{verdict.error:.1%}",
                baseline=f"{error:.1%}",
                target=None,
            )
            for beside, error in baselines
        ),
    ]
