"""Release: back to the old place, or to the end of the line."""

from tests.service.acceptance.terms import LEASE_SECONDS, Waitlist
from tests.support.world import World

# Names whose entry ids are in another order than their arrival.
EQUALS = ("ann", "bob", "cyd", "dan", "eve")


def test_the_released_keep_their_order_among_equals(waitlist: Waitlist) -> None:
    """Given five of one instant, when released in any order, then the old order holds. P1."""
    desk = waitlist(*EQUALS)
    ids = [desk.id_of(name) for name in EQUALS]
    assert ids not in (sorted(ids), sorted(ids, reverse=True))
    desk.claim(5)
    for name in ("cyd", "ann", "eve", "bob", "dan"):
        assert desk.release(name).status == 200
    assert desk.order() == list(EQUALS)
    assert desk.claimed(5) == list(EQUALS)


def test_the_released_stand_where_they_stood(waitlist: Waitlist) -> None:
    """Given the second of three held, when released, then its true position is returned. P6."""
    desk = waitlist("ann", "bob", "cyd")
    desk.claim(2)
    answer = desk.release("bob").json
    assert (answer["status"], answer["position"], answer["total"]) == ("waiting", 1, 2)
    answer = desk.release("ann").json
    assert (answer["status"], answer["position"], answer["total"]) == ("waiting", 1, 3)
    assert desk.place("bob") == (2, 3)


def test_a_release_to_the_back_comes_last(waitlist: Waitlist) -> None:
    """Given the first of three held, when released to the back, then it is behind all. P1."""
    desk = waitlist("ann", "bob", "cyd")
    desk.claim()
    answer = desk.release("ann", to="back").json
    assert (answer["position"], answer["total"]) == (3, 3)
    desk.all_sign_up("dan")
    assert desk.order() == ["bob", "cyd", "ann", "dan"]
    assert desk.recorded("ann")["status"] == "waiting"


def test_a_release_costs_no_attempt(waitlist: Waitlist) -> None:
    """Given one released many times, when claimed, then no attempt is counted."""
    desk = waitlist("ann", max_attempts=2)
    for _ in range(5):
        (claim,) = desk.claim().json["claims"]
        assert claim["attempts"] == 0
        desk.release("ann")


def test_a_repeated_release_releases_once(waitlist: Waitlist) -> None:
    """Given one released, when the token says so again, then the answer is the same. P2."""
    desk = waitlist("ann", "bob")
    desk.claim()
    first = desk.release("ann", to="back")
    assert desk.release("ann", to="back").json == first.json
    assert desk.order() == ["bob", "ann"]
    assert desk.events("ann") == ["joined", "offered", "released"]


def test_a_release_is_not_repeated_on_the_next_hold(waitlist: Waitlist) -> None:
    """Given a release and a new claim, when the release comes again, the hold stays. P2, P4."""
    desk = waitlist("ann")
    desk.claim()
    late = desk.tokens["ann"]
    first = desk.release("ann").json
    desk.claim()
    repeat = desk.release("ann", late)
    assert (repeat.status, repeat.json["status"]) == (200, "waiting")
    assert repeat.json["joined_at"] == first["joined_at"]
    assert desk.events("ann") == ["joined", "offered", "released", "offered"]
    assert desk.status("ann") == "offered"


def test_a_late_release_is_refused(waitlist: Waitlist, world: World) -> None:
    """Given an expired hold, when released, then refused, also if only Redis saw it end. P4."""
    desk = waitlist("ann", "bob", "cyd")
    desk.claim(2)
    world.advance(LEASE_SECONDS)
    assert desk.release("bob", to="back").code == "claim_expired"
    assert desk.claimed() == ["ann"]  # ends the hold of bob as well
    assert desk.release("bob", to="back").code == "claim_expired"
    world.maintain()
    world.maintain()
    assert desk.recorded("bob")["status"] == "waiting"
    assert desk.release("bob", to="back").code == "claim_expired"
    assert desk.order() == ["ann", "bob", "cyd"]
    assert "released" not in desk.events("bob")


def test_a_place_is_told_only_when_it_is_known(waitlist: Waitlist, world: World) -> None:
    """Given an order that is being rebuilt, when released, then no position is returned. P7."""
    desk = waitlist("ann", "bob", "cyd", "dan", lease_seconds=600)
    desk.claim(3)
    desk.release("ann")
    world.redis.flushall()
    assert desk.look("dan").code == "rebuilding"
    answer = desk.release("cyd").json
    assert (answer["status"], answer["position"], answer["total"]) == ("waiting", None, None)
    world.maintain()
    assert desk.order() == ["ann", "cyd", "dan"]
    assert desk.complete("bob").json["status"] == "admitted"
