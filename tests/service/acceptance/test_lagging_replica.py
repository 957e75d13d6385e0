"""Tests for a failover to a Redis replica that is missing the newest writes and reports no
error.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.support.admissions import Admissions
from tests.support.redis_servers import Server
from tests.support.snapshot import RedisState
from tests.support.tables import new_table
from tests.support.world import Clock, RedisClock, World
from waitlist_queue import keys

LONG = 3600
NAMES = ("ann", "bob", "cyd", "dan", "eve")
Act = Callable[[Admissions], Any]


def seen(people: Admissions) -> dict[str, Any]:
    """Return everything that operators can read, except for the total counts, which may stay too
    low after a loss of Redis.
    """
    stats = people.stats()
    assert stats.status == 200, stats.text
    counts = {name: stats.json[name] for name in ("waiting", "offered", "parked")}
    off_queue = {which: people.page(f"status={which}").json for which in ("offered", "parked")}
    held = people.world.redis.zrange(keys.held(people.waitlist_id), 0, -1, withscores=True)
    return {
        "order": people.order(),
        "until": held,
        **counts,
        **off_queue,
        "segments": people.segments().json,
    }


def two_runs(world: World) -> None:
    world.maintain()
    world.maintain()


def nothing(_: Admissions) -> None: ...


def held(people: Admissions) -> Admissions:
    people.claim(2, lease_seconds=LONG)
    return people


def parked(people: Admissions) -> Admissions:
    held(people).park("ann")
    return people


def left(people: Admissions) -> Admissions:
    people.leave("bob")
    return people


# For each case, what happens before the loss, and the change that Redis then loses.
LOST: dict[str, tuple[Act, Act]] = {
    "signup": (nothing, lambda people: people.sign_up("zoe")),
    "rejoin": (left, lambda people: people.sign_up("bob")),
    "leave": (nothing, lambda people: people.leave("bob")),
    "leave of one held": (held, lambda people: people.leave("ann")),
    "erase": (nothing, lambda people: people.erase("bob")),
    "bump by priority": (nothing, lambda people: people.bump("dan", priority=3)),
    "bump to front": (nothing, lambda people: people.bump("dan", to="front")),
    "bump to back": (nothing, lambda people: people.bump("bob", to="back")),
    "claim": (nothing, lambda people: people.claim(2, lease_seconds=LONG)),
    "claim again": (held, lambda people: people.claim(1, lease_seconds=LONG)),
    "complete": (held, lambda people: people.complete("ann")),
    "release": (held, lambda people: people.release("ann")),
    "release to back": (held, lambda people: people.release("ann", to="back")),
    "extend": (held, lambda people: people.extend("ann", lease_seconds=2 * LONG)),
    "park": (held, lambda people: people.park("ann")),
    "redrive": (parked, lambda people: people.redrive("ann")),
    "edit": (
        nothing,
        lambda people: people.edit("bob", attributes={"language": "French"}),
    ),
}


@pytest.mark.parametrize("lost", LOST)
def test_acknowledged_changes_are_back_within_two_runs(
    waitlist: Waitlist, world: World, lost: str
) -> None:
    """Maintenance restores every lost change within two runs, even if no request comes in (promise
    P3).
    """
    before, act = LOST[lost]
    people = waitlist(segments=[["language"]])
    for name in NAMES:
        people.sign_up(name, attributes={"language": ["English", "Spanish"]})
    before(people)
    two_runs(world)
    past = RedisState.of(world.redis)
    answer = act(people)
    assert answer.status < 300, answer.text
    expected = seen(people)
    past.restore(world.redis)
    assert seen(people) != expected
    two_runs(world)
    assert seen(people) == expected


def test_many_writes_of_many_people_are_lost_and_found(waitlist: Waitlist, world: World) -> None:
    """If Redis loses some changes and keeps others, the lost changes are restored and the others
    stay (promises P1 and P3).
    """
    people = waitlist(*NAMES)
    two_runs(world)
    past = RedisState.of(world.redis)
    people.all_sign_up("fay", "gil")
    people.bump("eve", to="front")
    people.claim(1, lease_seconds=LONG)
    people.leave("bob")
    people.bump("gil", priority=9)
    expected = people.order()
    past.restore(world.redis)
    people.all_sign_up("zoe")
    two_runs(world)
    assert people.order() == [*expected, "zoe"]
    assert people.counts()[:3] == (6, 1, 0)


def test_a_loss_of_more_than_the_last_runs_is_rebuilt(waitlist: Waitlist, world: World) -> None:
    """If Redis comes back with an old copy of the queue, the service rebuilds the queue instead of
    using this copy (promises P3 and P7).
    """
    people = waitlist(*NAMES)
    two_runs(world)
    past = RedisState.of(world.redis)
    people.all_sign_up("fay")
    people.leave("ann")
    two_runs(world)
    two_runs(world)
    expected = seen(people)
    past.restore(world.redis)
    two_runs(world)
    assert seen(people) == expected


def test_an_old_backup_of_the_queue_is_rebuilt(waitlist: Waitlist, world: World) -> None:
    """If Redis comes back with a backup from before it lost all its data, the queue is rebuilt
    (promise P7).
    """
    people = waitlist(*NAMES)
    two_runs(world)
    past = RedisState.of(world.redis)
    world.redis.flushall()
    two_runs(world)
    people.all_sign_up("fay")
    people.leave("ann")
    expected = seen(people)
    past.restore(world.redis)
    two_runs(world)
    assert seen(people) == expected


@dataclass
class EventfulClock(Clock):
    """A clock that calls `meanwhile` once, the next time it is advanced."""

    meanwhile: Callable[[], None] = lambda: None

    def advance(self, seconds: float) -> None:
        super().advance(seconds)
        meanwhile, self.meanwhile = self.meanwhile, lambda: None
        meanwhile()


def test_a_move_that_is_being_made_is_not_taken_for_a_loss(valkey: Server) -> None:
    """Maintenance does not repair an entry while a request is changing it. It reads each entry
    twice, and repairs it only if both reads agree (promise P2).
    """
    clock = EventfulClock()
    world = World.on(new_table(), valkey.client, clock=clock, redis_clock=RedisClock.standing())
    people = Admissions(world)
    people.configure()
    people.all_sign_up(*NAMES)
    two_runs(world)
    people.all_sign_up("fay")
    people.lose_place("fay")

    def meanwhile() -> None:
        assert people.poll("fay").json["position"] == 6
        assert people.bump("fay", to="front").json["position"] == 1

    world.redis_clock.advance(120)
    clock.meanwhile = meanwhile
    world.maintenance.run_all()
    assert people.order() == ["fay", *NAMES]
    people.lose_place("fay")

    def lost_again() -> None:
        assert people.poll("fay").json["position"] == 1
        assert people.bump("fay", to="back").json["position"] == 6
        people.lose_place("fay")

    world.redis_clock.advance(120)
    clock.meanwhile = lost_again
    world.maintenance.run_all()
    assert people.order() == list(NAMES)
    two_runs(world)
    assert people.order() == [*NAMES, "fay"]
