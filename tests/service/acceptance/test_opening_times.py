"""Tests for opening times. Redis' clock alone decides whether a waitlist is open."""

import pytest

from tests.service.acceptance.clocks import HOUR_SECONDS, MINUTE_SECONDS, Clocks
from tests.service.acceptance.halfway import intending
from tests.support.redis_servers import Server
from waitlist_api.clock import iso

OPENS_SECONDS, CLOSES_SECONDS = 120, 180
NOT_OPEN_YET = ("not_open_yet", "closed")
OPEN = ("open", "unknown")
CLOSED = ("closed", "closed")


def state(clocks: Clocks) -> tuple[tuple[str, str], str]:
    """Return the waitlist's state as customers see it, why there is no estimate, and how many
    seconds caches may keep the response.
    """
    people = clocks.people
    shown = clocks.public.request("GET", people.path)
    assert shown.json["as_of"] == iso(clocks.redis_millis())
    board = clocks.public.request("GET", f"{people.path}/board").json
    assert board["line"] == people.stats().json["line"] == shown.json["line"]
    cached = shown.headers["cache-control"].removeprefix("public, max-age=")
    return (shown.json["line"], shown.json["estimate_unavailable"]), cached


@pytest.mark.parametrize("off", [-10 * MINUTE_SECONDS, 10 * MINUTE_SECONDS])
@pytest.mark.parametrize("jump", [-HOUR_SECONDS, HOUR_SECONDS])
def test_redis_clock_alone_opens_and_closes_a_list(valkey: Server, off: float, jump: float) -> None:
    """A waitlist opens and closes by Redis' clock, even if the functions' clocks are wrong (promise
    P5).
    """
    clocks = Clocks(valkey, public_off=off, keeper_off=-off)
    people = clocks.people
    clocks.redis.advance(jump)
    opens_at = iso(clocks.redis_millis() + 1000 * OPENS_SECONDS)
    closes_at = iso(clocks.redis_millis() + 1000 * CLOSES_SECONDS)
    people.configure(opens_at=opens_at, closes_at=closes_at)
    shown = clocks.public.request("GET", people.path).json
    assert (shown["opens_at"], shown["closes_at"]) == (opens_at, closes_at)
    assert state(clocks) == (NOT_OPEN_YET, "5")

    refused = people.sign_up("ann")
    assert (refused.status, refused.code) == (409, "not_open_yet")
    assert refused.json["opens_at"] == opens_at
    # Maintenance completes Bob's interrupted signup before the waitlist opens, so Bob gets no
    # place. Cyd's signup is completed after the opening, so Cyd gets one.
    intending(people, "bob")
    clocks.go_on(90)
    clocks.another_keeper(20 * MINUTE_SECONDS).maintenance.run_all()
    intending(people, "cyd")
    entries = clocks.public.services.entries
    kept = [entries.get(people.waitlist_id, people.id_of(name)) for name in ("ann", "bob")]
    assert kept == [None, None]

    clocks.go_on(OPENS_SECONDS - 90 - 0.5)
    assert state(clocks) == (NOT_OPEN_YET, "0")
    clocks.go_on(0.5)
    assert state(clocks) == (OPEN, "5")
    assert people.sign_up("ann", key="signup-ann").status == 201
    clocks.go_on(CLOSES_SECONDS - OPENS_SECONDS - 3)
    clocks.another_keeper(20 * MINUTE_SECONDS).maintenance.run_all()
    assert people.order() == ["ann", "cyd"]
    assert state(clocks) == (OPEN, "3")
    clocks.go_on(3)
    assert state(clocks) == (CLOSED, "5")
    assert people.sign_up("dan").code == "waitlist_closed"
    assert people.sign_up("ann", key="signup-ann").status == 200

    clocks.flush()
    clocks.two_runs()
    assert people.sign_up("dan").code == "waitlist_closed"
    assert people.order() == ["ann", "cyd"]
    people.configure()
    assert people.sign_up("dan").status == 201
