"""Tests for operations after Redis has lost the queue.

They return `cold` until a rebuild starts, and then `rebuilding` until it has ended.
"""

from typing import Any

import pytest

from tests.support.line import EPOCH, HOUR_MICROS, Line, once_key_of, readiness_of
from waitlist_queue.keys import OF_WAITLIST

LATER_EPOCH = "0000bbbb"
META = "wl:{bakery-opening}:meta"
HOLD_VERBS = ["complete", "release", "extend", "park"]


def each_verb(line: Line) -> dict[str, dict[str, Any]]:
    stay = line.stay("ann")
    bump = {"entry_id": stay["entry_id"], "once_key": once_key_of(1)}
    entry = {"entry_id": stay["entry_id"]}
    hold = {**entry, "token": "0" * 40}
    place = {"rank": 5, "ticket": 5, "stamp": 5}
    return {
        "signup": line.message("signup", **stay),
        "leave": line.message("leave", **stay),
        "drop": line.message("drop", **stay),
        "bump": line.message("bump", **bump, to="front"),
        "position": line.message("position", entry_id=stay["entry_id"]),
        "list_waiting": line.message("list_waiting"),
        "stats": line.message("stats"),
        "restore": line.message("restore", **stay, **place),
        "restore of an epoch": line.message("restore", **stay, **place, epoch=EPOCH),
        "claim": line.message("claim"),
        **{verb: line.message(verb, **hold) for verb in HOLD_VERBS},
        "redrive": line.message("redrive", **entry),
        "expire": line.message("expire"),
        "settle": line.message("settle", **entry, seen_stamp=5),
        "list_off_queue": line.message("list_off_queue", which="parked"),
        "heartbeat": line.message("heartbeat"),
        "inspect": line.message("inspect", **entry),
        "mark_dirty": line.message("mark_dirty", **entry),
        "draw_stamp": line.message("draw_stamp"),
        "tag": line.message("tag", **stay),
        "untagged": line.message("untagged", segments_version=0),
        "segments": line.message("segments", segments_version=0),
        "allocate_tickets": line.message(
            "allocate_tickets", count=1, shared_milliseconds=[(16, 1)]
        ),
        "insert": line.message("insert", **stay, ticket=16),
    }


VERBS = [
    "signup",
    "leave",
    "drop",
    "bump",
    "position",
    "list_waiting",
    "stats",
    "restore",
    "restore of an epoch",
    "claim",
    *HOLD_VERBS,
    "redrive",
    "expire",
    "settle",
    "list_off_queue",
    "heartbeat",
    "inspect",
    "mark_dirty",
    "draw_stamp",
    "tag",
    "untagged",
    "segments",
    "allocate_tickets",
    "insert",
]


def fill_every_state(line: Line) -> None:
    limits: dict[str, Any] = {"max_claims": 4, "pass_seconds": 60, "presence_seconds": 120}
    line.init(version=2, segments_version=2, admission=True, **limits)
    line.signup("tagged", **line.within("red", version=2))
    line.insert(
        "resting",
        **line.within(version=2),
        readiness=readiness_of(1, resting=line.clock.millis + 60_000),
    )
    line.signup("unverified", **line.within(version=2), readiness=readiness_of(1, unverified=0))
    names = ["held", "parked", "admitted", "expired"]
    for name in names:
        line.signup(name, **line.within(version=2))
    for name in reversed(names):
        line.bump(name, to="front")
    given = line.claimed(4, lease_seconds=1)
    line.park("parked", given["parked"]["token"])
    line.complete("admitted", given["admitted"]["token"])
    line.extend("held", given["held"]["token"])
    line.allocate_tickets(0, (16, 1))
    line.position("tagged", is_poll=True)
    line.clock.advance(seconds=1)
    line.expire()
    line.board()
    assert set(line.contents()) >= {make(line.waitlist_id) for make in OF_WAITLIST.values()}


