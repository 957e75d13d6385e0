"""Finish signups that have a record but are not in the queue yet."""

from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.clock import NowMillis
from waitlist_api.entries.position import EntryView
from waitlist_api.errors import InvalidFields, OpensLater, RecordUnavailable, WaitlistNotFound
from waitlist_api.queue.messages import Placing, drop_of, drop_of_earlier
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.queue.segmented import SegmentedQueue
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord
from waitlist_api.records.ledger import EntryChanged
from waitlist_api.records.samples import SampleRecords
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_shared import contracts as c
from waitlist_shared.errors import (
    Gone,
    NotOpenYet,
    NotWaiting,
    Throttled,
    WaitlistClosed,
    WaitlistFull,
)


class SignedUp(Struct, frozen=True):
    """The entry of a customer who has signed up. `is_new` is true if this request added it."""

    view: EntryView
    is_new: bool


class Joins(Struct, frozen=True):
    """Finishes signups. Each step is idempotent, so any request can repeat it."""

    waitlist_cache: WaitlistCache
    entries: EntryRecords
    recovering_queue: RecoveringQueue
    segmented_queue: SegmentedQueue
    samples: SampleRecords
    now_millis: NowMillis

    def finish(self, record: EntryRecord) -> SignedUp:
        """Add the entry to the queue in Redis, and record its place there.

        If Redis refuses the entry, cancel the signup and raise the error.
        """
        placed = self._take_place(record)
        recorded, is_new = self.record(record, placed)
        place = (placed.rank, placed.ticket, placed.position, placed.total, placed.pace)
        view = replace(
            EntryView.placed(record.entry_id, "waiting", *place),
            ready_ahead=placed.ready_ahead,
            call_number=recorded.joined.call_number or None,
        )
        return SignedUp(view, is_new)

    def try_to_finish(self, record: EntryRecord) -> None:
        """Finish a signup, or cancel it if Redis refuses the entry."""
        with suppress(Gone, InvalidFields, NotOpenYet, NotWaiting, WaitlistClosed, WaitlistFull):
            self.finish(record)

    def record(self, record: EntryRecord, placed: c.SignupResult) -> tuple[EntryRecord, bool]:
        """Record the place in the queue that Redis gave the entry.

        Return the new record. Also return True if this request recorded the place, or False if
        another request changed the record first.
        """
        try:
            recorded = self.entries.finish_join(record, placed, self.now_millis())
        except EntryChanged as changed:
            return self._settle(record, placed, changed.record), False
        self._count_source(record)
        return recorded, True

    def cancel(self, record: EntryRecord) -> None:
        """Mark the signup as cancelled in its record. Redis has already ended the signup."""
        try:
            self.entries.cancel_join(record)
        except EntryChanged:
            # Another request has already finished or cancelled this signup.
            return

    def _take_place(self, record: EntryRecord) -> c.SignupResult:
        placed: c.SignupResult
        try:
            placed = self.segmented_queue.send(Placing(record))
            if earlier := drop_of_earlier(record, placed.ticket):
                self.recovering_queue.write(earlier)
                placed = self.segmented_queue.send(Placing(record))
        except InvalidFields:
            self.waitlist_cache.forget(record.waitlist_id)
            # An earlier attempt at this signup may still be on its way to Redis, so make Redis
            # refuse it. If an attempt has already added the entry to the queue, finish the signup
            # instead.
            if self._end_unplaced(record).outcome == "present":
                placed = self.segmented_queue.send(Placing(record, is_checked=True))
                return placed
            self.cancel(record)
            raise
        except (NotOpenYet, WaitlistClosed, WaitlistFull, WaitlistNotFound, Gone) as refusal:
            # Redis has refused the signup, and will also refuse any delayed copy of the request, so
            # cancel the signup.
            self.waitlist_cache.forget(record.waitlist_id)
            self.cancel(record)
            if isinstance(refusal, NotOpenYet):
                settings = self.waitlist_cache.look_up(record.waitlist_id).settings
                raise OpensLater(settings.opens_at) from refusal
            raise
        return placed

    def _end_unplaced(self, record: EntryRecord) -> c.EndStayResult:
        """End the signup in Redis, unless Redis has already added the entry to the queue."""
        message = replace(drop_of(record), unless_placed=True)
        ended: c.EndStayResult = self.recovering_queue.write(message)
        return ended

    def _settle(
        self, record: EntryRecord, placed: c.SignupResult, existing: EntryRecord | None
    ) -> EntryRecord:
        """Return the current record if another request has finished this signup.

        Raise NotWaiting if the signup has been cancelled.
        """
        same_stay = existing is not None and existing.join_id == record.join_id
        if existing is not None and same_stay and existing.status in (*PRESENT, "admitted"):
            return existing
        if not same_stay:
            # Redis has added the entry to the queue, but the entry's record no longer exists.
            # Remove the entry from Redis.
            self.recovering_queue.write(drop_of(replace(record, ticket=placed.ticket)))
        raise NotWaiting("This signup was cancelled while it was in progress. Sign up again.")

    def _count_source(self, record: EntryRecord) -> None:
        """Count the signup by its source. If counting fails, the signup still succeeds."""
        page = self.waitlist_cache.find(record.waitlist_id).settings.page
        source = page.source_of(record.profile | record.attributes) if page else None
        if source is not None:
            with suppress(Throttled, RecordUnavailable):
                self.samples.count_source(record.waitlist_id, source)
