"""Tests for entries that are not ready for admission.

Such an entry keeps its place, but claims and offers skip it.
"""

import json
from itertools import pairwise
from typing import Any

import pytest

from tests.queue.behaviour.rebuilding import each_verb
from tests.support.line import EPOCH, Line, accepted, readiness_of

PEOPLE = ["ann", "bob", "eve", "kim", "zoe"]
LEASE = 60
KEYS = ("not_ready", "unverified", "ready_at", "readiness")
HELD_BACK = readiness_of(1, held_back=0)


def filled(line: Line, **settings: Any) -> Line:
    line.init(lease_seconds=LEASE, **settings)
    line.all_sign_up(PEOPLE)
    return line


def look_at(line: Line, name: str) -> tuple[int, int, int, list[str]]:
    answer = accepted(line.position(name))
    assert answer["outcome"] == "waiting"
    reasons = [one["reason"] for one in answer["not_ready"]]
    return answer["position"], answer["total"], answer["ready_ahead"], reasons


def test_a_resting_entry_keeps_its_place_and_is_passed_over(line: Line) -> None:
    """P1, P6"""
    filled(line)
    assert line.rest("ann", version=1)["outcome"] == "tagged"
    assert look_at(line, "ann") == (1, 5, 0, ["resting"])
    assert look_at(line, "eve") == (3, 5, 1, [])
    assert list(line.claimed(2)) == ["bob", "eve"]
    assert look_at(line, "kim") == (2, 3, 0, [])
    assert line.order() == ["ann", "kim", "zoe"]


def test_a_rest_ends_by_itself_and_changes_no_position(line: Line) -> None:
    """A customer has asked to be skipped for some time. When this time is over, nobody's position
    changes (promise P6).
    """
    filled(line)
    line.rest("bob", version=1, seconds=60)
    line.clock.advance(seconds=60, micros=-1000)
    assert look_at(line, "bob")[3] == ["resting"]
    before = {name: look_at(line, name)[0] for name in PEOPLE}
    line.clock.advance(micros=1000)
    assert {name: look_at(line, name)[0] for name in PEOPLE} == before
    assert look_at(line, "zoe") == (5, 5, 4, [])
    assert list(line.claimed(2)) == ["ann", "bob"]


@pytest.mark.parametrize("verb", ["claim", "admit", "withdraw", "expire", "stats", "list_waiting"])
def test_any_operation_that_needs_it_ends_a_rest(line: Line, verb: str) -> None:
    """When the time for which a customer asked to be skipped is over, the next operation makes the
    entry ready, even if nobody has read its position.
    """
    filled(line, admission=True, max_inside=2, offer_seconds=3600, no_show="keep_place")
    line.rest("ann", version=1, seconds=60)
    assert [line.name_of(one["entry_id"]) for one in line.send("admit")["entries"]] == [
        "bob",
        "eve",
    ]
    line.clock.advance(seconds=60)
    if verb == "withdraw":
        given = accepted(line.send("withdraw", entry_id=line.id_of("bob")))["entries"]
        assert [line.name_of(one["entry_id"]) for one in given] == ["ann"]
        return
    accepted(line.send(verb, **({"count": 0} if verb == "admit" else {})))
    waiting = line.stats()["waiting"]
    assert line.client.zcard(f"wl:{{{line.waitlist_id}}}:queue") == waiting


def test_an_entry_with_two_reasons_waits_for_the_end_of_both(line: Line) -> None:
    filled(line)
    line.readiness("ann", 1, resting=line.clock.millis + 1000, held_back=0)
    assert look_at(line, "ann")[3] == ["resting", "held_back"]
    line.clock.advance(seconds=1)
    assert look_at(line, "ann")[3] == ["held_back"]
    assert list(line.claimed()) == ["bob"]
    line.readiness("ann", 2)
    assert look_at(line, "ann")[3] == []
    assert list(line.claimed()) == ["ann"]


