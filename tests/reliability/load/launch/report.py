"""The sentences and numbers of a launch."""

from collections.abc import Iterator
from typing import Any

from tests.reliability.load.launch.crowd import SIGNUP
from tests.reliability.load.launch.run import Launch, refusals
from tests.reliability.load.report import PERCENTILES, counted, percentiles


def seconds_until_in(launch: Launch) -> list[float]:
    """Return the seconds that each person needed, from coming to getting in."""
    return [one.ended - launch.came[one.person] for one in launch.history.of(SIGNUP) if one.is_done]


def sentences_of(launch: Launch) -> Iterator[str]:
    plan, waited = launch.plan, seconds_until_in(launch)
    tries = [float(one.attempts) for one in launch.history.of(SIGNUP)]
    by_kind = ", ".join(f"{n:,} {name}" for name, n in refusals(launch.history.attempts).items())
    coming = max(launch.came.values(), default=launch.began) - launch.began
    half, most = percentiles(waited)[0], max(waited, default=0)
    yield (
        f"{len(launch.came):,} people came within {coming:.0f} s; {len(waited):,} got"
        f" in within {launch.seconds:.0f} s, {len(waited) / launch.seconds:.0f} a second."
    )
    yield f"Half of them were in after {half:.0f} s, the last after {most:.0f} s."
    yield (
        f"{len(launch.history.attempts):,} requests, to come again: {by_kind}. Half of the people"
        f" needed {percentiles(tries)[0]:.0f} tries at most, the last {max(tries, default=0):.0f}."
    )
    yield (
        f"Limits: {plan.signup_rate} signups a second, {plan.public} calls of the public function"
        f" and {plan.private} of the private at once. Load of the machine: {launch.loads[0]:.1f}"
        f" before, {launch.loads[1]:.1f} after."
    )
    yield counted(launch)


def as_json(launch: Launch) -> dict[str, Any]:
    """Return the launch's numbers as JSON values."""
    waited = seconds_until_in(launch)
    return {
        "people": len(launch.came),
        "in": len(waited),
        "seconds": round(launch.seconds, 1),
        "came_within": round(max(launch.came.values(), default=launch.began) - launch.began, 1),
        "limits": launch.plan.limits,
        "loads": launch.loads,
        "requests": len(launch.history.attempts),
        "refusals": dict(refusals(launch.history.attempts)),
        "seconds_until_in": dict(
            zip(map(str, PERCENTILES), (round(one, 1) for one in percentiles(waited)), strict=True),
            longest=round(max(waited, default=0), 1),
        ),
        "most_tries": max((one.attempts for one in launch.history.of(SIGNUP)), default=0),
        "stats": dict(launch.final_state.stats),
        "problems": [str(problem) for problem in launch.problems],
    }
