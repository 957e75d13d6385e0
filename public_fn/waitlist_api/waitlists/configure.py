"""Create, configure, count and delete waitlists."""

from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.errors import FieldError, InvalidFields, WaitlistDeleting, WaitlistNotFound
from waitlist_api.queue.client import QueueClient
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.conflicts import retry_on_conflict
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import VersionChanged, WaitlistRecord, WaitlistRecords
from waitlist_api.settings.waitlist import WaitlistSettings, is_over, until_millis_of
from waitlist_api.waitlists.reindex import Reindexer
from waitlist_shared import contracts as c
from waitlist_shared.errors import Cold, Rebuilding, StaleSegments

T = TypeVar("T")
# The id of the waitlist that the health check reads. The waitlist does not need to exist.
NO_WAITLIST = "health"
# If an operator changes `until`, the new time must be in the future. An unchanged `until` may be in
# the past, because a request that changes other settings can also contain `until`.
IN_PAST = FieldError(
    "body.admission.until", "must be in the future, because open offers end at this time"
)


class Waitlists(Struct, frozen=True):
    """Creates, configures, counts and deletes waitlists."""

    queue: QueueClient
    recovering_queue: RecoveringQueue
    records: WaitlistRecords
    waitlist_cache: WaitlistCache
    reindexer: Reindexer
    now_millis: NowMillis

    def current(self, waitlist_id: str) -> WaitlistRecord:
        """Read the current waitlist from DynamoDB.

        Raise WaitlistNotFound if it is missing or being deleted.
        """
        return self.waitlist_cache.look_up(waitlist_id)

    def cached(self, waitlist_id: str) -> WaitlistRecord:
        """Return a waitlist that was read at most 30 seconds ago.

        Raise WaitlistNotFound if it is missing or being deleted.
        """
        return self.waitlist_cache.find(waitlist_id)

    def on_current(self, waitlist_id: str, act: Callable[[WaitlistRecord], T]) -> T:
        """Call `act` with the current waitlist, and return the result.

        If another request changes the settings in the meantime, call `act` again.
        """

        def attempt() -> T | None:
            try:
                return act(self.current(waitlist_id))
            except VersionChanged:
                return None

        return retry_on_conflict(attempt)

    def check_record(self) -> None:
        """Raise RecordUnavailable or Throttled if DynamoDB is not available."""
        self.records.get(NO_WAITLIST)

    def put(
        self, waitlist_id: str, settings: WaitlistSettings, version: int | None = None
    ) -> tuple[WaitlistRecord, bool]:
        """Create a waitlist or replace its settings. Return the waitlist, and whether it is new."""
        if version is None and (new := self.create(waitlist_id, settings)) is not None:
            return new, True
        self._replace(waitlist_id, settings, version)
        record = self.waitlist_cache.look_up(waitlist_id)
        self.recovering_queue.push_settings(record)
        return self._indexed(record), False

    def create(self, waitlist_id: str, settings: WaitlistSettings) -> WaitlistRecord | None:
        """Create a waitlist and return it. Return None if the id is in use."""
        now_millis = self.now_millis()
        if is_over(settings, now_millis) and self.records.get(waitlist_id) is None:
            raise InvalidFields(IN_PAST)
        settings = settings.with_asking_since(None, now_millis)
        if not self.records.create(waitlist_id, settings, now_millis):
            return None
        record = self.waitlist_cache.look_up(waitlist_id)
        self.recovering_queue.initialise_empty(record)
        return self._indexed(record)

    def _replace(
        self, waitlist_id: str, settings: WaitlistSettings, version: int | None
    ) -> WaitlistRecord:
        def attempt() -> WaitlistRecord | None:
            before = self.records.get(waitlist_id)
            replaced = None
            if before is not None and not before.deleting:
                if version not in (None, before.version):
                    raise VersionChanged
                try:
                    replaced = self._replaced(before, settings)
                except VersionChanged:
                    if version is not None:
                        raise
                    return None
            if replaced is None:
                raise WaitlistDeleting if version is None else WaitlistNotFound
            return replaced

        return retry_on_conflict(attempt)

    def _replaced(
        self, before: WaitlistRecord, settings: WaitlistSettings
    ) -> WaitlistRecord | None:
        now_millis = self.now_millis()
        is_other_end = until_millis_of(settings) != until_millis_of(before.settings)
        if is_other_end and is_over(settings, now_millis):
            raise InvalidFields(IN_PAST)
        settings = settings.with_asking_since(before.settings, now_millis)
        if settings == before.settings:
            return before
        return self.records.replace(before, settings, now_millis)

    def _indexed(self, record: WaitlistRecord) -> WaitlistRecord:
        """Check whether a change to the segments is complete, and return the waitlist's record.

        If entries still have to be indexed, start maintenance, which indexes them in the
        background.
        """
        if record.segments_state != "building":
            return record
        try:
            is_ready = self.reindexer.confirm(record.segments)
        except (Cold, Rebuilding, StaleSegments):
            # The entries cannot be indexed now, because Redis does not have the whole queue yet or
            # because an operator has changed the segments again. Maintenance will index them later.
            is_ready = False
        if not is_ready:
            self.queue.start_maintenance(record.waitlist_id)
        return self.waitlist_cache.look_up(record.waitlist_id)

    def page(self, after: str | None, limit: int) -> tuple[list[WaitlistRecord], str | None]:
        """Return a page of waitlists sorted by id, and the cursor of the next page."""
        records, following = self.records.page(after, limit)
        return [record for record in records if not record.deleting], following

    def delete(self, waitlist_id: str, version: int | None = None) -> None:
        """Delete a waitlist.

        Requests no longer find it, and maintenance erases its entries in the background.
        """
        if not self.records.begin_delete(waitlist_id, self.now_millis(), version):
            raise WaitlistNotFound
        self.waitlist_cache.forget(waitlist_id)
        self.queue.send(c.Purge(waitlist_id=waitlist_id))
        self.queue.start_maintenance(waitlist_id)

    def board(self, waitlist_id: str) -> c.BoardResult:
        """Return the public board, a snapshot of all positions that is at most five seconds old."""
        board: c.BoardResult = self.recovering_queue.read(c.Board(waitlist_id=waitlist_id))
        return board

    def stats(self, waitlist_id: str) -> c.StatsResult:
        """Return a waitlist's exact current counts."""
        stats: c.StatsResult = self.recovering_queue.read(c.Stats(waitlist_id=waitlist_id))
        if stats.state != "warm":
            raise Rebuilding
        return stats