def test_of_two_messages_the_one_of_the_later_record_counts(line: Line) -> None:
    """Each message that makes an entry ready or not ready has a version.

    The message with the highest version wins, even if it was delivered first (promise P2).
    """
    filled(line)
    line.readiness("ann", 2)
    assert line.rest("ann", version=1)["outcome"] == "kept"
    assert look_at(line, "ann")[3] == []
    line.rest("ann", version=3)
    assert line.readiness("ann", 2)["outcome"] == "kept"
    assert look_at(line, "ann")[3] == ["resting"]
    before = line.contents()
    assert line.rest("ann", version=3)["outcome"] == "kept"
    assert line.contents() == before


def test_a_late_rest_of_a_stay_that_has_ended_is_refused(line: Line) -> None:
    """P2"""
    filled(line)
    line.rest("ann", version=1)
    line.leave("ann")
    accepted(line.signup("ann", stay=2))
    assert line.rest("ann", version=2)["code"] == "gone"
    assert look_at(line, "ann") == (5, 5, 4, [])


@pytest.mark.parametrize("end", ["leave", "drop", "settle"])
def test_nothing_is_left_of_the_readiness_of_a_stay_that_has_ended(line: Line, end: str) -> None:
    filled(line)
    line.rest("ann", version=1)
    if end == "settle":
        line.readiness("ann", 2)
        line.complete("ann", line.claimed()["ann"]["token"])
        line.settle("ann", line.dirty()["ann"]["seen_stamp"], join_id="00000001")
    else:
        getattr(line, end)("ann")
    contents = line.contents()
    assert not [key for key in KEYS if f"wl:{{{line.waitlist_id}}}:{key}" in contents]
    assert line.order() == PEOPLE[1:]


def test_a_held_entry_that_is_not_to_be_taken_again_comes_back_passed_over(line: Line) -> None:
    """A customer asks to be skipped while the entry is claimed. When the claim is released, the
    entry returns to its place, and later claims skip it.
    """
    filled(line)
    token = line.claimed()["ann"]["token"]
    assert line.rest("ann", version=1)["outcome"] == "tagged"
    released = line.release("ann", token)
    assert (released["position"], released["total"]) == (1, 5)
    assert look_at(line, "ann") == (1, 5, 0, ["resting"])
    assert list(line.claimed()) == ["bob"]


def test_a_rest_that_is_over_before_the_hold_ends_leaves_no_trace(line: Line) -> None:
    filled(line)
    token = line.claimed()["ann"]["token"]
    line.rest("ann", version=1, seconds=10)
    line.clock.advance(seconds=10)
    line.release("ann", token)
    assert look_at(line, "ann") == (1, 5, 0, [])
    assert list(line.claimed()) == ["ann"]


@pytest.mark.parametrize("way", ["expired", "parked", "declined", "withdrawn"])
def test_a_held_back_entry_is_passed_over_however_it_comes_back(line: Line, way: str) -> None:
    filled(line, admission=True, offer_seconds=LEASE, no_show="keep_place")
    if way in ("expired", "parked"):
        token = line.claimed()["ann"]["token"]
    else:
        accepted(line.send("admit", count=1))
    line.readiness("ann", 1, held_back=0)
    if way == "expired":
        line.clock.advance(seconds=LEASE)
    elif way == "parked":
        line.park("ann", token)
        assert line.redrive("ann")["position"] == 1
    else:
        verb = "decline" if way == "declined" else "withdraw"
        accepted(line.send(verb, entry_id=line.id_of("ann")))
    assert list(line.claimed()) == ["bob"]
    assert look_at(line, "ann")[3] == ["held_back"]


@pytest.mark.parametrize("where", [{"places": 2}, {"to": "front"}, {"priority": 5}])
def test_a_resting_entry_can_be_moved_and_still_rests(line: Line, where: dict[str, Any]) -> None:
    filled(line)
    line.rest("eve", version=1)
    assert line.bump("eve", **where)["position"] == 1
    assert line.order() == ["eve", "ann", "bob", "kim", "zoe"]
    assert look_at(line, "eve") == (1, 5, 0, ["resting"])
    assert list(line.claimed()) == ["ann"]


