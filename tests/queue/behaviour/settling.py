"""Tests for the `expire` and `settle` operations.

`expire` lists the entries whose changes DynamoDB may not have recorded. `settle` tells Redis that
DynamoDB has recorded them.
"""

from collections.abc import Callable

import pytest

from tests.support.line import HOUR_MICROS, Answer, Line, accepted

PEOPLE = ["ann", "bob", "eve", "kim", "zoe"]
LEASE = 300
TOMBSTONES = "wl:{bakery-opening}:tombstones"
PENDING_DECISIONS = "wl:{bakery-opening}:pending_decisions"
DIRTY = "wl:{bakery-opening}:dirty"


def filled(line: Line, max_attempts: int = 5) -> dict[str, Answer]:
    """Sign up five people and claim the entry of the first one, Ann."""
    line.init(lease_seconds=LEASE, max_attempts=max_attempts)
    line.all_sign_up(PEOPLE)
    return line.claimed()


def settled(line: Line, name: str, place: Answer, **fields: str) -> str:
    return str(accepted(line.settle(name, place["seen_stamp"], **fields))["outcome"])


ENDS: dict[str, Callable[[Line, str], Answer]] = {
    "done": lambda line, token: line.complete("ann", token),
    "waiting": lambda line, token: line.release("ann", token),
    "parked": lambda line, token: line.park("ann", token),
}


@pytest.mark.parametrize("state", ENDS)
def test_every_decision_is_listed_until_it_is_settled(line: Line, state: str) -> None:
    """A request may be interrupted after Redis has made a change but before DynamoDB has recorded
    it. Maintenance then reads the change from Redis (promise P3).
    """
    ann = filled(line)["ann"]
    stamp = accepted(ENDS[state](line, ann["token"]))["stamp"]
    place = line.dirty()["ann"]
    expected = (state, ann["rank"], ann["ticket"], 0, stamp)
    fields = ("state", "rank", "ticket", "attempts", "seen_stamp")
    assert tuple(place[name] for name in fields) == expected
    assert place["token"] == (ann["token"] if state == "done" else "")
    assert place["time_millis"] == (line.clock.millis if state == "parked" else 0)
    assert line.dirty() == {"ann": place}
    assert settled(line, "ann", place) == "settled"
    assert line.dirty() == {}


def test_a_claim_alone_leaves_nothing_to_settle(line: Line) -> None:
    """A claim does not have to be recorded in DynamoDB, because an unrecorded claim simply
    expires.
    """
    filled(line)
    assert line.dirty() == {}


def test_a_heartbeat_is_listed_too(line: Line) -> None:
    """If a worker extends a claim, Redis keeps the new deadline in its list of changes until
    DynamoDB has recorded it (promise P3).
    """
    ann = filled(line)["ann"]
    extended = accepted(line.extend("ann", ann["token"], lease_seconds=2 * LEASE))
    place = line.dirty()["ann"]
    assert (place["state"], place["token"]) == ("held", ann["token"])
    assert place["time_millis"] == extended["deadline_millis"]


def test_decisions_are_kept_in_their_order(line: Line) -> None:
    """Redis lists an entry's changes in order. If a claim has expired, the list gives the claim's
    deadline as the time of this change (promise P3).
    """
    ann = filled(line, max_attempts=2)["ann"]
    released = line.release("ann", ann["token"])
    moved = line.bump("ann", to="back")
    line.claimed(5)
    deadline = line.clock.millis + LEASE * 1000
    line.clock.advance(seconds=LEASE + 5)
    expired, *others = line.dirty()["ann"]["decisions"][2:]
    assert others == []
    again = line.claimed(5)["ann"]
    assert (again["expired_stamp"], again["ended_millis"]) == (expired["stamp"], deadline)
    deadline_of_last = line.clock.millis + LEASE * 1000
    line.clock.advance(seconds=LEASE + 5)
    decisions = line.dirty()["ann"]["decisions"]
    verbs = [one["verb"] for one in decisions]
    assert verbs == ["released", "bumped", "expired", "worn_out"]
    assert [one["stamp"] for one in decisions[:2]] == [released["stamp"], moved["stamp"]]
    assert [one["token"] for one in decisions] == [ann["token"], "", "", ""]
    assert [one["attempts"] for one in decisions] == [0, 0, 1, 2]
    assert [one["at"] for one in decisions[2:]] == [deadline, deadline_of_last]


