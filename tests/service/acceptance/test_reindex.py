"""Segments change on a waitlist with entries: every entry is indexed by the new ones."""

import logging
from typing import Any
from unittest.mock import Mock

import pytest

from tests.support.dynamodb import TABLE
from tests.support.segmented import BY_BOTH, BY_GENDER, BY_LANGUAGE, Segmented
from tests.support.world import World
from waitlist_api.errors import WaitlistNotFound
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.entry import HistoryEvent
from waitlist_api.records.waitlists import WaitlistRecords
from waitlist_queue import keys
from waitlist_shared import contracts as c
from waitlist_shared.errors import SegmentsBuilding, StaleSegments

MANY = [f"value-{number}" for number in range(9)]
LEASE_SECONDS = 60


@pytest.fixture
def desk(world: World) -> Segmented:
    """Three people, and none of them in a segment."""
    desk = Segmented(world)
    desk.declare(lease_seconds=3600)
    desk.arrive("ann", language="Spanish", gender="F")
    desk.arrive("bob", language=["Spanish", "French"])
    desk.arrive("cyd", language="French", gender="M")
    return desk


def look_after(desk: Segmented) -> None:
    desk.world.maintenance.run_one(desk.waitlist_id)


def set_status(desk: Segmented, name: str, status: str) -> None:
    """Change the recorded status of an entry, as a request that was cut off leaves it."""
    desk.world.dynamodb.update_item(
        TableName=TABLE,
        Key=key_of(desk, name),
        UpdateExpression="SET #status = :status",
        ExpressionAttributeNames={"#status": "status"},
        ExpressionAttributeValues={":status": {"S": status}},
    )


def key_of(desk: Segmented, name: str) -> dict[str, Any]:
    return {"pk": {"S": f"ENTRY#bakery#{desk.id_of(name)}"}, "sk": {"S": "RECORD"}}


def test_who_is_aside_is_put_into_their_segments_too(desk: Segmented) -> None:
    """Given one held and one parked, when they come back, then into the new segments. P6."""
    assert desk.claimed(2) == ["ann", "bob"]
    desk.park("bob")
    desk.declare(BY_GENDER, BY_LANGUAGE)
    look_after(desk)
    assert desk.within(language="French") == ["cyd"]
    assert not desk.contradictions()
    desk.release("ann")
    desk.redrive("bob")
    assert desk.within(language="Spanish") == ["ann", "bob"]
    assert not desk.contradictions()


def test_nobody_is_claimed_from_a_segment_that_is_being_built(desk: Segmented) -> None:
    """P7"""
    desk.declare(BY_LANGUAGE)
    with pytest.raises(SegmentsBuilding):
        desk.claim_within(language="Spanish")
    look_after(desk)
    assert desk.claim_within(language="Spanish") == ["ann"]


def test_maintenance_begins_at_once(desk: Segmented) -> None:
    record = desk.declare(BY_LANGUAGE)
    assert (record.segments_version, record.segments_state) == (2, "building")
    assert desk.world.lambda_.started == [{"waitlist_id": "bakery"}]


@pytest.mark.parametrize("capacity", [None, 5])
def test_nothing_begins_where_segments_stay(desk: Segmented, capacity: int | None) -> None:
    desk.declare(BY_LANGUAGE)
    look_after(desk)
    desk.world.lambda_.started.clear()
    record = desk.declare(BY_LANGUAGE, capacity=capacity)
    assert (record.version, record.segments_version, record.segments_state) == (3, 2, "ready")
    assert desk.world.lambda_.started == []
    assert not desk.contradictions()


def test_where_nobody_is_on_the_list_segments_are_ready_at_once(world: World) -> None:
    desk = Segmented(world)
    desk.declare()
    record = desk.declare(BY_LANGUAGE)
    assert (record.segments_version, record.segments_state) == (2, "ready")
    assert world.lambda_.started == []
    assert not desk.contradictions()


def test_where_none_are_declared_any_more_nothing_is_left_of_them(desk: Segmented) -> None:
    desk.declare(BY_LANGUAGE)
    look_after(desk)
    record = desk.declare()
    assert (record.segments_version, record.segments_state) == (0, "ready")
    for key in (keys.segments, keys.tags):
        assert not desk.world.redis.exists(key(desk.waitlist_id))
    assert not desk.contradictions()


def test_a_signup_that_is_not_recorded_yet_is_in_its_segments(desk: Segmented) -> None:
    """Given a place in Redis and an intent, when indexed, then by the intent's attributes."""
    set_status(desk, "bob", "joining")
    desk.declare(BY_LANGUAGE)
    look_after(desk)
    assert desk.within(language="French") == ["bob", "cyd"]


