"""Edits that meet others, or are cut off: record and segments agree all the same."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.service.api.agents import new_desk
from tests.support.admissions import Admissions
from tests.support.faults import (
    Crash,
    Wire,
    before,
    crash_after,
)
from tests.support.world import World
from waitlist_api.admission.claim import ClaimCommand
from waitlist_api.entries.edit import EditCommand
from waitlist_api.records.waitlists import WaitlistSettings
from waitlist_queue import keys

SPANISH, FRENCH = {"language": "Spanish"}, {"language": "French"}
NEW = {"language": ["French", "German"], "gender": "F"}
CALLS = [
    "GetItem",  # the waitlist
    "GetItem",
    "Invoke",  # mark
    "TransactWriteItems",
    "GetItem",
    "Invoke",  # tag
    "Invoke",  # position
]
each_step = pytest.mark.parametrize("step", range(len(CALLS)))
Rival = Callable[[Admissions], object]


@pytest.fixture
def desk() -> Admissions:
    """Ada, Bob and Cyd in line, who speak Spanish."""
    desk = new_desk(segments=[["language"], ["gender"]])
    for name in ("ada", "bob", "cyd"):
        assert desk.sign_up(name, key=f"signup-{name}", attributes=SPANISH).status == 201
    return desk


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def wired(desk: Admissions, wire: Wire) -> Admissions:
    """The same list, served by an instance whose calls can be struck or met."""
    world = World.on(wire.client(desk.world.dynamodb), desk.world.redis, wire.client)
    return Admissions(world, desk.waitlist_id, desk.names)


def edit(desk: Admissions, **new: Any) -> object:
    """Edit Bob, not over HTTP: a process answers one request at a time."""
    bob = desk.id_of("bob")
    command = EditCommand(waitlist_id=desk.waitlist_id, entry_id=bob, by="rival", **new)
    return desk.world.services.entry_edits.edit(command)


def claim(desk: Admissions, **how: Any) -> object:
    command = ClaimCommand(waitlist_id=desk.waitlist_id, by="rival", count=3, **how)
    return desk.world.services.claims.claim(command)


def declare(desk: Admissions, *segments: tuple[str, ...]) -> object:
    settings = WaitlistSettings(name="Bakery", segments=segments)
    return desk.world.services.waitlists.put(desk.waitlist_id, settings)


def leave(desk: Admissions) -> None:
    desk.world.services.leaves.leave(desk.waitlist_id, desk.id_of("bob"), by="customer")


def erase(desk: Admissions) -> None:
    desk.world.services.leaves.erase(desk.waitlist_id, desk.id_of("bob"))


RIVALS: dict[str, tuple[Rival, set[str | None]]] = {
    "an edit": (lambda desk: edit(desk, attributes=FRENCH), {None}),
    "the same edit": (lambda desk: edit(desk, attributes=NEW), {None}),
    "an edit of the profile": (lambda desk: edit(desk, profile={"name": "Bob"}), {None}),
    "a claim": (lambda desk: claim(desk, filter=SPANISH), {None}),
    "an admission": (lambda desk: claim(desk, complete=True), {None, "already_admitted"}),
    "a leave": (leave, {None, "not_waiting"}),
    "an erasure": (erase, {None, "entry_not_found", "not_waiting"}),
    "other segments": (lambda desk: declare(desk, ("gender",)), {None}),
    "no segments": (lambda desk: declare(desk), {None}),
    "a lost place": (lambda desk: desk.lose_place("bob"), {None}),
    "a lost order": (lambda desk: desk.world.redis.flushall(), {None, "rebuilding"}),
}


def assert_exact(desk: Admissions) -> None:
    """The index has exactly the waiting entries, in the segments of their records."""
    services, redis = desk.world.services, desk.world.redis
    segments = services.waitlist_cache.look_up(desk.waitlist_id).segments
    expected = set()
    for entry_id, rank in redis.zrange(keys.queue(desk.waitlist_id), 0, -1, withscores=True):
        record = services.entries.get(desk.waitlist_id, entry_id)
        assert record is not None
        assert record.status == "waiting"
        expected |= {f"{one}:{int(rank):016d}:{entry_id}" for one in segments.of(record.attributes)}
    assert set(redis.zrange(keys.segments(desk.waitlist_id), 0, -1)) == expected


def test_an_edit_takes_these_calls(wired: Admissions, wire: Wire) -> None:
    """P9"""
    assert wired.edit("bob", attributes=NEW).status == 200
    assert wire.names == CALLS


def test_an_edit_of_the_profile_alone_takes_one_less(wired: Admissions, wire: Wire) -> None:
    """P9"""
    assert wired.edit("bob", profile={"name": "Bob"}).status == 200
    assert wire.names == [*CALLS[:5], CALLS[6]]


@each_step
@pytest.mark.parametrize("rival", RIVALS)
def test_whatever_happens_in_the_middle_record_and_segments_agree(
    desk: Admissions, wired: Admissions, wire: Wire, step: int, rival: str
) -> None:
    """P2 P4 P6"""
    act, codes = RIVALS[rival]
    wire.arm(step, before(lambda: act(desk)))
    answer = wired.edit("bob", attributes=NEW)
    assert answer.code in codes, answer.text
    if rival in ("other segments", "a lost order"):
        desk.world.maintain()
    assert_exact(desk)
    if answer.status == 200 and rival not in ("an edit", "an erasure"):
        assert desk.person("bob").json["attributes"] == NEW
    assert desk.events("bob").count("edited") <= 1 + rival.startswith("an edit")


def test_of_two_edits_at_once_the_records_stays(
    desk: Admissions, wired: Admissions, wire: Wire
) -> None:
    """P2: Redis has the tags of the newer one, though they came first."""
    wire.arm(CALLS.index("TransactWriteItems") + 2, before(lambda: edit(desk, attributes=FRENCH)))
    assert wired.edit("bob", attributes=NEW).status == 200
    assert desk.person("bob").json["attributes"] == FRENCH
    assert desk.claimed(3, filter=FRENCH) == ["bob"]


def test_whoever_is_admitted_and_not_recorded_so_is_not_edited(
    desk: Admissions, wired: Admissions, wire: Wire
) -> None:
    """P4 P5: Redis has decided, and the record follows."""
    assert wired.claimed(2) == ["ada", "bob"]
    wire.arm(0, crash_after)
    with pytest.raises(Crash):
        wired.complete("bob")
    assert desk.recorded("bob")["status"] == "offered"
    assert desk.edit("bob", attributes=NEW).code == "already_admitted"
    assert desk.events("bob") == ["joined", "offered"]


def test_whoever_is_still_joining_is_taken_in_and_edited(
    desk: Admissions, wired: Admissions, wire: Wire
) -> None:
    """P3: an operator sees them in line, so that they can be edited, too."""
    wire.arm(2, crash_after)
    with pytest.raises(Crash):
        wired.sign_up("dan", attributes=SPANISH)
    answer = desk.edit("dan", attributes=NEW)
    assert (answer.status, answer.json["position"]) == (200, 4)
    assert desk.events("dan") == ["joined", "edited"]
    assert_exact(desk)


def test_whoever_finds_no_place_cannot_be_edited(
    desk: Admissions, wired: Admissions, wire: Wire
) -> None:
    """P5"""
    wire.arm(1, crash_after)
    with pytest.raises(Crash):
        wired.sign_up("dan", attributes=SPANISH)
    desk.configure(segments=[["language"], ["gender"]], open=False)
    assert desk.edit("dan", attributes=NEW).code == "entry_not_found"
    assert desk.order() == ["ada", "bob", "cyd"]
