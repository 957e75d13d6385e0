"""Tests that several workers can claim entries at the same time. Each entry goes to one worker, in
queue order, and none is left out.
"""

from collections import Counter
from functools import partial
from random import Random

from tests.service.acceptance.claimer import Claimer
from tests.service.acceptance.terms import Waitlist
from tests.support.threads import at_once
from tests.support.world import World

CLAIMERS = 16
PEOPLE = tuple(f"person-{number:03}" for number in range(150))

STATUSES = {
    "complete": "admitted",
    "release": "waiting",
    "park": "parked",
    "extend": "offered",
}


def test_sixteen_workers_do_everything_to_many_people(waitlist: Waitlist, world: World) -> None:
    people = waitlist(*PEOPLE, lease_seconds=3600)

    def work(number: int) -> Counter[tuple[str, str]]:
        claimer, dice = Claimer(people, f"claimer-{number}"), Random(number)
        done = Counter[tuple[str, str]]()
        for turn in range(12):
            key = f"{number}-{turn}" if dice.random() < 0.3 else ""
            names = claimer.claimed(dice.choice((1, 1, 2, 5)), key)
            for name in names:
                done["claim", name] += 1
                verb = dice.choice(("complete", "complete", "release", "park", "extend"))
                assert claimer.act(verb, name) == STATUSES[verb]
                done[verb, name] += 1
        return done

    done: Counter[tuple[str, str]] = sum(
        at_once([partial(work, number) for number in range(CLAIMERS)]), Counter()
    )
    by_verb: Counter[str] = Counter()
    for (verb, _), times in done.items():
        by_verb[verb] += times
    assert by_verb["claim"] > len(PEOPLE), "the workers did not claim everybody"
    parked, admitted, held = by_verb["park"], by_verb["complete"], by_verb["extend"]
    assert people.counts() == (len(PEOPLE) - parked - admitted - held, held, parked, admitted, 0)
    for name in PEOPLE:
        ends = [verb for verb in ("complete", "park", "extend") if done[verb, name]]
        assert len(ends) <= 1, f"two workers ended the claim of {name}: {ends}"
        assert sum(done[verb, name] for verb in ends) <= 1, (
            f"the claim of {name} ended twice: {ends}"
        )
        assert done["claim", name] == done["release", name] + len(ends), name
        status = STATUSES[ends[0]] if ends else "waiting"
        assert people.recorded(name)["status"] == status, name
    order = people.listed("waiting")
    assert order == sorted(order), "the queue is not in order"
    history = {name: Counter(people.events(name)) for name in PEOPLE[::10]}
    for name, events in history.items():
        assert events["offered"] == done["claim", name]
        assert events["released"] == done["release", name]
    world.redis.flushall()
    world.maintain()
    assert people.listed("waiting") == order
    assert people.counts()[:3] == (len(order), held, parked)
