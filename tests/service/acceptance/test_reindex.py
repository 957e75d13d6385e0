"""Tests for operators' changes to a waitlist's segments, after which every entry gets the new
segments.
"""

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
from waitlist_api.records.leaves import Leave, finish_leave
from waitlist_api.records.waitlists import WaitlistRecords
from waitlist_queue import keys
from waitlist_shared import contracts as c
from waitlist_shared.errors import SegmentsBuilding, StaleSegments

MANY = [f"value-{number}" for number in range(9)]
LEASE_SECONDS = 60


@pytest.fixture
def people(world: World) -> Segmented:
    people = Segmented(world)
    people.declare(lease_seconds=3600)
    people.arrive("ann", language="Spanish", gender="F")
    people.arrive("bob", language=["Spanish", "French"])
    people.arrive("cyd", language="French", gender="M")
    return people


def look_after(people: Segmented) -> None:
    people.world.maintenance.run_one(people.waitlist_id)


def set_status(people: Segmented, name: str, status: str) -> None:
    people.world.dynamodb.update_item(
        TableName=TABLE,
        Key=key_of(people, name),
        UpdateExpression="SET #status = :status",
        ExpressionAttributeNames={"#status": "status"},
        ExpressionAttributeValues={":status": {"S": status}},
    )


def key_of(people: Segmented, name: str) -> dict[str, Any]:
    return {"pk": {"S": f"ENTRY#bakery#{people.id_of(name)}"}, "sk": {"S": "RECORD"}}


def test_held_and_parked_entries_get_their_new_segments(people: Segmented) -> None:
    """An operator changes the segments while entries are claimed or parked. When these entries
    return to the queue, they are in the new segments (promise P6).
    """
    assert people.claimed(2) == ["ann", "bob"]
    people.park("bob")
    people.declare(BY_GENDER, BY_LANGUAGE)
    look_after(people)
    assert people.within(language="French") == ["cyd"]
    assert not people.contradictions()
    people.release("ann")
    people.redrive("bob")
    assert people.within(language="Spanish") == ["ann", "bob"]
    assert not people.contradictions()


def test_a_claim_from_a_segment_that_is_being_built_is_refused(people: Segmented) -> None:
    """P7"""
    people.declare(BY_LANGUAGE)
    with pytest.raises(SegmentsBuilding):
        people.claim_within(language="Spanish")
    look_after(people)
    assert people.claim_within(language="Spanish") == ["ann"]


def test_maintenance_begins_at_once(people: Segmented) -> None:
    record = people.declare(BY_LANGUAGE)
    assert (record.segments_version, record.segments_state) == (2, "building")
    assert people.world.lambda_.started == [{"waitlist_id": "bakery"}]


@pytest.mark.parametrize(("capacity", "version"), [(None, 2), (5, 3)])
def test_nothing_begins_where_segments_stay(
    people: Segmented, capacity: int | None, version: int
) -> None:
    people.declare(BY_LANGUAGE)
    look_after(people)
    people.world.lambda_.started.clear()
    record = people.declare(BY_LANGUAGE, capacity=capacity)
    found = (record.version, record.segments_version, record.segments_state)
    assert found == (version, 2, "ready")
    assert people.world.lambda_.started == []
    assert not people.contradictions()


def test_the_segments_of_an_empty_list_are_ready_at_once(world: World) -> None:
    people = Segmented(world)
    people.declare()
    record = people.declare(BY_LANGUAGE)
    assert (record.segments_version, record.segments_state) == (2, "ready")
    assert world.lambda_.started == []
    assert not people.contradictions()


def test_nothing_is_left_of_segments_that_are_no_longer_declared(people: Segmented) -> None:
    people.declare(BY_LANGUAGE)
    look_after(people)
    record = people.declare()
    assert (record.segments_version, record.segments_state) == (0, "ready")
    for key in (keys.segments, keys.tags):
        assert not people.world.redis.exists(key(people.waitlist_id))
    assert not people.contradictions()


def test_a_signup_that_is_not_recorded_yet_is_in_its_segments(people: Segmented) -> None:
    """Bob's entry is in Redis, although DynamoDB has not completed his signup. Maintenance puts it
    into the segments that match his attributes.
    """
    set_status(people, "bob", "joining")
    people.declare(BY_LANGUAGE)
    look_after(people)
    assert people.within(language="French") == ["bob", "cyd"]


