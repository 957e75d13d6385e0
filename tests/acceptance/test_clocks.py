"""Clocks that are wrong: ten minutes in the functions, an hour in Redis, also when it is lost."""

from collections.abc import Callable
from itertools import product

import pytest

from tests.acceptance.clocks import HOUR_SECONDS, MINUTE_SECONDS, Clocks
from tests.support.redis_past import RedisPast
from tests.support.redis_servers import Server

LEASE_SECONDS = 3 * HOUR_SECONDS
OFF = (-10 * MINUTE_SECONDS, 10 * MINUTE_SECONDS)
Strike = Callable[[Clocks, RedisPast], None]
STRIKES: dict[str, Strike] = {
    "nothing": lambda clocks, _: clocks.nothing(),
    "flushed": lambda clocks, _: clocks.flush(),
    "another server": lambda clocks, _: clocks.fail_over(),
    "another server that is behind": lambda clocks, past: clocks.fail_over_behind(past),
}
every_strike = pytest.mark.parametrize("strike", STRIKES.values(), ids=STRIKES)
every_offset = pytest.mark.parametrize(("public_off", "keeper_off"), list(product(OFF, OFF)))
every_jump = pytest.mark.parametrize("jump", [-HOUR_SECONDS, -5, 0, HOUR_SECONDS])


def begun(clocks: Clocks) -> RedisPast:
    """Have people on the list, and the newest of what happened seen by no run of maintenance."""
    desk = clocks.desk
    desk.configure(lease_seconds=LEASE_SECONDS, allow_rejoin=True)
    desk.all_sign_up("ann", "bob", "cyd", "dan", "eve")
    clocks.two_runs()
    past = RedisPast.of(clocks.valkey.client)
    clocks.go_on(20)
    desk.all_sign_up("fay", "gil")
    clocks.go_on(1)
    assert desk.claimed(2) == ["ann", "bob"]
    desk.bump("eve", priority=3)
    clocks.go_on(1)
    desk.all_sign_up("hal")
    desk.bump("hal", to="front")
    clocks.go_on(5)
    assert desk.leave("dan").status == 204
    assert desk.order() == ["hal", "eve", "cyd", "fay", "gil"]
    return past


@every_offset
@every_jump
@every_strike
def test_a_clock_that_jumps_changes_no_order_and_loses_no_hold(
    valkey: Server, public_off: float, keeper_off: float, jump: float, strike: Strike
) -> None:
    """P1, P2, P3, P4"""
    clocks = Clocks(valkey, public_off, keeper_off)
    desk, past = clocks.desk, begun(clocks)
    clocks.redis.advance(jump)
    strike(clocks, past)
    assert desk.sign_up("ida").status == 201
    assert desk.sign_up("dan", key="again").status == 201
    clocks.two_runs()
    assert desk.order() == ["hal", "eve", "cyd", "fay", "gil", "ida", "dan"]
    desk.all_sign_up("jon")
    assert desk.bump("jon", priority=3).json["position"] == 3
    assert desk.bump("gil", to="front").json["position"] == 1
    assert desk.bump("cyd", to="back").json["position"] == 8
    assert desk.leave("ida").status == 204
    assert sorted(desk.listed("offered")) == ["ann", "bob"]
    assert desk.complete("ann").status == 200
    assert desk.release("bob").status == 200
    expected = ["gil", "hal", "eve", "jon", "bob", "fay", "dan", "cyd"]
    assert (desk.order(), desk.counts()) == (expected, (8, 0, 0, 1, 2))
    clocks.two_runs()
    assert (desk.order(), desk.counts()) == (expected, (8, 0, 0, 1, 2))
    clocks.flush()
    clocks.two_runs()
    assert (desk.order(), desk.counts()) == (expected, (8, 0, 0, 1, 2))
