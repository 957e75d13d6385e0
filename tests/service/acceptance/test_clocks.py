"""Tests with wrong clocks. The Lambda functions' clocks are off by ten minutes, and Redis' clock by
an hour. In some tests, Redis also loses its data.
"""

from collections.abc import Callable
from unittest.mock import Mock

import pytest

from tests.service.acceptance.clocks import HOUR_SECONDS, MINUTE_SECONDS, Clocks
from tests.service.acceptance.halfway import joining, leaving
from tests.support.redis_servers import Server
from tests.support.snapshot import RedisState
from tests.support.stale_index import StaleIndexTable

LEASE_SECONDS = 3 * HOUR_SECONDS // 2
OFF = (-10 * MINUTE_SECONDS, 10 * MINUTE_SECONDS)
Strike = Callable[[Clocks, RedisState], None]
STRIKES: dict[str, Strike] = {
    "nothing": lambda clocks, _: clocks.nothing(),
    "flushed": lambda clocks, _: clocks.flush(),
    "another server": lambda clocks, _: clocks.fail_over(),
    "another server that is behind": lambda clocks, past: clocks.fail_over_behind(past),
}
every_offset = pytest.mark.parametrize(("public_off", "keeper_off"), [OFF, OFF[::-1]])
# The public function's clock is ahead in half of these tests, and maintenance's clock is ahead in
# the other half.
every_strike = pytest.mark.parametrize(
    ("public_off", "keeper_off", "strike"),
    [
        pytest.param(*OFF[:: 1 if number % 2 else -1], strike, id=name)
        for number, (name, strike) in enumerate(STRIKES.items())
    ],
)
# How far Redis' clock jumps, and what else happens to Redis.
JUMPS = [
    *((-HOUR_SECONDS, strike) for strike in STRIKES),
    (-5, "flushed"),
    (0, "another server that is behind"),
    (HOUR_SECONDS, "nothing"),
    (HOUR_SECONDS, "another server that is behind"),
]
JUMPS_AND_STRIKES = [
    pytest.param(*OFF[:: 1 if number % 2 else -1], jump, STRIKES[strike], id=f"{jump}, {strike}")
    for number, (jump, strike) in enumerate(JUMPS)
]


def every_offset_and(name: str, *values: float) -> pytest.MarkDecorator:
    """Test both pairs of clock offsets, the first with the first value and the second with the
    second value.
    """
    pairs = zip((OFF, OFF[::-1]), values, strict=True)
    return pytest.mark.parametrize(
        ("public_off", "keeper_off", name), [(*off, value) for off, value in pairs]
    )


def begun(clocks: Clocks) -> RedisState:
    """Fill the waitlist, then change it further. Return the state of Redis between the two."""
    people = clocks.people
    people.configure(lease_seconds=LEASE_SECONDS, rejoin="always")
    people.all_sign_up("ann", "bob", "cyd", "dan", "eve")
    clocks.two_runs()
    past = RedisState.of(clocks.valkey.client)
    clocks.go_on(20)
    people.all_sign_up("fay", "gil")
    clocks.go_on(1)
    assert people.claimed(2) == ["ann", "bob"]
    people.bump("eve", priority=3)
    clocks.go_on(1)
    people.all_sign_up("hal")
    people.bump("hal", to="front")
    clocks.go_on(5)
    assert people.leave("dan").status == 204
    assert people.order() == ["eve", "hal", "cyd", "fay", "gil"]
    return past


@pytest.mark.parametrize(("public_off", "keeper_off", "jump", "strike"), JUMPS_AND_STRIKES)
def test_a_jump_of_a_clock_changes_no_order_and_loses_no_claim(
    valkey: Server, public_off: float, keeper_off: float, jump: float, strike: Strike
) -> None:
    """P1, P2, P3, P4"""
    clocks = Clocks(valkey, public_off, keeper_off)
    people, past = clocks.people, begun(clocks)
    clocks.redis.advance(jump)
    strike(clocks, past)
    assert people.sign_up("ida").status == 201
    assert people.sign_up("dan", key="again").status == 201
    clocks.two_runs()
    assert people.order() == ["eve", "hal", "cyd", "fay", "gil", "ida", "dan"]
    people.all_sign_up("jon")
    assert people.bump("jon", priority=3).json["position"] == 2
    assert people.bump("gil", to="front").json["position"] == 3
    assert people.bump("cyd", to="back").json["position"] == 8
    assert people.leave("ida").status == 204
    assert sorted(people.listed("offered")) == ["ann", "bob"]
    assert people.complete("ann").status == 200
    assert people.release("bob").status == 200
    expected = ["eve", "jon", "gil", "hal", "bob", "fay", "dan", "cyd"]
    assert (people.order(), people.counts()[:3]) == (expected, (8, 0, 0))
    clocks.two_runs()
    assert (people.order(), people.counts()[:3]) == (expected, (8, 0, 0))
    clocks.flush()
    clocks.two_runs()
    assert (people.order(), people.counts()[:3]) == (expected, (8, 0, 0))


