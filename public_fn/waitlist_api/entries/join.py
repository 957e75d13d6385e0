"""Finish an intent to join: add the entry to the queue in Redis, then record its place."""

from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.clock import NowMillis
from waitlist_api.entries.position import EntryView
from waitlist_api.errors import (
    InvalidFields,
    OpensLater,
    RecordUnavailable,
    Throttled,
    WaitlistNotFound,
)
from waitlist_api.queue.messages import Placing, drop_of, drop_of_earlier
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.queue.segmented import SegmentedQueue
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord
from waitlist_api.records.ledger import EntryChanged
from waitlist_api.records.samples import SampleRecords
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone, NotOpenYet, NotWaiting, WaitlistClosed, WaitlistFull


class SignedUp(Struct, frozen=True):
    """The entry after a signup.

    `is_new` is true if this request added the entry. It is false if an earlier request added it.
    """

    view: EntryView
    is_new: bool


class Joins(Struct, frozen=True):
    """Finishes intents to join. Each step is idempotent, so another request can repeat it."""

    waitlist_cache: WaitlistCache
    entries: EntryRecords
    recovering_queue: RecoveringQueue
    segmented_queue: SegmentedQueue
    samples: SampleRecords
    now_millis: NowMillis

    def finish(self, record: EntryRecord) -> SignedUp:
        """Add the entry to the queue in Redis, and record its place.

        If Redis refuses the entry, the intent is removed from the record.
        """
        placed = self._take_place(record)
        is_new = self.record(record, placed)
        place = (placed.rank, placed.ticket, placed.position, placed.total, placed.pace)
        view = EntryView.placed(record.entry_id, "waiting", *place)
        return SignedUp(replace(view, ready_ahead=placed.ready_ahead), is_new)

    def try_to_finish(self, record: EntryRecord) -> None:
        """Finish an intent to join, or remove it if the entry is refused.

        Either way, the status of the entry is no longer `joining`.
        """
        with suppress(Gone, InvalidFields, NotOpenYet, NotWaiting, WaitlistClosed, WaitlistFull):
            self.finish(record)

    def record(self, record: EntryRecord, placed: c.SignupResult) -> bool:
        """Record the place in Redis. Return False if another request had recorded it before."""
        try:
            self.entries.finish_join(record, placed, self.now_millis())
        except EntryChanged as changed:
            self._settle(record, placed, changed.record)
            return False
        self._count_source(record)
        return True

    def cancel(self, record: EntryRecord) -> None:
        """Remove an intent to join after Redis has ended its stay.

        Redis has a tombstone of the stay by then, so that a late message cannot add the entry.
        """
        try:
            self.entries.cancel_join(record)
        except EntryChanged:
            # Another request has finished or ended this stay, and its outcome counts.
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
            # An earlier message may have placed the entry already, or may still be under way.
            if self._end_unplaced(record).outcome == "present":
                placed = self.segmented_queue.send(Placing(record, is_checked=True))
                return placed
            self.cancel(record)
            raise
        except (NotOpenYet, WaitlistClosed, WaitlistFull, WaitlistNotFound, Gone) as refusal:
            # When Redis refuses an entry, it also ends the stay.
            self.waitlist_cache.forget(record.waitlist_id)
            self.cancel(record)
            if isinstance(refusal, NotOpenYet):
                settings = self.waitlist_cache.look_up(record.waitlist_id).settings
                raise OpensLater(settings.opens_at) from refusal
            raise
        return placed

    def _end_unplaced(self, record: EntryRecord) -> c.EndOfStayResult:
        """End the stay in Redis, unless Redis has a place for it."""
        message = replace(drop_of(record), unless_placed=True)
        ended: c.EndOfStayResult = self.recovering_queue.write(message)
        return ended

    def _settle(
        self, record: EntryRecord, placed: c.SignupResult, existing: EntryRecord | None
    ) -> None:
        """Accept the place that a concurrent request has recorded.

        NotWaiting is raised if the stay has ended.
        """
        same_stay = existing is not None and existing.join_id == record.join_id
        if existing is not None and same_stay and existing.status in (*PRESENT, "admitted"):
            return
        if not same_stay:
            # No record refers to this place, so no later leave would remove the place.
            self.recovering_queue.write(drop_of(replace(record, ticket=placed.ticket)))
        raise NotWaiting("This signup was cancelled while it was in progress. Sign up again.")

    def _count_source(self, record: EntryRecord) -> None:
        """Count where the customer came from, if the waitlist's form asks for this.

        A failure to count does not fail the signup.
        """
        page = self.waitlist_cache.find(record.waitlist_id).settings.page
        source = page.source_of(record.profile | record.attributes) if page else None
        if source is not None:
            with suppress(Throttled, RecordUnavailable):
                self.samples.count_source(record.waitlist_id, source)