def test_entries_are_moved_by_positions_that_count_those_who_rest(line: Line) -> None:
    """P6"""
    filled(line)
    for name in ("ann", "eve"):
        line.rest(name, version=1)
    assert line.bump("zoe", places=2)["position"] == 3
    assert line.order() == ["ann", "bob", "zoe", "eve", "kim"]
    assert line.bump("kim", places=4)["position"] == 1
    assert line.order() == ["kim", "ann", "bob", "zoe", "eve"]


def test_no_two_entries_get_one_rank_whether_they_rest_or_not(line: Line) -> None:
    """No two entries have the same rank (sort key), whether they are ready or not.

    An entry that becomes ready keeps its rank, and no position changes (promise P1).
    """
    filled(line)
    rank = line.position("bob")["rank"]
    line.rest("bob", version=1)
    for stay, name in enumerate(["one", "two", "tri"]):
        line.insert(name, ticket=line.position("bob")["ticket"], stay=stay + 1)
    token = line.claimed()["ann"]["token"]
    line.bump("zoe", places=20)
    line.release("ann", token)
    ranks = [entry["rank"] for entry in line.entries()]
    assert ranks == sorted(set(ranks))
    assert line.position("bob")["rank"] == rank
    order = line.order()
    line.readiness("bob", 2)
    assert line.order() == order


def test_a_hold_comes_back_ahead_of_one_that_rests_at_its_rank(line: Line) -> None:
    """If an imported entry has taken the rank (sort key) of a claimed entry, the claimed entry
    returns directly ahead of the imported entry (promise P1).
    """
    filled(line)
    held = line.claimed()["ann"]
    line.insert("twin", ticket=held["ticket"], readiness=HELD_BACK)
    line.release("ann", held["token"])
    assert line.order() == ["ann", "twin", *PEOPLE[1:]]
    first, second = [entry["rank"] for entry in line.entries()][:2]
    assert first < second


def test_a_move_passes_one_that_rests_only_if_it_is_to(line: Line) -> None:
    """A move by one place passes exactly one entry, even if entries nearby are being skipped
    (promise P6).
    """
    filled(line)
    line.rest("eve", version=1)
    assert line.bump("zoe", places=1)["position"] == 4
    assert line.order() == ["ann", "bob", "eve", "zoe", "kim"]


def test_many_who_return_at_one_moment_all_return(line: Line) -> None:
    """Many customers have asked to be skipped until the same moment.

    A run of the script makes only 200 of their entries ready, so a claim runs the script several
    times (promise P9).
    """
    line.init()
    names = [f"{number:03d}" for number in range(450)]
    rest = readiness_of(1, resting=line.clock.millis + 1000)
    for number, name in enumerate(names):
        accepted(line.insert(name, ticket=16 + number, readiness=rest))
    assert line.claimed(3) == {}
    line.clock.advance(seconds=1)
    assert line.stats()["not_ready"] == 450 - 200
    assert list(line.claimed(3)) == names[:3]
    assert line.stats()["not_ready"] == 0


def test_an_import_can_hold_an_entry_back_from_its_beginning(line: Line) -> None:
    """An import can add an entry that is held back from the start. No claim can take it."""
    filled(line)
    answer = accepted(line.insert("lea", readiness=HELD_BACK))
    assert (answer["position"], answer["ready_ahead"]) == (1, 0)
    assert list(line.claimed()) == ["ann"]
    assert line.insert("lea", readiness=HELD_BACK)["outcome"] == "already"
    assert accepted(line.signup("max"))["ready_ahead"] == 4


def test_a_list_is_full_of_those_who_rest_too(line: Line) -> None:
    filled(line, capacity=5)
    line.rest("ann", version=1)
    assert line.signup("max")["code"] == "waitlist_full"


def test_stats_count_the_entries_that_are_not_ready_apart(line: Line) -> None:
    filled(line)
    assert line.stats()["not_ready"] == 0
    line.rest("ann", version=1)
    stats = line.stats()
    assert (stats["waiting"], stats["not_ready"]) == (5, 1)
    assert stats["head_ticket"] == line.position("bob")["ticket"]


