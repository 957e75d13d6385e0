"""Tests for segments.

A segment contains the waiting entries with specific attributes. A claim can take the first entries
of a segment.
"""

from typing import Any

import pytest

from tests.support.line import Answer, Line, accepted, once_key_of, readiness_of
from tests.support.palette import coloured, segment_counts


@coloured
def test_a_claim_within_a_segment_gives_the_first_of_it(line: Line) -> None:
    assert line.claim_within("blue", 2) == ["bob", "cat"]
    assert line.claim_within("red", 5) == ["ann", "dan"]


def names_and_filters(line: Line, answer: Answer) -> list[tuple[str, int]]:
    return [(line.name_of(one["entry_id"]), one["filter_index"]) for one in answer["entries"]]


@coloured
def test_each_entry_comes_from_the_first_filter_that_has_one(line: Line) -> None:
    """An entry that matches two filters of a claim is claimed only once.

    Repeating the claim returns the same entry (promises P1 and P2).
    """
    filters = [*map(line.segment, ("yellow", "green", "blue")), "*"]
    asked: dict[str, Any] = {"filters": filters, "segments_version": 1, "once": 1}
    first = line.claim(4, **asked)
    assert names_and_filters(line, first) == [("dan", 1), ("bob", 2), ("cat", 2), ("ann", 3)]
    assert line.claim(4, **asked)["entries"] == first["entries"]
    line.complete("dan", first["entries"][0]["token"])
    assert names_and_filters(line, line.claim(4, **asked)) == names_and_filters(line, first)
    assert segment_counts(line) == {}
    assert names_and_filters(line, line.claim(4, filters=["*"])) == [("eve", 0)]


@coloured
def test_places_are_offered_by_the_first_filter_that_has_an_entry(line: Line) -> None:
    """Offers to a segment skip entries that are not ready for admission (promises P1 and P2)."""
    ann = {**line.stay("ann"), **line.within("red")}
    accepted(line.send("tag", **ann, readiness=readiness_of(1, held_back=0)))
    filters = [line.segment("green"), line.segment("red")]
    once = {"once_key": once_key_of(1)}
    asked = {"count": 2, "filters": filters, "segments_version": 1, **once}
    first = line.send("admit", **asked)
    assert names_and_filters(line, first) == [("dan", 0), ("bob", 1)]
    assert names_and_filters(line, line.send("admit", **asked)) == names_and_filters(line, first)
    accepted(line.send("tag", **ann, readiness=readiness_of(2)))
    stale = line.send("admit", count=1, filters=["*", filters[0]], segments_version=2)
    assert stale["code"] == "stale_segments"
    newest = line.claim(2, filters=[filters[1], "*"], segments_version=1, order="newest")
    assert names_and_filters(line, newest) == [("ann", 0), ("eve", 1)]


@coloured
def test_the_newest_of_a_segment_come_from_its_tail(line: Line) -> None:
    assert line.claim_within("red", 2, order="newest") == ["dan", "bob"]


@coloured
def test_a_claimed_entry_leaves_all_segments_at_once(line: Line) -> None:
    """P4"""
    assert line.claim_within("green") == ["dan"]
    assert segment_counts(line) == {"red": 2, "blue": 2}
    assert line.claim_within("green") == []


@coloured
def test_an_unfiltered_claim_takes_people_out_of_their_segments(line: Line) -> None:
    assert list(line.claimed(2)) == ["ann", "bob"]
    assert segment_counts(line) == {"red": 1, "blue": 2, "green": 1}


@coloured
def test_an_empty_segment_returns_no_entry(line: Line) -> None:
    assert line.claim_within("yellow", 5) == []
    assert line.order() == ["ann", "bob", "cat", "dan", "eve"]


@coloured
def test_segment_counts_count_waiting_entries_and_name_the_first(line: Line) -> None:
    assert segment_counts(line) == {"red": 3, "blue": 3, "green": 1}
    listed = accepted(line.send("segments", segments_version=1))["depths"]
    first = {depth["segment"]: depth["first"] for depth in listed}
    assert first[line.segment("red")] == [line.id_of(name) for name in ("ann", "bob", "dan")]
    assert first[line.segment("green")] == [line.id_of("dan")]


