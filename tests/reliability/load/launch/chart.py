"""Draws who came, who got in, who was refused and who still asked, as SVG."""

from collections.abc import Iterable
from itertools import accumulate

from tests.reliability.load.chart import COLOURS, Panel, binned, document
from tests.reliability.load.launch.crowd import SIGNUP
from tests.reliability.load.launch.run import Launch, refusals

GREEN, GREY, YELLOW, RED, BLUE, VIOLET = COLOURS
MOMENTS = 150


def picture(launch: Launch) -> str:
    """Return an SVG document."""
    width = launch.seconds / MOMENTS
    came = _counts(launch, launch.came.values())
    entered = _counts(launch, (one.ended for one in launch.history.of(SIGNUP) if one.is_done))
    answers = [
        refusals(each)
        for each in binned(launch, launch.history.attempts, lambda one: one.ended, MOMENTS)
    ]
    asking = list(accumulate(a - b for a, b in zip(came, entered, strict=True)))
    refused = {name: [one[name] / width for one in answers] for name in refusals([])}
    panels = [
        Panel("people a second who come", {"come": [n / width for n in came]}, {"come": BLUE}),
        Panel(
            "people a second who get in",
            {"get in": [n / width for n in entered]},
            {"get in": GREEN},
        ),
        Panel(
            "answers a second that ask to come again",
            refused,
            dict(zip(refused, (YELLOW, VIOLET, RED), strict=True)),
        ),
        Panel("people who came and are not in yet", {"ask": asking}, {"ask": GREY}),
    ]
    plan = launch.plan
    title = (
        f"{plan.people:,} people in {plan.within_seconds:.0f} s; limits: {plan.signup_rate} signups"
        f" a second, {plan.public} public and {plan.private} private calls at once"
    )
    return document(title, panels, launch.seconds)


def _counts(launch: Launch, moments: Iterable[float]) -> list[int]:
    return [len(each) for each in binned(launch, moments, lambda at: at, MOMENTS)]