def test_stats_have_the_first_who_are_ready(line: Line) -> None:
    """The `stats` operation lists the first entries that are ready, including those of customers
    who asked to be skipped until a time that has passed (promise P6).
    """

    def first(near: int) -> list[str]:
        return [line.name_of(entry_id) for entry_id in line.stats(near=near)["first"]]

    filled(line)
    assert (first(0), first(1), first(100)) == ([], ["ann"], PEOPLE)
    line.rest("ann", version=1, seconds=60)
    assert first(2) == ["bob", "eve"]
    line.clock.advance(seconds=60)
    line.position("bob")
    assert first(2) == ["ann", "bob"]
    line.claimed(len(PEOPLE))
    assert first(2) == []


def test_stats_count_who_is_unverified_and_who_is_asked(line: Line) -> None:
    """Redis counts how many customers have not verified their address, and how many are being asked
    whether they still want to wait.

    Repeated and late messages do not change these numbers.
    """

    def counted() -> tuple[int, int]:
        stats = line.stats()
        return stats["unverified"], stats["asked"]

    line.init(lease_seconds=LEASE)
    assert counted() == (0, 0)
    unverified: Any = {"readiness": readiness_of(1, unverified=0)}
    for _ in range(2):
        for name in PEOPLE[:3]:
            line.signup(name, **unverified)
        line.signup("kim")
        assert counted() == (3, 0)
    for version in (2, 2, 1):
        line.readiness("ann", version, **({"unverified": 0} if version == 1 else {}))
        assert counted() == (2, 0)
    for version in (3, 3, 2):
        line.ask("ann", version)
        assert counted() == (2, 1)
    line.ask("kim", 1)
    line.ask("bob", 2, unverified=0)
    assert counted() == (2, 3)
    line.release("ann", line.claimed()["ann"]["token"], delay_seconds=1)
    line.clock.advance(seconds=60)
    assert counted() == (2, 3)
    assert line.end_wait("ann", "to_back")["outcome"] == "ended"
    assert counted() == (2, 2)
    line.leave("bob")
    assert counted() == (1, 1)
    line.signup("bob", stay=2, **unverified)
    line.signup("eve", stay=2, **unverified)
    assert counted() == (2, 1)
    line.complete("kim", line.claimed()["kim"]["token"])
    line.settle("kim", line.dirty()["kim"]["seen_stamp"], join_id="00000001")
    assert counted() == (2, 0)
    line.client.flushall()
    line.init(mode="open", epoch="0000bbbb")
    stay = [line.id_of("ann"), "00000001", 5, 5, 5, 0, [], 0, [3, [], line.clock.millis + 1000]]
    accepted(line.send("restore_many", epoch="0000bbbb", stays=[stay]))
    for _ in range(2):
        line.restore("eve", rank=6, ticket=6, epoch="0000bbbb", **unverified)
    assert counted() == (1, 1)


def test_pages_have_all_that_wait_or_those_that_are_ready_or_not(line: Line) -> None:
    filled(line)
    for name in ("ann", "kim"):
        line.rest(name, version=1)

    def page(**fields: Any) -> list[tuple[str, int, int]]:
        return [
            (line.name_of(one["entry_id"]), one["position"], one["ready_ahead"])
            for one in accepted(line.list_waiting(**fields))["entries"]
        ]

    everyone = [("ann", 1, 0), ("bob", 2, 0), ("eve", 3, 1), ("kim", 4, 2), ("zoe", 5, 2)]
    assert page() == everyone
    assert page(ready=False) == [everyone[0], everyone[3]]
    assert page(ready=True) == [everyone[1], everyone[2], everyone[4]]
    assert page(first=4, limit=1) == [everyone[3]]
    assert page(first=3, ready=False) == [everyone[3]]
    assert page(first=6) == []
    first = line.list_waiting(ready=True, limit=2)
    assert page(ready=True, after=first["next_rank"]) == [everyone[4]]
    assert line.list_waiting(ready=True, limit=3)["next_rank"] is None
    rest = line.list_waiting(ready=False)["entries"][0]["not_ready"]
    assert rest == [{"reason": "resting", "until_millis": line.clock.millis + 60_000}]
    assert line.list_waiting(ready=False)["total"] == 5


