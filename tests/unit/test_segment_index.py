"""What carries segments is sent again by those of now, and not for ever."""

from dataclasses import replace
from typing import Any, cast

import pytest

from waitlist_api.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.segments import Segments
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistSettings
from waitlist_api.segments.index import SegmentIndex
from waitlist_shared.errors import StaleSegments

REMEMBERED = WaitlistRecord(
    waitlist_id="bakery",
    settings=WaitlistSettings(name="Bakery", segments=(("language",),)),
    version=1,
    created_millis=1,
    updated_millis=1,
    segments_version=1,
)


class Waitlists:
    """A directory, and Redis' settings: each look finds another version declared."""

    def __init__(self) -> None:
        self.record = REMEMBERED
        self.told: list[int] = []

    def find(self, _: str) -> WaitlistRecord:
        return REMEMBERED

    def look_up(self, _: str) -> WaitlistRecord:
        version = self.record.version + 1
        self.record = replace(self.record, version=version, segments_version=version)
        return self.record

    def resend_settings(self, record: WaitlistRecord) -> None:
        self.told.append(record.version)


@pytest.fixture
def waitlists() -> Waitlists:
    return Waitlists()


@pytest.fixture
def segment_index(waitlists: Waitlists) -> SegmentIndex:
    anything = cast(Any, waitlists)
    return SegmentIndex(anything, anything)


def until(version: int) -> Any:
    """Return what refuses segments of before a version, and else tells theirs."""

    def send(segments: Segments) -> int:
        if segments.version < version:
            raise StaleSegments
        return segments.version

    return send


def test_what_is_remembered_is_good_until_it_is_refused(
    segment_index: SegmentIndex, waitlists: Waitlists
) -> None:
    assert segment_index.send("bakery", until(1)) == 1
    assert waitlists.told == []


@pytest.mark.parametrize("version", range(2, MAX_CONFLICT_RETRIES + 2))
def test_redis_is_told_what_is_declared_before_it_is_asked_again(
    segment_index: SegmentIndex, waitlists: Waitlists, version: int
) -> None:
    assert segment_index.send("bakery", until(version)) == version
    assert waitlists.told == list(range(2, version + 1))


def test_segments_that_change_without_end_are_left_to_the_caller(
    segment_index: SegmentIndex, waitlists: Waitlists
) -> None:
    with pytest.raises(StaleSegments):
        segment_index.send("bakery", until(99))
    assert len(waitlists.told) == MAX_CONFLICT_RETRIES


def test_only_those_of_now_are_judged(segment_index: SegmentIndex) -> None:
    judged: list[int] = []
    segment_index.send("bakery", until(1), lambda one: judged.append(one.version))
    assert judged == []
    segment_index.send("bakery", until(3), lambda one: judged.append(one.version))
    assert judged == [2, 3]
