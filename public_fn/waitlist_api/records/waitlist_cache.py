"""Cache waitlists for 30 seconds, so that most signups do not read them from DynamoDB."""

from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct, field

from waitlist_api.clock import NowMillis
from waitlist_api.errors import InvalidFields, WaitlistNotFound
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords

REMEMBERED_MILLIS = 30_000
REMEMBERED_COUNT = 1_000
T = TypeVar("T")


class _Remembered(Struct, frozen=True):
    record: WaitlistRecord
    until_millis: int


class WaitlistCache(Struct, frozen=True):
    """Reads waitlists through a cache.

    A cached waitlist may be out of date. Before a request is refused because of a waitlist's
    settings, the waitlist is read again from DynamoDB.
    """

    waitlists: WaitlistRecords
    now_millis: NowMillis
    remembered: dict[str, _Remembered] = field(default_factory=dict)

    def find(self, waitlist_id: str) -> WaitlistRecord:
        """Return a waitlist that was read at most 30 seconds ago.

        Raise WaitlistNotFound if the waitlist does not exist or is being deleted.
        """
        remembered = self.remembered.get(waitlist_id)
        if remembered is not None and remembered.until_millis > self.now_millis():
            return remembered.record
        return self.look_up(waitlist_id)

    def look_up(self, waitlist_id: str) -> WaitlistRecord:
        """Read the waitlist from DynamoDB and cache it.

        Raise WaitlistNotFound if the waitlist does not exist or is being deleted.
        """
        record = self.waitlists.get(waitlist_id)
        if record is None or record.deleting:
            self.forget(waitlist_id)
            raise WaitlistNotFound
        if len(self.remembered) >= REMEMBERED_COUNT:
            self.remembered.clear()
        until_millis = self.now_millis() + REMEMBERED_MILLIS
        self.remembered[waitlist_id] = _Remembered(record, until_millis)
        return record

    def checked(self, waitlist_id: str, check: Callable[[WaitlistRecord], T]) -> T:
        """Call `check` with the cached waitlist, and return its result.

        If `check` raises InvalidFields, the cached settings may be out of date, so call `check`
        once more with the current waitlist.
        """
        try:
            return check(self.find(waitlist_id))
        except InvalidFields:
            return check(self.look_up(waitlist_id))

    def retention_days_of(self, waitlist_id: str) -> int | None:
        """Return how many days a waitlist keeps former customers' records.

        Return None if it keeps them forever or has been deleted.
        """
        try:
            return self.find(waitlist_id).settings.retention_days
        except WaitlistNotFound:
            return None

    def forget(self, waitlist_id: str) -> None:
        """Remove a waitlist from the cache, for example after this process has changed it."""
        self.remembered.pop(waitlist_id, None)
