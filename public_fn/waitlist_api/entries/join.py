"""Joins: finish an intent to join. Take its place in Redis, and record the place."""

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
from waitlist_api.records.entries import EntryChanged, EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord
from waitlist_api.records.samples import SampleRecords
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone, NotOpenYet, NotWaiting, WaitlistClosed, WaitlistFull


class SignedUp(Struct, frozen=True):
    """The entry; `is_new` if this request made it, not an earlier one that it repeats."""

    view: EntryView
    is_new: bool


class Joins(Struct, frozen=True):
    """Finishes intents to join. Each step may be repeated, also by another request."""

    waitlist_cache: WaitlistCache
    entries: EntryRecords
    recovering_queue: RecoveringQueue
    segmented_queue: SegmentedQueue
    samples: SampleRecords
    now_millis: NowMillis

    def finish(self, record: EntryRecord) -> SignedUp:
        """Finish an intent to join: record its place, or remove the intent if Redis refuses it."""
        placed = self._take_place(record)
        is_new = self.record(record, placed)
        place = (placed.rank, placed.ticket, placed.position, placed.total, placed.pace)
        view = EntryView.placed(record.entry_id, "waiting", *place)
        return SignedUp(replace(view, ready_ahead=placed.ready_ahead), is_new)

    def try_to_finish(self, record: EntryRecord) -> None:
        """Finish an intent to join. If that is refused, the entry is not joining any more."""
        with suppress(Gone, InvalidFields, NotOpenYet, NotWaiting, WaitlistClosed, WaitlistFull):
            self.finish(record)

    def record(self, record: EntryRecord, placed: c.SignupResult) -> bool:
        """Record the place that Redis gave; return False if another request had recorded it."""
        try:
            self.entries.finish_join(record, placed, self.now_millis())
        except EntryChanged as changed:
            self._settle(record, placed, changed.record)
            return False
        self._count_source(record)
        return True

    def cancel(self, record: EntryRecord) -> None:
        """Remove an intent to join after Redis has ended its stay.

        The tombstone is there first: a message that is late finds it, and adds no entry.
        """
        try:
            self.entries.cancel_join(record)
        except EntryChanged:
            # Another request has finished or ended this stay: its outcome counts.
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
            # An earlier message may have placed it, or may be under way.
            if self._end_unplaced(record).outcome == "present":
                placed = self.segmented_queue.send(Placing(record, is_checked=True))
                return placed
            self.cancel(record)
            raise
        except (NotOpenYet, WaitlistClosed, WaitlistFull, WaitlistNotFound, Gone) as refusal:
            # Redis has ended the stay with its refusal.
            self.waitlist_cache.forget(record.waitlist_id)
            self.cancel(record)
            if isinstance(refusal, NotOpenYet):
                settings = self.waitlist_cache.look_up(record.waitlist_id).settings
                raise OpensLater(settings.opens_at) from refusal
            raise
        return placed

    def _end_unplaced(self, record: EntryRecord) -> c.EndOfStayResult:
        """End a stay in Redis, unless it has a place there."""
        message = replace(drop_of(record), unless_placed=True)
        ended: c.EndOfStayResult = self.recovering_queue.write(message)
        return ended

    def _settle(
        self, record: EntryRecord, placed: c.SignupResult, existing: EntryRecord | None
    ) -> None:
        """Accept a place that a concurrent request has recorded; raise if the stay has ended."""
        same_stay = existing is not None and existing.join_id == record.join_id
        if existing is not None and same_stay and existing.status in (*PRESENT, "admitted"):
            return
        if not same_stay:
            # No record refers to this place, so no later leave would remove it.
            self.recovering_queue.write(drop_of(replace(record, ticket=placed.ticket)))
        raise NotWaiting("This signup was taken back while it was under way; sign up again.")

    def _count_source(self, record: EntryRecord) -> None:
        """Count where the customer came from, where the list asks; the signup stands without it."""
        page = self.waitlist_cache.find(record.waitlist_id).settings.page
        source = page.source_of(record.profile | record.attributes) if page else None
        if source is not None:
            with suppress(Throttled, RecordUnavailable):
                self.samples.count_source(record.waitlist_id, source)
