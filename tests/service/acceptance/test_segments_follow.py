"""Redis' segments agree with DynamoDB, even after interrupted requests, lost data or outdated
caches.
"""

import pytest

from tests.support.segmented import BY_BOTH, BY_GENDER, BY_LANGUAGE, Segmented
from tests.support.world import World
from waitlist_api.records.edits import edit
from waitlist_api.records.entry import EntryRecord, HistoryEvent
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_shared import contracts as c

LONG = 3600
MANY = [f"value-{number}" for number in range(9)]


@pytest.fixture
def people(world: World) -> Segmented:
    people = Segmented(world)
    people.declare(BY_LANGUAGE, BY_BOTH, lease_seconds=LONG)
    people.arrive("ann", language="Spanish", gender="F")
    people.arrive("bob", language=["Spanish", "French"])
    people.arrive("cyd", language="French", gender="M")
    return people


def record_edit(people: Segmented, name: str, **attributes: str) -> EntryRecord:
    """Change a person's attributes only in DynamoDB, as an interrupted edit would."""
    services, entry_id = people.world.services, people.id_of(name)
    mark = c.MarkDirty(waitlist_id=people.waitlist_id, entry_id=entry_id)
    marked: c.MarkDirtyResult = services.queue.send(mark)
    event = HistoryEvent(stamp=marked.stamp, event="edited", by="operator")
    record, now_millis = services.entries.find(people.waitlist_id, entry_id), services.now_millis()
    decided = edit(record, event, now_millis, attributes=attributes)
    return services.entry_edits.ledger.commit(record, decided, now_millis)


def record_settings(people: Segmented, *segments: tuple[str, ...]) -> None:
    """Change the waitlist's segments only in DynamoDB, as an interrupted request would."""
    settings = WaitlistSettings(name="Bakery", segments=segments)
    records = people.world.services.waitlist_records
    before = records.get(people.waitlist_id)
    assert before
    assert records.replace(before, settings, people.world.clock.now_millis())


def test_an_entry_that_redis_lost_comes_back_with_its_segments(people: Segmented) -> None:
    """If a replica is missing a signup, the entry returns to Redis with the right segments when the
    person polls (promise P3).
    """
    forget(people, "bob")
    assert people.within(language="French") == ["cyd"]
    assert people.poll("bob").json["position"] == 2
    assert people.within(language="French") == ["bob", "cyd"]
    assert not people.contradictions()


def forget(people: Segmented, name: str) -> None:
    """Delete a waiting entry's keys from Redis."""
    record = people.world.services.entries.get(people.waitlist_id, people.id_of(name))
    assert record
    people.world.services.queue.send(
        c.Drop(
            waitlist_id=people.waitlist_id,
            entry_id=record.entry_id,
            join_id="00000000",
            ticket=record.ticket,
        )
    )


@pytest.mark.parametrize("before", [(), (BY_LANGUAGE,), (BY_GENDER, BY_LANGUAGE)])
@pytest.mark.parametrize("after", [(), (BY_LANGUAGE,), (BY_GENDER, BY_BOTH)])
def test_the_current_segments_apply_to_a_process_with_outdated_segments(
    world: World, before: tuple[tuple[str, ...], ...], after: tuple[tuple[str, ...], ...]
) -> None:
    """A process that has outdated segments in its cache must still place new entries in the current
    segments (promise P2).
    """
    people = Segmented(world)
    people.declare(*before)
    other = people.elsewhere()
    other.arrive("ann", language="Spanish", gender="F")
    people.declare(*after)
    other.arrive("bob", language="French", gender="M")
    forget(people, "ann")
    assert other.poll("ann").json["position"] == 1
    people.declare(BY_LANGUAGE, BY_BOTH)
    other.arrive("cyd", language="French", gender="F")
    assert people.within(language="French", gender="F") == ["cyd"]
    world.maintain()
    assert people.within(language="French") == ["bob", "cyd"]
    assert not people.contradictions()


@pytest.mark.parametrize("before", [(), (BY_LANGUAGE,), (BY_GENDER, BY_BOTH)])
@pytest.mark.parametrize("after", [(), (BY_LANGUAGE,), (BY_GENDER, BY_LANGUAGE)])
def test_a_caller_sends_redis_segments_that_it_has_missed(
    world: World, before: tuple[tuple[str, ...], ...], after: tuple[tuple[str, ...], ...]
) -> None:
    """A request to change the segments was interrupted before it reached Redis. The next request
    from any client sends the segments to Redis (promise P3).
    """
    people = Segmented(world)
    people.declare(*before)
    people.arrive("ann", language="Spanish", gender="F")
    record_settings(people, *after)
    world.advance(60)
    people.arrive("bob", language="Spanish", gender="M")
    world.maintain()
    assert not people.contradictions()


@pytest.mark.parametrize("days", [0, 1])
def test_maintenance_sends_redis_segments_that_it_has_missed(people: Segmented, days: int) -> None:
    """P3"""
    record_settings(people, BY_GENDER)
    people.world.advance(days * 24 * 3600)
    people.world.maintain()
    assert people.within(gender="F") == ["ann"]
    assert not people.contradictions()


def test_a_rejoin_beyond_the_limit_leaves_what_was(people: Segmented) -> None:
    """P5"""
    people.leave("ann")
    other = people.elsewhere()
    other.declare(BY_GENDER)
    people.world.maintain()
    before = people.recorded("ann")
    many = {"language": MANY, "gender": MANY}
    assert other.sign_up("ann", attributes=many).status == 201
    people.leave("ann")
    people.declare(BY_BOTH)
    answer = other.sign_up("ann", attributes=many)
    assert answer.status == 422
    after = people.recorded("ann")
    assert (before["status"], after["status"]) == ("left", "left")
    assert after["attributes_version"] == before.get("attributes_version", 0) + 1


def test_an_interrupted_edit_reaches_redis_within_minutes(people: Segmented) -> None:
    """If an edit was interrupted before it reached Redis, maintenance sends it, even if nobody
    repeats the request (promise P3).
    """
    people.claim()
    for name in ("ann", "bob", "cyd"):
        record_edit(people, name, language="Dutch")
    assert people.within(language="Dutch") == []
    people.world.maintain()
    assert people.within(language="Dutch") == ["bob", "cyd"]
    assert not people.contradictions()
    assert not people.world.redis.exists("wl:{bakery}:dirty")


def test_an_interrupted_edit_reaches_redis_with_the_current_segments(
    people: Segmented, caplog: pytest.LogCaptureFixture
) -> None:
    """Maintenance sends an interrupted edit to Redis with the current segments, even if its cache
    contains outdated settings (promise P3).
    """
    record_edit(people, "bob", language="Dutch", gender="X")
    people.world.advance(61)
    other = people.elsewhere()
    other.world.services.waitlist_cache.find(people.waitlist_id)
    people.declare(BY_GENDER)
    other.world.maintenance.run_one(people.waitlist_id)
    assert people.within(gender="X") == ["bob"]
    assert not people.contradictions()
    assert not caplog.records, "nothing is left for the next run"


def test_a_late_restore_does_not_undo_an_edit(people: Segmented) -> None:
    """A late message about an earlier edit does not undo a later edit (promise P2)."""
    before = people.world.services.entries.get(people.waitlist_id, people.id_of("bob"))
    assert before
    record_edit(people, "bob", language="Dutch")
    people.world.maintain()
    people.world.services.positions.restore_place(before)
    assert people.within(language="Dutch") == ["bob"]
    assert not people.contradictions()
