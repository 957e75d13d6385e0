"""Tests for offers that last for days, because customers may not read the message about their offer
until the next day.
"""

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.service.acceptance.test_admission_policy import iso
from tests.support.admissions import Admissions
from tests.support.world import World
from waitlist_api.maintenance import notifier

DAY = 86_400
TELLING = {"messages": {"kinds": ["offered", "ending"]}}


def told(people: Admissions) -> int:
    return sum(people.events(name).count("ending") for name in people.names.values())


def test_an_invited_person_can_enter_on_the_last_of_fourteen_days(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist("ann", admission={})
    assert people.admit(1, offer_seconds=14 * DAY).json["entries"][0]["offered_until"] == iso(
        14 * DAY
    )
    world.advance(14 * DAY - 60)
    world.maintenance.run_all()
    assert people.poll("ann").json["offered_until"] == iso(14 * DAY)
    assert people.enter("ann").status == 200


@pytest.mark.parametrize("seconds", [9, 14 * DAY + 1, "2 days"])
def test_an_impossible_length_changes_nothing(waitlist: Waitlist, seconds: object) -> None:
    people = waitlist("ann", admission={})
    refused = people.admit(1, offer_seconds=seconds)
    assert (refused.status, refused.code) == (422, "invalid_request")
    assert "offer_seconds" in refused.text
    assert people.status("ann") == "waiting"


def test_another_length_with_the_same_key_is_another_request(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", admission={})
    key = "a-key-of-the-launch"
    first = people.admit(1, key, offer_seconds=DAY)
    assert people.admit(1, key, offer_seconds=DAY).json == first.json
    assert people.admit(1, key).code == "idempotency_key_reused"


@pytest.mark.parametrize(("days", "before"), [(2, DAY // 2), (14, DAY)])
def test_the_reminder_comes_once_and_not_earlier_than_a_day_before_the_end(
    waitlist: Waitlist, world: World, days: int, before: int
) -> None:
    """Each customer gets one reminder of a long offer, at most a day before the offer ends."""
    people = waitlist("ann", "bob", **TELLING, admission={"offer_seconds": 600})
    people.admit(2, offer_seconds=days * DAY)
    world.advance(days * DAY - before - 300)
    world.maintenance.run_all()
    assert told(people) == 0
    for _ in range(3):
        world.advance(300)
        world.maintenance.run_all()
    assert told(people) == 2


def test_everybody_is_reminded_once_if_many_offers_end_together(
    waitlist: Waitlist, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There are more offers than one maintenance run can read, so the next runs remind the other
    customers.
    """
    monkeypatch.setattr(notifier, "PAGES", 1)
    monkeypatch.setattr(notifier, "MAX_PAGE", 2)
    names = [f"person-{number}" for number in range(11)]
    people = waitlist(*names, **TELLING, admission={"offer_seconds": 600})
    people.admit(11, offer_seconds=2 * DAY)
    world.advance(2 * DAY - DAY // 2)
    world.maintenance.run_all()
    assert told(people) == 4
    for _ in range(5):
        world.advance(60)
        world.maintenance.run_all()
    assert [people.events(name).count("ending") for name in names] == [1] * 11
