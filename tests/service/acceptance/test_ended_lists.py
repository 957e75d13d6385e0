"""Tests for the lists of customers who were admitted, who left, or who are inside. The lists are
sorted by time.
"""

from itertools import chain

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.service.acceptance.test_off_queue_lists import names_by_page
from tests.support.world import START_MILLIS, World
from waitlist_api.clock import iso

MANY = tuple(f"person-{number:02}" for number in range(40))
PASS_SECONDS = 3600


def test_the_admitted_and_the_left_are_listed_by_time(waitlist: Waitlist, world: World) -> None:
    people = waitlist("ann", "bob", "cyd", "dan")
    for name in ("ann", "bob"):
        people.claim()
        people.complete(name)
        world.advance(60)
    people.leave("dan")
    world.advance(60)
    people.leave("cyd")
    assert people.listed("admitted") == ["ann", "bob"]
    assert people.listed("left") == ["dan", "cyd"]
    (first, *_) = people.page("status=admitted").json["entries"]
    assert (first["status"], first["admitted_at"]) == ("admitted", iso(START_MILLIS))
    (first, *_) = people.page("status=left").json["entries"]
    assert (first["customer_id"], first["left_at"]) == ("dan", iso(START_MILLIS + 120_000))
    late = iso(START_MILLIS + 60_000)
    assert people.listed(f"admitted&since={late}") == ["bob"]
    assert people.listed(f"left&since={iso(START_MILLIS + 120_001)}") == ["cyd"]


@pytest.mark.parametrize("limit", [1, 3, 16, 39, 40, 100])
def test_pages_have_each_entry_once_and_in_order(
    waitlist: Waitlist, world: World, limit: int
) -> None:
    """Each entry is listed once, even if many entries ended in the same millisecond."""
    people = waitlist(*MANY)
    for start in range(0, 40, 10):
        names = MANY[start : start + 10]
        for name in names[:3]:
            people.leave(name)
        people.claimed(7, complete=True)
        world.advance(1)
    for status, counted in (("admitted", range(3, 10)), ("left", range(3))):
        read = names_by_page(people, status, limit)
        assert max(map(len, read)) <= limit
        listed = list(chain(*read))
        expected = [f"person-{ten}{one}" for ten in range(4) for one in counted]
        assert sorted(listed) == expected
        assert [name[7] for name in listed] == [name[7] for name in expected]


def test_customers_are_inside_until_they_exit_or_their_pass_ends(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist("ann", "bob", "cyd", admission={"acceptance": "automatic"})
    people.admit(1)
    world.advance(60)
    people.admit(2)
    first, *others = people.listed("inside")
    assert (first, sorted(others)) == ("ann", ["bob", "cyd"])
    people.exit("bob")
    assert people.listed("inside") == ["ann", "cyd"]
    assert people.listed("admitted")[0] == "ann"
    (first, *_) = people.page("status=inside").json["entries"]
    assert first["inside_until"] == iso(START_MILLIS + PASS_SECONDS * 1000)
    world.advance(PASS_SECONDS - 60)
    assert people.listed("inside") == ["cyd"]


def test_a_customer_who_joined_again_is_not_listed(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob")
    people.leave("ann")
    people.sign_up("ann")
    people.leave("bob")
    people.erase("bob")
    assert people.listed("left") == []


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("status=waiting&since=2026-01-01T00:00:00Z", "query.since"),
        ("status=left&since=yesterday", "query.since"),
        ("status=left&since=2026-13-01T00:00:00Z", "query.since"),
        ("status=left&cursor=MQ", "query.cursor"),
        ("status=left&cursor=5-abc", "query.cursor"),
        ("status=inside&first=1", "query.first"),
    ],
)
def test_a_list_that_cannot_be_is_refused(waitlist: Waitlist, query: str, field: str) -> None:
    answer = waitlist("ann").page(query)
    assert (answer.status, answer.code) == (422, "invalid_request")
    assert answer.json["errors"][0]["field"] == field
