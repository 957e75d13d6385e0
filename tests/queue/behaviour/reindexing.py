"""Tests that each entry is in the right segments after a change, for example after an operator has
redefined the segments.
"""

from typing import Any

from tests.support.line import Line, accepted
from tests.support.palette import coloured, segment_counts

TOKEN = "a" * 40


@coloured
def test_other_attributes_are_other_segments_at_the_same_place(line: Line) -> None:
    assert line.tag("bob", "green", edit=1)["outcome"] == "tagged"
    assert segment_counts(line) == {"red": 2, "blue": 2, "green": 2}
    assert line.claim_within("green", 5) == ["bob", "dan"]


@coloured
def test_an_older_change_of_attributes_never_undoes_a_newer(line: Line) -> None:
    """P2"""
    assert line.tag("bob", "green", edit=2)["outcome"] == "tagged"
    assert line.tag("bob", "yellow", edit=1)["outcome"] == "kept"
    assert line.tag("bob", "green", edit=2)["outcome"] == "kept"
    assert segment_counts(line) == {"red": 2, "blue": 2, "green": 2}


@coloured
def test_a_held_entry_gets_the_new_segments_on_return(line: Line) -> None:
    held = line.claimed()["ann"]
    assert line.tag("ann", "green", edit=1)["outcome"] == "tagged"
    assert segment_counts(line) == {"red": 2, "blue": 3, "green": 1}
    line.release("ann", held["token"])
    assert line.claim_within("green", 5) == ["ann", "dan"]


@coloured
def test_a_late_change_of_a_stay_that_has_ended_is_refused(line: Line) -> None:
    line.leave("ann")
    line.signup("ann", stay=2, **line.within("blue"))
    assert line.tag("ann", "green", edit=5, stay=1)["code"] == "gone"
    assert line.claim_within("green", 5) == ["dan"]


@coloured
def test_a_restore_brings_the_segments_that_the_record_has(line: Line) -> None:
    line.send("purge")
    line.init(mode="open", segments_version=1)
    line.restore("dan", rank=4, ticket=4, **line.within("red", "green"))
    line.restore("bob", rank=2, ticket=2, state="parked", time_millis=5, **line.within("red"))
    line.restore("ann", rank=1, ticket=1, **line.within("red"))
    line.init(segments_version=1)
    assert segment_counts(line) == {"red": 2, "green": 1}
    assert line.claim_within("red", 5) == ["ann", "dan"]


@coloured
def test_a_restore_of_a_known_entry_brings_newer_segments_only(line: Line) -> None:
    for name, edit in (("ann", 1), ("bob", 0)):
        ticket = line.position(name)["ticket"]
        answer = line.restore(name, rank=1, ticket=ticket, **line.within("green", edit=edit))
        assert answer["outcome"] == "present"
    assert line.claim_within("green", 5) == ["ann", "dan"]


@coloured
def test_a_second_look_moves_the_segments_with_the_place(line: Line) -> None:
    line.send("purge")
    line.init(mode="open", segments_version=1)
    line.restore("ann", rank=1, ticket=1, **line.within("red"))
    line.restore("bob", rank=2, ticket=2, **line.within("red"))
    line.restore("ann", rank=3, ticket=1, when="older", stamp=9, **line.within("red", edit=1))
    held: dict[str, Any] = {
        "state": "held",
        "token": TOKEN,
        "time_millis": line.clock.millis + 9_000,
    }
    line.restore("bob", rank=2, ticket=2, when="older", **held, **line.within("red"))
    line.init(segments_version=1)
    assert line.claim_within("red", 5) == ["ann"]


@coloured
def test_new_segments_are_not_ready_before_every_entry_is_in_them(line: Line) -> None:
    held = line.claimed(order="newest")["eve"]
    line.init(version=2, segments_version=2)
    assert line.stats()["segments_state"] == "building"
    line.signup("fay", **line.within("square", version=2))
    waiting = accepted(line.untagged(2))
    assert waiting["entry_ids"] == [line.id_of(name) for name in ("dan", "cat", "bob", "ann")]
    assert waiting["looked_at"] == 5
    assert accepted(line.untagged(2, offset=5))["looked_at"] == 0
    assert accepted(line.untagged(2, which="held"))["entry_ids"] == [line.id_of("eve")]
    for name in ("ann", "bob", "cat", "dan"):
        line.tag(name, "square", version=2)
    assert line.untagged(2)["outcome"] == "untagged"
    line.release("eve", held["token"])
    line.tag("eve", version=2)
    assert line.untagged(2)["outcome"] == "ready"
    assert line.stats()["segments_state"] == "ready"
    within = {"segments_version": 2}
    assert line.claim_within("square", 9, **within) == ["ann", "bob", "cat", "dan", "fay"]


@coloured
def test_a_rebuild_that_lacks_an_entry_leaves_the_segments_building(line: Line) -> None:
    """An operator changes the segments during a rebuild.

    Maintenance later assigns the entries that had been restored by then to the new segments.
    """
    line.send("purge")
    line.init(mode="open", segments_version=1)
    line.restore("ann", rank=1, ticket=1, **line.within("red"))
    line.init(mode="open", version=2, segments_version=2)
    line.restore("bob", rank=2, ticket=2, **line.within("red", version=2))
    line.init()
    assert line.stats()["segments_state"] == "building"
    line.tag("ann", "blue", version=2)
    assert line.untagged(2)["outcome"] == "ready"
    assert line.claim_within("blue", 5, segments_version=2) == ["ann"]


@coloured
def test_a_list_without_segments_keeps_none(line: Line) -> None:
    line.init(version=2, segments_version=0)
    assert line.stats()["segments_state"] == "ready"
    line.signup("fay")
    assert not [key for key in line.contents() if key.endswith((":segments", ":tags"))]
    line.init(version=3, segments_version=3)
    for name in ("ann", "bob", "cat", "dan", "eve", "fay"):
        line.tag(name, version=3)
    assert line.untagged(3)["outcome"] == "ready"


@coloured
def test_a_batch_signs_up_into_segments(line: Line) -> None:
    requests = [
        line.message("signup", **line.stay(f"p{number}"), **line.within("blue", "green"))
        for number in range(120)
    ]
    answers = line.handle({"op": "batch", "requests": requests})["results"]
    assert [answer["outcome"] for answer in answers] == ["joined"] * 120
    assert segment_counts(line) == {"red": 3, "blue": 123, "green": 121}


@coloured
def test_a_second_look_brings_the_segments_of_the_stay_that_is(line: Line) -> None:
    """A rebuild may first restore a customer's earlier signup from an outdated index. The entry
    still ends up in the later signup's segments.
    """
    line.send("purge")
    line.init(mode="open", segments_version=1)
    line.restore("ann", rank=1, ticket=1, stay=1, **line.within("red", edit=4))
    line.restore("ann", rank=3, ticket=3, stay=2, when="older", **line.within("green"))
    line.init(segments_version=1)
    assert segment_counts(line) == {"green": 1}


@coloured
def test_a_restore_never_tags_the_place_of_another_stay(line: Line) -> None:
    line.restore("ann", rank=1, ticket=1, stay=2, **line.within("green", edit=4))
    assert segment_counts(line) == {"red": 3, "blue": 3, "green": 1}
