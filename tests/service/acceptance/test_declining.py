"""Tests for customers who decline an offer and keep their place, and for customers who miss too
many offers.
"""

from typing import Any

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.service.acceptance.test_admission_policy import iso
from tests.support.admissions import Admissions
from tests.support.world import World
from waitlist_api.records.transitions import Transitions

PAUSE = 7200
KEEPING = {"decline": {"to": "place", "pause_seconds": PAUSE, "at_most": 1}}


def keep(people: Admissions) -> None:
    people.world.maintenance.run_all()


def lose_redis(people: Admissions) -> None:
    people.world.redis.flushall()
    keep(people)


@pytest.mark.parametrize("happens", [None, lose_redis])
def test_a_customer_who_declines_keeps_the_exact_rank_and_gets_no_offer_during_the_pause(
    waitlist: Waitlist, world: World, happens: object
) -> None:
    """The pause before the next offer does not end early, even if the customer polls or Redis loses
    its data.
    """
    people = waitlist("ann", "bob", admission={"max_inside": 1, **KEEPING})
    rank = people.poll("ann").json["rank"]
    keep(people)
    answer = people.decline("ann", to=None)
    assert (answer.json["status"], answer.json["position"]) == ("waiting", 1)
    assert answer.json["declines_left"] == 0
    again = people.decline("ann", to=None)
    for said in (answer.json, again.json):
        assert (said["ready"], said["not_ready"]) == (False, ["declined"])
        assert said["delayed_until"] == iso(PAUSE)
    if happens:
        lose_redis(people)
    seen = people.poll("ann").json
    assert (seen["rank"], seen["position"]) == (rank, 1)
    assert (seen["not_ready"], seen["delayed_until"]) == (["declined"], iso(PAUSE))
    keep(people)
    assert (people.status("ann"), people.status("bob")) == ("waiting", "offered")
    world.advance(PAUSE)
    people.decline("bob", to="leave")
    keep(people)
    assert people.status("ann") == "offered"
    assert people.recorded("ann")["rank"] == rank


def test_the_history_and_the_public_answer_say_what_a_decline_does(waitlist: Waitlist) -> None:
    people = waitlist("ann", admission={**KEEPING})
    path = f"/v1/waitlists/{people.waitlist_id}"
    assert people.world.request("GET", path).json["decline"]["to"] == "place"
    people.admit(1)
    people.decline("ann", to=None)
    event = people.person("ann").json["history"][-1]
    assert (event["event"], event["detail"]["until"]) == ("declined", iso(PAUSE))


def test_a_decline_after_the_last_that_keeps_the_place_goes_to_the_back(
    waitlist: Waitlist, world: World
) -> None:
    """Ann may decline once and keep her place. Her second decline moves her to the back, even if
    Redis has lost its data in between.
    """
    people = waitlist("ann", "bob", admission={"max_inside": 1, **KEEPING})
    people.admit_one("ann")
    people.decline("ann", to=None)
    world.advance(PAUSE)
    lose_redis(people)
    people.withdraw("bob")
    assert people.admit_one("ann").status == 200
    assert people.decline("ann", to=None).json["position"] == 2


def test_a_decline_tells_the_customer_if_an_operator_has_meanwhile_held_them_back(
    waitlist: Waitlist, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis ends the offer, and maintenance records this. Before the customer's own request
    continues, an operator holds the customer back.
    """
    people = waitlist("ann", admission={})
    people.admit_one("ann")
    record = Transitions.record

    def record_late(*arguments: Any) -> Any:
        monkeypatch.setattr(Transitions, "record", record)
        keep(people)
        assert people.hold_back("ann").status == 200
        return record(*arguments)

    monkeypatch.setattr(Transitions, "record", record_late)
    answer = people.decline("ann").json
    assert (answer["status"], answer["ready"]) == ("waiting", False)
    assert answer["not_ready"] == people.poll("ann").json["not_ready"]


@pytest.mark.parametrize(("to", "status"), [("back", "waiting"), ("leave", "left")])
def test_a_customer_can_give_up_the_place_whatever_the_setting_says(
    waitlist: Waitlist, to: str, status: str
) -> None:
    people = waitlist("ann", "bob", admission={**KEEPING})
    people.admit(1)
    left = people.decline("ann", to=to).json["declines_left"]
    assert left == (0 if to == "back" else None)
    assert people.status("ann") == status
    assert people.order() == (["bob", "ann"] if to == "back" else ["bob"])


def test_a_decline_leaves_if_the_setting_says_so(waitlist: Waitlist) -> None:
    people = waitlist("ann", admission={"decline": {"to": "leave"}})
    people.admit(1)
    assert people.decline("ann", to=None).json["status"] == "left"


@pytest.mark.parametrize(("to", "status"), [("place", "waiting"), ("leave", "left")])
def test_a_repeated_decline_says_what_the_first_one_did_after_the_setting_has_changed(
    waitlist: Waitlist, to: str, status: str
) -> None:
    """The customer's status in the response is true, even if `decline` now says something else."""
    people = waitlist("ann", admission={"decline": {"to": to}})
    until = people.admit(1).json["entries"][0]["offered_until"]
    first = people.decline("ann", to=None, key="once", offered_until=until)
    other = "leave" if to == "place" else "place"
    people.configure(admission={"decline": {"to": other}})
    again = people.decline("ann", to=None, key="once", offered_until=until)
    assert (again.status, again.json["status"]) == (200, first.json["status"])
    assert people.status("ann") == status == again.json["status"]
    assert people.events("ann").count("declined") == (1 if to == "place" else 0)


def test_a_decline_of_an_offer_that_is_over_changes_nothing(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist("ann", admission={"offer_seconds": 60, "no_show": "keep_place", **KEEPING})
    until = people.admit(1).json["entries"][0]["offered_until"]
    world.advance(60)
    refused = people.decline("ann", to=None, offered_until=until)
    assert refused.code in ("offer_expired", "not_offered")
    keep(people)
    assert people.poll("ann").json["not_ready"] is None
    assert "declined" not in people.events("ann")


@pytest.mark.parametrize(("then", "status"), [("leave", "left"), ("park", "parked")])
def test_a_person_who_lets_too_many_offers_end_leaves_or_is_parked(
    waitlist: Waitlist, world: World, then: str, status: str
) -> None:
    """The number of offers that a customer has missed survives a loss of Redis."""
    policy = {"offer_seconds": 60, "no_show": "keep_place", "misses": {"at_most": 2, "then": then}}
    people = waitlist("ann", "bob", admission=policy)
    for expected in ("waiting", status):
        people.admit_one("ann")
        world.advance(60)
        keep(people)
        world.advance(61)
        keep(people)
        lose_redis(people)
        assert people.status("ann") == expected


def test_misses_together_with_automatic_acceptance_are_refused(waitlist: Waitlist) -> None:
    people = waitlist("ann", admission={})
    refused = people.configure(admission={"acceptance": "automatic", "misses": {"at_most": 2}})
    assert (refused.status, refused.code) == (422, "invalid_request")
    assert "body.admission.misses" in refused.text
    answer = people.configure(admission={"no_show": "leave", "misses": {"at_most": 2}})
    assert "misses_without_effect" in [warning["code"] for warning in answer.json["warnings"]]
