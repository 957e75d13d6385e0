"""Notify customers when their turn is near or when their offer ends soon."""

import hashlib
from collections.abc import Generator, Iterator, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.clock import IsTimeUp, NowMillis, never
from waitlist_api.parallel import run_all
from waitlist_api.queue.client import QueueClient
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.ledger import EntryChanged, Ledger
from waitlist_api.records.notices import Notice, Word
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_api.settings.hours import is_closed
from waitlist_api.settings.waitlist import WaitlistSettings, offer_hours_of
from waitlist_shared import contracts as c
from waitlist_shared.limits import MAX_PAGE
from waitlist_shared.ranks import millis_of

# An `ending` notice tells a customer that their offer ends soon. It is due when a quarter of the
# offer's duration is left, but no earlier than a day before the offer ends. A run also writes the
# notices that become due within the next RUN_MILLIS, because the next run may be too late.
PART = 4
DAY_MILLIS = 86_400_000
RUN_MILLIS = 75_000
# If an offer ends in less than LEAST_MILLIS, the customer could hardly accept it in time, so no
# `ending` notice is sent. An offer that lasts less than SHORTEST_MILLIS never gets this notice.
LEAST_MILLIS = 60_000
SHORTEST_MILLIS = 120_000
# How many pages of 100 offers a run reads, beginning with the offers that end first. If there are
# more offers, the run reads the same number of pages again, elsewhere among the remaining offers.
PAGES = 50
MINUTE_MILLIS = 60_000


class Head(Struct, frozen=True):
    """The notices that are due for the ready customers at the head of the queue.

    `digest` is a short hash of these customers' entry ids.
    """

    digest: str = ""
    due: Sequence[Notice] = ()
    # True if some of these customers cannot be notified yet, so that a later run must try again.
    has_others: bool = False