@pytest.mark.parametrize("kind", ["leaving", "left", "admitted", "erased", "unknown"])
def test_an_entry_that_ended_in_the_record_alone_is_in_no_segment(
    people: Segmented, kind: str
) -> None:
    """Redis still has an entry whose customer is no longer on the waitlist. This does not keep
    maintenance from building the new segments (promise P6).
    """
    services, key = people.world.services, ("bakery", people.id_of("bob"))
    if kind == "unknown":
        people.world.dynamodb.delete_item(TableName=TABLE, Key=key_of(people, "bob"))
    elif kind == "erased":
        services.leaves.begin_erase(*key)
    else:
        left = services.leaves.begin(*key, Leave(by="customer"))
        assert left is not None
        event = HistoryEvent(stamp=left.stamp + 1, event="left", by="customer")
        if kind != "leaving":
            decided = finish_leave(left, event, services.now_millis())
            services.leaves.ledger.commit(left, decided, services.now_millis())
        if kind == "admitted":
            set_status(people, "bob", "admitted")
    people.declare(BY_LANGUAGE)
    look_after(people)
    assert people.states() == ("ready", "ready")
    assert [name for name in people.within(language="Spanish") if name != "bob"] == ["ann"]
    assert ("bob" in people.within(language="French")) == (kind == "leaving")


def test_an_entry_with_too_many_combinations_is_logged_and_in_no_segment(
    people: Segmented, caplog: pytest.LogCaptureFixture
) -> None:
    """Dan's attributes match too many combinations of values, so he is in no segment. The log
    contains his entry id but no personal data (promises P6 and P8).
    """
    people.arrive("dan", language=MANY, gender=MANY)
    people.declare(BY_BOTH, BY_GENDER)
    look_after(people)
    assert people.within(gender="F") == ["ann"]
    assert not people.contradictions()
    (warning,) = [record for record in caplog.records if record.levelno == logging.WARNING]
    text = warning.getMessage()
    assert people.id_of("dan") in text
    assert "90 combinations" in text
    assert "value-" not in text


def test_a_record_with_the_state_building_after_all_is_built_is_put_right(
    people: Segmented,
) -> None:
    """If maintenance was interrupted before it recorded that the segments are ready, the next run
    records it.
    """
    people.declare(BY_LANGUAGE)
    look_after(people)
    people.world.services.waitlist_records.note_segments(people.config().segments, "building")
    look_after(people)
    assert not people.contradictions()


def test_entries_that_lost_their_segments_get_them_again(
    people: Segmented, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis has lost the segments. While maintenance builds them again, their state in DynamoDB is
    `building` too (promise P3).
    """
    people.declare(BY_LANGUAGE)
    look_after(people)
    people.world.redis.delete(keys.tags("bakery"), keys.segments("bakery"))
    people.world.redis.hset(keys.meta("bakery"), "segments_state", "building")
    records = people.world.services.waitlist_records
    note = Mock(side_effect=records.note_segments)
    monkeypatch.setattr(WaitlistRecords, "note_segments", lambda _, *named: note(*named))
    look_after(people)
    assert [call.args[1] for call in note.call_args_list] == ["building", "ready"]
    assert not people.contradictions()


def test_no_run_builds_segments_while_another_run_has_the_lease(people: Segmented) -> None:
    people.declare(BY_LANGUAGE)
    now_millis = people.world.clock.now_millis()
    records = people.world.services.waitlist_records
    until_millis = now_millis + LEASE_SECONDS * 1000
    assert records.take_lease(people.config(), "another", now_millis, until_millis)
    look_after(people)
    assert people.states() == ("building", "building")
    people.world.advance(LEASE_SECONDS + 1)
    look_after(people)
    assert not people.contradictions()


def test_a_rebuild_by_segments_that_were_replaced_ends_and_lets_the_next_begin(
    people: Segmented, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An operator changes the segments while the queue is being rebuilt. This rebuild stops, so
    that a rebuild with the new segments can begin (promises P3 and P7).
    """
    people.declare(BY_LANGUAGE)
    people.world.redis.flushall()
    rebuild = people.world.maintenance.rebuilder.rebuild
    initialise = RecoveringQueue.initialise

    def declare_and_initialise(queue: RecoveringQueue, waitlist_id: str) -> c.InitResult:
        people.declare(BY_GENDER)
        return initialise(queue, waitlist_id)

    before = people.config()
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(RecoveringQueue, "initialise", declare_and_initialise)
        with pytest.raises(StaleSegments):
            rebuild(before)
    assert people.poll("ann").code == "rebuilding"
    assert rebuild(people.config())
    look_after(people)
    assert people.within(gender="F") == ["ann"]
    assert not people.contradictions()


def test_a_list_that_is_deleted_meanwhile_is_left(people: Segmented) -> None:
    """A waitlist is deleted while its segments are being built. Maintenance gives up its lease, so
    that the deletion can be completed.
    """
    before = people.declare(BY_LANGUAGE)
    people.delete_waitlist()
    with pytest.raises(WaitlistNotFound):
        people.world.maintenance.reindexer.reindex(before)
    people.world.maintain()
    assert people.world.services.waitlist_records.get("bakery") is None