@pytest.mark.parametrize("hour", [0, HOUR_MICROS])
def test_an_expiry_comes_after_what_happened_before_it_is_noticed_under_any_clock(
    line: Line, hour: int
) -> None:
    """When Redis notices that a claim has expired, the expiry gets a higher stamp (logical
    timestamp) than all earlier changes, even if the clock has been set back (promise P3).
    """
    line.clock.advance(hour)
    filled(line)
    line.clock.advance(-hour)
    deadline = line.clock.millis + 2_000
    stamps = [line.claim(lease_seconds=2)["stamp"]]
    for _second in range(3):
        stamps.append(line.mark_dirty("bob")["stamp"])
        line.clock.advance(seconds=1)
    expired = line.dirty()["bob"]["decisions"][0]
    assert expired["at"] == deadline
    stamps.append(expired["stamp"])
    assert stamps == sorted(set(stamps))


def test_a_redrive_is_listed_too(line: Line) -> None:
    """P3"""
    ann = filled(line)["ann"]
    line.park("ann", ann["token"])
    assert settled(line, "ann", line.dirty()["ann"]) == "settled"
    line.redrive("ann")
    place = line.dirty()["ann"]
    assert (place["state"], place["rank"], place["attempts"]) == ("waiting", ann["rank"], 0)


@pytest.mark.parametrize(("max_attempts", "state"), [(1, "parked"), (2, "waiting")])
def test_an_expired_hold_is_listed_with_its_attempts(
    line: Line, max_attempts: int, state: str
) -> None:
    filled(line, max_attempts)
    line.clock.advance(seconds=LEASE)
    place = line.dirty()["ann"]
    assert (place["state"], place["attempts"]) == (state, 1)


def test_the_current_place_is_listed_not_the_past_decision(line: Line) -> None:
    held = filled(line) | line.claimed()
    for name, entry in held.items():
        line.release(name, entry["token"])
    again = line.claimed()["ann"]
    line.leave("bob")
    places = line.dirty()
    assert places["ann"]["state"] == "held"
    assert places["ann"]["token"] == again["token"]
    assert places["ann"]["time_millis"] == again["deadline_millis"]
    assert (places["bob"]["state"], places["bob"]["rank"]) == ("absent", 0)


@pytest.mark.parametrize("jump", [1, -HOUR_MICROS])
def test_an_entry_that_has_changed_again_is_not_settled(line: Line, jump: int) -> None:
    """If an entry changes while maintenance is recording its earlier changes, Redis keeps the list
    of its changes, even if the clock has been set back (promise P3).
    """
    line.clock.advance(HOUR_MICROS)
    ann = filled(line)["ann"]
    line.release("ann", ann["token"])
    seen = line.dirty()["ann"]
    again = line.claimed()["ann"]
    line.clock.advance(jump)
    line.complete("ann", again["token"])
    assert settled(line, "ann", seen, join_id="00000001") == "changed"
    assert line.dirty()["ann"]["state"] == "done"
    assert line.complete("ann", again["token"])["outcome"] == "repeat"


def test_only_changes_of_the_given_age_are_listed(line: Line) -> None:
    """Redis lists only changes that have reached a given age, because a request may still be
    recording a recent change. It measures the age with its own clock.
    """
    ann = filled(line)["ann"]
    line.clock.advance(seconds=1)
    line.release("ann", ann["token"])
    line.clock.advance(seconds=60, micros=-100)
    assert line.dirty(60) == {}
    line.clock.advance(100)
    assert list(line.dirty(60)) == ["ann"]


