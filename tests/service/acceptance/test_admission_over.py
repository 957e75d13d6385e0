"""Tests what happens when admissions end. The service makes no more offers, and a setting decides
whether the people in the queue keep waiting or leave.
"""

from typing import Any

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.service.acceptance.test_admission_policy import iso
from tests.support.admissions import Admissions
from tests.support.world import START_MILLIS, World

HOUR = 3600


def over_in(seconds: int, **policy: Any) -> dict[str, Any]:
    return {"max_inside": 1, "offer_seconds": 2 * HOUR, "until": iso(seconds), **policy}


def keep(people: Admissions, *seconds: int) -> None:
    """Advance the time by each of the given pauses, and run maintenance after each one."""
    for pause in seconds:
        people.world.advance(pause)
        people.world.maintenance.run_all()


def reason_of_end(people: Admissions, name: str) -> tuple[str, str, str]:
    event = people.person(name).json["history"][-1]
    return event["event"], event["by"], event["reason"]


def test_nothing_is_offered_after_the_end_and_people_keep_waiting(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist("ann", "bob", admission=over_in(HOUR))
    keep(people, 0)
    assert people.poll("ann").json["offered_until"] == iso(HOUR)
    keep(people, HOUR, 120)
    assert people.order() == ["bob", "ann"]
    assert people.admit(1).code == "admission_over"
    assert people.admit_one("bob").code == "admission_over"
    assert people.claimed() == ["bob"]


def test_an_earlier_end_also_ends_open_offers_and_the_record_says_so(
    waitlist: Waitlist, world: World
) -> None:
    policy = {"max_inside": 1, "offer_seconds": 2 * HOUR, "no_show": "keep_place"}
    people = waitlist("ann", admission=policy)
    keep(people, 0, 120)
    people.configure(admission={**policy, "until": iso(HOUR)})
    assert people.poll("ann").json["offered_until"] == iso(HOUR)
    keep(people, 120, 120)
    assert people.recorded("ann")["hold"]["until_millis"] == START_MILLIS + HOUR * 1000
    keep(people, HOUR)
    assert people.status("ann") == "waiting"


@pytest.mark.parametrize("is_at_rest", [False, True])
def test_people_who_wait_leave_at_the_end_if_the_setting_says_so(
    waitlist: Waitlist, world: World, is_at_rest: bool
) -> None:
    """When admissions end, people who are not ready leave the waitlist too. Claimed and parked
    entries stay.
    """
    people = waitlist("ann", "bob", "cyd", "dan", rest={}, admission={})
    people.claimed()
    people.park("ann")
    people.claimed(lease_seconds=12 * HOUR)
    people.hold_back("cyd")
    people.configure(admission={"until": iso(HOUR), "then": "leave"})
    if is_at_rest:
        keep(people, *[60] * 10)
    keep(people, 2 * HOUR)
    assert [people.status(name) for name in ("ann", "bob", "cyd", "dan")] == [
        "parked",
        "offered",
        "left",
        "left",
    ]
    assert reason_of_end(people, "dan") == ("left", "maintenance", "over")
    assert people.stats().json["waiting"] == 0


def test_an_end_in_the_past_is_refused_unless_it_is_stored(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist("ann", admission={})
    refused = people.configure(admission={"until": iso(-1)})
    assert (refused.status, refused.code) == (422, "invalid_request")
    assert "body.admission.until" in refused.text
    assert people.configure(admission={"until": iso(60)}).status == 200
    world.advance(HOUR)
    same = people.configure(admission={"until": iso(60), "offer_seconds": 60})
    assert same.status == 200
    assert people.configure(admission={"until": iso(61)}).status == 422


def test_a_quota_shows_its_progress_until_it_is_ended(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", admission={})
    people.admit(3, refill=True)
    people.enter("ann")
    stats = people.stats().json
    assert [stats[f"quota{part}"] for part in ("", "_open", "_entered", "_since")] == [
        2,
        1,
        1,
        iso(0),
    ]
    people.admit(0)
    stats = people.stats().json
    assert [stats[f"quota{part}"] for part in ("", "_open", "_entered", "_since")] == [
        0,
        0,
        0,
        None,
    ]
