"""Tests that a claim with a filter returns the first entries in the queue that match the filter,
and no others.
"""

from typing import Any

import pytest

from tests.service.api.agents import arrive, elsewhere, new_people, places, segment_counts, staffed
from tests.service.api.refusing import nothing_changes, refused
from tests.support.admissions import Admissions
from waitlist_api.records.leaves import Leave

SPANISH = {"language": "Spanish"}
F_SPANISH = {"language": "Spanish", "gender": "F"}


@pytest.fixture
def people() -> Admissions:
    """Andrew, Billy, Christine, Courtney, Remy and Walter are waiting."""
    return staffed()


def test_a_filter_may_name_its_attributes_in_any_order(people: Admissions) -> None:
    assert people.claimed(1, filter={"gender": "F", "language": "Spanish"}) == ["christine"]
    assert people.claimed(1, filter=F_SPANISH) == ["courtney"]


def test_a_repeat_with_its_key_has_the_same_people(people: Admissions) -> None:
    """P2"""
    first = people.claim(2, key="call-1", filter=SPANISH)
    assert people.claim(2, key="call-1", filter=SPANISH).json == first.json
    assert people.claimed(2, key="call-2", filter=SPANISH) == ["courtney"]


def test_people_can_be_admitted_at_once_by_filter(people: Admissions) -> None:
    first = people.claim(1, key="call-1", filter=SPANISH, complete=True)
    assert [one["status"] for one in first.json["claims"]] == ["admitted"]
    assert people.status("andrew") == "admitted"
    again = people.claim(1, key="call-1", filter=SPANISH, complete=True)
    assert [one["entry_id"] for one in again.json["claims"]] == [people.id_of("andrew")]
    assert people.counts()[3] == 1


def test_one_who_is_leaving_is_not_given(people: Admissions) -> None:
    """If a matching person is leaving, a claim with a filter returns the next matching person
    (promise P4).
    """
    services = people.world.services
    for name in ("andrew", "christine"):
        key = (people.waitlist_id, people.id_of(name))
        services.leaves.begin(*key, Leave(by="customer"))
    assert people.claimed(2, filter=SPANISH) == []
    assert people.claimed(1, filter=SPANISH) == ["courtney"]
    assert people.order() == ["billy", "remy", "walter"]


@pytest.mark.parametrize(
    "undeclared",
    [
        {"gender": "F"},
        {"age": "30"},
        {"language": "Spanish", "age": "30"},
        {"language": "Spanish", "gender": "F", "age": "30"},
    ],
    ids=str,
)
def test_a_filter_that_is_no_segment_is_refused_by_naming_those_that_are(
    people: Admissions, undeclared: dict[str, str]
) -> None:
    """P5"""
    with nothing_changes(people.world):
        problem = refused(people.claim(filter=undeclared), 422, "invalid_request", "body.filter")
    assert "declared segments: gender+language, language" in problem["detail"]
    assert "Spanish" not in problem["detail"], "values are personal data"


def test_a_list_without_segments_takes_no_filter() -> None:
    """P5"""
    people = staffed(segments=[])
    problem = refused(people.claim(filter=SPANISH), 422, "invalid_request", "body.filter")
    assert "declares no segments" in problem["detail"]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({}, "body.filter"),
        ([], "body.filter"),
        ("Spanish", "body.filter"),
        ({f"a{number}": "x" for number in range(9)}, "body.filter"),
        ({"language": ["Spanish"]}, "body.filter.language"),
        ({"language": None}, "body.filter.language"),
        ({"language": 5}, "body.filter.language"),
        ({"language": ""}, "body.filter.language"),
        ({"language": "x" * 65}, "body.filter.language"),
        ({"language": "Spanish\n"}, "body.filter.language"),
        ({"Language": "Spanish"}, "body.filter.Language"),
    ],
    ids=lambda one: str(one)[:40],
)
def test_a_wrong_filter_is_named(people: Admissions, wrong: object, field: str) -> None:
    """P5"""
    with nothing_changes(people.world):
        refused(people.claim(filter=wrong), 422, "invalid_request", field)


def test_half_a_character_in_a_filter_is_refused(people: Admissions) -> None:
    """P5"""
    body = '{"filter": {"language": "\\ud800"}}'
    path = f"{people.admin_path}/claims"
    with nothing_changes(people.world):
        answer = people.world.request("POST", path, raw_body=body, operator=True)
        refused(answer, 400, "invalid_json")


