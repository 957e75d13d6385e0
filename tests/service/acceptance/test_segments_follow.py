"""Segments stay those that the record says, whatever is cut off, lost, or remembered of old."""

import pytest

from tests.support.segmented import BY_BOTH, BY_GENDER, BY_LANGUAGE, Segmented
from tests.support.world import World
from waitlist_api.records.entry import EntryRecord, HistoryEvent
from waitlist_api.records.waitlists import WaitlistSettings
from waitlist_shared import contracts as c

LONG = 3600
MANY = [f"value-{number}" for number in range(9)]


@pytest.fixture
def desk(world: World) -> Segmented:
    """Three people of two languages."""
    desk = Segmented(world)
    desk.declare(BY_LANGUAGE, BY_BOTH, lease_seconds=LONG)
    desk.arrive("ann", language="Spanish", gender="F")
    desk.arrive("bob", language=["Spanish", "French"])
    desk.arrive("cyd", language="French", gender="M")
    return desk


def record_edit(desk: Segmented, name: str, **attributes: str) -> EntryRecord:
    """Change what is recorded of a person, as an operator's request that is cut off then."""
    services, entry_id = desk.world.services, desk.id_of(name)
    mark = c.MarkDirty(waitlist_id=desk.waitlist_id, entry_id=entry_id)
    marked: c.MarkDirtyResult = services.queue.send(mark)
    event = HistoryEvent(stamp=marked.stamp, event="edited", by="operator")
    key = (desk.waitlist_id, entry_id)
    return services.entry_edits.edits.record(key, attributes, None, event, services.now_millis())


def record_settings(desk: Segmented, *segments: tuple[str, ...]) -> None:
    """Declare segments in the record alone: the operator's request is cut off then."""
    settings = WaitlistSettings(name="Bakery", segments=segments)
    records = desk.world.services.waitlist_records
    assert records.replace(desk.waitlist_id, settings, desk.world.clock.now_millis())


def test_whom_redis_forgot_comes_back_with_their_segments(desk: Segmented) -> None:
    """Given a replica that missed a signup, when the person looks, then as recorded. P3."""
    forget(desk, "bob")
    assert desk.within(language="French") == ["cyd"]
    assert desk.look("bob").json["position"] == 2
    assert desk.within(language="French") == ["bob", "cyd"]
    assert not desk.contradictions()


def forget(desk: Segmented, name: str) -> None:
    """Have Redis lose all that it knows of one person who waits."""
    record = desk.world.services.entries.get(desk.waitlist_id, desk.id_of(name))
    assert record
    desk.world.services.queue.send(
        c.Drop(
            waitlist_id=desk.waitlist_id,
            entry_id=record.entry_id,
            join_id="00000000",
            ticket=record.ticket,
        )
    )


@pytest.mark.parametrize("before", [(), (BY_LANGUAGE,), (BY_GENDER, BY_LANGUAGE)])
@pytest.mark.parametrize("after", [(), (BY_LANGUAGE,), (BY_GENDER, BY_BOTH)])
def test_a_caller_who_remembers_other_segments_is_taken_by_those_of_now(
    world: World, before: tuple[tuple[str, ...], ...], after: tuple[tuple[str, ...], ...]
) -> None:
    """P2: also by a second change while the first is still remembered."""
    desk = Segmented(world)
    desk.declare(*before)
    other = desk.elsewhere()
    other.arrive("ann", language="Spanish", gender="F")
    desk.declare(*after)
    other.arrive("bob", language="French", gender="M")
    forget(desk, "ann")
    assert other.look("ann").json["position"] == 1
    desk.declare(BY_LANGUAGE, BY_BOTH)
    other.arrive("cyd", language="French", gender="F")
    assert desk.within(language="French", gender="F") == ["cyd"]
    world.maintain()
    assert desk.within(language="French") == ["bob", "cyd"]
    assert not desk.contradictions()


@pytest.mark.parametrize("before", [(), (BY_LANGUAGE,), (BY_GENDER, BY_BOTH)])
@pytest.mark.parametrize("after", [(), (BY_LANGUAGE,), (BY_GENDER, BY_LANGUAGE)])
def test_a_caller_sends_redis_segments_that_it_has_missed(
    world: World, before: tuple[tuple[str, ...], ...], after: tuple[tuple[str, ...], ...]
) -> None:
    """P3: the operator's request ended between the record and Redis, and was not repeated."""
    desk = Segmented(world)
    desk.declare(*before)
    desk.arrive("ann", language="Spanish", gender="F")
    record_settings(desk, *after)
    world.advance(60)
    desk.arrive("bob", language="Spanish", gender="M")
    world.maintain()
    assert not desk.contradictions()


@pytest.mark.parametrize("days", [0, 1])
def test_maintenance_sends_redis_segments_that_it_has_missed(desk: Segmented, days: int) -> None:
    """P3: also long after, without any request."""
    record_settings(desk, BY_GENDER)
    desk.world.advance(days * 24 * 3600)
    desk.world.maintain()
    assert desk.within(gender="F") == ["ann"]
    assert not desk.contradictions()


def test_a_rejoin_beyond_the_limit_leaves_what_was(desk: Segmented) -> None:
    """P5"""
    desk.leave("ann")
    other = desk.elsewhere()
    other.declare(BY_GENDER)
    desk.world.maintain()
    before = desk.recorded("ann")
    many = {"language": MANY, "gender": MANY}
    assert other.sign_up("ann", attributes=many).status == 201
    desk.leave("ann")
    desk.declare(BY_BOTH)
    answer = other.sign_up("ann", attributes=many)
    assert answer.status == 422
    after = desk.recorded("ann")
    assert (before["status"], after["status"]) == ("left", "left")
    assert after["attributes_version"] == before.get("attributes_version", 0) + 1


def test_an_edit_that_was_cut_off_reaches_redis_within_minutes(desk: Segmented) -> None:
    """P3: the record is written, the segments are not, and no client repeats the request."""
    desk.claim()
    for name in ("ann", "bob", "cyd"):
        record_edit(desk, name, language="Dutch")
    assert desk.within(language="Dutch") == []
    desk.world.maintain()
    assert desk.within(language="Dutch") == ["bob", "cyd"]
    assert not desk.contradictions()
    assert not desk.world.redis.exists("wl:{bakery}:unsettled")


def test_an_edit_that_was_cut_off_reaches_redis_by_the_segments_of_now(
    desk: Segmented, caplog: pytest.LogCaptureFixture
) -> None:
    """P3: at once, also where maintenance remembers others."""
    record_edit(desk, "bob", language="Dutch", gender="X")
    desk.world.advance(61)
    other = desk.elsewhere()
    other.world.services.waitlist_cache.find(desk.waitlist_id)
    desk.declare(BY_GENDER)
    other.world.maintenance.run_one(desk.waitlist_id)
    assert desk.within(gender="X") == ["bob"]
    assert not desk.contradictions()
    assert not caplog.records, "nothing is left for the next run"


def test_who_puts_somebody_back_as_they_were_does_not_undo_an_edit(desk: Segmented) -> None:
    """P2: the segments of newer attributes stay if an older message arrives late."""
    before = desk.world.services.entries.get(desk.waitlist_id, desk.id_of("bob"))
    assert before
    record_edit(desk, "bob", language="Dutch")
    desk.world.maintain()
    desk.world.services.positions.put_back(before)
    assert desk.within(language="Dutch") == ["bob"]
    assert not desk.contradictions()
