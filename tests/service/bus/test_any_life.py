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


def lose_redis(people: Admissions) -> None:
    """Which takes time: a successor with a clock behind the last stamps would draw them again."""
    people.world.redis.flushall()
    people.world.advance(1)


def erase(people: Admissions, name: str) -> None:
    """Which takes time: nothing is left that a later ban could take a later stamp from."""
    people.erase(name)
    people.world.advance(1)


DEEDS: dict[str, Deed] = {
    "sign up": lambda people, name: people.sign_up(name),
    "leave": lambda people, name: people.leave(name),
    "remove": lambda people, name: people.remove(name),
    "ban": lambda people, name: people.ban(name),
    "unban": lambda people, name: people.unban(name),
    "reinstate": lambda people, name: people.reinstate(name),
    "bump ahead": lambda people, name: people.bump(name, to="front"),
    "bump behind": lambda people, name: people.bump(name, to="back"),
    "claim": lambda people, _: people.claim(2),
    "claim and admit": lambda people, _: people.claim(1, complete=True),
    "admit": lambda people, _: people.admit(2),
    "enter": lambda people, name: people.enter(name),
    "decline": lambda people, name: people.decline(name),
    "decline and leave": lambda people, name: people.decline(name, "leave"),
    "exit": lambda people, name: people.exit(name),
    "complete": lambda people, name: people.complete(name),
    "release": lambda people, name: people.release(name),
    "extend": lambda people, name: people.extend(name),
    "park": lambda people, name: people.park(name),
    "redrive": lambda people, name: people.redrive(name),
    "edit": lambda people, name: people.edit(name, profile={"seen": people.world.clock.millis}),
    "erase": erase,
    "time passes": lambda people, _: people.world.advance(LEASE_SECONDS),
    "maintenance": lambda people, _: people.world.maintain(),
    "Redis is lost": lambda people, _: lose_redis(people),
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
    scene.people.all_sign_up(*NAMES)
    for deed, name, struck in life:
        if struck is not None:
            scene.wire.arm(struck, crash_after)
        with suppress(Crash):
            DEEDS[deed](scene.people, name)
        scene.wire.disarm()
    scene.maintain()
    scene.maintain()
    assert scene.contradictions() == []