def lose_everything(line: Line) -> None:
    for key in line.contents():
        line.client.delete(key)


@pytest.mark.parametrize("verb", VERBS)
def test_an_unknown_waitlist_is_cold(line: Line, verb: str) -> None:
    """P7"""
    assert line.handle(each_verb(line)[verb])["code"] == "cold"
    assert line.contents() == {}


@pytest.mark.parametrize("verb", VERBS)
def test_after_a_loss_no_operation_answers_from_nothing(line: Line, verb: str) -> None:
    """If a lost queue counted as empty, the next person to sign up would be first (promise P7)."""
    line.init()
    line.all_sign_up(["bob", "ann"])
    lose_everything(line)
    assert line.handle(each_verb(line)[verb])["code"] == "cold"
    assert line.contents() == {}


@pytest.mark.parametrize("verb", VERBS)
def test_a_lost_meta_hash_is_a_lost_order(line: Line, verb: str) -> None:
    """If Redis has lost the `meta` hash, the queue counts as lost, even if all other keys are still
    there (promise P7).
    """
    line.init()
    line.all_sign_up(["bob", "ann"])
    line.client.delete(META)
    assert line.handle(each_verb(line)[verb])["code"] == "cold"


def test_a_new_order_begins_with_nothing_of_an_older_one(line: Line) -> None:
    """If Redis has lost only the `meta` hash, the old queue's other keys are deleted before a new
    queue starts (promise P7).
    """
    line.init()
    line.all_sign_up(["ann", "bob", "eve"])
    line.bump("bob", to="front")
    line.leave("eve")
    fill_every_state(line)
    line.client.delete(META)
    assert line.init(mode="open", epoch=LATER_EPOCH)["outcome"] == "created"
    left = {key for key in line.contents() if key.split(":")[2] not in ("once", "moves")}
    assert left == {META}


REFUSED_IN_A_REBUILD = [
    "bump",
    "position",
    "list_waiting",
    "claim",
    "redrive",
    "expire",
    "list_off_queue",
]


@pytest.mark.parametrize("verb", REFUSED_IN_A_REBUILD)
def test_during_a_rebuild_no_position_is_returned(line: Line, verb: str) -> None:
    """P7"""
    line.init(mode="open")
    line.signup("ann")
    before = line.contents()
    assert line.handle(each_verb(line)[verb])["code"] == "rebuilding"
    assert line.contents() == before


def test_signups_go_on_during_a_rebuild(line: Line) -> None:
    """Customers can sign up during a rebuild.

    They get no position yet, and they line up behind all entries that the rebuild restores
    (promises P1 and P7).
    """
    line.init(mode="open", floor_ticket=7)
    answer = line.signup("zoe")
    assert (answer["outcome"], answer["position"], answer["total"]) == ("joined", None, None)
    again = line.signup("zoe")
    assert (again["outcome"], again["position"]) == ("already", None)
    line.restore("ann", rank=answer["rank"] - 9, ticket=answer["ticket"] - 9, epoch=EPOCH)
    line.init()
    assert line.order() == ["ann", "zoe"]


def test_a_list_with_a_capacity_takes_no_signup_during_a_rebuild(line: Line) -> None:
    """During a rebuild, nobody knows how many people are waiting, so a waitlist with a capacity
    takes no signups (promise P5).
    """
    line.init(mode="open", capacity=2)
    before = line.contents()
    assert line.signup("ann")["code"] == "rebuilding"
    assert line.contents() == before


def test_a_closed_list_stays_closed_during_a_rebuild(line: Line) -> None:
    line.init(mode="open", open=False)
    assert line.signup("ann")["code"] == "waitlist_closed"


