"""Tests how the service notices that Redis has lost data.

Either the heartbeat (a counter in Redis) is too low, or an entry differs from its record.
"""

from typing import Any

import pytest

from tests.support.counters import NO_OFFERS
from tests.support.line import EPOCH, Answer, Line, accepted

LATER_EPOCH = "0000bbbb"
TOKEN = "a" * 40


def look(line: Line, name: str) -> Answer:
    answer = accepted(line.send("inspect", entry_id=line.id_of(name)))
    assert answer["attributes_version"] is None
    said = ("ok", "outcome", "attributes_version")
    return {key: value for key, value in answer.items() if key not in said}


def beat(line: Line, known: int = 0, epoch: str | None = EPOCH) -> str:
    answer = line.send("heartbeat", epoch=epoch, known_beat=known)
    return str(answer["outcome"] if answer["ok"] else answer["code"])


def test_a_beat_counts_and_returns_the_current_counters(line: Line) -> None:
    line.init()
    line.all_sign_up(["ann", "bob"])
    line.leave("ann")
    first = accepted(line.send("heartbeat"))
    assert (first["epoch"], first["beat"]) == (EPOCH, 1)
    assert first["counters"] == NO_OFFERS | {"signed_up": 2, "left": 1, "admitted": 0}
    assert accepted(line.send("heartbeat"))["beat"] == 2
    assert line.signup("eve")["stamp"] > first["stamp"]


def test_a_beat_that_was_lost_is_noticed(line: Line) -> None:
    """Each run of maintenance increments a counter in Redis and remembers its value. If the counter
    is lower than this value on the next run, Redis has lost writes (promise P3).
    """
    line.init()
    assert [beat(line, known) for known in (0, 1, 2)] == ["beats"] * 3
    assert beat(line, known=4) == "behind"
    assert beat(line, known=6) == "outdated"
    assert beat(line, known=4) == "beats"


def test_an_order_of_another_life_is_outdated(line: Line) -> None:
    """Maintenance notices if a Redis server still has a queue from before the last rebuild (promise
    P7).
    """
    line.init()
    assert beat(line, epoch=LATER_EPOCH) == "outdated"
    assert beat(line, epoch=None) == "beats"


def test_an_order_returns_the_stamp_of_its_birth(line: Line) -> None:
    """A new queue starts with a stamp (logical timestamp). All later stamps are higher, no matter
    what the clock shows.
    """
    floor = 2**44
    epoch_start = accepted(line.init(mode="open", floor_ticket=floor))["epoch_start"]
    assert epoch_start > floor
    assert line.signup("ann")["ticket"] > epoch_start
    assert accepted(line.init())["epoch_start"] == epoch_start
    assert accepted(line.init())["epoch_start"] == epoch_start


def test_a_lost_order_counts_on_from_the_last_checkpoint(line: Line) -> None:
    """A message that creates a queue contains counters. Redis ignores the counters if it already
    has the queue.
    """
    line.init(mode="open", counters={"signed_up": 5, "left": 2, "admitted": 1})
    line.signup("ann")
    later = {"signed_up": 30, "left": 10, "admitted": 10}
    for mode in ("open", "finish_rebuild", "configure"):
        line.init(mode=mode, counters=later)
    assert line.stats()["counters"] == NO_OFFERS | {"signed_up": 6, "left": 2, "admitted": 1}


@pytest.mark.parametrize("state", ["waiting", "held", "parked"])
def test_an_entry_that_looks_as_was_seen_is_put_where_it_is_recorded(
    line: Line, state: str
) -> None:
    """If Redis has lost a change to an entry, maintenance moves the entry to its recorded place
    (promise P3).
    """
    line.init()
    line.all_sign_up(["ann", "bob"])
    seen = {"state": "waiting", "rank": line.position("ann")["rank"]}
    place: dict[str, Any] = {
        "state": state,
        "time_millis": line.clock.millis + 9_000,
        "expected": seen,
    }
    if state == "held":
        place["token"] = TOKEN
    answer = accepted(line.restore("ann", rank=7, ticket=7, **place))
    assert (answer["outcome"], answer["state"], answer["rank"]) == ("restored", state, 7)
    assert line.order() == (["ann", "bob"] if state == "waiting" else ["bob"])


def test_an_entry_that_has_changed_since_it_was_seen_is_left_alone(line: Line) -> None:
    """P2"""
    line.init()
    line.all_sign_up(["ann", "bob"])
    seen = {"state": "waiting", "rank": line.position("bob")["rank"]}
    moved = accepted(line.bump("bob", to="front"))
    for look in (seen, {**seen, "state": "held"}, {"state": "done", "rank": moved["rank"]}):
        assert line.restore("bob", rank=7, ticket=7, expected=look)["outcome"] == "present"
    assert line.position("bob")["rank"] == moved["rank"]


def test_an_entry_wrongly_held_returns_to_the_line(line: Line) -> None:
    line.init()
    line.signup("ann")
    rank = line.position("ann")["rank"]
    line.claim()
    seen = {"state": "held", "rank": rank}
    assert line.restore("ann", rank=rank, ticket=7, expected=seen)["position"] == 1
    assert line.stats()["offered"] == 0


def test_a_look_returns_the_state_of_an_entry(line: Line) -> None:
    """The `inspect` operation returns an entry's state and the stamp (logical timestamp) of its
    last change, which the caller compares with DynamoDB.
    """
    line.init()
    line.all_sign_up(["ann", "bob", "eve", "kim"])
    claim = line.claim(3)
    held = dict(zip(("ann", "bob", "eve"), claim["entries"], strict=True))
    done = line.complete("ann", held["ann"]["token"])["stamp"]
    parked = line.park("bob", held["bob"]["token"])["stamp"]
    rank = line.position("kim")["rank"]
    token, until = held["eve"]["token"], held["eve"]["deadline_millis"]
    compared = ("state", "rank", "token", "time_millis", "stamp", "dirty_stamp")
    for name, expected in {
        "ann": ("done", held["ann"]["rank"], held["ann"]["token"], 0, done, done),
        "bob": ("parked", held["bob"]["rank"], "", line.clock.millis, parked, parked),
        "eve": ("held", held["eve"]["rank"], token, until, claim["stamp"], 0),
        "kim": ("waiting", rank, "", 0, 0, 0),
        "zoe": ("absent", 0, "", 0, 0, 0),
    }.items():
        found = look(line, name)
        assert tuple(found[field] for field in compared) == expected


def test_a_look_returns_the_version_of_the_attributes(line: Line) -> None:
    line.init(segments_version=1)
    line.signup("ann", **line.within("red", edit=7))
    assert line.send("inspect", entry_id=line.id_of("ann"))["attributes_version"] == 7
