"""Tests that customers see their position within a segment, for example "third in line for
Spanish".
"""

from typing import Any

import pytest

from tests.service.api.agents import elsewhere, places, staffed
from tests.service.api.refusing import nothing_changes, refused
from tests.support.admissions import Admissions
from tests.support.faults import Wire, before
from tests.support.world import World
from waitlist_api.entries.edit import EditCommand
from waitlist_api.records.edits import edit
from waitlist_api.records.entry import HistoryEvent


@pytest.fixture
def people() -> Admissions:
    """Andrew, Billy, Christine, Courtney, Remy and Walter are waiting."""
    return staffed()


def test_the_place_within_a_segment_comes_with_that_in_the_line(people: Admissions) -> None:
    """P6"""
    answer = people.poll("courtney", "segment=language")
    assert answer.status == 200
    assert answer.json == {
        **people.poll("courtney").json,
        "position": 4,
        "total": 6,
        "segments": [{"segment": {"language": "Spanish"}, "position": 3, "total": 3}],
    }


def test_an_entry_has_a_position_for_each_of_its_values(people: Admissions) -> None:
    assert places(people, "christine", "language") == {
        "English": (3, 3),
        "Spanish": (2, 3),
        "French": (1, 2),
    }


@pytest.mark.parametrize("segment", ["gender,language", "language,gender", "language%2Cgender"])
def test_several_attributes_have_a_comma_between_them(people: Admissions, segment: str) -> None:
    expected = {"M+English": (1, 2), "M+Spanish": (1, 1)}
    assert places(people, "andrew", segment) == expected


def test_an_entry_that_does_not_wait_is_in_no_segment(people: Admissions) -> None:
    people.claim(3)
    people.park("billy")
    people.complete("christine")
    people.leave("courtney")
    statuses = {"andrew": "offered", "billy": "parked", "christine": "admitted", "courtney": "left"}
    for name, status in statuses.items():
        answer = people.poll(name, "segment=language").json
        assert (answer["status"], answer["position"], answer["segments"]) == (status, None, [])


def test_without_the_query_there_are_no_segments(people: Admissions) -> None:
    assert people.poll("courtney").json["segments"] is None


def test_hidden_counts_hide_the_totals_of_segments() -> None:
    people = staffed(hide_counts=True)
    answer = people.poll("courtney", "segment=language").json
    assert (answer["position"], answer["total"]) == (4, None)
    assert places(people, "courtney", "language") == {"Spanish": (3, None)}


@pytest.mark.parametrize(
    "segment", ["gender", "age", "language,age", "language,language", "gender,language,age"]
)
def test_an_undeclared_segment_is_refused_with_the_declared_ones(
    people: Admissions, segment: str
) -> None:
    """P5"""
    with nothing_changes(people.world):
        answer = people.poll("courtney", f"segment={segment}")
        problem = refused(answer, 422, "invalid_request", "query.segment")
    assert "declared segments: gender+language, language" in problem["detail"]


@pytest.mark.parametrize(
    "segment",
    [
        "Language",
        "language,",
        ",language",
        "language;gender",
        "language%20",
        "language%0A",
        "language=Spanish",
        "%C3%A4",
        "%ED%A0%80",
        "%00",
        ",".join(f"a{number}" for number in range(9)),
        "a" * 33,
        "a" * 5000,
    ],
    ids=lambda one: one[:20],
)
def test_a_malformed_list_of_segments_is_refused(people: Admissions, segment: str) -> None:
    """P5"""
    with nothing_changes(people.world):
        answer = people.poll("courtney", f"segment={segment}")
        refused(answer, 422, "invalid_request", "query.segment")


def test_only_the_entrys_own_token_shows_its_segment_position(people: Admissions) -> None:
    """P5"""
    path, token = people.entry("courtney"), people.token_of("billy")
    query = "segment=language"
    refused(people.world.request("GET", path, query=query), 401, "unauthorized")
    refused(people.world.request("GET", path, token=token, query=query), 403, "forbidden")


def test_a_request_for_segment_positions_restores_a_lost_entry(people: Admissions) -> None:
    """P3 P7"""
    people.lose_place("courtney")
    assert places(people, "courtney", "language") == {"Spanish": (3, 3)}


def test_after_an_edit_that_was_cut_off_the_record_decides(people: Admissions) -> None:
    """DynamoDB has recorded an edit to Billy's attributes that Redis does not know about yet. Billy
    already sees a position in the new segment only (promise P7).
    """
    before_edit = people.world.services.entries.get(people.waitlist_id, people.id_of("billy"))
    assert before_edit is not None
    services = people.world.services
    event = HistoryEvent(stamp=before_edit.stamp + 1, event="edited", by="operator")
    now_millis = services.now_millis()
    decided = edit(before_edit, event, now_millis, attributes={"language": "French"})
    services.entry_edits.ledger.commit(before_edit, decided, now_millis)
    assert places(people, "billy", "language") == {"French": (1, 3)}
    assert places(people, "remy", "language") == {"French": (3, 3)}


def test_an_instance_that_remembers_other_segments_goes_by_the_new_ones(people: Admissions) -> None:
    other = elsewhere(people)
    assert places(other, "courtney", "language") == {"Spanish": (3, 3)}
    people.configure(segments=[["gender"]])
    people.world.maintain()
    assert places(other, "courtney", "gender") == {"F": (2, 2)}
    refused(other.poll("courtney", "segment=language"), 422, "invalid_request", "query.segment")


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def wired(people: Admissions, wire: Wire) -> Admissions:
    """Return a second Lambda instance that serves the same waitlist.

    A test can run an action between this instance's calls to AWS.
    """
    world = World.on(wire.client(people.world.dynamodb), people.world.redis, wire.client)
    return Admissions(world, entry_tokens=people.entry_tokens)


def test_an_edit_during_the_request_gives_the_position_in_the_new_segment(
    wired: Admissions, people: Admissions, wire: Wire
) -> None:
    """If a customer moves to another segment during the request, the response contains only their
    position in the new one (promise P6).
    """
    places(wired, "billy", "language")

    def edit() -> None:
        command: dict[str, Any] = {"waitlist_id": people.waitlist_id, "by": "operator"}
        people.world.services.entry_edits.edit(
            EditCommand(
                entry_id=people.id_of("billy"), attributes={"language": "French"}, **command
            )
        )

    wire.arm(1, before(edit))
    assert places(wired, "billy", "language") == {"French": (1, 3)}
