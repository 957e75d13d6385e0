"""Messages with segments are repeated by the current declaration, at most four times."""

from typing import Any, cast

import pytest
from msgspec.structs import replace

from waitlist_api.queue.segmented import SegmentedQueue
from waitlist_api.records.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.segments import Segments
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistSettings
from waitlist_shared.errors import StaleSegments

CACHED = WaitlistRecord(
    waitlist_id="bakery",
    settings=WaitlistSettings(name="Bakery", segments=(("language",),)),
    version=1,
    created_millis=1,
    updated_millis=1,
    segments_version=1,
)


class Waitlists:
    """The cache, and the settings in Redis. Each read returns another version of the segments."""

    def __init__(self) -> None:
        self.record = CACHED
        self.resent: list[int] = []

    def find(self, _: str) -> WaitlistRecord:
        return CACHED

    def look_up(self, _: str) -> WaitlistRecord:
        version = self.record.version + 1
        self.record = replace(self.record, version=version, segments_version=version)
        return self.record

    def resend_settings(self, record: WaitlistRecord) -> None:
        self.resent.append(record.version)


@pytest.fixture
def waitlists() -> Waitlists:
    return Waitlists()


@pytest.fixture
def segmented_queue(waitlists: Waitlists) -> SegmentedQueue:
    anything = cast(Any, waitlists)
    return SegmentedQueue(anything, anything)


def until(version: int) -> Any:
    """Return a sender that refuses older versions and returns the version that it accepts."""

    def send(segments: Segments) -> int:
        if segments.version < version:
            raise StaleSegments
        return segments.version

    return send


def test_the_cached_segments_are_used_until_redis_refuses_them(
    segmented_queue: SegmentedQueue, waitlists: Waitlists
) -> None:
    assert segmented_queue.send("bakery", until(1)) == 1
    assert waitlists.resent == []


@pytest.mark.parametrize("version", range(2, MAX_CONFLICT_RETRIES + 2))
def test_redis_gets_the_current_settings_before_the_message_is_repeated(
    segmented_queue: SegmentedQueue, waitlists: Waitlists, version: int
) -> None:
    assert segmented_queue.send("bakery", until(version)) == version
    assert waitlists.resent == list(range(2, version + 1))


def test_the_fifth_refusal_is_raised(segmented_queue: SegmentedQueue, waitlists: Waitlists) -> None:
    with pytest.raises(StaleSegments):
        segmented_queue.send("bakery", until(99))
    assert len(waitlists.resent) == MAX_CONFLICT_RETRIES


def test_only_the_current_segments_are_checked(segmented_queue: SegmentedQueue) -> None:
    checked: list[int] = []
    segmented_queue.send("bakery", until(1), lambda one: checked.append(one.version))
    assert checked == []
    segmented_queue.send("bakery", until(3), lambda one: checked.append(one.version))
    assert checked == [2, 3]
