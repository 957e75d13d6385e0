"""Tests 64 threads that use the same Redis server at once.

All counts and positions must be exact.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import pytest

from tests.support.counters import NO_OFFERS
from tests.support.line import Answer, Line, accepted
from tests.support.redis_servers import Server
from tests.support.threads import at_once
from waitlist_queue.config import Config
from waitlist_queue.connections import connect

THREADS = 64
Act = Callable[[], Any]


@pytest.fixture
def shared(valkey: Server) -> Iterator[Line]:
    config = Config(redis_url=valkey.url, redis_cluster=False, log_level="INFO")
    client: Any = connect(config)
    line = Line(valkey.client, now_micros=lambda: "", connect=lambda: client)
    line.init()
    yield line
    client.close()


def in_turn(acts: Sequence[Act]) -> list[Any]:
    return [act() for act in acts]


def names_of(prefix: str, count: int = THREADS) -> list[str]:
    return [f"{prefix} {number}" for number in range(count)]


def assert_gap_free(line: Line, names: set[str]) -> None:
    entries = line.entries()
    assert {entry["entry_id"] for entry in entries} == {line.id_of(name) for name in names}
    assert [entry["position"] for entry in entries] == list(range(1, len(names) + 1))
    ranks = [entry["rank"] for entry in entries]
    assert ranks == sorted(set(ranks))
    assert line.stats()["waiting"] == len(names)


def test_one_customer_signing_up_in_every_thread_gets_one_place(shared: Line) -> None:
    """P2"""
    answers = at_once([partial(shared.signup, "ann")] * THREADS)
    assert Counter(answer["outcome"] for answer in answers) == {"joined": 1, "already": 63}
    assert len({answer["ticket"] for answer in answers}) == 1
    assert len({answer["stamp"] for answer in answers}) == THREADS
    assert_gap_free(shared, {"ann"})
    assert shared.stats()["counters"]["signed_up"] == 1


def test_different_customers_get_a_position_each(shared: Line) -> None:
    """When many customers sign up at once, their positions follow the order of the signups
    (promises P1 and P6).
    """
    names = names_of("person", THREADS * 4)

    def some(first: int) -> list[Answer]:
        return [accepted(shared.signup(name)) for name in names[first::THREADS]]

    answers = [
        answer for group in at_once([partial(some, n) for n in range(THREADS)]) for answer in group
    ]
    answered = sorted((answer["ticket"], answer["position"]) for answer in answers)
    assert [position for _, position in answered] == list(range(1, len(names) + 1))
    assert len({ticket for ticket, _ in answered}) == len(names)
    assert_gap_free(shared, set(names))


def test_signups_stand_in_the_order_of_their_answers(shared: Line) -> None:
    """Many threads sign people up. If one signup was answered before another was sent, its person
    is ahead (promise P1).
    """
    groups = [names_of(f"thread {number}", 4) for number in range(THREADS)]
    at_once([partial(shared.all_sign_up, group) for group in groups])
    place = {name: number for number, name in enumerate(shared.order())}
    for group in groups:
        places = [place[name] for name in group]
        assert places == sorted(places)


def test_a_list_is_never_over_its_capacity(shared: Line) -> None:
    """P5"""
    shared.init(version=2, capacity=10)
    answers = at_once([partial(shared.signup, name) for name in names_of("person")])
    words = Counter(answer.get("outcome", answer.get("code")) for answer in answers)
    assert words == {"joined": 10, "waitlist_full": 54}
    assert max(answer["total"] for answer in answers if answer["ok"]) == 10
    assert_gap_free(shared, set(shared.order()))
    assert shared.stats()["waiting"] == 10


def test_one_wish_moves_once(shared: Line) -> None:
    """If 64 threads send the same request to move an entry by two places, the entry moves by two
    places in total (promise P2).
    """
    people = names_of("person", 100)
    for name in people:
        shared.signup(name)
    answers = at_once([partial(shared.bump, people[-1], once=1, places=2)] * THREADS)
    assert Counter(answer["outcome"] for answer in answers) == {"moved": 1, "repeat": 63}
    assert len({(answer["rank"], answer["moved_stamp"]) for answer in answers}) == 1
    assert_gap_free(shared, set(people))


def test_signups_leaves_and_bumps_together_lose_no_entry(shared: Line) -> None:
    """The requests can arrive in any order. Afterwards, exactly the expected entries are waiting,
    each with its own position (promises P1, P2 and P6).
    """
    leavers, movers, newcomers = names_of("leaver", 60), names_of("mover", 60), names_of("new", 80)
    shared.all_sign_up([name for pair in zip(leavers, movers, strict=True) for name in pair])
    wheres: list[dict[str, Any]] = [
        {"to": "front"},
        {"to": "back"},
        {"places": 1},
        {"places": 30},
        {"priority": 1},
        {"priority": 0},
    ]
    acts: list[Act] = [partial(shared.leave, name) for name in leavers]
    acts += [partial(shared.signup, name) for name in newcomers]
    for number, name in enumerate(movers):
        where = wheres[number % len(wheres)]
        acts.append(partial(shared.bump, name, number, **where))
    shares = [acts[number::THREADS] for number in range(THREADS)]
    groups = at_once([partial(in_turn, share) for share in shares])
    words = Counter(accepted(answer)["outcome"] for group in groups for answer in group)
    assert words == {"left": 60, "joined": 80, "moved": 60}
    assert_gap_free(shared, {*movers, *newcomers})
    counters = NO_OFFERS | {"signed_up": 200, "left": 60, "admitted": 0}
    assert shared.stats()["counters"] == counters


def test_positions_read_during_the_rush_are_possible_ones(shared: Line) -> None:
    """When entries ahead leave, the position of a waiting entry only gets better (promise P6)."""
    people = names_of("person", 64)
    shared.all_sign_up(people)
    last = people[-1]

    def watch() -> list[int]:
        return [shared.position(last)["position"] for _ in range(20)]

    leavers = [partial(shared.leave, name) for name in people[:48]]
    results = at_once([*leavers, *[watch] * 16])
    for seen in results[48:]:
        assert seen == sorted(seen, reverse=True)
        assert all(16 <= position <= 64 for position in seen)
    assert shared.position(last)["position"] == 16


def test_many_settings_at_once_end_with_the_newest(shared: Line) -> None:
    """P2"""
    at_once([partial(shared.init, version=version, capacity=version) for version in range(2, 66)])
    assert shared.client.hget("wl:{bakery-opening}:meta", "capacity") == "65"


def test_one_of_many_rebuilds_is_the_one(shared: Line) -> None:
    """If 64 processes start a rebuild at once, they all take part in one rebuild (promise P7)."""
    shared.send("purge")
    answers = at_once([partial(shared.init, mode="open", epoch=f"{n:08x}") for n in range(THREADS)])
    assert Counter(answer["outcome"] for answer in answers) == {"created": 1, "exists": 63}
    assert len({answer["epoch"] for answer in answers}) == 1


def test_batches_and_single_calls_at_once_find_a_connection_each(shared: Line) -> None:
    """No call fails only because many other calls use Redis at the same time (promise P2)."""

    def both(number: int) -> list[Answer]:
        names = [f"{number} {letter}" for letter in "abc"]
        requests = [shared.message("signup", **shared.stay(name)) for name in names]
        batch = {"v": 1, "op": "batch", "requests": requests}
        return [accepted(shared.handle(batch)), *map(shared.signup, names), shared.handle(batch)]

    for group in at_once([partial(both, number) for number in range(THREADS)]):
        first, *again, repeat = group
        ranks = [answer["rank"] for answer in first["results"]]
        assert ranks == [accepted(answer)["rank"] for answer in again]
        assert ranks == [answer["rank"] for answer in accepted(repeat)["results"]]
    assert shared.stats()["counters"]["signed_up"] == 3 * THREADS
