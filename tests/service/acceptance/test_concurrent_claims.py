"""Concurrent claimers: each entry to one of them, in order, and none is skipped."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import TypeVar

import pytest

from tests.service.acceptance.claimer import Claimer
from tests.service.acceptance.terms import Waitlist
from tests.support.world import World

CLAIMERS = 16
PEOPLE = tuple(f"person-{number:03}" for number in range(300))

STATUSES = {
    "complete": "admitted",
    "release": "waiting",
    "park": "parked",
    "extend": "offered",
}
T = TypeVar("T")


def at_once(count: int, work: Callable[[int], T]) -> list[T]:
    """Do the work of each claimer in a thread of its own."""
    with ThreadPoolExecutor(max_workers=count) as pool:
        return list(pool.map(work, range(count)))


@pytest.mark.parametrize("count", [1, 3])
def test_claimers_that_race_get_each_person_once_in_order(waitlist: Waitlist, count: int) -> None:
    """Given 60 waiting, when 8 race for them, then each is given once, oldest first. P1, P4."""
    desk = waitlist(*PEOPLE[:60])

    def claim_all(number: int) -> list[str]:
        claimer, given = Claimer(desk, f"claimer-{number}"), list[str]()
        while more := claimer.claimed(count):
            assert more == sorted(more)
            given += more
        return given

    given = at_once(8, claim_all)
    assert sorted(name for names in given for name in names) == list(PEOPLE[:60])
    assert all(names == sorted(names) for names in given), "somebody was given out of order"
    assert desk.counts()[:2] == (0, 60)


def test_one_token_admits_once_however_often_it_is_sent(waitlist: Waitlist) -> None:
    """Given one held, when 8 complete by one token and 8 by others, then admitted once. P4."""
    desk = waitlist("ann")
    desk.claim()

    def complete(number: int) -> str:
        token = desk.tokens["ann"] if number % 2 else f"{number:040x}"
        return Claimer(desk, f"claimer-{number}").act("complete", "ann", token)

    answers = Counter(at_once(CLAIMERS, complete))
    assert answers["admitted"] == 8
    assert answers["claim_mismatch"] + answers["already_admitted"] == 8
    assert desk.counts() == (0, 0, 0, 1, 0)
    assert desk.events("ann").count("admitted") == 1


def test_a_token_ends_its_hold_in_one_way(waitlist: Waitlist) -> None:
    """Given 40 held, when complete, release, park and leave race, then one wins each. P4."""
    names = PEOPLE[:40]
    desk = waitlist(*names)
    desk.claim(40)
    ends = {**STATUSES, "leave": "left"}

    def end(verb: str) -> set[str]:
        claimer = Claimer(desk, verb, desk.tokens)
        answers = {
            name: claimer.leave(name) if verb == "leave" else claimer.act(verb, name)
            for name in names
        }
        return {name for name, answer in answers.items() if answer == ends[verb]}

    verbs = ("complete", "release", "park", "leave")
    won = dict(zip(verbs, at_once(4, lambda number: end(verbs[number])), strict=True))
    for name in names:
        winners = {verb for verb in verbs if name in won[verb]}
        last = "leave" if "leave" in winners else next(iter(winners))
        assert desk.recorded(name)["status"] == ends[last], name
        assert len(winners - {"leave"}) <= 1, f"{name}'s hold was ended by {winners}"
        assert winners != {"complete", "leave"}, f"{name} was admitted and left"
    waiting, offered, parked, admitted, left = desk.counts()
    assert offered == 0
    assert waiting + parked + admitted + left == 40


def test_sixteen_claimers_do_everything_to_three_hundred(waitlist: Waitlist, world: World) -> None:
    """Given 300 waiting, when 16 claim, complete, release and park, then all is exact. P1, P4."""
    desk = waitlist(*PEOPLE, lease_seconds=3600)

    def work(number: int) -> Counter[tuple[str, str]]:
        claimer, dice = Claimer(desk, f"claimer-{number}"), Random(number)
        done = Counter[tuple[str, str]]()
        for turn in range(24):
            key = f"{number}-{turn}" if dice.random() < 0.3 else ""
            names = claimer.claimed(dice.choice((1, 1, 2, 5)), key)
            for name in names:
                done["claim", name] += 1
                verb = dice.choice(("complete", "complete", "release", "park", "extend"))
                assert claimer.act(verb, name) == STATUSES[verb]
                done[verb, name] += 1
        return done

    done: Counter[tuple[str, str]] = sum(at_once(CLAIMERS, work), Counter())
    by_verb: Counter[str] = Counter()
    for (verb, _), times in done.items():
        by_verb[verb] += times
    assert by_verb["claim"] > 300, "the line was not used up"
    parked, admitted, held = by_verb["park"], by_verb["complete"], by_verb["extend"]
    assert desk.counts() == (300 - parked - admitted - held, held, parked, admitted, 0)
    for name in PEOPLE:
        ends = [verb for verb in ("complete", "park", "extend") if done[verb, name]]
        assert len(ends) <= 1, f"{name} was given to two: {ends}"
        assert sum(done[verb, name] for verb in ends) <= 1, f"{name} was given twice: {ends}"
        assert done["claim", name] == done["release", name] + len(ends), name
        status = STATUSES[ends[0]] if ends else "waiting"
        assert desk.recorded(name)["status"] == status, name
    order = desk.listed("waiting")
    assert order == sorted(order), "the line is out of order"
    history = {name: Counter(desk.events(name)) for name in PEOPLE[::10]}
    for name, events in history.items():
        assert events["offered"] == done["claim", name]
        assert events["released"] == done["release", name]
    world.redis.flushall()
    world.maintain()
    assert desk.listed("waiting") == order
    assert desk.counts()[:3] == (len(order), held, parked)