@every_strike
def test_a_hold_lasts_until_its_recorded_time_and_no_shorter(
    valkey: Server, public_off: float, keeper_off: float, strike: Strike
) -> None:
    """Only Redis' clock decides when a claim ends, even if it was set back (promises P3 and P4)."""
    clocks = Clocks(valkey, public_off, keeper_off)
    people, past = clocks.people, begun(clocks)
    until_millis = people.recorded("ann")["hold"]["until_millis"]
    clocks.redis.advance(-HOUR_SECONDS)
    strike(clocks, past)
    clocks.two_runs()
    clocks.go_on((until_millis - clocks.redis_millis()) / 1000 - 1)
    clocks.keeper.maintenance.run_all()
    assert sorted(people.listed("offered")) == ["ann", "bob"]
    assert people.complete("bob").status == 200
    clocks.go_on(2)
    assert people.complete("ann").json["code"] == "claim_expired"
    clocks.two_runs()
    assert people.order() == ["eve", "hal", "ann", "cyd", "fay", "gil"]
    assert people.person("ann").json["attempts"] == 1


@every_offset
def test_many_signups_that_moved_or_left_the_tail_stay_ahead_of_later_ones(
    valkey: Server, public_off: float, keeper_off: float
) -> None:
    """The last people in the queue are moved to other places, and Redis loses its data. Even if
    Redis' clock is then behind, later signups come after all earlier ones (promise P1).
    """
    clocks = Clocks(valkey, public_off, keeper_off)
    people = clocks.people
    people.configure(lease_seconds=LEASE_SECONDS)
    early = [f"early-{number:02}" for number in range(24)]
    people.all_sign_up(*early)
    clocks.two_runs()
    clocks.go_on(30)
    moved = [f"moved-{number:02}" for number in range(8)]
    people.all_sign_up(*moved)
    for name in moved:
        people.bump(name, priority=1)
    clocks.redis.advance(-HOUR_SECONDS)
    clocks.flush()
    people.all_sign_up("late")
    clocks.two_runs()
    assert people.order() == [*moved, *early, "late"]
    for name in reversed(moved):
        assert people.bump(name, priority=0).status == 200
    assert people.bump("late", priority=0).status == 200
    clocks.two_runs()
    clocks.flush()
    clocks.two_runs()
    assert people.order() == [*early, *moved, "late"]


@every_offset_and("jump", 0, -HOUR_SECONDS)
def test_a_waitlist_that_maintenance_has_not_seen_yet_is_rebuilt(
    valkey: Server, public_off: float, keeper_off: float, jump: float
) -> None:
    """P1, P3"""
    clocks = Clocks(valkey, public_off, keeper_off)
    people = clocks.people
    people.configure(lease_seconds=LEASE_SECONDS)
    people.all_sign_up("ann", "bob", "cyd")
    assert people.claimed(1) == ["ann"]
    assert people.complete("ann").status == 200
    assert people.leave("bob").status == 204
    clocks.redis.advance(jump)
    clocks.flush()
    clocks.two_runs()
    people.all_sign_up("dan")
    assert (people.order(), people.counts()[:3]) == (["cyd", "dan"], (2, 0, 0))


@every_offset
def test_entries_of_a_late_index_are_restored_though_clocks_differ_by_twenty_minutes(
    valkey: Server, public_off: float, keeper_off: float
) -> None:
    """The index lags behind, so only the journal contains the newest changes. A rebuild finds them
    there, even if the clocks are wrong (promise P3).
    """
    table = StaleIndexTable()
    clocks = Clocks(valkey, public_off, keeper_off, table=table)
    people = clocks.people
    people.configure(lease_seconds=LEASE_SECONDS)
    people.all_sign_up("ann", "bob", "cyd")
    clocks.two_runs()
    table.freeze()
    people.all_sign_up("dan")
    people.bump("cyd", to="front")
    people.leave("bob")
    clocks.go_on(1)
    clocks.flush()
    keeper = clocks.another_keeper(keeper_off)
    keeper.maintenance.run_all()
    assert people.order() == ["cyd", "ann", "dan"]
    assert people.counts()[:3] == (3, 0, 0)


