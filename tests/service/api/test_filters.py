"""Claims by filter: the first matching entries, and no others."""

import pytest

from tests.service.api.agents import arrive, depths, elsewhere, new_desk, places, staffed
from tests.service.api.refusing import nothing_changes, refused
from tests.support.admissions import Admissions

SPANISH = {"language": "Spanish"}
F_SPANISH = {"language": "Spanish", "gender": "F"}


@pytest.fixture
def desk() -> Admissions:
    """Andrew, Billy, Christine, Courtney, Remy and Walter in line."""
    return staffed()


def test_a_filter_may_name_its_attributes_in_any_order(desk: Admissions) -> None:
    assert desk.claimed(1, filter={"gender": "F", "language": "Spanish"}) == ["christine"]
    assert desk.claimed(1, filter=F_SPANISH) == ["courtney"]


def test_a_repeat_with_its_key_has_the_same_people(desk: Admissions) -> None:
    """P2"""
    first = desk.claim(2, key="call-1", filter=SPANISH)
    assert desk.claim(2, key="call-1", filter=SPANISH).json == first.json
    assert desk.claimed(2, key="call-2", filter=SPANISH) == ["courtney"]


def test_people_can_be_admitted_at_once_by_filter(desk: Admissions) -> None:
    first = desk.claim(1, key="call-1", filter=SPANISH, complete=True)
    assert [one["status"] for one in first.json["claims"]] == ["admitted"]
    assert desk.status("andrew") == "admitted"
    again = desk.claim(1, key="call-1", filter=SPANISH, complete=True)
    assert [one["entry_id"] for one in again.json["claims"]] == [desk.id_of("andrew")]
    assert desk.counts()[3] == 1


def test_one_who_is_leaving_is_not_given(desk: Admissions) -> None:
    """P4: the next claim of the segment gives the next person."""
    services = desk.world.services
    for name in ("andrew", "christine"):
        key = (desk.waitlist_id, desk.id_of(name))
        services.entries.begin_leave(key, "customer", "", services.now_millis())
    assert desk.claimed(2, filter=SPANISH) == []
    assert desk.claimed(1, filter=SPANISH) == ["courtney"]
    assert desk.order() == ["billy", "remy", "walter"]


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
    desk: Admissions, undeclared: dict[str, str]
) -> None:
    """P5"""
    with nothing_changes(desk.world):
        problem = refused(desk.claim(filter=undeclared), 422, "invalid_request", "body.filter")
    assert "declared segments: gender+language, language" in problem["detail"]
    assert "Spanish" not in problem["detail"], "values are somebody's"


def test_a_list_without_segments_takes_no_filter() -> None:
    """P5"""
    desk = staffed(segments=[])
    problem = refused(desk.claim(filter=SPANISH), 422, "invalid_request", "body.filter")
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
        ({"Language": "Spanish"}, "body.filter.Language.[key]"),
    ],
    ids=lambda one: str(one)[:40],
)
def test_a_wrong_filter_is_named(desk: Admissions, wrong: object, field: str) -> None:
    """P5"""
    with nothing_changes(desk.world):
        refused(desk.claim(filter=wrong), 422, "invalid_request", field)


def test_half_a_character_in_a_filter_is_refused(desk: Admissions) -> None:
    """P5"""
    body = '{"filter": {"language": "\\ud800"}}'
    path = f"{desk.admin_path}/claims"
    with nothing_changes(desk.world):
        answer = desk.world.request("POST", path, raw_body=body, operator=True)
        refused(answer, 400, "invalid_json")


def test_an_instance_that_remembers_no_segments_asks_again_before_it_refuses() -> None:
    desk = new_desk(segments=[])
    arrive(desk, "andrew")
    other = elsewhere(desk)
    assert other.claim(filter=SPANISH).status == 422
    desk.configure(segments=[["language"]])
    desk.world.maintain()
    assert other.claimed(filter=SPANISH) == ["andrew"]


def test_an_instance_that_remembers_other_segments_goes_by_the_new_ones(desk: Admissions) -> None:
    other = elsewhere(desk)
    assert other.claimed(filter=SPANISH) == ["andrew"]
    desk.configure(segments=[["language"]])
    desk.world.maintain()
    assert other.claimed(filter=SPANISH) == ["christine"]
    refused(other.claim(filter=F_SPANISH), 422, "invalid_request", "body.filter")


def test_while_segments_are_built_a_filter_has_to_wait_and_the_line_does_not(
    desk: Admissions,
) -> None:
    """P7: never a wrong answer, and a right one soon."""
    desk.configure(segments=[["gender"]])
    female = {"gender": "F"}
    with nothing_changes(desk.world):
        problem = refused(desk.claim(filter=female), 503, "rebuilding")
        assert "segments" in problem["detail"]
        refused(desk.look("billy", "segment=gender"), 503, "rebuilding")
        refused(desk.segments(), 503, "rebuilding")
        assert desk.place("billy") == (2, 6)
    assert desk.claimed(1) == ["andrew"]
    desk.world.maintain()
    assert desk.claimed(5, filter=female) == ["christine", "courtney"]


def test_a_lost_order_is_rebuilt_with_its_segments(desk: Admissions) -> None:
    """P3 P7"""
    before = depths(desk), places(desk, "courtney", "language")
    desk.world.redis.flushall()
    refused(desk.claim(filter=SPANISH), 503, "rebuilding")
    desk.world.maintain()
    assert (depths(desk), places(desk, "courtney", "language")) == before
    assert desk.claimed(5, filter=SPANISH) == ["andrew", "christine", "courtney"]
