"""Many claimers at once: each person to one of them, in order, and nobody forgotten."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import TypeVar

import pytest

from tests.acceptance.terms import Waitlist
from tests.support.admissions import Admissions
from tests.support.world import World

CLAIMERS = 16
PEOPLE = tuple(f"person-{number:03}" for number in range(300))

T = TypeVar("T")


def at_once(count: int, work: Callable[[int], T]) -> list[T]:
    """Do the work of each claimer in a thread of its own."""
    with ThreadPoolExecutor(max_workers=count) as pool:
        return list(pool.map(work, range(count)))


def of_claimer(desk: Admissions) -> Admissions:
    """Return a desk of its own at the same waitlist, knowing the same people."""
    return Admissions(desk.world, desk.waitlist_id, dict(desk.names))


@pytest.mark.parametrize("count", [1, 3])
def test_claimers_that_race_get_each_person_once_in_order(waitlist: Waitlist, count: int) -> None:
    """Given 60 waiting, when 8 race for them, then each is given once, oldest first. P1, P4."""
    desk = waitlist(*PEOPLE[:60])

    def claim_all(_: int) -> list[str]:
        mine, given = of_claimer(desk), list[str]()
        while more := mine.claimed(count):
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
        answer = of_claimer(desk).complete("ann", token)
        return str(answer.code or answer.json["status"])

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
    verbs = ("complete", "release", "park", "leave")

    def end(number: int) -> list[tuple[str, str]]:
        verb, won = verbs[number % 4], []
        for name in names:
            ask = desk.leave(name) if verb == "leave" else desk.act(verb, name)
            if ask.status < 300:
                won.append((name, verb))
            else:
                assert ask.status in (409, 429), ask.text
        return won

    won = Counter(pair for pairs in at_once(4, end) for pair in pairs)
    for name in names:
        ends = {verb for verb in verbs if won[name, verb]}
        status = desk.recorded(name)["status"]
        if "complete" in ends:
            assert ends == {"complete"}, name
            assert status == "admitted"
        elif "leave" in ends:
            assert status == "left", name
        else:
            assert len(ends) == 1, name
    waiting, offered, parked, admitted, left = desk.counts()
    assert offered == 0
    assert waiting + parked + admitted + left == 40


def test_sixteen_claimers_do_everything_to_three_hundred(waitlist: Waitlist, world: World) -> None:
    """Given 300 waiting, when 16 claim, complete, release and park, then all is exact. P1, P4."""
    desk = waitlist(*PEOPLE, lease_seconds=3600)

    def work(number: int) -> Counter[tuple[str, str]]:
        mine, dice, done = of_claimer(desk), Random(number), Counter[tuple[str, str]]()
        for turn in range(24):
            key = f"{number}-{turn}" if dice.random() < 0.3 else None
            names = mine.claimed(dice.choice((1, 1, 2, 5)), key)
            for name in names:
                done["claim", name] += 1
                verb = dice.choice(("complete", "complete", "release", "park", "extend"))
                answer = mine.act(verb, name)
                assert answer.status == 200, (verb, name, answer.text)
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
        wanted = {"complete": "admitted", "park": "parked", "extend": "offered"}
        status = wanted[ends[0]] if ends else "waiting"
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
