"""Redis fails over to a replica that is missing the newest writes, and the service does not notice.
The replica must not affect a customer's later signup or place.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from unittest.mock import patch

import pytest
from msgspec.structs import replace

from tests.service.acceptance.terms import LEASE_SECONDS, Waitlist
from tests.service.acceptance.test_admission_policy import iso
from tests.support.admissions import Admissions
from tests.support.faults import Crash
from tests.support.snapshot import RedisState
from tests.support.world import World
from waitlist_api.admission.offers import OfferWriter
from waitlist_api.imports.rows import ImportRow
from waitlist_api.maintenance.heartbeat import Heartbeat
from waitlist_api.maintenance.reconcile import Reconciler
from waitlist_api.records.decisions import transition_of
from waitlist_api.records.ledger import EntryChanged
from waitlist_shared import contracts as c

LONG = 3600
OFFER_SECONDS = 600
NO_SHOWS = ("keep_place", "to_back", "leave")
Act = Callable[[Admissions], Any]


@contextmanager
def losing_changes(world: World) -> Iterator[None]:
    """Undo all changes to Redis inside the `with` block.

    The server keeps its run id, so the service cannot notice the loss.
    """
    past = RedisState.of(world.redis)
    yield
    past.restore(world.redis)
    world.advance(1)


def some_runs(world: World) -> None:
    for _ in range(3):
        world.maintain()


def policy_of(no_show: str) -> dict[str, Any]:
    return {"max_inside": 1, "offer_seconds": OFFER_SECONDS, "no_show": no_show}


def test_an_offer_made_after_maintenance_has_listed_the_entry_stays(
    waitlist: Waitlist, world: World
) -> None:
    """Maintenance lists Ann with her first offer. Before it reads her record, the offer ends and
    she gets a second one. Maintenance keeps the second offer.
    """
    people = waitlist(
        "ann",
        "bob",
        admission={
            "schedule": [{"cron": "0 * * * *", "count": 1}],
            "offer_seconds": 1200,
            "no_show": "keep_place",
        },
    )
    some_runs(world)
    world.advance(LONG - 360)
    world.maintenance.run_all()
    assert people.listed("offered") == ["ann"]
    # After a failover, Redis may know all of the schedule's slots from the record in DynamoDB.
    (meta,) = world.redis.keys("*meta")
    world.redis.hset(meta, "recorded_until", world.redis.hget(meta, "scheduled_until"))
    reconcile = Reconciler._reconcile_page
    passed: list[str] = []

    def get_another_offer_first(*arguments: Any) -> bool:
        if arguments[-1].places and not passed:
            passed.append("the first offer")
            world.advance(1200)
            people.poll("ann")
            assert people.listed("offered") == ["ann"]
        return reconcile(*arguments)

    world.advance(120)
    with patch.object(Reconciler, "_reconcile_page", get_another_offer_first):
        world.maintenance.run_all()
    assert passed
    people.poll("bob")
    assert people.listed("offered") == ["ann"]


def left_and_back(people: Admissions, name: str) -> None:
    assert people.leave(name).status == 204
    signed_up = people.sign_up(name)
    assert signed_up.status == 201, signed_up.text


@pytest.mark.parametrize("no_show", NO_SHOWS)
def test_a_no_show_of_a_former_stay_leaves_the_next_stay_as_it_is(
    waitlist: Waitlist, world: World, no_show: str
) -> None:
    """The replica knows only Ann's first signup, which has an open offer. When this offer ends, her
    second signup stays as it is (promise P3).
    """
    people = waitlist("ann", "bob", admission=policy_of(no_show), rejoin="always")
    some_runs(world)
    assert people.status("ann") == "offered"
    world.advance(OFFER_SECONDS - 400)
    with losing_changes(world):
        left_and_back(people, "ann")
    some_runs(world)
    some_runs(world)
    assert people.recorded("ann")["status"] == "waiting"
    assert people.status("ann") == "waiting"
    assert people.events("ann")[-1] == "joined"
    assert people.status("bob") == "offered"


@pytest.mark.parametrize("is_offered_again", [False, True])
def test_an_offer_that_was_declined_stays_declined_when_an_earlier_end_of_the_admission_is_lost_too(
    waitlist: Waitlist, world: World, is_offered_again: bool
) -> None:
    """Redis has forgotten that Ann declined her offer and that admissions end earlier. Maintenance
    restores both changes, and Ann's next offer if there is one (promise P3).
    """
    people = waitlist("ann", "bob", admission={"offer_seconds": LONG})
    people.admit(count=1)
    with losing_changes(world):
        assert people.decline("ann", to="back").status == 200
        until = iso(LONG // 2)
        assert people.configure(admission={"offer_seconds": LONG, "until": until}).status == 200
        if is_offered_again:
            people.admit_one("ann")
    some_runs(world)
    assert people.status("ann") == ("offered" if is_offered_again else "waiting")
    if is_offered_again:
        inspect = c.Inspect(waitlist_id=people.waitlist_id, entry_id=people.id_of("ann"))
        inspection = world.services.queue.send(inspect)
        assert inspection.token == people.recorded("ann")["hold"]["token"]
    world.advance(LONG)
    some_runs(world)
    assert people.order() == ["bob", "ann"]
    since = ["offered", "no_show"] if is_offered_again else []
    assert people.events("ann") == ["joined", "offered", "declined", *since]


@contextmanager
def comparison_failing(world: World) -> Iterator[None]:
    with patch.object(Heartbeat, "check"):
        some_runs(world)
    yield
    some_runs(world)


@pytest.mark.parametrize("no_show", NO_SHOWS)
def test_a_no_show_of_a_former_stay_is_not_recorded_while_the_comparison_fails(
    waitlist: Waitlist, world: World, no_show: str
) -> None:
    """The replica knows only Ann's earlier signup, and ends that signup's offer. Maintenance must
    not record this for Ann's current signup (promise P3).
    """
    people = waitlist("ann", "bob", admission=policy_of(no_show), rejoin="always")
    some_runs(world)
    with losing_changes(world):
        left_and_back(people, "ann")
    world.advance(OFFER_SECONDS)
    with comparison_failing(world):
        assert people.recorded("ann")["status"] == "waiting"
        assert people.events("ann")[-1] == "joined"
        assert people.status("ann") == "waiting"


@pytest.mark.parametrize("act", ["leave", "erase"])
def test_a_former_place_that_has_decided_goes_while_the_comparison_fails(
    waitlist: Waitlist, world: World, act: str
) -> None:
    """Ann has left, but the replica still has a claim from her earlier signup. When this claim
    ends, her entry disappears from Redis (promise P3).
    """
    people = waitlist("ann", "bob", rejoin="always")
    some_runs(world)
    people.claim(1)
    with losing_changes(world):
        left_and_back(people, "ann")
        people.leave("ann")
        if act == "erase":
            people.erase("ann")
            world.maintain()
    world.advance(LEASE_SECONDS)
    with comparison_failing(world):
        assert people.counts()[:3] == (1, 0, 0)


def test_an_admission_of_a_former_stay_goes_while_the_comparison_fails(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist("ann", "bob", rejoin="always")
    some_runs(world)
    people.claim(1)
    people.complete("ann")
    with losing_changes(world):
        assert people.sign_up("ann").status == 201
    with comparison_failing(world):
        assert people.order() == ["bob", "ann"]


def test_a_later_claim_outlives_the_end_of_an_earlier_hold(
    waitlist: Waitlist, world: World
) -> None:
    """Instead of the current claim, the replica has an earlier one that has expired. The current
    claim must stay valid (promises P3 and P4).
    """
    people = waitlist("ann", "bob")
    some_runs(world)
    people.claim(1)
    world.advance(LEASE_SECONDS)
    with losing_changes(world):
        assert people.claimed(1, lease_seconds=LONG) == ["ann"]
    some_runs(world)
    completed = people.complete("ann")
    assert completed.status == 200, completed.text
    assert people.events("ann") == ["joined", "offered", "expired", "offered", "admitted"]


def test_a_decision_about_another_stay_is_not_recorded(waitlist: Waitlist, world: World) -> None:
    """Redis may park an earlier signup's entry. DynamoDB must not record this for the customer's
    current signup (promise P3).
    """
    people = waitlist("ann")
    record = world.services.entries.find(people.waitlist_id, people.id_of("ann"))
    assert record.ticket is not None
    transitions, now_millis = world.services.holds.transitions, world.clock.now_millis()
    decision = c.Decision(
        verb="parked", stamp=record.stamp + 1, rank=record.rank or 0, ticket=record.ticket - 1
    )
    with pytest.raises(EntryChanged):
        transitions.record(transition_of(record.key, decision, ()), now_millis)
    transitions.record(
        transition_of(record.key, replace(decision, ticket=record.ticket), ()), now_millis
    )
    assert people.recorded("ann")["status"] == "parked"


def test_an_import_does_not_get_the_place_of_a_former_stay(
    waitlist: Waitlist, world: World
) -> None:
    """A customer has left, but the replica still has their former place. If an import adds the
    customer again, they must not get this place back (promise P1).
    """
    people = waitlist("ann", "bob", rejoin="always")
    some_runs(world)
    with losing_changes(world):
        people.leave("ann")
    row = ImportRow(customer_id="ann", attributes={})
    world.services.imports.import_rows(people.waitlist_id, [row], "operator", "rejoin")
    some_runs(world)
    assert people.order() == ["bob", "ann"]


def test_a_hold_of_a_former_stay_that_expires_leaves_the_next_stay_as_it_is(
    waitlist: Waitlist, world: World
) -> None:
    """A claim from the customer's first signup expires in the replica. The customer must keep the
    second signup's place at the end of the queue (promises P1 and P3).
    """
    people = waitlist("ann", "bob", rejoin="always")
    some_runs(world)
    people.claim(1)
    with losing_changes(world):
        left_and_back(people, "ann")
    world.advance(LEASE_SECONDS)
    some_runs(world)
    assert people.order() == ["bob", "ann"]
    attempts = people.recorded("ann").get("hold", {}).get("attempts", 0)
    assert (attempts, people.events("ann")[-1]) == (0, "joined")


def test_an_admission_of_a_former_stay_does_not_end_the_next_stay(
    waitlist: Waitlist, world: World
) -> None:
    """The replica has the first signup's admission, which must not end the customer's second signup
    (promise P3).
    """
    people = waitlist("ann", "bob", rejoin="always")
    some_runs(world)
    people.claim(1)
    people.complete("ann")
    with losing_changes(world):
        assert people.sign_up("ann").status == 201
    some_runs(world)
    some_runs(world)
    assert people.order() == ["bob", "ann"]
    assert people.events("ann") == ["joined", "offered", "admitted", "joined"]


def claim_both(people: Admissions) -> None:
    assert people.claimed(2, lease_seconds=LONG) == ["bob"]


def offer_both(people: Admissions) -> None:
    assert people.admit(2).status == 200
    assert people.recorded("ann")["status"] == "waiting"


@pytest.mark.parametrize("act", [claim_both, offer_both])
@pytest.mark.parametrize("acceptance", ["enter", "automatic"])
def test_a_former_place_that_is_taken_leaves_the_next_stay_as_it_is(
    waitlist: Waitlist, world: World, act: Act, acceptance: str
) -> None:
    """The replica has an earlier signup's place. If a request claims or admits the entry at this
    place, the service restores the current place instead (promises P1 and P3).
    """
    admission = {"rate": {"count": 1, "per": "day"}, "acceptance": acceptance}
    people = waitlist("ann", "bob", rejoin="always", admission=admission)
    some_runs(world)
    with losing_changes(world):
        left_and_back(people, "ann")
    act(people)
    assert people.status("ann") == "waiting"
    some_runs(world)
    assert people.recorded("ann")["status"] == "waiting"
    assert people.events("ann") == ["joined", "left", "joined"]


def test_a_bump_moves_the_next_stay_from_its_own_place(waitlist: Waitlist, world: World) -> None:
    """If the replica has an earlier signup's place, a bump first restores the current place and
    then moves the entry from there (promises P1 and P3).
    """
    people = waitlist("ann", "bob", "eve", rejoin="always")
    some_runs(world)
    with losing_changes(world):
        left_and_back(people, "ann")
    assert people.bump("ann", key="once", places=1).json["moved"] == 1
    assert people.order() == ["bob", "ann", "eve"]
    some_runs(world)
    assert people.order() == ["bob", "ann", "eve"]
    assert people.events("ann") == ["joined", "left", "joined", "bumped"]


@pytest.mark.parametrize("verb", ["release", "complete", "park", "extend"])
def test_a_token_of_a_former_stay_leaves_the_next_stay_as_it_is(
    waitlist: Waitlist, world: World, verb: str
) -> None:
    """A worker uses a claim token from a customer's earlier signup. The request changes nothing,
    even if the replica still has this claim (promise P4).
    """
    people = waitlist("ann", "bob", rejoin="always")
    some_runs(world)
    people.claim(1, lease_seconds=LONG)
    with losing_changes(world):
        left_and_back(people, "ann")
    assert people.act(verb, "ann").code == "rebuilding"
    assert people.order() == ["bob", "ann"]
    some_runs(world)
    assert people.recorded("ann")["status"] == "waiting"
    assert people.events("ann") == ["joined", "offered", "left", "joined"]


def test_the_hold_of_a_repeated_claim_can_be_released_at_once(
    waitlist: Waitlist, world: World
) -> None:
    """A request crashed after claiming an entry in Redis. After the request has been repeated, the
    worker can release the claim at once.
    """
    people = waitlist("ann", "bob")
    with patch.object(OfferWriter, "write_all", side_effect=Crash), suppress(Crash):
        people.claim(1, key="the-claim")
    world.advance(1)
    assert people.claimed(1, key="the-claim") == ["ann"]
    released = people.release("ann")
    assert released.status == 200, released.text


def test_a_claim_and_release_at_an_earlier_place_do_not_undo_a_bump(
    waitlist: Waitlist, world: World
) -> None:
    """Redis forgets that an entry was moved. The move is restored, even if the entry has been
    claimed and released in the meantime (promises P1 and P3).
    """
    people = waitlist("ann", "bob", "cyd")
    some_runs(world)
    with losing_changes(world):
        assert people.bump("cyd", to="front").status == 200
    assert people.claimed(3) == ["ann", "bob", "cyd"]
    assert people.extend("cyd").status == 200
    for name in ("ann", "bob", "cyd"):
        assert people.release(name).status == 200
    some_runs(world)
    assert people.order() == ["cyd", "ann", "bob"]


@pytest.mark.parametrize("act", ["claim", "admit", "bump"])
def test_an_acknowledged_claim_stays_when_redis_has_the_entry_waiting(
    waitlist: Waitlist, world: World, act: str
) -> None:
    """If Redis forgets a claim, no other operator gets the entry, and the operator who claimed it
    can complete the claim (promises P3 and P4).
    """
    acts: dict[str, Act] = {
        "claim": lambda people: people.claimed(2, lease_seconds=LONG) == ["bob"],
        "admit": lambda people: people.admit(2).status == 200,
        "bump": lambda people: people.bump("ann", to="back").code == "rebuilding",
    }
    people = waitlist("ann", "bob", admission={"rate": {"count": 1, "per": "day"}})
    some_runs(world)
    with losing_changes(world):
        people.claim(1, lease_seconds=LONG)
    token = people.tokens["ann"]
    acts[act](people)
    people.tokens["ann"] = token
    completed = people.complete("ann")
    assert completed.status == 200, completed.text
    some_runs(world)
    assert people.recorded("ann")["status"] == "admitted"
    assert people.events("ann").count("offered") == 1


def test_a_late_token_is_refused_when_redis_has_its_hold_again(
    waitlist: Waitlist, world: World
) -> None:
    """The replica has a released claim instead of the current one. The released claim's token must
    be refused (promise P4).
    """
    people = waitlist("ann", "bob")
    some_runs(world)
    people.claim(1, lease_seconds=LONG)
    late = people.tokens["ann"]
    with losing_changes(world):
        people.release("ann")
        people.claim(1, lease_seconds=LONG)
    assert people.complete("ann", late).code == "rebuilding"
    assert people.complete("ann", late).code == "claim_mismatch"
    assert people.complete("ann").status == 200
    some_runs(world)
    assert people.events("ann") == ["joined", "offered", "released", "offered", "admitted"]


def test_an_extension_that_redis_lost_outlives_the_earlier_deadline(
    waitlist: Waitlist, world: World
) -> None:
    """Redis forgets that a claim was extended. The claim still lasts until the later deadline,
    which the worker was told (promise P3).
    """
    people = waitlist("ann", "bob")
    some_runs(world)
    people.claim(1)
    with losing_changes(world):
        assert people.extend("ann", lease_seconds=LONG).status == 200
    world.advance(LEASE_SECONDS)
    assert people.complete("ann").status == 200


def test_changes_acknowledged_before_the_first_heartbeat_are_compared(
    waitlist: Waitlist, world: World
) -> None:
    """Maintenance finds lost changes even if Redis has lost everything since the waitlist was
    created (promise P3).
    """
    people = waitlist("ann")
    with losing_changes(world):
        people.all_sign_up("bob")
        world.maintain()
    some_runs(world)
    assert people.listed("waiting") == ["ann", "bob"]


@pytest.mark.parametrize("is_noticed", [False, True])
def test_the_former_place_of_an_erased_customer_goes(
    waitlist: Waitlist, world: World, is_noticed: bool
) -> None:
    """The replica still contains an earlier signup of an erased customer. Maintenance removes this
    signup from Redis (promises P3 and P8).
    """
    people = waitlist("ann", "bob", rejoin="always")
    some_runs(world)
    with losing_changes(world):
        left_and_back(people, "ann")
        if not is_noticed:
            people.erase("ann")
    if is_noticed:
        people.erase("ann")
    some_runs(world)
    assert people.counts()[:3] == (1, 0, 0)
    assert people.order() == ["bob"]


def test_a_former_place_goes_when_the_next_stay_has_left_too(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist("ann", "bob", rejoin="always")
    some_runs(world)
    with losing_changes(world):
        left_and_back(people, "ann")
        people.leave("ann")
    some_runs(world)
    assert people.counts()[:3] == (1, 0, 0)


def test_a_signup_does_not_get_the_place_of_the_stay_before_the_last(
    waitlist: Waitlist, world: World
) -> None:
    """The replica has the customer's first place. After a third signup, the customer must not get
    this place back (promise P1).
    """
    people = waitlist("ann", "bob", rejoin="always")
    some_runs(world)
    with losing_changes(world):
        left_and_back(people, "ann")
        people.leave("ann")
    assert people.sign_up("ann").status == 201
    some_runs(world)
    assert people.order() == ["bob", "ann"]


def test_a_customer_of_the_newer_stay_is_asked_to_wait_and_not_refused(
    waitlist: Waitlist, world: World
) -> None:
    """While the replica has only the customer's earlier signup, the service answers 503 with the
    code `rebuilding` (promise P7).
    """
    people = waitlist("ann", "bob", rejoin="always")
    some_runs(world)
    with losing_changes(world):
        left_and_back(people, "ann")
    assert people.poll("ann").code == "rebuilding"
    some_runs(world)
    assert people.status("ann") == "waiting"


def test_an_offer_to_the_newer_stay_can_be_accepted(waitlist: Waitlist, world: World) -> None:
    """The replica is missing the customer's second signup, which has an open offer. If the customer
    accepts the offer, the service first restores the signup in Redis (promise P3).
    """
    people = waitlist("ann", "bob", admission={"max_inside": 5}, rejoin="always", paused=True)
    some_runs(world)
    with losing_changes(world):
        left_and_back(people, "ann")
        people.configure(admission={"max_inside": 5}, rejoin="always")
        people.admit(5)
    entered = people.enter("ann")
    assert entered.status == 200, entered.text
    some_runs(world)
    assert people.recorded("ann")["status"] == "admitted"


def test_an_instant_of_the_schedule_is_offered_once(waitlist: Waitlist, world: World) -> None:
    """Redis forgets that three of a scheduled time's five slots are used. It must then offer only
    the other two (promise P3).
    """
    names = [f"person-{number}" for number in range(8)]
    people = waitlist(*names[:3], admission={"schedule": [{"cron": "0 * * * *", "count": 5}]})
    some_runs(world)
    world.advance(3600)
    with losing_changes(world):
        world.maintenance.run_all()
        assert sorted(people.listed("offered")) == names[:3]
    people.all_sign_up(*names[3:])
    some_runs(world)
    assert sorted(people.listed("offered")) == names[:5]


def test_a_quota_ends_though_an_offer_that_it_paid_is_taken_over_by_the_record(
    waitlist: Waitlist, world: World
) -> None:
    """Redis forgets that a customer declined an offer. The quota that the offer came from must
    still be used up in the end (promise P3).
    """
    people = waitlist("ann", "bob", "cyd", admission={"max_inside": 3})
    assert people.admit(1, refill=True).status == 200
    some_runs(world)
    with losing_changes(world):
        assert people.decline("ann").status == 200
    some_runs(world)
    some_runs(world)
    for name in people.listed("offered"):
        people.enter(name)
    some_runs(world)
    assert people.stats().json["quota"] == 0


def test_an_entry_stays_held_back_though_it_was_released_since(
    waitlist: Waitlist, world: World
) -> None:
    """An entry is marked as not ready during a claim, and Redis forgets this. Maintenance tells
    Redis that the entry is not ready (promise P3).
    """
    people = waitlist("ann", "bob")
    some_runs(world)
    with losing_changes(world):
        people.claim(1)
        assert people.hold_back("ann").status == 200
        assert people.release("ann").status == 200
    some_runs(world)
    assert people.claimed(2) == ["bob"]
