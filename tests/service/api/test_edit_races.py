"""Tests for edits that are interrupted or run at the same time as other requests. Redis' segments
must agree with DynamoDB in the end.
"""

from collections.abc import Callable
from typing import Any

import pytest

from tests.service.api.agents import new_people
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
from waitlist_api.records.leaves import Leave
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_queue import keys

SPANISH, FRENCH = {"language": "Spanish"}, {"language": "French"}
NEW = {"language": ["French", "German"], "gender": "F"}
CALLS = [
    "GetItem",  # the waitlist
    "GetItem",
    "Invoke",  # mark
    "TransactWriteItems",
    "Invoke",  # tag
    "Invoke",  # position
]
each_step = pytest.mark.parametrize("step", range(len(CALLS)))
Rival = Callable[[Admissions], object]


@pytest.fixture
def people() -> Admissions:
    people = new_people(segments=[["language"], ["gender"]])
    for name in ("ada", "bob", "cyd"):
        assert people.sign_up(name, key=f"signup-{name}", attributes=SPANISH).status == 201
    return people


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def wired(people: Admissions, wire: Wire) -> Admissions:
    """Return a second Lambda instance for the same waitlist.

    A test can inject faults into this instance's calls to AWS.
    """
    world = World.on(wire.client(people.world.dynamodb), people.world.redis, wire.client)
    return Admissions(world, people.waitlist_id, people.names)


def edit(people: Admissions, **new: Any) -> object:
    """Edit Bob's entry while another request is running.

    The edit bypasses HTTP, because the tests' HTTP server handles one request at a time.
    """
    bob = people.id_of("bob")
    command = EditCommand(waitlist_id=people.waitlist_id, entry_id=bob, by="rival", **new)
    return people.world.services.entry_edits.edit(command)


def claim(people: Admissions, **how: Any) -> object:
    command = ClaimCommand(waitlist_id=people.waitlist_id, by="rival", count=3, **how)
    return people.world.services.claims.claim(command)


def declare(people: Admissions, *segments: tuple[str, ...]) -> object:
    settings = WaitlistSettings(name="Bakery", segments=segments)
    return people.world.services.waitlists.put(people.waitlist_id, settings)


def leave(people: Admissions) -> None:
    people.world.services.leaves.leave(
        people.waitlist_id, people.id_of("bob"), Leave(by="customer")
    )


def erase(people: Admissions) -> None:
    people.world.services.leaves.erase(people.waitlist_id, people.id_of("bob"))


RIVALS: dict[str, tuple[Rival, set[str | None]]] = {
    "an edit": (lambda people: edit(people, attributes=FRENCH), {None}),
    "the same edit": (lambda people: edit(people, attributes=NEW), {None}),
    "an edit of the profile": (lambda people: edit(people, profile={"name": "Bob"}), {None}),
    "a claim": (lambda people: claim(people, filter=SPANISH), {None}),
    "an admission": (lambda people: claim(people, complete=True), {None, "already_admitted"}),
    "a leave": (leave, {None, "not_waiting"}),
    "an erasure": (erase, {None, "entry_not_found", "not_waiting"}),
    "other segments": (lambda people: declare(people, ("gender",)), {None}),
    "no segments": (lambda people: declare(people), {None}),
    "a lost place": (lambda people: people.lose_place("bob"), {None}),
    "a lost order": (lambda people: people.world.redis.flushall(), {None, "rebuilding"}),
}


def assert_exact(people: Admissions) -> None:
    services, redis = people.world.services, people.world.redis
    segments = services.waitlist_cache.look_up(people.waitlist_id).segments
    expected = set()
    for entry_id, rank in redis.zrange(keys.queue(people.waitlist_id), 0, -1, withscores=True):
        record = services.entries.get(people.waitlist_id, entry_id)
        assert record is not None
        assert record.status == "waiting"
        expected |= {
            f"{one}:{int(rank):016d}:{entry_id}" for one in segments.find(record.attributes)
        }
    assert set(redis.zrange(keys.segments(people.waitlist_id), 0, -1)) == expected


def test_an_edit_takes_these_calls(wired: Admissions, wire: Wire) -> None:
    """P9"""
    assert wired.edit("bob", attributes=NEW).status == 200
    assert wire.names == CALLS


def test_an_edit_of_the_profile_alone_takes_one_less(wired: Admissions, wire: Wire) -> None:
    """P9"""
    assert wired.edit("bob", profile={"name": "Bob"}).status == 200
    assert wire.names == [*CALLS[:4], CALLS[5]]


@each_step
@pytest.mark.parametrize("rival", RIVALS)
def test_record_and_segments_agree_after_a_race_with_an_edit(
    people: Admissions, wired: Admissions, wire: Wire, step: int, rival: str
) -> None:
    """P2 P4 P6"""
    act, codes = RIVALS[rival]
    wire.arm(step, before(lambda: act(people)))
    answer = wired.edit("bob", attributes=NEW)
    assert answer.code in codes, answer.text
    if rival in ("other segments", "a lost order"):
        people.world.maintain()
    assert_exact(people)
    if answer.status == 200 and rival not in ("an edit", "an erasure"):
        assert people.person("bob").json["attributes"] == NEW
    assert people.events("bob").count("edited") <= 1 + rival.startswith("an edit")


def test_of_two_edits_at_once_the_records_stays(
    people: Admissions, wired: Admissions, wire: Wire
) -> None:
    """If the second of two edits reaches Redis before the first, the second edit wins
    (promise P2).
    """
    wire.arm(CALLS.index("TransactWriteItems") + 1, before(lambda: edit(people, attributes=FRENCH)))
    assert wired.edit("bob", attributes=NEW).status == 200
    assert people.person("bob").json["attributes"] == FRENCH
    assert people.claimed(3, filter=FRENCH) == ["bob"]


def test_an_entry_with_an_unrecorded_admission_is_not_edited(
    people: Admissions, wired: Admissions, wire: Wire
) -> None:
    """An entry that was admitted in Redis cannot be edited, even if DynamoDB does not know of the
    admission yet (promises P4 and P5).
    """
    assert wired.claimed(2) == ["ada", "bob"]
    wire.arm(0, crash_after)
    with pytest.raises(Crash):
        wired.complete("bob")
    assert people.recorded("bob")["status"] == "offered"
    assert people.edit("bob", attributes=NEW).code == "already_admitted"
    assert people.events("bob") == ["joined", "offered"]


def test_an_edit_completes_a_signup_that_was_cut_off(
    people: Admissions, wired: Admissions, wire: Wire
) -> None:
    """An edit completes a signup that was interrupted after the customer got a place (promise
    P3).
    """
    wire.arm(2, crash_after)
    with pytest.raises(Crash):
        wired.sign_up("dan", attributes=SPANISH)
    answer = people.edit("dan", attributes=NEW)
    assert (answer.status, answer.json["position"]) == (200, 4)
    assert people.events("dan") == ["joined", "edited"]
    assert_exact(people)


def test_a_signup_that_found_no_place_cannot_be_edited(
    people: Admissions, wired: Admissions, wire: Wire
) -> None:
    """P5"""
    wire.arm(1, crash_after)
    with pytest.raises(Crash):
        wired.sign_up("dan", attributes=SPANISH)
    people.configure(segments=[["language"], ["gender"]], open=False)
    assert people.edit("dan", attributes=NEW).code == "entry_not_found"
    assert people.order() == ["ada", "bob", "cyd"]