def test_changes_before_a_known_stamp_are_listed_under_any_clock(line: Line) -> None:
    """Maintenance finds all changes, even if the clock stops or is set back by an hour."""
    ann = filled(line)["ann"]
    released = accepted(line.release("ann", ann["token"]))
    line.clock.advance(-HOUR_MICROS)
    later = accepted(line.bump("bob", to="front"))
    assert line.dirty(60, known_until=released["stamp"] - 1) == {}
    assert list(line.dirty(60, known_until=released["stamp"])) == ["ann"]
    assert list(line.dirty(60, known_until=later["stamp"])) == ["ann", "bob"]


def test_the_oldest_changes_are_listed_first_a_page_at_a_time(line: Line) -> None:
    """P9"""
    line.init(lease_seconds=LEASE)
    line.all_sign_up(PEOPLE)
    held = line.claimed(5)
    order = ["zoe", "ann", "kim", "bob", "eve"]
    for name in order:
        line.clock.advance(1)
        line.complete(name, held[name]["token"])
    listed = []
    while places := line.dirty(limit=2):
        listed += list(places)
        assert [settled(line, *place) for place in places.items()] == ["settled"] * len(places)
    assert listed == order


def test_an_admission_that_is_on_record_becomes_a_tombstone(line: Line) -> None:
    """After DynamoDB has recorded an admission, a late signup or restore message cannot bring the
    entry back (promise P4).
    """
    ann = filled(line)["ann"]
    line.complete("ann", ann["token"])
    place = line.dirty()["ann"]
    assert settled(line, "ann", place, join_id="00000001") == "settled"
    assert line.position("ann")["outcome"] == "absent"
    assert line.signup("ann")["code"] == "gone"
    assert line.restore("ann", ann["rank"], ann["ticket"])["code"] == "gone"
    assert line.signup("ann", stay=2)["outcome"] == "joined"
    found = [key for key, value in line.contents().items() if f"{line.id_of('ann')}:" in str(value)]
    assert found == [TOMBSTONES]


def test_an_admission_of_an_unknown_stay_is_forgotten_without_a_tombstone(line: Line) -> None:
    ann = filled(line)["ann"]
    line.complete("ann", ann["token"])
    assert settled(line, "ann", line.dirty()["ann"]) == "settled"
    assert line.position("ann")["outcome"] == "absent"
    assert TOMBSTONES not in line.contents()


@pytest.mark.parametrize("state", ["waiting", "parked"])
def test_settling_moves_no_entry_on_the_list(line: Line, state: str) -> None:
    """Once DynamoDB has recorded a change, Redis deletes its note about the change. Nothing else
    changes, even if the message is delivered twice (promise P2).
    """
    ann = filled(line)["ann"]
    ENDS[state](line, ann["token"])
    place = line.dirty()["ann"]
    before = {
        key: value
        for key, value in line.contents().items()
        if key not in (PENDING_DECISIONS, DIRTY)
    }
    for _ in range(2):
        assert settled(line, "ann", place, join_id="00000001") == "settled"
    after = line.contents()
    meta = "wl:{bakery-opening}:meta"
    assert {**after, meta: None} == {**before, meta: None}


def test_a_move_is_listed_until_it_is_settled(line: Line) -> None:
    """Redis lists a move until DynamoDB has recorded it, so maintenance can record the new place
    even if the request was interrupted (promise P3).
    """
    line.init()
    line.all_sign_up(["ann", "bob"])
    moved = accepted(line.bump("bob", to="front"))
    place = line.dirty()["bob"]
    assert (place["state"], place["rank"]) == ("waiting", moved["rank"])
    assert settled(line, "bob", place) == "settled"
    assert line.dirty() == {}
