"""Tests that operators see how many people are waiting in each segment. The API returns the
segments in pages.
"""

from collections.abc import Callable
from typing import Any

import pytest

from tests.service.api.agents import AGENTS, arrive, elsewhere, new_people, segment_counts, staffed
from tests.service.api.refusing import refused
from tests.support.admissions import Admissions
from tests.support.faults import Wire, before
from tests.support.world import World
from waitlist_api.entries.edit import EditCommand

EVERYBODY = {
    "F+English": 1,
    "F+French": 1,
    "F+Spanish": 2,
    "M+English": 2,
    "M+Spanish": 1,
    "T+French": 1,
    "English": 3,
    "French": 2,
    "Spanish": 3,
}


@pytest.fixture
def people() -> Admissions:
    """Six people are waiting, among them Andrew, Billy and Courtney."""
    return staffed()


def test_each_segment_is_counted_by_its_name(people: Admissions) -> None:
    """Segments are sorted by attribute and then by value (promise P6)."""
    answer = people.segments()
    assert (answer.status, answer.json["cursor"]) == (200, None)
    first, *_, last = answer.json["segments"]
    assert first == {"segment": {"gender": "F", "language": "English"}, "waiting": 1}
    assert last == {"segment": {"language": "Spanish"}, "waiting": 3}
    assert list(segment_counts(people).items()) == list(EVERYBODY.items())


def test_a_segment_without_waiting_entries_is_not_listed(people: Admissions) -> None:
    people.claim(5, filter={"language": "French"})
    assert not [name for name in segment_counts(people) if "French" in name]


def test_the_pages_hold_every_segment_once(people: Admissions) -> None:
    """P9"""
    for limit in (1, 2, 4, 8, 9, 10):
        found: list[Any] = []
        query, cursor = f"limit={limit}", ""
        for _ in range(11):
            page = people.segments(f"{query}{cursor}").json
            assert len(page["segments"]) <= limit
            found += page["segments"]
            if page["cursor"] is None:
                break
            cursor = f"&cursor={page['cursor']}"
        assert page["cursor"] is None
        counted = {"+".join(one["segment"].values()): one["waiting"] for one in found}
        assert counted == EVERYBODY
        assert len(found) == len(EVERYBODY)


def test_a_list_without_segments_or_people_has_none() -> None:
    for people in (staffed(segments=[]), new_people()):
        answer = people.segments()
        assert (answer.status, answer.json) == (200, {"segments": [], "cursor": None})


def test_a_list_that_is_not_there_has_no_segments(people: Admissions) -> None:
    people.waitlist_id = "florist"
    refused(people.segments(), 404, "waitlist_not_found")


def test_an_instance_that_remembers_no_segments_counts_those_that_are() -> None:
    people = new_people(segments=[])
    for name in AGENTS:
        arrive(people, name)
    other = elsewhere(people)
    assert segment_counts(other) == {}
    people.configure(segments=[["gender"]])
    people.world.maintain()
    assert segment_counts(other) == {"F": 2, "M": 2, "T": 1}


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def people_beside() -> Admissions:
    """Four people speak Spanish, and Eve speaks French."""
    people = new_people(segments=[["language"]])
    for name in ("ada", "bob", "cyd", "dan"):
        arrive(people, name, language="Spanish")
    arrive(people, "eve", language="French")
    return people


@pytest.fixture
def wired(people_beside: Admissions, wire: Wire) -> Admissions:
    """Return a second Lambda instance that serves the same waitlist.

    A test can run an action between this instance's calls to AWS.
    """
    dynamodb, redis = people_beside.world.dynamodb, people_beside.world.redis
    return Admissions(World.on(wire.client(dynamodb), redis, wire.client))


def learn_french(people: Admissions, *names: str) -> Callable[[], None]:
    """Return a function that changes people's language to French.

    The function does not use HTTP, because the tests' HTTP server handles one request at a time.
    """

    def edit() -> None:
        for name in names:
            people.world.services.entry_edits.edit(
                EditCommand(
                    waitlist_id=people.waitlist_id,
                    entry_id=people.id_of(name),
                    by="operator",
                    attributes={"language": "French"},
                )
            )

    return edit


def test_a_name_is_found_though_the_first_are_edited_meanwhile(
    wired: Admissions, people_beside: Admissions, wire: Wire
) -> None:
    wire.arm(2, before(learn_french(people_beside, "ada", "bob")))
    assert segment_counts(wired) == {"French": 1, "Spanish": 4}, "as it was when they were counted"
    assert wire.names == ["GetItem", "Invoke", *["BatchGetItem"] * 3]
    wire.disarm()
    assert segment_counts(wired) == {"French": 3, "Spanish": 2}


def test_segments_are_counted_again_if_the_entries_were_edited_meanwhile(
    wired: Admissions, people_beside: Admissions, wire: Wire
) -> None:
    wire.arm(2, before(learn_french(people_beside, "ada", "bob", "cyd")))
    assert segment_counts(wired) == {"French": 4, "Spanish": 1}
    assert wire.names.count("Invoke") == 2


def test_a_segment_that_no_record_names_is_left_out(
    wired: Admissions, people_beside: Admissions, wire: Wire
) -> None:
    """If a segment's only entry is erased while the request is running, the response leaves the
    segment out (promise P8).
    """
    services = people_beside.world.services

    def erase() -> None:
        services.leaves.begin_erase("bakery", people_beside.id_of("eve"))

    wire.arm(2, before(erase))
    assert segment_counts(wired) == {"Spanish": 4}
    assert wire.names.count("Invoke") == 2