@every_offset_and("redis_off", 0, -20 * MINUTE_SECONDS)
def test_entries_of_a_late_index_are_restored_on_a_list_that_no_run_has_seen(
    valkey: Server, public_off: float, keeper_off: float, redis_off: float
) -> None:
    """Because clocks differ, a waitlist's first changes can seem to be older than the waitlist. A
    rebuild must find them all the same (promise P3).
    """
    table = StaleIndexTable()
    clocks = Clocks(valkey, public_off, keeper_off, table=table)
    people = clocks.people
    clocks.redis.advance(redis_off)
    people.configure()
    table.freeze()
    people.all_sign_up("ann", "bob", "cyd")
    people.bump("cyd", to="front")
    people.leave("bob")
    clocks.go_on(1)
    clocks.flush()
    # Run only the rebuild. The other steps of maintenance would add the missing entries later, but
    # customers could already be admitted in the wrong order before that.
    maintenance = clocks.keeper.maintenance
    (waitlist,) = maintenance.waitlists.all()
    assert maintenance.rebuilder.rebuild(waitlist)
    assert people.order() == ["cyd", "ann"]
    assert people.counts()[:3] == (2, 0, 0)


def test_changes_that_the_index_shows_during_a_rebuild_are_restored_though_redis_is_hours_behind(
    valkey: Server,
) -> None:
    """Redis' clock is two hours behind, so a rebuild misses the newest changes in the journal, but
    finds them in the index (promise P3).
    """
    table = StaleIndexTable()
    clocks = Clocks(valkey, table=table)
    people = clocks.people
    clocks.redis.advance(-2 * HOUR_SECONDS)
    people.configure()
    people.all_sign_up("ann", "bob", "cyd")
    table.freeze()
    people.all_sign_up("dan")
    people.bump("cyd", to="front")
    people.leave("bob")
    clocks.flush()
    keeper = clocks.another_keeper(0, meanwhile=table.catch_up)
    keeper.maintenance.run_all()
    assert people.order() == ["cyd", "ann", "dan"]
    assert people.counts()[:3] == (3, 0, 0)


@pytest.mark.parametrize("off", OFF)
def test_two_maintainers_who_both_believe_to_hold_the_lease_do_no_harm(
    valkey: Server, off: float
) -> None:
    """The clocks of two maintenance functions differ by 20 minutes, so both may believe that they
    hold the lease. Running them at the same time does no harm (promises P1 and P3).
    """
    clocks = Clocks(valkey, public_off=-off, keeper_off=-off)
    people = clocks.people
    begun(clocks)
    other = clocks.another_keeper(off)
    clocks.flush()
    others_run = Mock(side_effect=other.maintenance.run_all)
    keeper = clocks.another_keeper(-off, meanwhile=others_run)
    # When the first function notices that it has lost the lease, it leaves the remaining work to
    # the second function.
    keeper.maintenance.run_all()
    others_run.assert_called_once_with()
    clocks.two_runs()
    assert people.order() == ["eve", "hal", "cyd", "fay", "gil"]
    assert sorted(people.listed("offered")) == ["ann", "bob"]
    assert people.counts()[:3] == (5, 2, 0)


@every_offset
def test_intents_are_finished_once_under_any_clock(
    valkey: Server, public_off: float, keeper_off: float
) -> None:
    """Maintenance functions with different clocks complete the same interrupted requests. Each
    request takes effect once (promises P2 and P3).
    """
    clocks = Clocks(valkey, public_off, keeper_off)
    people = clocks.people
    people.configure()
    people.all_sign_up("ann", "bob", "cyd")
    clocks.two_runs()
    joining(people, "dan")
    leaving(people, "bob")
    fast = clocks.another_keeper(20 * MINUTE_SECONDS)
    for keeper in (fast, fast, clocks.keeper):
        keeper.maintenance.run_all()
    assert people.leave("bob").status == 204
    assert people.order() == ["ann", "cyd", "dan"]
    assert people.counts() == (3, 0, 0, 0, 1)
    assert people.stats().json["signed_up"] == 4
    assert people.events("dan") == ["joined"]
