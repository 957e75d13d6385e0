"""Cache of waitlists: 30 seconds, so that a signup need not read its waitlist."""

from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct, field

from waitlist_api.clock import NowMillis
from waitlist_api.errors import InvalidFields, WaitlistNotFound
from waitlist_api.records.segments import Segments
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords

REMEMBERED_MILLIS = 30_000
REMEMBERED_COUNT = 1_000
T = TypeVar("T")


class _Remembered(Struct, frozen=True):
    record: WaitlistRecord
    until_millis: int


class WaitlistCache(Struct, frozen=True):
    """Looks up waitlists; a missing waitlist is not cached, so a new one is found at once.

    A cached waitlist may be outdated, so no request is refused by it: Redis decides on `open`, on
    `capacity` and on the times of opening and closing.
    """

    waitlists: WaitlistRecords
    now_millis: NowMillis
    remembered: dict[str, _Remembered] = field(default_factory=dict)

    def find(self, waitlist_id: str) -> WaitlistRecord:
        """Return a waitlist as it was at most 30 seconds ago."""
        remembered = self.remembered.get(waitlist_id)
        if remembered is not None and remembered.until_millis > self.now_millis():
            return remembered.record
        return self.look_up(waitlist_id)

    def look_up(self, waitlist_id: str) -> WaitlistRecord:
        """Return a waitlist as it is now; raises WaitlistNotFound."""
        record = self.waitlists.get(waitlist_id)
        if record is None or record.deleting:
            self.forget(waitlist_id)
            raise WaitlistNotFound
        if len(self.remembered) >= REMEMBERED_COUNT:
            self.remembered.clear()
        until_millis = self.now_millis() + REMEMBERED_MILLIS
        self.remembered[waitlist_id] = _Remembered(record, until_millis)
        return record

    def checked(self, waitlist_id: str, check: Callable[[Segments], T]) -> T:
        """Return the result of `check`; raise InvalidFields only by the current segments.

        The cached segments may be old, so a refusal by them is checked again.
        """
        try:
            return check(self.find(waitlist_id).segments)
        except InvalidFields:
            return check(self.look_up(waitlist_id).segments)

    def retention_days_of(self, waitlist_id: str) -> int | None:
        """Return how long a waitlist keeps ended stays; None if it is deleted."""
        try:
            return self.find(waitlist_id).settings.retention_days
        except WaitlistNotFound:
            return None

    def forget(self, waitlist_id: str) -> None:
        """Remove a waitlist that was just changed here."""
        self.remembered.pop(waitlist_id, None)