@pytest.mark.parametrize("size", [5, 300])
def test_the_board_counts_those_who_rest(line: Line, size: int) -> None:
    """The positions on the board (a snapshot of the whole queue) include entries that are not ready
    for admission (promise P6).
    """
    line.init()
    names = [f"{number:03d}" for number in range(size)]
    for number, name in enumerate(names):
        readiness = HELD_BACK if number % 3 == 0 else None
        accepted(line.insert(name, ticket=16 + number, readiness=readiness))
    board = accepted(line.board())
    cuts = [tuple(cut) for cut in json.loads(board["cuts"])]
    positions = {entry["rank"]: entry["position"] for entry in line.entries()}
    assert board["total"] == size
    assert [position for _, position in cuts[:200]] == list(range(1, min(size, 200) + 1))
    assert all(positions[rank] == position for rank, position in cuts)
    assert cuts[-1][1] == size
    assert all(
        later <= max(earlier * 1.01, earlier + 1) for (_, earlier), (_, later) in pairwise(cuts)
    )


def test_a_filter_takes_ready_entries_alone(line: Line) -> None:
    line.init(segments_version=1)
    for name in PEOPLE:
        accepted(line.signup(name, **line.within("red")))
    line.send("tag", **line.stay("ann"), **line.within("red"), readiness=HELD_BACK)
    assert line.claim_within("red") == ["bob"]
    assert line.segment_counts("red") == {"red": 4}

    def place(name: str) -> tuple[int, int]:
        where = {"segments": [line.segment("red")], "segments_version": 1}
        [found] = accepted(line.position(name, **where))["places"]
        return found["position"], found["total"]

    assert [place(name) for name in ("ann", "eve", "zoe")] == [(1, 4), (2, 4), (4, 4)]
    line.bump("eve", to="front")
    line.send(
        "tag", **line.stay("ann"), **line.within("red", "blue", edit=2), readiness=readiness_of(2)
    )
    assert line.segment_counts("red", "blue") == {"red": 4, "blue": 1}
    assert line.claim_within("red", 4) == ["eve", "ann", "kim", "zoe"]
    assert line.segment_counts() == {}


def test_attributes_of_a_resting_entry_can_be_edited(line: Line) -> None:
    line.init(segments_version=1)
    accepted(line.signup("ann", **line.within("red")))
    line.send("tag", **line.stay("ann"), **line.within("red"), readiness=HELD_BACK)
    line.send("tag", **line.stay("ann"), **line.within("blue", edit=1), readiness=HELD_BACK)
    assert line.segment_counts("blue") == {"blue": 1}
    assert line.claim_within("blue") == []
    line.leave("ann")
    assert line.segment_counts() == {}


def test_new_segments_index_those_who_rest_too(line: Line) -> None:
    filled(line)
    line.rest("ann", version=1)
    line.init(version=2, segments_version=1)
    found = line.untagged(which="not_ready")["entry_ids"]
    assert found == [line.id_of("ann")]
    for name in PEOPLE:
        line.tag(name, "red")
    assert line.untagged()["outcome"] == "ready"
    assert line.claim_within("red") == ["bob"]


def test_one_entry_that_is_not_ready_is_offered_nothing(line: Line) -> None:
    filled(line)
    line.rest("ann", version=1)
    ticket = line.position("ann")["ticket"]
    other = {"entry_id": line.id_of("ann"), "ticket": ticket + 1}
    assert line.send("admit", **other)["code"] == "not_waiting"
    assert line.send("admit", entry_id=line.id_of("ann"))["code"] == "entry_not_ready"
    line.readiness("ann", 2)
    assert accepted(line.send("admit", entry_id=line.id_of("ann")))["entries"]


def test_the_policy_offers_no_slot_to_entries_that_rest(line: Line) -> None:
    """If operators have held back all waiting entries, polls do not run the admission policy."""
    line.init(admission=True, max_inside=1)
    accepted(line.insert("ann", readiness=HELD_BACK))
    accepted(line.send("admit"))
    line.clock.advance(seconds=10)
    assert not line.position("ann")["is_due"]
    line.readiness("ann", 2)
    assert line.position("ann")["is_due"]


