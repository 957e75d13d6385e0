"""Finds the people whose turn is near, and those whose offers end soon, on lists that tell them."""

from collections.abc import Iterator, Sequence
from functools import partial

from msgspec import Struct

from waitlist_api.clock import IsTimeUp, NowMillis, never
from waitlist_api.maintenance.isolation import run_each
from waitlist_api.queue.client import QueueClient
from waitlist_api.records.entries import EntryChanged, EntryRecords
from waitlist_api.records.notices import Notice, NoticeRecords, Word
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistSettings, offer_hours_of
from waitlist_api.settings.hours import is_closed
from waitlist_shared import contracts as c
from waitlist_shared.limits import MAX_PAGE
from waitlist_shared.ranks import millis_of

# An offer ends soon in the last quarter of its time. The run before that sends the notice, so that
# it is there in time.
PART = 4
RUN_MILLIS = 75_000
# Who reads the notice later can hardly come in time; a shorter offer has none.
LEAST_MILLIS = 60_000
SHORTEST_SECONDS = 120
OFFER_SECONDS = 600  # without a policy
# Offers, 100 a page; the next run goes on.
PAGES = 100


class Notifier(Struct, frozen=True):
    """Sends notices, at most one of a stay and of an offer, and none outside the policy's hours.

    The record has what was sent. An entry that has changed since it was read is looked at again by
    the next run.
    """

    queue: QueueClient
    entries: EntryRecords
    notices: NoticeRecords
    now_millis: NowMillis

    def notify(
        self, waitlist: WaitlistRecord, stats: c.StatsResult, is_time_up: IsTimeUp = never
    ) -> None:
        """Write the events `near` and `ending` that are due.

        The next run goes on with what this one has no time for.
        """
        settings = waitlist.settings
        if settings.messages is None or is_closed(offer_hours_of(settings), self.now_millis()):
            return
        due: list[Notice] = []
        if sends(settings, "near") and stats.waiting > stats.not_ready:
            due += self._near(waitlist.waitlist_id, settings.messages.near)
        if sends(settings, "ending") and stats.offered:
            due += self._ending(waitlist, millis_of(stats.clock_stamp), is_time_up)
        if due:
            drawn: c.AllocateTicketsResult = self.queue.send(
                c.AllocateTickets(waitlist_id=waitlist.waitlist_id)
            )
            write = partial(self._write, stamp=drawn.stamp, is_time_up=is_time_up)
            run_each(write, due)

    def _write(self, notice: Notice, stamp: int, is_time_up: IsTimeUp) -> None:
        if is_time_up():
            return
        try:
            self.notices.record(notice, stamp)
        except EntryChanged:
            return

    def _near(self, waitlist_id: str, most: int) -> Iterator[Notice]:
        """Yield the notices of the first entries that are ready."""
        page: c.ListWaitingResult = self.queue.send(
            c.ListWaiting(waitlist_id=waitlist_id, limit=most, ready=True)
        )
        ids = [one.entry_id for one in page.entries]
        for record in self.entries.get_many(waitlist_id, ids).values():
            notice = Notice(record, "near")
            if record.status == "waiting" and notice.is_new:
                yield notice

    def _ending(
        self, waitlist: WaitlistRecord, redis_millis: int, is_time_up: IsTimeUp
    ) -> Iterator[Notice]:
        """Yield the notices of offers that end soon, by Redis' clock."""
        policy = waitlist.settings.admission
        offer_seconds = policy.offer_seconds if policy else OFFER_SECONDS
        if offer_seconds < SHORTEST_SECONDS:
            return
        before = max(offer_seconds * 1000 // PART, LEAST_MILLIS) + RUN_MILLIS
        for some in self._held(waitlist.waitlist_id, redis_millis + before):
            records = self.entries.get_many(waitlist.waitlist_id, [one.entry_id for one in some])
            for one in some:
                record = records.get(one.entry_id)
                if record is None or record.status != "offered" or not record.is_offer:
                    continue
                is_same = record.claimed_until_millis == one.time_millis
                notice = Notice(record, "ending")
                if is_same and one.time_millis >= redis_millis + LEAST_MILLIS and notice.is_new:
                    yield notice
            if is_time_up():
                return

    def _held(self, waitlist_id: str, until_millis: int) -> Iterator[Sequence[c.OffQueueEntry]]:
        """Yield pages of the entries whose hold or offer ends by a time, the earliest first."""
        request = c.ListOffQueue(waitlist_id=waitlist_id, which="held", limit=MAX_PAGE)
        for _ in range(PAGES):
            page: c.ListOffQueueResult = self.queue.send(request)
            some = [one for one in page.entries if one.time_millis <= until_millis]
            if some:
                yield some
            if len(some) < MAX_PAGE:
                return
            last = some[-1]
            request = c.ListOffQueue(
                waitlist_id=waitlist_id,
                which="held",
                after=last.time_millis,
                after_id=last.entry_id,
                limit=MAX_PAGE,
            )


def sends(settings: WaitlistSettings, word: Word) -> bool:
    """Return whether a list tells its people so."""
    return settings.messages is not None and word in settings.messages.kinds


def may_be_due(waitlist: WaitlistRecord, stats: c.StatsResult) -> bool:
    """Return whether a notice may be due though nothing has happened since the last heartbeat.

    Time alone brings an offer near its end; new settings, people near their turn.
    """
    if stats.offered and sends(waitlist.settings, "ending"):
        return True
    is_changed = waitlist.updated_millis > millis_of(waitlist.checkpoint.stamp)
    return is_changed and stats.waiting > 0 and sends(waitlist.settings, "near")