@coloured
def test_depths_come_in_pages(line: Line) -> None:
    seen: list[str] = []
    after = None
    while page := accepted(line.send("segments", segments_version=1, after=after, limit=1))[
        "depths"
    ]:
        seen += [depth["segment"] for depth in page]
        after = seen[-1]
    assert sorted(seen) == sorted(line.segment(name) for name in ("red", "blue", "green"))


@coloured
def test_a_place_within_a_segment_counts_those_ahead_in_it(line: Line) -> None:
    """P6"""
    asked = [line.segment(name) for name in ("red", "green", "yellow")]
    answer = accepted(line.position("dan", segments=asked, segments_version=1))
    assert answer["position"] == 4
    assert answer["places"] == [
        {"position": 3, "total": 3},
        {"position": 1, "total": 1},
        {"position": None, "total": 0},
    ]
    line.leave("ann")
    answer = accepted(line.position("dan", segments=asked[:1], segments_version=1))
    assert answer["places"] == [{"position": 2, "total": 2}]


@pytest.mark.parametrize(
    ("name", "where", "reds"),
    [
        ("dan", {"priority": 9}, ["dan", "ann", "bob"]),
        ("dan", {"to": "front"}, ["dan", "ann", "bob"]),
        ("ann", {"to": "back"}, ["bob", "dan", "ann"]),
        ("dan", {"places": 2}, ["ann", "dan", "bob"]),
    ],
)
@coloured
def test_segments_follow_a_move(
    line: Line, name: str, where: dict[str, Any], reds: list[str]
) -> None:
    accepted(line.bump(name, **where))
    assert line.claim_within("red", 9) == reds


@coloured
def test_an_entry_that_leaves_or_is_dropped_leaves_the_segments(line: Line) -> None:
    line.leave("bob")
    line.drop("dan")
    assert segment_counts(line) == {"red": 1, "blue": 1}


@coloured
def test_a_rejoin_may_be_in_other_segments_than_before(line: Line) -> None:
    line.leave("dan")
    line.signup("dan", stay=2, **line.within("blue"))
    assert segment_counts(line) == {"red": 2, "blue": 3}
    assert line.claim_within("blue", 3) == ["bob", "cat", "dan"]


@coloured
def test_a_repeated_signup_keeps_the_segments_of_the_first(line: Line) -> None:
    """P2"""
    assert line.signup("ann", **line.within("green"))["outcome"] == "already"
    assert segment_counts(line) == {"red": 3, "blue": 3, "green": 1}


@pytest.mark.parametrize(("to", "reds"), [("place", ["ann", "bob"]), ("back", ["bob", "ann"])])
@coloured
def test_a_release_brings_back_into_the_segments(line: Line, to: str, reds: list[str]) -> None:
    [held] = line.claimed(segment=line.segment("red"), segments_version=1).values()
    line.release("ann", held["token"], to=to)
    line.leave("dan")
    assert line.claim_within("red", 5) == reds


@coloured
def test_an_expired_hold_brings_back_into_the_segments(line: Line) -> None:
    line.claim_within("red", lease_seconds=5)
    line.clock.advance(seconds=6)
    assert line.claim_within("red", 5) == ["ann", "bob", "dan"]


@coloured
def test_a_redrive_brings_back_into_the_segments(line: Line) -> None:
    held = line.claimed()["ann"]
    line.park("ann", held["token"])
    assert segment_counts(line)["red"] == 2
    line.redrive("ann")
    assert line.claim_within("red", 5) == ["ann", "bob", "dan"]


@coloured
def test_an_admitted_entry_has_no_segments_left(line: Line) -> None:
    held = line.claimed()["ann"]
    line.complete("ann", held["token"])
    assert line.tag("ann", "green", edit=1)["outcome"] == "absent"
    assert segment_counts(line) == {"red": 2, "blue": 3, "green": 1}
