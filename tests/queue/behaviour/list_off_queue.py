"""Tests for the `list_off_queue` operation, which returns entries in pages.

It sorts claimed and offered entries by deadline, and parked entries by the time at which they were
parked.
"""

import pytest

from tests.support.line import Answer, Line, accepted

LEASE = 60
PEOPLE = [f"person {number}" for number in range(25)]


def fill_list(line: Line, which: str, times: int) -> list[str]:
    line.init(lease_seconds=LEASE)
    line.all_sign_up(PEOPLE)
    for _ in range(times):
        held = line.claimed(25 // times)
        for name, entry in held.items() if which == "parked" else ():
            line.park(name, entry["token"])
        line.clock.advance(1_000)
    size = 25 // times
    groups = [PEOPLE[start : start + size] for start in range(0, 25, size)]
    return [name for group in groups for name in sorted(group, key=line.id_of)]


def pages(line: Line, which: str, limit: int) -> list[list[str]]:
    found: list[list[str]] = []
    after: Answer = {}
    while names := line.off_queue(which, limit=limit, **after):
        found.append(names)
        after = cursor_of_next_page(line, which, limit, after)
    return found


def cursor_of_next_page(line: Line, which: str, limit: int, after: Answer) -> Answer:
    last = accepted(line.list_off_queue(which, limit=limit, **after))["entries"][-1]
    return {"after": last["time_millis"], "after_id": last["entry_id"]}


@pytest.mark.parametrize("which", ["held", "parked"])
@pytest.mark.parametrize("times", [1, 5, 25])
def test_pages_off_the_queue_join_to_the_whole(line: Line, which: str, times: int) -> None:
    """Together, the pages contain every entry once, even if many entries have the same deadline
    (promise P9).
    """
    expected = fill_list(line, which, times)
    found = pages(line, which, limit=10)
    assert [len(names) for names in found] == [10, 10, 5]
    assert [name for names in found for name in names] == expected


def test_a_list_off_the_queue_has_time_place_and_attempts(line: Line) -> None:
    line.init(lease_seconds=LEASE)
    line.signup("ann")
    line.claim()
    line.clock.advance(seconds=LEASE)
    ann = line.claimed()["ann"]
    fields = {"rank": ann["rank"], "ticket": ann["ticket"], "attempts": 1}
    held = {"entry_id": line.id_of("ann"), "time_millis": ann["deadline_millis"], **fields}
    held["stamp"] = ann["stamp"]
    answer = {"ok": True, "outcome": "listed", "total": 1}
    assert line.list_off_queue("held") == {**answer, "entries": [held]}
    line.clock.advance(1_000)
    parked = line.park("ann", ann["token"])
    aside = {**held, "time_millis": line.clock.millis, "stamp": parked["stamp"]}
    assert line.list_off_queue("parked") == {**answer, "entries": [aside]}


@pytest.mark.parametrize("which", ["held", "parked"])
def test_an_empty_list_off_the_queue_is_one_empty_page(line: Line, which: str) -> None:
    line.init()
    line.signup("ann")
    assert line.list_off_queue(which) == {
        "ok": True,
        "outcome": "listed",
        "entries": [],
        "total": 0,
    }


@pytest.mark.parametrize("times", [1, 5, 25])
def test_no_entry_is_left_out_if_the_last_one_seen_has_gone(line: Line, times: int) -> None:
    expected = fill_list(line, "parked", times)
    after = cursor_of_next_page(line, "parked", 12, {})
    line.redrive(expected[11])
    rest = line.off_queue("parked", **after)
    assert [name for name in rest if name not in expected[:11]] == expected[12:]
    if times == 25:
        assert rest == expected[12:]


def test_no_entry_is_left_out_if_the_last_one_seen_is_extended(line: Line) -> None:
    """The claim on the last entry of the first page is extended before the second page is read. The
    entry moves to the end of the list, and the second page skips no other entry.
    """
    expected = fill_list(line, "held", 25)
    entry = line.list_off_queue("held", limit=12)["entries"][-1]
    after = {"after": entry["time_millis"], "after_id": entry["entry_id"]}
    token = line.client.hget("wl:{bakery-opening}:claims", entry["entry_id"]).split("|")[1]
    line.extend(expected[11], token, lease_seconds=10 * LEASE)
    assert line.off_queue("held", **after) == [*expected[12:], expected[11]]


def test_the_page_after_the_last_one_is_empty(line: Line) -> None:
    fill_list(line, "held", 5)
    last = line.list_off_queue("held")["entries"][-1]
    after = {"after": last["time_millis"], "after_id": last["entry_id"]}
    page = line.list_off_queue("held", **after)
    assert (page["entries"], page["total"]) == ([], 25)


def test_a_page_off_the_queue_has_a_hundred_entries_by_default(line: Line) -> None:
    line.init()
    line.all_sign_up([f"person {number}" for number in range(101)])
    line.claim(100)
    line.claim(1)
    page = line.list_off_queue("held")
    assert (len(page["entries"]), page["total"]) == (100, 101)
