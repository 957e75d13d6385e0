"""After any sequence of operations, cut off at any step, the bus has what is recorded."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.service.bus.scene import LEASE_SECONDS, Scene
from tests.support.admissions import Admissions
from tests.support.faults import Crash, crash_after

NAMES = ("ada", "bob", "cyd")
Deed = Callable[[Admissions, str], object]


def lose_redis(desk: Admissions) -> None:
    """Which takes time: a successor with a clock behind the last stamps would draw them again."""
    desk.world.redis.flushall()
    desk.world.advance(1)


DEEDS: dict[str, Deed] = {
    "sign up": lambda desk, name: desk.sign_up(name),
    "leave": lambda desk, name: desk.leave(name),
    "remove": lambda desk, name: desk.remove(name),
    "ban": lambda desk, name: desk.ban(name),
    "unban": lambda desk, name: desk.unban(name),
    "bump ahead": lambda desk, name: desk.bump(name, to="front"),
    "bump behind": lambda desk, name: desk.bump(name, to="back"),
    "claim": lambda desk, _: desk.claim(2),
    "claim and admit": lambda desk, _: desk.claim(1, complete=True),
    "admit": lambda desk, _: desk.admit(2),
    "enter": lambda desk, name: desk.enter(name),
    "decline": lambda desk, name: desk.decline(name),
    "decline and leave": lambda desk, name: desk.decline(name, "leave"),
    "exit": lambda desk, name: desk.exit(name),
    "complete": lambda desk, name: desk.complete(name),
    "release": lambda desk, name: desk.release(name),
    "extend": lambda desk, name: desk.extend(name),
    "park": lambda desk, name: desk.park(name),
    "redrive": lambda desk, name: desk.redrive(name),
    "edit": lambda desk, name: desk.edit(name, profile={"seen": desk.world.clock.millis}),
    "erase": lambda desk, name: desk.erase(name),
    "time passes": lambda desk, _: desk.world.advance(LEASE_SECONDS),
    "maintenance": lambda desk, _: desk.world.maintain(),
    "Redis is lost": lambda desk, _: lose_redis(desk),
}
lives: Any = st.lists(
    st.tuples(
        st.sampled_from(sorted(DEEDS)),
        st.sampled_from(NAMES),
        st.one_of(st.none(), st.none(), st.integers(0, 4)),
    ),
    max_size=25,
)


@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(life=lives)
def test_the_bus_has_the_events_of_the_record(life: list[tuple[str, str, int | None]]) -> None:
    """P2, P3: each change is published exactly once, with its own stamp."""
    scene = Scene()
    scene.configure(admission={})
    scene.desk.all_sign_up(*NAMES)
    for deed, name, struck in life:
        if struck is not None:
            scene.wire.arm(struck, crash_after)
        with suppress(Crash):
            DEEDS[deed](scene.desk, name)
        scene.wire.disarm()
    scene.maintain()
    scene.maintain()
    assert scene.contradictions() == []
