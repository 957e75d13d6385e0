"""Runs the admission policy fifty times at the same moment on one Redis server.

Together, the runs make exactly the offers that are allowed. No entry gets two offers, and none is
passed over.
"""

from collections import Counter
from functools import partial
from typing import Any

import pytest

from tests.queue.test_queue_races import shared
from tests.support.line import Line, accepted
from tests.support.threads import at_once

__all__ = ["shared"]

TRIGGERS = 50
PEOPLE = [f"person-{number}" for number in range(300)]
A_DAY_MILLIS = 86_400_000


def begin(line: Line, **admission: Any) -> None:
    line.init(version=2, admission=True, pass_seconds=3600, **admission)
    line.all_sign_up(PEOPLE)


def run_at_once(line: Line, **fields: object) -> list[str]:
    run = partial(line.send, "admit", **fields)
    answers = [accepted(answer) for answer in at_once([run] * TRIGGERS)]
    answers.sort(key=lambda answer: answer["stamp"])
    return [line.name_of(one["entry_id"]) for answer in answers for one in answer["entries"]]


def test_room_is_never_exceeded(shared: Line) -> None:
    begin(shared, max_inside=120)
    assert run_at_once(shared) == PEOPLE[:120]


def test_an_instant_counts_once(shared: Line) -> None:
    begin(shared, schedule_version=1)
    taken = run_at_once(
        shared,
        settings_version=2,
        schedule_version=1,
        schedule_from=0,
        instants=[(1_700_000_000_000, 120)],
    )
    assert taken == PEOPLE[:120]


def test_an_empty_bucket_gives_nothing(shared: Line) -> None:
    begin(shared, rate_count=1, rate_millis=A_DAY_MILLIS)
    assert run_at_once(shared) == []


def test_one_key_admits_once(shared: Line) -> None:
    begin(shared)
    taken = run_at_once(shared, count=3, once_key="a" * 32, once_body="b" * 32)
    assert Counter(taken) == dict.fromkeys(PEOPLE[:3], TRIGGERS)


@pytest.mark.parametrize("verb", ["enter", "decline"])
def test_an_offer_is_used_once(shared: Line, verb: str) -> None:
    begin(shared, max_inside=1)
    accepted(shared.send("admit"))
    use = partial(shared.send, verb, entry_id=shared.id_of(PEOPLE[0]))
    outcomes = Counter(accepted(answer)["outcome"] for answer in at_once([use] * TRIGGERS))
    first = "entered" if verb == "enter" else "declined"
    assert outcomes == {first: 1, "repeat": TRIGGERS - 1}
    assert shared.stats()["counters"]["admitted"] == (1 if verb == "enter" else 0)


def test_exits_and_runs_together_keep_the_room(shared: Line) -> None:
    begin(shared, max_inside=20, acceptance="automatic")
    assert run_at_once(shared) == PEOPLE[:20]
    exits = [partial(shared.send, "exit", entry_id=shared.id_of(name)) for name in PEOPLE[:10]]
    at_once([*exits, *[partial(shared.send, "admit")] * 40])
    accepted(shared.send("admit"))
    stats = shared.stats()
    assert (stats["inside"], stats["counters"]["admitted"]) == (20, 30)
