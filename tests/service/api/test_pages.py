"""Tests that the API returns long lists in pages, with every entry once and in order."""

import pytest

from tests.service.api.conftest import new_list
from tests.support.people import People

COUNT = 23
NAMES = [f"customer-{number:02}" for number in range(COUNT)]


@pytest.fixture(scope="module")
def crowd() -> People:
    people = new_list()
    people.all_sign_up(*NAMES)
    for name in NAMES[20:]:
        people.bump(name, priority=5)
    return people


ORDER = [*NAMES[20:], *NAMES[:20]]


def names_by_page(people: People, limit: int) -> list[list[str]]:
    pages: list[list[str]] = []
    query = f"limit={limit}"
    while True:
        answer = people.page(query).json
        assert len(answer["entries"]) <= limit
        pages.append([entry["customer_id"] for entry in answer["entries"]])
        if answer["cursor"] is None:
            return pages
        assert len(pages) <= COUNT, "the cursors lead in circles"
        query = f"limit={limit}&cursor={answer['cursor']}"


@pytest.mark.parametrize("limit", [1, 2, 7, 22, 23, 24, 100])
def test_the_pages_hold_everybody_once_in_serving_order(crowd: People, limit: int) -> None:
    """P1 P6"""
    pages = names_by_page(crowd, limit)
    assert [name for page in pages for name in page] == ORDER
    assert len(pages) == -(-COUNT // limit)


def test_positions_go_on_from_page_to_page(crowd: People) -> None:
    """P6"""
    first = crowd.page("limit=10").json
    second = crowd.page(f"limit=10&cursor={first['cursor']}").json
    entries = first["entries"] + second["entries"]
    assert [entry["position"] for entry in entries] == list(range(1, 21))
    assert {entry["total"] for entry in entries} == {COUNT}


def test_a_page_holds_a_hundred_unless_fewer_are_wanted(crowd: People) -> None:
    assert len(crowd.page().json["entries"]) == COUNT
    assert len(crowd.page("status=waiting&limit=5").json["entries"]) == 5


def test_a_page_begins_at_a_position_and_the_cursor_goes_on(crowd: People) -> None:
    """P6"""
    page = crowd.page("first=20&limit=2").json
    assert [entry["customer_id"] for entry in page["entries"]] == ORDER[19:21]
    assert [entry["position"] for entry in page["entries"]] == [20, 21]
    rest = crowd.page(f"cursor={page['cursor']}").json
    assert [entry["customer_id"] for entry in rest["entries"]] == ORDER[21:]
    assert crowd.page(f"first={COUNT + 1}").json == {"entries": [], "cursor": None}


@pytest.mark.parametrize(
    "query", ["first=0", "first=-1", "first=two", "first=1&status=parked", "first=1&cursor=MQ"]
)
def test_a_page_that_cannot_begin_there_is_refused(crowd: People, query: str) -> None:
    """P5"""
    answer = crowd.page(query)
    assert (answer.status, answer.json["code"]) == (422, "invalid_request")
    assert answer.json["errors"][0]["field"] == "query.first"


def test_an_empty_list_has_one_empty_page(people: People) -> None:
    assert people.page().json == {"entries": [], "cursor": None}


def test_the_next_page_is_complete_after_customers_have_left(people: People) -> None:
    """A cursor contains the rank (sort key) of the last entry on the page. A position would change
    when people leave (promise P6).
    """
    people.all_sign_up("ada", "bob", "cyd", "dan", "eve")
    first = people.page("limit=2").json
    people.leave("ada")
    people.leave("bob")
    second = people.page(f"limit=2&cursor={first['cursor']}").json
    assert [entry["customer_id"] for entry in second["entries"]] == ["cyd", "dan"]
    assert [entry["position"] for entry in second["entries"]] == [1, 2]


def test_the_last_page_may_be_empty_when_its_people_have_left(people: People) -> None:
    people.all_sign_up("ada", "bob")
    cursor = people.page("limit=1").json["cursor"]
    people.leave("bob")
    assert people.page(f"cursor={cursor}").json == {"entries": [], "cursor": None}


@pytest.mark.parametrize("limit", [1, 3, 100])
def test_waitlists_are_listed_once_each_by_id(people: People, limit: int) -> None:
    ids = [f"list-{number}" for number in range(7)]
    for waitlist_id in reversed(ids):
        People(people.world, waitlist_id).configure()
    found: list[str] = []
    query = f"limit={limit}"
    for _ in range(len(ids) + 2):
        path = "/v1/admin/waitlists"
        page = people.world.request("GET", path, operator=True, query=query).json
        found += [waitlist["waitlist_id"] for waitlist in page["waitlists"]]
        if page["cursor"] is None:
            break
        query = f"limit={limit}&cursor={page['cursor']}"
    assert page["cursor"] is None
    assert found == ["bakery", *ids]