@pytest.mark.parametrize("kind", ["leaving", "left", "admitted", "erased", "unknown"])
def test_whose_place_is_left_over_is_in_no_segment_and_in_nobodys_way(
    desk: Segmented, kind: str
) -> None:
    """Given an entry that ended in the record, not in Redis, when indexed, then ready. P6."""
    services, key = desk.world.services, ("bakery", desk.id_of("bob"))
    if kind == "unknown":
        desk.world.dynamodb.delete_item(TableName=TABLE, Key=key_of(desk, "bob"))
    elif kind == "erased":
        services.leaves.erasures.begin_erase(*key, services.now_millis())
    else:
        left = services.entries.begin_leave(key, "customer", "", services.now_millis())
        event = HistoryEvent(stamp=left.stamp + 1, event="left", by="customer")
        if kind != "leaving":
            services.entries.finish_leave(left, event, services.now_millis())
        if kind == "admitted":
            set_status(desk, "bob", "admitted")
    desk.declare(BY_LANGUAGE)
    look_after(desk)
    assert desk.states() == ("ready", "ready")
    assert [name for name in desk.within(language="Spanish") if name != "bob"] == ["ann"]
    assert ("bob" in desk.within(language="French")) == (kind == "leaving")


def test_who_has_too_many_combinations_is_named_and_in_no_segment(
    desk: Segmented, caplog: pytest.LogCaptureFixture
) -> None:
    """P6, P8: exact for all others; the log names the entry, and nothing personal."""
    desk.arrive("dan", language=MANY, gender=MANY)
    desk.declare(BY_BOTH, BY_GENDER)
    look_after(desk)
    assert desk.within(gender="F") == ["ann"]
    assert not desk.contradictions()
    (warning,) = [record for record in caplog.records if record.levelno == logging.WARNING]
    text = warning.getMessage()
    assert desk.id_of("dan") in text
    assert "90 combinations" in text
    assert "value-" not in text


def test_a_record_with_the_state_building_after_all_is_built_is_put_right(desk: Segmented) -> None:
    """The last step was cut off."""
    desk.declare(BY_LANGUAGE)
    look_after(desk)
    desk.world.services.waitlist_records.note_segments(desk.config().segments, "building")
    look_after(desk)
    assert not desk.contradictions()


def test_who_has_lost_their_segments_gets_them_again(
    desk: Segmented, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P3: whatever made Redis say that it builds, the record says so too, then neither does."""
    desk.declare(BY_LANGUAGE)
    look_after(desk)
    desk.world.redis.delete(keys.tags("bakery"), keys.segments("bakery"))
    desk.world.redis.hset(keys.meta("bakery"), "segments_state", "building")
    records = desk.world.services.waitlist_records
    note = Mock(side_effect=records.note_segments)
    monkeypatch.setattr(WaitlistRecords, "note_segments", lambda _, *named: note(*named))
    look_after(desk)
    assert [call.args[1] for call in note.call_args_list] == ["building", "ready"]
    assert not desk.contradictions()


def test_one_indexes_while_another_holds_the_lease_not(desk: Segmented) -> None:
    desk.declare(BY_LANGUAGE)
    now_millis = desk.world.clock.now_millis()
    records = desk.world.services.waitlist_records
    until_millis = now_millis + LEASE_SECONDS * 1000
    assert records.take_lease(desk.config(), "another", now_millis, until_millis)
    look_after(desk)
    assert desk.states() == ("building", "building")
    desk.world.advance(LEASE_SECONDS + 1)
    look_after(desk)
    assert not desk.contradictions()


def test_a_rebuild_by_segments_that_were_replaced_ends_and_lets_the_next_begin(
    desk: Segmented, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P3, P7: the settings read before are refused, none is written, and the lease is free."""
    desk.declare(BY_LANGUAGE)
    desk.world.redis.flushall()
    rebuild = desk.world.maintenance.rebuilder.rebuild
    initialise = RecoveringQueue.initialise

    def declare_and_initialise(queue: RecoveringQueue, waitlist_id: str) -> c.InitResult:
        desk.declare(BY_GENDER)
        return initialise(queue, waitlist_id)

    before = desk.config()
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(RecoveringQueue, "initialise", declare_and_initialise)
        with pytest.raises(StaleSegments):
            rebuild(before)
    assert desk.look("ann").code == "rebuilding"
    assert rebuild(desk.config())
    look_after(desk)
    assert desk.within(gender="F") == ["ann"]
    assert not desk.contradictions()


def test_a_list_that_is_deleted_meanwhile_is_left(desk: Segmented) -> None:
    """Its lease is free for the deletion."""
    before = desk.declare(BY_LANGUAGE)
    desk.delete_waitlist()
    with pytest.raises(WaitlistNotFound):
        desk.world.maintenance.reindexer.reindex(before)
    desk.world.maintain()
    assert desk.world.services.waitlist_records.get("bakery") is None
