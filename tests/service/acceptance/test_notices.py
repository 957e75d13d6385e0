"""Notices: the events `near` and `ending`, at most one of a stay and of an offer."""

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.support.admissions import Admissions
from tests.support.world import World
from waitlist_api.records.entries import EntryChanged
from waitlist_api.records.notices import Notice

OFFER_SECONDS = 600
# The tests start at 14:13:20 in UTC.
BY_DAY = {"from": "08:00", "to": "14:20", "timezone": "UTC"}


def telling(*kinds: str, near: int = 2, **admission: object) -> dict[str, object]:
    policy = {"offer_seconds": OFFER_SECONDS, "no_show": "keep_place", **admission}
    return {"admission": policy, "messages": {"kinds": [*kinds], "near": near}}


def kept(world: World, *pauses: float) -> None:
    """Run maintenance of all lists after each pause, in seconds."""
    for pause in pauses:
        world.advance(pause)
        world.maintenance.run_all()


def told(people: Admissions, word: str) -> list[str]:
    return [name for name in people.names.values() if word in people.events(name)]


def test_the_first_who_are_ready_are_near(waitlist: Waitlist, world: World) -> None:
    people = waitlist("ann", "bob", "cyd", "dan", **telling("near"))
    people.hold_back("ann")
    kept(world, 60, 60)
    assert told(people, "near") == ["bob", "cyd"]
    people.leave("bob")
    kept(world, 60, 60)
    assert told(people, "near") == ["bob", "cyd", "dan"]
    people.configure(**telling("near", near=3))
    people.hold_back("ann", ready=True)
    kept(world, 60, 60)
    assert [people.events(name).count("near") for name in ("ann", "cyd", "dan")] == [1, 1, 1]


def test_a_higher_number_reaches_a_list_at_rest(waitlist: Waitlist, world: World) -> None:
    people = waitlist("ann", "bob", **telling("near", near=1))
    kept(world, *[60] * 5)
    assert told(people, "near") == ["ann"]
    people.configure(**telling("near"))
    kept(world, 60)
    assert told(people, "near") == ["ann", "bob"]


def test_a_customer_gets_one_notice_before_an_offer_ends(waitlist: Waitlist, world: World) -> None:
    """Given a list at rest but for an offer, and a claim, then the offer alone has a notice."""
    people = waitlist("ann", "bob", "cyd", **telling("ending"))
    people.admit(1)
    assert people.claimed() == ["bob"]
    kept(world, *[60] * 5)
    assert told(people, "ending") == []
    kept(world, 60, 60, 60)
    assert told(people, "ending") == ["ann"]
    assert people.events("ann").count("ending") == 1
    assert people.enter("ann").status == 200


def test_an_offer_that_has_ended_or_hardly_lasts_has_no_notice(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist("ann", "bob", **telling("ending"))
    people.admit(2)
    people.decline("ann")
    # Maintenance stood still until half a minute before the end.
    kept(world, OFFER_SECONDS - 30, 60)
    assert told(people, "ending") == []
    people.configure(**telling("ending", offer_seconds=60))
    people.admit(1)
    kept(world, 20, 20)
    assert told(people, "ending") == []


def test_no_notice_is_sent_outside_the_hours(waitlist: Waitlist, world: World) -> None:
    """The offer of 14:13:20 ends at 8:03:20: its notice comes after the opening."""
    policy = {"max_inside": 1, "offer_hours": BY_DAY}
    people = waitlist("ann", "bob", "cyd", **telling("near", "ending", near=1, **policy))
    kept(world, 0, 60)
    assert told(people, "near") == ["bob"]
    world.advance(420)
    people.leave("bob")
    opening = 400 + 17 * 3600 + 40 * 60
    kept(world, 60, opening - 540 - 10)
    assert (told(people, "near"), told(people, "ending")) == (["bob"], [])
    kept(world, 20)
    assert (told(people, "near"), told(people, "ending")) == (["bob", "cyd"], ["ann"])


@pytest.mark.parametrize("happen", ["offer again", "leave", "edit"])
def test_a_late_notice_changes_nothing(waitlist: Waitlist, world: World, happen: str) -> None:
    """Given a run of maintenance that stood still before its write, then it finds another stamp."""
    people = waitlist("ann", **telling("ending"))
    people.admit(1)
    entry = (people.waitlist_id, people.id_of("ann"))
    before = world.services.entries.find(*entry)
    if happen == "edit":
        people.edit("ann", profile={"name": "Ann"})
    elif happen == "leave":
        people.leave("ann")
    else:
        people.withdraw("ann")
        people.admit(1)
    events = people.events("ann")
    with pytest.raises(EntryChanged):
        world.maintenance.notifier.notices.record(Notice(before, "ending"), before.stamp + 99)
    assert people.events("ann") == events


@pytest.mark.parametrize(
    "messages",
    [
        {},
        {"kinds": ["near", "near"]},
        {"kinds": ["far"]},
        {"kinds": [], "sms_countries": ["XX"]},
        {"kinds": [], "sms_countries": ["DE", "DE"]},
        {"kinds": [], "sms_number_types": []},
        {"kinds": [], "sms_number_types": ["premium_rate"]},
        *({"kinds": [], name: 0} for name in ("sms_parts_per_day", "mails_per_day")),
        *({"kinds": [], "near": n} for n in (0, 101)),
    ],
)
def test_rules_that_say_nothing_are_refused(waitlist: Waitlist, messages: object) -> None:
    people = waitlist()
    assert people.configure(messages=messages).code == "invalid_request"
    assert people.configure(messages={"kinds": ["near"]}).json["messages"] == {
        "kinds": ["near"],
        "near": 3,
        "language": "en",
        "timezone": "UTC",
        "texts": {},
        "sms_countries": [],
        "sms_number_types": ["mobile"],
        "sms_parts_per_day": None,
        "mails_per_day": None,
    }
    assert people.configure().json["messages"] is None