def test_leaving_works_during_a_rebuild(line: Line) -> None:
    """P2 P3"""
    line.init(mode="open")
    assert line.leave("ann", ticket=5)["outcome"] == "left"
    assert line.leave("ann", ticket=5)["outcome"] == "absent"
    line.restore("bob", rank=6, ticket=6)
    assert line.leave("bob")["outcome"] == "left"
    for name in ["ann", "bob"]:
        assert line.restore(name, rank=6, ticket=6, epoch=EPOCH)["code"] == "gone"
    assert line.stats()["counters"]["left"] == 2
    line.init()
    assert line.order() == []


def test_dropping_works_during_a_rebuild(line: Line) -> None:
    line.init(mode="open")
    line.restore("ann", rank=6, ticket=6)
    assert line.drop("ann")["outcome"] == "dropped"
    assert line.drop("bob")["outcome"] == "absent"
    for name in ["ann", "bob"]:
        assert line.restore(name, rank=6, ticket=6)["code"] == "gone"


def test_statistics_are_returned_during_a_rebuild(line: Line) -> None:
    line.init(mode="open")
    line.restore("ann", rank=6, ticket=6)
    stats = line.stats()
    assert (stats["state"], stats["waiting"], stats["head_ticket"]) == ("hydrating", 1, 6)


def test_only_its_own_epoch_ends_a_rebuild(line: Line) -> None:
    """If Redis loses its data during a rebuild, a second rebuild starts. A late message from the
    first rebuild must not end the second (promise P7).
    """
    line.init(mode="open", epoch=LATER_EPOCH)
    late = line.init(mode="create", epoch=EPOCH)
    assert (late["outcome"], late["state"], late["epoch"]) == ("exists", "hydrating", LATER_EPOCH)
    assert line.position("ann")["code"] == "rebuilding"
    end = line.init(mode="create", epoch=LATER_EPOCH)
    assert (end["outcome"], end["state"], end["epoch"]) == ("warmed", "warm", LATER_EPOCH)
    assert line.position("ann")["outcome"] == "absent"


def test_the_end_of_a_rebuild_makes_no_order_where_all_was_lost_again(line: Line) -> None:
    """If Redis loses its data during a rebuild, the message that ends this rebuild does not create
    an empty queue (promise P7).
    """
    line.init(mode="open")
    line.restore("ann", rank=5, ticket=5)
    lose_everything(line)
    assert line.init(mode="finish_rebuild")["code"] == "cold"
    assert line.contents() == {}
    line.init(mode="open")
    assert line.init(mode="finish_rebuild")["outcome"] == "warmed"


def test_a_late_begin_of_a_rebuild_does_not_cool_the_order(line: Line) -> None:
    """A late copy of the message that starts a rebuild changes nothing if the rebuild has ended
    (promises P2 and P7).
    """
    line.init(mode="open")
    line.init(mode="create")
    line.signup("ann")
    late = line.init(mode="open")
    assert (late["outcome"], late["state"]) == ("exists", "warm")
    assert line.position("ann")["position"] == 1


def test_a_repeated_init_changes_nothing(line: Line) -> None:
    """P2"""
    assert line.init(floor_ticket=3)["outcome"] == "created"
    line.all_sign_up(["ann", "bob"])
    before = line.contents()
    assert line.init(floor_ticket=3)["outcome"] == "exists"
    assert line.contents() == before


def test_after_a_loss_new_tickets_sort_behind_the_old_ones(line: Line) -> None:
    """After a loss of data, new ticket numbers are higher than all recorded ones, even if the clock
    has been set back (promises P1 and P7).
    """
    line.init()
    ann, bob = line.all_sign_up(["ann", "bob"])
    lose_everything(line)
    line.clock.advance(-HOUR_MICROS)
    line.init(mode="open", floor_ticket=bob["stamp"])
    assert line.signup("zoe")["ticket"] > bob["ticket"]
    line.restore("bob", rank=bob["rank"], ticket=bob["ticket"])
    line.restore("ann", rank=ann["rank"], ticket=ann["ticket"])
    line.init()
    assert line.order() == ["ann", "bob", "zoe"]