def test_a_rebuild_restores_why_entries_are_not_ready(line: Line) -> None:
    """P3"""
    filled(line)
    line.rest("ann", version=1, seconds=60)
    line.readiness("bob", 7, held_back=0)
    places = {name: line.position(name) for name in PEOPLE}
    until = line.clock.millis + 60_000
    line.client.flushall()
    line.init(mode="open", epoch="0000bbbb")
    readiness = {
        "ann": readiness_of(1, resting=until),
        "bob": readiness_of(7, held_back=0),
        "eve": readiness_of(3),
    }
    stays = [
        [
            line.id_of(name),
            "00000001",
            places[name]["rank"],
            places[name]["ticket"],
            places[name]["ticket"],
            0,
            [],
            0,
            readiness.get(name),
        ]
        for name in PEOPLE[:4]
    ]
    filled_in = accepted(line.send("restore_many", epoch="0000bbbb", stays=stays))
    assert filled_in["restored"] == 4
    assert accepted(line.send("restore_many", epoch="0000bbbb", stays=stays))["present"] == 4
    zoe = {key: places["zoe"][key] for key in ("rank", "ticket")}
    line.restore("zoe", **zoe, epoch="0000bbbb", readiness=readiness_of(2, held_back=0))
    line.init(epoch="0000bbbb", version=2)
    assert {name: line.position(name)["position"] for name in PEOPLE} == {
        name: place["position"] for name, place in places.items()
    }
    assert look_at(line, "zoe") == (5, 5, 2, ["held_back"])
    assert line.rest("eve", version=2)["outcome"] == "kept"
    assert list(line.claimed(5)) == ["eve", "kim"]
    line.clock.advance(seconds=60)
    assert "ann" in line.claimed(5)


def test_an_entry_that_is_restored_late_gets_the_later_readiness(line: Line) -> None:
    """A rebuild first reads an index that may be outdated.

    Later, it reads the table and corrects which entries are ready (promise P3).
    """
    line.init(mode="open")
    line.restore("ann", rank=5, ticket=5)
    line.restore("ann", rank=5, ticket=5, when="older", readiness=HELD_BACK)
    line.init()
    assert look_at(line, "ann") == (1, 1, 0, ["held_back"])
    look = line.send("inspect", entry_id=line.id_of("ann"))
    assert (look["state"], look["readiness_version"]) == ("waiting", 1)
    moved: Any = {"expected": {"state": "waiting", "rank": 5}}
    line.restore("ann", rank=7, ticket=5, readiness=readiness_of(2), **moved)
    assert look_at(line, "ann") == (1, 1, 0, [])
    assert line.entries()[0]["rank"] == 7


def test_a_list_without_it_pays_nothing(line: Line) -> None:
    """If no entry is skipped, no operation uses the Redis keys for skipped entries. In this test,
    using one of these keys would cause an error.
    """
    filled(line, segments_version=0)
    keys = [f"wl:{{{line.waitlist_id}}}:{key}" for key in KEYS]
    assert not set(keys) & set(line.contents())
    for key in keys:
        line.client.set(key, "of a wrong type")
    messages = {verb: one for verb, one in each_verb(line).items() if verb not in ("purge", "init")}
    for message in messages.values():
        assert line.handle(message).get("code") != "internal_error", message
    line.all_sign_up(["lea", "max"])
    line.insert("tom", ticket=line.position("zoe")["ticket"])
    line.bump("zoe", places=2)
    line.bump("max", to="front")
    for name, entry in line.claimed(2).items():
        accepted(line.release(name, entry["token"]))
    for name, entry in line.claimed(2).items():
        line.park(name, entry["token"])
        accepted(line.redrive(name))
    accepted(line.send("admit", count=2))
    line.clock.advance(seconds=3600)
    accepted(line.expire())
    accepted(line.board())
    accepted(line.leave(line.order()[0]))
    assert line.client.hget(f"wl:{{{line.waitlist_id}}}:meta", "not_ready") is None
    assert [line.client.get(key) for key in keys] == ["of a wrong type"] * len(KEYS)