def test_an_instance_that_remembers_no_segments_asks_again_before_it_refuses() -> None:
    people = new_people(segments=[])
    arrive(people, "andrew")
    other = elsewhere(people)
    assert other.claim(filter=SPANISH).status == 422
    people.configure(segments=[["language"]])
    people.world.maintain()
    assert other.claimed(filter=SPANISH) == ["andrew"]


def test_an_instance_that_remembers_other_segments_goes_by_the_new_ones(people: Admissions) -> None:
    other = elsewhere(people)
    assert other.claimed(filter=SPANISH) == ["andrew"]
    people.configure(segments=[["language"]])
    people.world.maintain()
    assert other.claimed(filter=SPANISH) == ["christine"]
    refused(other.claim(filter=F_SPANISH), 422, "invalid_request", "body.filter")


def test_while_segments_are_built_only_requests_with_a_filter_are_refused(
    people: Admissions,
) -> None:
    """While the segments of a waitlist are being built, the service refuses requests that need
    them, because the responses could be wrong (promise P7).
    """
    people.configure(segments=[["gender"]])
    female = {"gender": "F"}
    with nothing_changes(people.world):
        problem = refused(people.claim(filter=female), 503, "rebuilding")
        assert "segments" in problem["detail"]
        refused(people.poll("billy", "segment=gender"), 503, "rebuilding")
        refused(people.segments(), 503, "rebuilding")
        assert people.place("billy") == (2, 6)
    assert people.claimed(1) == ["andrew"]
    people.world.maintain()
    assert people.claimed(5, filter=female) == ["christine", "courtney"]


def test_a_lost_order_is_rebuilt_with_its_segments(people: Admissions) -> None:
    """P3 P7"""
    before = segment_counts(people), places(people, "courtney", "language")
    people.world.redis.flushall()
    refused(people.claim(filter=SPANISH), 503, "rebuilding")
    people.world.maintain()
    assert (segment_counts(people), places(people, "courtney", "language")) == before
    assert people.claimed(5, filter=SPANISH) == ["andrew", "christine", "courtney"]


def test_the_best_available_are_claimed_by_filters_in_order_of_preference(
    people: Admissions,
) -> None:
    """An operator prefers a woman who speaks Spanish. If there is none, they take anyone who speaks
    Spanish, and otherwise the first person in the queue (promises P1 and P2).
    """
    best = [F_SPANISH, SPANISH, {}]
    first = people.claim(4, key="call-1", filters=best).json
    given = [(people.names[one["entry_id"]], one["filter_index"]) for one in first["claims"]]
    assert given == [("christine", 0), ("courtney", 0), ("andrew", 1), ("billy", 2)]
    assert people.claim(4, key="call-1", filters=best).json == first
    other = people.claim(4, key="call-1", filters=best[:2])
    refused(other, 422, "idempotency_key_reused")
    offered = people.admit(1, filters=[SPANISH, {}]).json["entries"]
    assert [(one["customer_id"], one["filter_index"]) for one in offered] == [("remy", 1)]
    assert people.claim(1).json["claims"][0]["filter_index"] is None


def test_filters_go_by_the_segments_that_are_declared_now(people: Admissions) -> None:
    """P5, P7"""
    other = elsewhere(people)
    assert other.claimed(1, filters=[{"language": "Greek"}, SPANISH]) == ["andrew"]
    people.configure(segments=[["language"]])
    with nothing_changes(people.world):
        refused(people.claim(filters=[SPANISH, {}]), 503, "rebuilding")
    people.world.maintain()
    assert other.claimed(1, filters=[{"language": "Greek"}, SPANISH]) == ["christine"]
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"filters": [SPANISH, F_SPANISH]}, "body.filters.1"),
        ({"filters": [SPANISH], "filter": SPANISH}, "body.filters"),
        ({"filters": []}, "body.filters"),
        ({"filters": [{}] * 9}, "body.filters"),
    ]
    for body, field in wrong:
        with nothing_changes(people.world):
            refused(people.claim(**body), 422, "invalid_request", field)
            refused(people.admit(1, **body), 422, "invalid_request", field)
    refused(people.admit(1, filters=[{}], refill=True), 422, "invalid_request", "body.refill")
