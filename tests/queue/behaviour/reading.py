"""Tests for the operations that read the queue: `position`, `page` and `stats`."""

import pytest

from tests.support.counters import NO_OFFERS
from tests.support.line import Line

PEOPLE = [f"person {number}" for number in range(25)]


def filled(line: Line, names: list[str] = PEOPLE) -> None:
    line.init()
    line.all_sign_up(names)


def test_a_position_returns_rank_and_ticket(line: Line) -> None:
    filled(line, ["ann", "bob"])
    moved = line.bump("bob", to="front")
    found = line.position("bob")
    assert (found["rank"], found["ticket"]) == (moved["rank"], moved["ticket"])


def test_a_stranger_is_absent(line: Line) -> None:
    filled(line, ["ann"])
    answer = line.position("bob")
    assert (answer["outcome"], answer["position"], answer["total"]) == ("absent", None, 1)


@pytest.mark.parametrize("hide_counts", [True, False])
def test_a_position_has_a_flag_for_hidden_counts(line: Line, hide_counts: bool) -> None:
    line.init(hide_counts=hide_counts)
    line.signup("ann")
    for name in ["ann", "bob"]:
        assert line.position(name)["hide_counts"] is hide_counts


def test_pages_join_to_the_whole_line(line: Line) -> None:
    """Together, the pages contain every waiting entry in order, and no page is longer than its
    limit (promise P9).
    """
    filled(line)
    seen: list[dict[str, object]] = []
    after: dict[str, int] = {}
    for expected in [10, 10, 5]:
        page = line.list_waiting(limit=10, **after)
        assert (len(page["entries"]), page["total"]) == (expected, 25)
        seen += page["entries"]
        after = {"after": page["next_rank"]}
    assert page["next_rank"] is None
    assert [entry["entry_id"] for entry in seen] == [line.id_of(name) for name in PEOPLE]
    assert [entry["position"] for entry in seen] == list(range(1, 26))


@pytest.mark.parametrize(("limit", "is_last"), [(24, False), (25, True), (26, True)])
def test_the_last_page_is_marked_as_the_last(line: Line, limit: int, is_last: bool) -> None:
    filled(line)
    page = line.list_waiting(limit=limit)
    assert (page["next_rank"] is None) is is_last
    assert len(page["entries"]) == min(limit, 25)


@pytest.mark.parametrize(
    ("first", "limit", "expected"), [(1, 3, [1, 2, 3]), (7, 2, [7, 8]), (24, 9, [24, 25])]
)
def test_a_page_begins_at_a_position(
    line: Line, first: int, limit: int, expected: list[int]
) -> None:
    """A page at the end of the queue costs no more than one at the beginning (promise P9)."""
    filled(line)
    page = line.list_waiting(first=first, limit=limit)
    assert [entry["position"] for entry in page["entries"]] == expected
    ids = [line.id_of(PEOPLE[position - 1]) for position in expected]
    assert [entry["entry_id"] for entry in page["entries"]] == ids
    assert (page["next_rank"] is None) is (expected[-1] == 25)


def test_a_page_that_begins_behind_the_line_is_empty(line: Line) -> None:
    filled(line)
    page = line.list_waiting(first=26)
    assert (page["entries"], page["total"], page["next_rank"]) == ([], 25, None)


def test_an_empty_list_is_one_empty_page(line: Line) -> None:
    line.init()
    empty = {"ok": True, "outcome": "listed", "entries": [], "total": 0, "next_rank": None}
    assert line.list_waiting() == empty


def test_behind_the_last_rank_there_is_nothing(line: Line) -> None:
    filled(line)
    last = line.entries()[-1]["rank"]
    page = line.list_waiting(after=last)
    assert (page["entries"], page["total"], page["next_rank"]) == ([], 25, None)


def test_a_page_goes_on_after_entries_have_left(line: Line) -> None:
    """If entries leave between two pages, the positions on the second page count only the entries
    that are still waiting (promise P6).
    """
    filled(line)
    next_rank = line.list_waiting(limit=10)["next_rank"]
    line.leave(PEOPLE[9])
    line.leave(PEOPLE[3])
    page = line.list_waiting(limit=10, after=next_rank)
    assert page["entries"][0]["entry_id"] == line.id_of(PEOPLE[10])
    assert page["entries"][0]["position"] == 9


def test_a_page_has_a_hundred_entries_by_default(line: Line) -> None:
    names = [f"person {number}" for number in range(101)]
    filled(line, names)
    page = line.list_waiting()
    assert len(page["entries"]) == 100
    assert line.list_waiting(after=page["next_rank"])["entries"][0]["position"] == 101


def test_a_page_returns_the_signups_tickets_of_moved_entries(line: Line) -> None:
    line.init()
    tickets = {}
    for name in ["ann", "bob", "eve"]:
        tickets[line.id_of(name)] = line.signup(name)["ticket"]
    line.bump("eve", to="front")
    line.bump("ann", to="back")
    assert {entry["entry_id"]: entry["ticket"] for entry in line.entries()} == tickets


def test_statistics_count_what_happened(line: Line) -> None:
    line.init()
    line.all_sign_up(["ann", "bob", "eve", "kim"])
    line.leave("bob")
    line.drop("kim")
    line.bump("eve", to="front")
    stats = line.stats()
    assert (stats["state"], stats["epoch"], stats["waiting"]) == ("warm", "0000aaaa", 2)
    assert stats["counters"] == NO_OFFERS | {"signed_up": 4, "left": 1, "admitted": 0}
    assert stats["head_ticket"] == line.position("eve")["ticket"]


def test_an_empty_list_has_no_head(line: Line) -> None:
    line.init()
    assert (line.stats()["waiting"], line.stats()["head_ticket"]) == (0, None)


def test_counters_go_on_from_where_they_were_before_a_loss(line: Line) -> None:
    line.init(counters={"signed_up": 10, "left": 4, "admitted": 3})
    line.signup("ann")
    assert line.stats()["counters"] == NO_OFFERS | {"signed_up": 11, "left": 4, "admitted": 3}


def test_more_people_in_line_than_were_counted_are_counted(line: Line) -> None:
    """After a loss of data, the signup counter may be too low. Redis raises it to the number of
    people who are waiting or have left (promise P6).
    """
    line.init(counters={"signed_up": 5, "left": 4, "admitted": 0})
    for number in range(3):
        line.restore(f"person {number}", rank=number, ticket=number)
    assert line.stats()["counters"]["signed_up"] == 7