def test_a_released_entry_waits_out_its_delay_at_its_place(line: Line) -> None:
    """A claim can be released with a delay, during which the entry is skipped. Repeated and late
    requests do not restart the delay (promises P1, P2 and P6).
    """
    filled(line)
    before = set(line.contents())
    token = line.claimed()["ann"]["token"]
    line.release("ann", token)
    assert not [key for key in KEYS if f"wl:{{{line.waitlist_id}}}:{key}" in line.contents()]
    token = line.claimed()["ann"]["token"]
    first = line.release("ann", token, delay_seconds=60)
    assert first["until_millis"] == line.clock.millis + 60_000
    assert (first["position"], first["total"], look_at(line, "ann")) == (
        1,
        5,
        (1, 5, 0, ["delayed"]),
    )
    line.clock.advance(seconds=59)
    again = line.release("ann", token, delay_seconds=600)
    assert (again["outcome"], again["until_millis"]) == (
        "repeat",
        first["until_millis"],
    )
    assert list(line.claimed()) == ["bob"]
    line.clock.advance(seconds=1)
    assert list(line.claimed()) == ["ann"]
    assert line.release("ann", token, delay_seconds=60)["outcome"] == "repeat"
    assert line.list_off_queue("held")["total"] == 2
    line.clock.advance(seconds=LEASE)
    assert list(line.claimed(2)) == ["ann", "bob"]
    assert before <= set(line.contents())
    assert line.release("ann", token, delay_seconds=43_201)["code"] == "invalid_request"


def release_with_delay(line: Line) -> Line:
    line.release("ann", line.claimed()["ann"]["token"], delay_seconds=3600)
    return line


def test_a_change_of_the_record_keeps_the_delay_that_redis_has_decided(line: Line) -> None:
    """A late message about an entry does not shorten the delay with which an operator has released
    it (promise P2).
    """
    release_with_delay(filled(line))
    ends = line.clock.millis + 3_600_000
    line.readiness("ann", 2**32, held_back=0)
    assert look_at(line, "ann")[3] == ["held_back", "delayed"]
    line.readiness("ann", 2**33, delayed=ends - 1000)
    assert look_at(line, "ann")[3] == ["delayed"]
    ends += 1000
    line.readiness("ann", 2**32, held_back=0, delayed=ends)
    assert look_at(line, "ann")[3] == ["delayed"], "an older record has no later reasons"
    line.clock.advance(seconds=3600)
    assert list(line.claimed()) == ["bob"]
    line.clock.advance(seconds=1)
    assert list(line.claimed()) == ["ann"]


def test_a_reason_that_resembles_a_delay_belongs_to_the_record(line: Line) -> None:
    filled(line)
    line.readiness("ann", 1, deferred=0)
    assert look_at(line, "ann")[3] == ["deferred"]
    line.readiness("ann", 2, deferred=line.clock.millis + 1000)
    line.readiness("ann", 3)
    assert look_at(line, "ann")[3] == []


@pytest.mark.parametrize("op", ["restore", "restore_many"])
def test_a_rebuild_restores_a_delay(line: Line, op: str) -> None:
    """P3"""
    line.init(mode="open")
    ends = line.clock.millis + 60_000
    for _ in range(2):
        fields = {"rank": 1, "ticket": 1, "stamp": 1, "readiness": readiness_of(0, delayed=ends)}
        if op == "restore_many":
            stay = [*line.stay("ann").values(), 1, 1, 1, 0, [], 0, fields["readiness"]]
            accepted(line.send("restore_many", epoch=EPOCH, stays=[stay]))
        else:
            accepted(line.send("restore", **line.stay("ann"), **fields, when="older"))
    line.init(mode="finish_rebuild", version=2)
    assert look_at(line, "ann") == (1, 1, 0, ["delayed"])
    line.clock.advance(seconds=60)
    assert list(line.claimed()) == ["ann"]
