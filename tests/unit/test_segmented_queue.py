"""If the private function refuses a message because of outdated segments, the message is sent again
with the current segments, up to four times.
"""

from typing import Any, cast

import pytest
from msgspec import Struct, field
from msgspec.structs import replace

from waitlist_api.errors import FieldError, InvalidFields
from waitlist_api.queue.segmented import SegmentedQueue
from waitlist_api.records.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.segments import Segments
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_api.settings.waitlist import WaitlistSettings
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
    """A fake cache of waitlists and a fake Redis.

    Each lookup in the cache returns a newer version of the segments, and Redis refuses versions
    below `known`.
    """

    def __init__(self, known: int) -> None:
        self.known = known
        self.record = CACHED
        self.resent: list[int] = []

    checked: Any = WaitlistCache.checked

    def find(self, _: str) -> WaitlistRecord:
        return CACHED

    def look_up(self, _: str) -> WaitlistRecord:
        version = self.record.version + 1
        self.record = replace(self.record, version=version, segments_version=version)
        return self.record

    def resend_settings(self, record: WaitlistRecord) -> None:
        self.resent.append(record.version)

    def read(self, version: int) -> int:
        if version < self.known:
            raise StaleSegments
        return version

    @property
    def queue(self) -> SegmentedQueue:
        anything = cast(Any, self)
        return SegmentedQueue(anything, anything)


class Version(Struct):
    """A message that contains only the version of the segments.

    `to_request` fails if the version is `refused` or older.
    """

    refused: int = 0
    waitlist_id: str = "bakery"
    checked: list[int] = field(default_factory=list)

    def to_request(self, segments: Segments) -> int:
        if segments.version <= self.refused:
            raise InvalidFields(FieldError("body.filter", "not declared"))
        return segments.version

    def check(self, segments: Segments) -> None:
        self.checked.append(segments.version)


def test_cached_segments_are_used_until_redis_refuses_them() -> None:
    waitlists = Waitlists(known=1)
    assert waitlists.queue.send(Version()) == 1
    assert waitlists.resent == []


@pytest.mark.parametrize("version", range(2, MAX_CONFLICT_RETRIES + 2))
def test_current_settings_are_sent_to_redis_before_the_message_is_repeated(version: int) -> None:
    waitlists = Waitlists(known=version)
    assert waitlists.queue.send(Version()) == version
    assert waitlists.resent == list(range(2, version + 1))


def test_the_fifth_refusal_is_raised() -> None:
    waitlists = Waitlists(known=99)
    with pytest.raises(StaleSegments):
        waitlists.queue.send(Version())
    assert len(waitlists.resent) == MAX_CONFLICT_RETRIES


@pytest.mark.parametrize(("known", "checked"), [(1, []), (3, [2, 3])])
def test_only_the_current_segments_are_checked(known: int, checked: list[int]) -> None:
    message = Version()
    Waitlists(known).queue.send(message)
    assert message.checked == checked


def test_a_request_that_does_not_fit_the_cached_segments_uses_the_current_segments() -> None:
    assert Waitlists(known=1).queue.send(Version(refused=1)) == 2


def test_a_request_that_does_not_fit_the_current_segments_is_refused() -> None:
    with pytest.raises(InvalidFields):
        Waitlists(known=1).queue.send(Version(refused=2))
