"""A replica that was behind takes over: the newest writes are gone, and Redis does not tell."""

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


def seen(desk: Admissions) -> dict[str, Any]:
    """Return all that operators read, and the deadlines in Redis.

    Without the lifetime counters, which may miss changes after a loss.
    """
    stats = desk.stats()
    assert stats.status == 200, stats.text
    counts = {name: stats.json[name] for name in ("waiting", "offered", "parked")}
    off_queue = {which: desk.page(f"status={which}").json for which in ("offered", "parked")}
    held = desk.world.redis.zrange(keys.held(desk.waitlist_id), 0, -1, withscores=True)
    return {
        "order": desk.order(),
        "until": held,
        **counts,
        **off_queue,
        "segments": desk.segments().json,
    }


def two_runs(world: World) -> None:
    world.maintain()
    world.maintain()


def nothing(_: Admissions) -> None: ...


def held(desk: Admissions) -> Admissions:
    desk.claim(2, lease_seconds=LONG)
    return desk


def parked(desk: Admissions) -> Admissions:
    held(desk).park("ann")
    return desk


def left(desk: Admissions) -> Admissions:
    desk.leave("bob")
    return desk


# What has happened before, and what is lost.
LOST: dict[str, tuple[Act, Act]] = {
    "signup": (nothing, lambda desk: desk.sign_up("zoe")),
    "rejoin": (left, lambda desk: desk.sign_up("bob")),
    "leave": (nothing, lambda desk: desk.leave("bob")),
    "leave of one held": (held, lambda desk: desk.leave("ann")),
    "erase": (nothing, lambda desk: desk.erase("bob")),
    "bump by priority": (nothing, lambda desk: desk.bump("dan", priority=3)),
    "bump to front": (nothing, lambda desk: desk.bump("dan", to="front")),
    "bump to back": (nothing, lambda desk: desk.bump("bob", to="back")),
    "claim": (nothing, lambda desk: desk.claim(2, lease_seconds=LONG)),
    "claim again": (held, lambda desk: desk.claim(1, lease_seconds=LONG)),
    "complete": (held, lambda desk: desk.complete("ann")),
    "release": (held, lambda desk: desk.release("ann")),
    "release to back": (held, lambda desk: desk.release("ann", to="back")),
    "extend": (held, lambda desk: desk.extend("ann", lease_seconds=2 * LONG)),
    "park": (held, lambda desk: desk.park("ann")),
    "redrive": (parked, lambda desk: desk.redrive("ann")),
    "edit": (
        nothing,
        lambda desk: desk.edit("bob", attributes={"language": "French"}),
    ),
}


@pytest.mark.parametrize("lost", LOST)
def test_what_was_acknowledged_is_back_within_two_runs(
    waitlist: Waitlist, world: World, lost: str
) -> None:
    """P3: without any request."""
    before, act = LOST[lost]
    desk = waitlist(segments=[["language"]])
    for name in NAMES:
        desk.sign_up(name, attributes={"language": ["English", "Spanish"]})
    before(desk)
    two_runs(world)
    past = RedisState.of(world.redis)
    answer = act(desk)
    assert answer.status < 300, answer.text
    expected = seen(desk)
    past.restore(world.redis)
    assert seen(desk) != expected
    two_runs(world)
    assert seen(desk) == expected


def test_many_writes_of_many_people_are_lost_and_found(waitlist: Waitlist, world: World) -> None:
    """P1, P3: whatever happened in between on those that were not lost."""
    desk = waitlist(*NAMES)
    two_runs(world)
    past = RedisState.of(world.redis)
    desk.all_sign_up("fay", "gil")
    desk.bump("eve", to="front")
    desk.claim(1, lease_seconds=LONG)
    desk.leave("bob")
    desk.bump("gil", priority=9)
    expected = desk.order()
    past.restore(world.redis)
    desk.all_sign_up("zoe")
    two_runs(world)
    assert desk.order() == [*expected, "zoe"]
    assert desk.counts()[:3] == (6, 1, 0)


def test_a_loss_of_more_than_the_last_runs_is_rebuilt(waitlist: Waitlist, world: World) -> None:
    """P3, P7: an old copy of the order is no order."""
    desk = waitlist(*NAMES)
    two_runs(world)
    past = RedisState.of(world.redis)
    desk.all_sign_up("fay")
    desk.leave("ann")
    two_runs(world)
    two_runs(world)
    expected = seen(desk)
    past.restore(world.redis)
    two_runs(world)
    assert seen(desk) == expected


def test_an_older_life_of_the_order_is_rebuilt(waitlist: Waitlist, world: World) -> None:
    """P7: a backup from before Redis was lost altogether."""
    desk = waitlist(*NAMES)
    two_runs(world)
    past = RedisState.of(world.redis)
    world.redis.flushall()
    two_runs(world)
    desk.all_sign_up("fay")
    desk.leave("ann")
    expected = seen(desk)
    past.restore(world.redis)
    two_runs(world)
    assert seen(desk) == expected


@dataclass
class EventfulClock(Clock):
    """A clock during whose pauses something happens, once."""

    meanwhile: Callable[[], None] = lambda: None

    def advance(self, seconds: float) -> None:
        super().advance(seconds)
        meanwhile, self.meanwhile = self.meanwhile, lambda: None
        meanwhile()


def test_a_move_that_is_under_way_is_no_loss(valkey: Server) -> None:
    """P2: maintenance reads twice, and skips an entry that changed in between."""
    clock = EventfulClock()
    world = World.on(new_table(), valkey.client, clock=clock, redis_clock=RedisClock.standing())
    desk = Admissions(world)
    desk.configure()
    desk.all_sign_up(*NAMES)
    two_runs(world)
    desk.all_sign_up("fay")
    desk.lose_place("fay")

    def meanwhile() -> None:
        assert desk.look("fay").json["position"] == 6
        assert desk.bump("fay", to="front").json["position"] == 1

    world.redis_clock.advance(120)
    clock.meanwhile = meanwhile
    world.maintenance.run_all()
    assert desk.order() == ["fay", *NAMES]