class Notifier(Struct, frozen=True):
    """Writes a notice to customers whose turn is near or whose offer ends soon.

    A customer's notices are stored in their record, so that each notice is written only once.
    """

    queue: QueueClient
    entries: EntryRecords
    ledger: Ledger
    now_millis: NowMillis

    def notify(
        self, waitlist: WaitlistRecord, stats: c.StatsResult, is_time_up: IsTimeUp = never
    ) -> str:
        """Write the `near` and `ending` notices that are due.

        If all customers at the head of the queue now have their notice, return a hash of their
        entry ids. Otherwise return an empty string.
        """
        settings = waitlist.settings
        if settings.messages is None or is_closed(offer_hours_of(settings), self.now_millis()):
            return ""
        redis_millis = millis_of(stats.clock_stamp)
        head = Head()
        if sends_notice(settings, "near") and stats.waiting > stats.not_ready:
            head = self._head(waitlist.waitlist_id, settings.messages.near, redis_millis)
        due = list(head.due)
        if sends_notice(settings, "ending") and stats.offered:
            due += self._ending(waitlist, stats.offered, redis_millis, is_time_up)
        written = []
        if due:
            known_stamp = max(notice.record.known_stamp for notice in due)
            drawn: c.DrawStampResult = self.queue.send(
                c.DrawStamp(waitlist_id=waitlist.waitlist_id, known_stamp=known_stamp)
            )
            write = partial(self._write, stamp=drawn.stamp, is_time_up=is_time_up)
            written = run_all(write, due)
        return head.digest if all(written) and not head.has_others else ""

    def _write(self, notice: Notice, stamp: int, is_time_up: IsTimeUp) -> bool:
        """Write a notice to a customer, and return whether it was written.

        It is not written if no time is left, or if the customer's record has changed since it was
        read.
        """
        if is_time_up():
            return False
        try:
            self.ledger.commit(notice.record, notice.decide(stamp), self.now_millis())
        except EntryChanged:
            return False
        return True

    def _head(self, waitlist_id: str, most: int, redis_millis: int) -> Head:
        """Read the first ready entries from Redis, and find the notices that are due for them."""
        page: c.ListWaitingResult = self.queue.send(
            c.ListWaiting(waitlist_id=waitlist_id, limit=most, ready=True)
        )
        if not page.entries:
            return Head()
        ids, last_rank = [entry.entry_id for entry in page.entries], page.entries[-1].rank
        found = self.entries.get_many(waitlist_id, ids)
        notices = [Notice(found[entry_id], "near") for entry_id in ids if entry_id in found]
        new = [notice for notice in notices if notice.is_new]
        now_millis = max(redis_millis, self.now_millis())

        def is_due(notice: Notice) -> bool:
            # The record was read after the page of entries from Redis, so the entry may no longer
            # be at the head of the queue.
            record = notice.record
            is_there = record.status == "waiting" and (record.rank or 0) <= last_rank
            return is_there and record.is_ready(now_millis) and notice.due_millis <= redis_millis

        due = [notice for notice in new if is_due(notice)]
        has_others = len(due) < len(new) or len(notices) < len(ids)
        return Head(digest_of(ids), due, has_others)

    def _ending(
        self, waitlist: WaitlistRecord, offered: int, redis_millis: int, is_time_up: IsTimeUp
    ) -> Iterator[Notice]:
        """Yield a notice for each offer that ends soon by Redis' clock."""
        until_millis = redis_millis + DAY_MILLIS + RUN_MILLIS
        for page in self._held(waitlist.waitlist_id, offered, until_millis):
            soon = [entry for entry in page if _ends_soon(entry, redis_millis)]
            records = self.entries.get_many(
                waitlist.waitlist_id, [entry.entry_id for entry in soon]
            )
            for entry in soon:
                record = records.get(entry.entry_id)
                if record is None or record.status != "offered" or not record.hold.is_offer:
                    continue
                is_same = record.hold.until_millis == entry.time_millis
                notice = Notice(record, "ending")
                if is_same and notice.is_new:
                    yield notice
            if is_time_up():
                return

    def _held(
        self, waitlist_id: str, offered: int, until_millis: int
    ) -> Iterator[Sequence[c.OffQueueEntry]]:
        """Yield pages of claimed and offered entries whose deadline is no later than
        `until_millis`.

        If there are too many entries for one run, yield the entries with the earliest deadlines,
        and a selection of the others. The selection changes every minute, so that later runs yield
        the entries that this run leaves out.
        """
        is_more = yield from self._pages(waitlist_id, 0, until_millis)
        size = PAGES * MAX_PAGE
        parts = -(-offered // size) - 1
        if is_more and parts > 0:
            part = self.now_millis() // MINUTE_MILLIS % parts
            yield from self._pages(waitlist_id, size * (part + 1), until_millis)

    def _pages(
        self, waitlist_id: str, skip: int, until_millis: int
    ) -> Generator[Sequence[c.OffQueueEntry], None, bool]:
        """Yield pages of claimed and offered entries, skipping the first `skip` entries.

        Return whether more pages may follow.
        """
        request = c.ListOffQueue(waitlist_id=waitlist_id, which="held", skip=skip, limit=MAX_PAGE)
        for _ in range(PAGES):
            page: c.ListOffQueueResult = self.queue.send(request)
            due = [entry for entry in page.entries if entry.time_millis <= until_millis]
            if due:
                yield due
            if len(due) < MAX_PAGE:
                return False
            last = due[-1]
            request = replace(request, after=last.time_millis, after_id=last.entry_id)
        return True


def _ends_soon(entry: c.OffQueueEntry, redis_millis: int) -> bool:
    """Return whether the `ending` notice is due for an offer."""
    # Operators can choose how long some offers last, so compute this offer's duration from its
    # start and end.
    length = entry.time_millis - millis_of(entry.stamp)
    before = min(max(length // PART, LEAST_MILLIS), DAY_MILLIS) + RUN_MILLIS
    left = entry.time_millis - redis_millis
    return length >= SHORTEST_MILLIS and LEAST_MILLIS <= left <= before


def sends_notice(settings: WaitlistSettings, word: Word) -> bool:
    """Return whether the waitlist sends this kind of notice."""
    return settings.messages is not None and word in settings.messages.kinds


def digest_of(entry_ids: Sequence[str]) -> str:
    """Return a short digest of the entry ids and their order."""
    return hashlib.sha256("".join(entry_ids).encode()).hexdigest()[:32]


def count_near(settings: WaitlistSettings) -> int:
    """Return how many entries at the head of the queue get the `near` notice."""
    if settings.messages is None or not sends_notice(settings, "near"):
        return 0
    return settings.messages.near


def may_be_due(waitlist: WaitlistRecord, stats: c.StatsResult, now_millis: int) -> bool:
    """Return whether a run must look for due notices.

    Even if nothing has changed on the waitlist, a notice can become due, for example because an
    offer ends soon.
    """
    settings = waitlist.settings
    if stats.offered and sends_notice(settings, "ending"):
        return True
    if not stats.first or digest_of(stats.first) == waitlist.checkpoint.told:
        return False
    return not is_closed(offer_hours_of(settings), now_millis)
