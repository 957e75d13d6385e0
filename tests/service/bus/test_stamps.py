"""Tests that each of an entry's events gets a higher logical timestamp than all earlier ones.

Redis' clock does not help in these tests: it stands still and is behind the earlier timestamps.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from tests.service.bus.scene import RETENTION_DAYS, Scene
from tests.service.bus.stories import (
    moves,
    signs_up,
)
from tests.support import faults
from tests.support.admissions import Admissions
from tests.support.dynamodb import TABLE
from tests.support.snapshot import RedisState
from waitlist_api.records.ledger import item_of
from waitlist_api.records.moves import alias_of
from waitlist_api.records.table import Table

Happen = Callable[[Scene], object]
AHEAD_SECONDS, HOUR_SECONDS = 60, 3600


def assert_published_in_order(scene: Scene, *words: str) -> None:
    published = [one["event"] for one in scene.details("ada")]
    assert published == scene.words("ada")
    assert published[-len(words) :] == list(words)
    assert scene.contradictions() == []


def is_held_back_again_and_again(scene: Scene) -> None:
    for ready in (False, True, False, True):
        assert scene.people.hold_back("ada", ready=ready).status == 200


def draw_some(scene: Scene) -> None:
    """Use up some logical timestamps for another entry."""
    scene.maintain()
    scene.world.advance(HOUR_SECONDS)
    for ready in (False, True, False, True):
        assert scene.people.hold_back("bob", ready=ready).status == 200


def asks_for_the_link(scene: Scene) -> None:
    draw_some(scene)
    services = scene.world.services
    services.unproven_signups.request_link(scene.people.waitlist_id, scene.people.id_of("ada"))


def is_told(scene: Scene) -> None:
    draw_some(scene)
    assert scene.configure(messages={"kinds": ["near"], "near": 2}).status == 200
    scene.world.maintenance.run_one(scene.people.waitlist_id)


def lose_redis(scene: Scene) -> None:
    scene.redis.flushall()
    scene.world.maintenance.run_one(scene.people.waitlist_id)


@pytest.mark.parametrize(
    "happen", [is_held_back_again_and_again, asks_for_the_link, is_told, moves]
)
def test_events_after_a_loss_of_redis_get_later_timestamps(
    happen: Happen,
) -> None:
    """Redis loses its data, and the new server's clock is behind the earlier timestamps. New events
    still get higher ones (promise P3).
    """
    scene = Scene()
    signs_up(scene)
    happen(scene)
    (*_, last) = scene.words("ada")
    lose_redis(scene)
    assert scene.people.bump("ada", to="front").status == 200
    assert_published_in_order(scene, last, "bumped")


@pytest.mark.parametrize("happen", [is_held_back_again_and_again, is_told, moves])
def test_events_after_two_losses_of_redis_get_later_timestamps(
    happen: Happen,
) -> None:
    """Redis loses its data twice, and the second server's clock is behind. Events after the second
    loss still get higher timestamps than all earlier events (promise P3).
    """
    scene = Scene()
    signs_up(scene)
    scene.world.redis_clock.advance(-HOUR_SECONDS)
    lose_redis(scene)
    happen(scene)
    (*_, last) = scene.words("ada")
    scene.world.redis_clock.advance(HOUR_SECONDS)
    lose_redis(scene)
    assert scene.people.bump("ada", to="front").status == 200
    assert_published_in_order(scene, last, "bumped")


def rests(people: Admissions) -> object:
    return people.hold_back("ada")


def is_banned(people: Admissions) -> object:
    return people.ban("ada")


@pytest.mark.parametrize(
    ("act", "words"), [(rests, ["held_back"]), (is_banned, ["banned", "left"])]
)
def test_events_after_an_unnoticed_failover_get_later_timestamps(
    act: Callable[[Admissions], object], words: list[str]
) -> None:
    """After a failover, Redis lacks an entry's last moves, and the service cannot tell. The entry's
    later events still get higher timestamps than these moves (promise P3).
    """
    scene = Scene()
    signs_up(scene)
    past = RedisState.of(scene.redis)
    for to in ("front", "back"):
        assert scene.people.bump("ada", to=to).status == 200
    past.restore(scene.redis)
    act(scene.people)
    assert_published_in_order(scene, "bumped", "bumped", *words)


def comes_back(people: Admissions) -> object:
    return people.sign_up("ada")


def is_imported(people: Admissions) -> object:
    return people.bring("ada", ended="rejoin")


def is_reinstated(people: Admissions) -> object:
    return people.reinstate("ada")


def is_erased_and_comes_back(people: Admissions) -> object:
    people.erase("ada")
    return people.sign_up("ada")


def is_erased_and_banned(people: Admissions) -> object:
    people.erase("ada")
    return people.ban("ada")


@pytest.mark.parametrize(
    ("comes", "words"),
    [
        (comes_back, ["unbanned", "joined"]),
        (is_imported, ["unbanned", "joined"]),
        (is_reinstated, ["unbanned", "reinstated"]),
        (is_erased_and_comes_back, ["unbanned", "erased", "joined"]),
        (is_erased_and_banned, ["unbanned", "erased", "banned"]),
    ],
)
def test_a_signup_after_a_ban_gets_a_later_timestamp_than_the_ban(
    comes: Callable[[Admissions], object], words: list[str]
) -> None:
    """A ban gets its timestamp from a function's clock, which is ahead of Redis' clock. The next
    signup still gets a higher timestamp than the ban (promise P3).
    """
    scene = Scene()
    scene.clock.advance(AHEAD_SECONDS)
    scene.configure(rejoin="always")
    signs_up(scene)
    assert scene.people.leave("ada").status == 204
    assert scene.people.ban("ada").status == 204
    assert scene.people.unban("ada").status == 204
    comes(scene.people)
    scene.maintain()
    assert_published_in_order(scene, *words)


def test_a_signup_with_a_reused_address_gets_a_later_timestamp_than_its_earlier_events() -> None:
    """An address belonged first to Ada and then to Bob. If somebody signs up with it again, the
    event gets a higher timestamp than all the address's earlier events (promise P3).
    """
    scene = Scene()
    scene.clock.advance(AHEAD_SECONDS)
    scene.configure(rejoin="always")
    signs_up(scene)
    for answer in (scene.people.leave("ada"), scene.people.ban("ada"), scene.people.unban("ada")):
        assert answer.status == 204
    services = scene.world.services
    ada, bob = (
        services.entries.find(scene.people.waitlist_id, scene.people.id_of(name))
        for name in ("ada", "bob")
    )
    alias = alias_of(bob, ada.entry_id, ada.known_stamp, scene.clock.millis)
    Table(scene.table, TABLE).put(item_of(alias), "attribute_exists(#pk)")
    assert scene.people.sign_up("ada").status == 201
    assert_published_in_order(scene, "unbanned", "joined")


def goes_out(people: Admissions) -> object:
    return people.exit("ada")


def bans(people: Admissions) -> object:
    return people.ban("ada")


@pytest.mark.parametrize(
    ("slow", "step", "fast", "words"),
    [(goes_out, 1, bans, ["banned", "exited"]), (bans, 2, goes_out, ["exited", "banned"])],
    ids=["an exit, and a ban before it", "a ban, and an exit before it"],
)
def test_the_event_of_the_slower_request_is_published_after_the_faster_one(
    slow: Callable[[Admissions], object],
    step: int,
    fast: Callable[[Admissions], object],
    words: list[str],
) -> None:
    """Two requests change the same entry at the same time. The slower request's event comes after
    the faster one's (promises P2 and P3).
    """
    scene = Scene()
    is_admitted_by_hand_and_let_in(scene)
    elsewhere = scene.people_elsewhere()
    scene.wire.arm(step, faults.before(lambda: fast(elsewhere)))
    slow(scene.people)
    assert scene.wire.names[step] == "TransactWriteItems"
    assert_published_in_order(scene, *words)


def is_admitted_by_hand_and_let_in(scene: Scene, **settings: Any) -> None:
    scene.people.all_sign_up("ada")
    assert scene.configure(admission={}, **settings).status == 200
    assert scene.people.admit(1).status == 200
    assert scene.people.enter("ada").status == 200


def test_a_ban_that_an_edit_overtakes_gets_a_later_timestamp() -> None:
    """A ban gets its timestamp before a simultaneous edit but is written after it, so the ban must
    get a new timestamp (promise P3).
    """
    scene = Scene()
    signs_up(scene)
    elsewhere = scene.people_elsewhere()
    scene.wire.arm(3, faults.before(lambda: elsewhere.hold_back("ada")))
    assert scene.people.ban("ada").status == 204
    assert scene.wire.names[3] == "TransactWriteItems"
    assert_published_in_order(scene, "held_back", "banned", "left")


def asks(people: Admissions) -> object:
    people.world.services.unproven_signups.request_link(people.waitlist_id, people.id_of("ada"))
    return None


def is_held_back(people: Admissions) -> object:
    return people.hold_back("ada")


@pytest.mark.parametrize(
    ("slow", "step", "fast", "words"),
    [
        (asks, 2, is_held_back, ["held_back", "link_asked"]),
        (is_held_back, 2, asks, ["link_asked", "held_back"]),
    ],
    ids=["a link, and an edit before it", "an edit, and a link before it"],
)
def test_an_overtaken_event_gets_a_later_timestamp_and_an_erasure_comes_last(
    slow: Callable[[Admissions], object],
    step: int,
    fast: Callable[[Admissions], object],
    words: list[str],
) -> None:
    """A slow request gets its timestamp before a fast one but is written after it, so the slow
    request must get a new timestamp (promises P3 and P8).
    """
    scene = Scene()
    signs_up(scene)
    scene.world.advance(AHEAD_SECONDS)
    elsewhere = scene.people_elsewhere()
    scene.world.services.waitlist_cache.find(scene.people.waitlist_id)
    scene.wire.arm(step, faults.before(lambda: fast(elsewhere)))
    slow(scene.people)
    assert scene.wire.names[step] == "TransactWriteItems"
    assert scene.people.erase("ada").status == 204
    scene.maintain()
    assert_published_in_order(scene, *words, "erased")


def test_a_signup_in_the_millisecond_of_an_exit_is_published_after_the_exit() -> None:
    """The customer exits and signs up again within a millisecond. The signup must get a higher
    logical timestamp than the exit (promises P2 and P3).
    """
    scene = Scene()
    scene.clock.advance(AHEAD_SECONDS)
    is_admitted_by_hand_and_let_in(scene, rejoin="always")
    elsewhere = scene.people_elsewhere()
    scene.world.services.waitlist_cache.find(scene.people.waitlist_id)
    scene.wire.arm(2, faults.before(lambda: elsewhere.exit("ada")))
    assert scene.people.sign_up("ada", key="again").status == 201
    assert scene.wire.names[:3] == ["PutItem", "Invoke", "PutItem"]
    assert_published_in_order(scene, "exited", "joined")


@pytest.mark.parametrize("follows", [goes_out, bans])
def test_a_change_by_a_lagging_redis_after_the_end_of_a_signup_is_not_published(
    follows: Callable[[Admissions], object],
) -> None:
    """A Redis server that has lost its latest writes may change an entry that has already left the
    waitlist. Such a change is not published (promise P3).
    """
    scene = Scene()
    scene.people.all_sign_up("ada")
    assert scene.configure(admission={}).status == 200
    past = RedisState.of(scene.redis)
    assert scene.people.admit(1).status == 200
    assert scene.people.enter("ada").status == 200
    past.restore(scene.redis)
    scene.world.advance(1)
    scene.wire.arm(1, faults.crash_after)
    with suppress(faults.Crash):
        scene.people.admit(1)
    scene.wire.disarm()
    scene.world.advance(1)
    follows(scene.people)
    before = scene.words("ada")
    scene.maintain()
    scene.maintain()
    assert scene.words("ada") == before
    assert before.count("offered") == 1


@pytest.mark.parametrize("ahead", [0, AHEAD_SECONDS])
def test_an_erasure_by_retention_comes_last_after_an_exit(ahead: float) -> None:
    """When DynamoDB deletes an expired record, the `erased` event must get a higher logical
    timestamp than the latest event (promise P8).
    """
    scene = Scene()
    scene.clock.advance(ahead)
    is_admitted_by_hand_and_let_in(scene, retention_days=RETENTION_DAYS)
    assert scene.people.exit("ada").status == 200
    scene.expire()
    assert_published_in_order(scene, "exited", "erased")
