"""Tests sixteen workers that claim people from one service at the same time.

Each person is claimed once, in queue order.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count
from typing import Any

import pytest

from tests.support.counters import NO_OFFERS
from tests.support.line import Answer, Line, accepted
from tests.support.redis_servers import Server
from tests.support.threads import at_once
from waitlist_queue.config import Config
from waitlist_queue.connections import connect

CLAIMERS = 16
PEOPLE = [f"person {number}" for number in range(128)]
PLACE = {name: number for number, name in enumerate(PEOPLE)}
Claimed = tuple[str, Answer]


@pytest.fixture
def crowd(valkey: Server) -> Iterator[Line]:
    config = Config(redis_url=valkey.url, redis_cluster=False, log_level="INFO")
    client: Any = connect(config)
    line = Line(client)
    line.init(max_attempts=100)
    requests = [line.message("signup", **line.stay(name)) for name in PEOPLE]
    accepted(line.handle({"op": "batch", "requests": requests}))
    yield line
    client.close()  # Close all workers' connections, which would otherwise stay open.


def until_no_entry_waits(line: Line, size: int, **fields: Any) -> list[Claimed]:
    given: list[Claimed] = []
    while claimed := line.claimed(size, **fields):
        given += claimed.items()
    return given


def names_of(groups: Sequence[Sequence[Claimed]]) -> list[str]:
    return [name for group in groups for name, _ in group]


@pytest.mark.parametrize("size", [1, 7])
def test_each_person_is_claimed_once_and_in_order(crowd: Line, size: int) -> None:
    """P1, P4"""
    groups = at_once([partial(until_no_entry_waits, crowd, size)] * CLAIMERS)
    assert sorted(names_of(groups)) == sorted(PEOPLE)
    for group in groups:
        places = [PLACE[name] for name, _ in group]
        assert places == sorted(places)
    assert len({entry["token"] for group in groups for _, entry in group}) == len(PEOPLE)
    assert crowd.stats()["offered"] == len(PEOPLE)


def test_released_entries_are_admitted_by_other_workers_and_none_twice(crowd: Line) -> None:
    """Workers release every third person they claim, and go on until nobody is waiting (promises P3
    and P4).
    """
    turns = count()

    def work() -> list[str]:
        admitted = []
        while claimed := crowd.claimed():
            (name, entry), *_ = claimed.items()
            if next(turns) % 3 == 0:
                assert accepted(crowd.release(name, entry["token"]))["rank"] == entry["rank"]
            else:
                accepted(crowd.complete(name, entry["token"]))
                admitted.append(name)
        return admitted

    groups = at_once([work] * CLAIMERS)
    late = [name for name, entry in until_no_entry_waits(crowd, 100)]
    assert sorted([*(name for group in groups for name in group), *late]) == sorted(PEOPLE)
    assert crowd.stats()["counters"]["admitted"] == len(PEOPLE) - len(late)


def test_a_person_who_leaves_and_is_admitted_at_once_counts_as_having_left(crowd: Line) -> None:
    """A person who leaves and is admitted at the same time counts as having left (promises P2 and
    P4).
    """

    def admit() -> Counter[str]:
        ends: Counter[str] = Counter()
        while claimed := crowd.claimed():
            for name, entry in claimed.items():
                answer = crowd.complete(name, entry["token"])
                ends[answer.get("outcome") or answer["code"]] += 1
        return ends

    def leave(first: int) -> Counter[str]:
        people = PEOPLE[first :: CLAIMERS // 2]
        return Counter(accepted(crowd.leave(name))["outcome"] for name in people)

    half = CLAIMERS // 2
    results = at_once([admit] * half + [partial(leave, first) for first in range(half)])
    ends = sum(results, Counter[str]())
    assert (ends["left"], ends["absent"]) == (len(PEOPLE), 0)
    stats = crowd.stats()
    number = len(PEOPLE)
    assert stats["counters"] == NO_OFFERS | {"signed_up": number, "left": number, "admitted": 0}
    assert [stats[name] for name in ("waiting", "offered", "parked")] == [0, 0, 0]


def test_a_claim_that_is_sent_many_times_claims_people_once(crowd: Line) -> None:
    """If many threads send the same claim with the same idempotency key, people are claimed only
    once (promise P2).
    """
    answers = at_once([partial(crowd.claim, 10, once=1)] * CLAIMERS)
    assert Counter(answer["outcome"] for answer in answers) == {"claimed": 1, "repeat": 15}
    assert all(answer["entries"] == answers[0]["entries"] for answer in answers)
    assert list(crowd.claimed(1)) == [PEOPLE[10]]


def test_only_the_first_end_of_a_claim_takes_effect(crowd: Line) -> None:
    """Workers try to complete, release and park the same claim at the same time. The first request
    decides, and after it only requests of the same kind succeed (promises P2 and P4).
    """
    ((name, entry),) = crowd.claimed().items()
    verbs = ["complete", "release", "park", "complete"] * (CLAIMERS // 4)
    message = {"entry_id": entry["entry_id"], "token": entry["token"]}
    answers = at_once([partial(crowd.send, verb, **message) for verb in verbs])
    words = Counter(answer.get("outcome") or answer["code"] for answer in answers)
    state = crowd.position(name)["outcome"]
    word = {"done": "completed", "waiting": "released", "parked": "parked"}[state]
    same_verb = {"done": CLAIMERS // 2, "waiting": CLAIMERS // 4, "parked": CLAIMERS // 4}[state]
    assert (words[word], words["repeat"]) == (1, same_verb - 1)
    assert words["not_held"] == CLAIMERS - same_verb
    assert crowd.stats()["counters"]["admitted"] == (state == "done")


def test_expired_claims_are_ended_once_by_many_workers(crowd: Line) -> None:
    """Workers and maintenance find the same expired claims at the same time. Each entry returns to
    the queue once, with one failed attempt (promises P1 and P4).
    """
    until_no_entry_waits(crowd, 100)
    crowd.clock.advance(seconds=300)
    looks = [crowd.expire] * (CLAIMERS // 2)
    groups = at_once([*looks, *[partial(until_no_entry_waits, crowd, 1)] * (CLAIMERS // 2)])
    given = groups[CLAIMERS // 2 :]
    assert sorted(names_of(given)) == sorted(PEOPLE)
    assert {entry["attempts"] for group in given for _, entry in group} == {1}
    for group in given:
        places = [PLACE[name] for name, _ in group]
        assert places == sorted(places)
