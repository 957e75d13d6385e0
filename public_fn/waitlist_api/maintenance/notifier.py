"""Finds the people whose turn is near, and those whose offers end soon, on lists that tell them."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import partial

from msgspec import Struct

from waitlist_api.clock import IsTimeUp, NowMillis, never
from waitlist_api.maintenance.isolation import run_all
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


class Head(Struct, frozen=True):
    """The first entries that are ready: a digest of their ids, and the notices that are due.

    Once these are written, all people of the head have been told; not if it `has_others`, who are
    to be told by a later run.
    """

    digest: str = ""
    due: Sequence[Notice] = ()
    has_others: bool = False


class Notifier(Struct, frozen=True):
    """Sends the notices `near` and `ending`; none outside the policy's hours.

    The record has what was sent. An entry that has changed since it was read is looked at again by
    the next run.
    """

    queue: QueueClient
    entries: EntryRecords
    notices: NoticeRecords
    now_millis: NowMillis

    def notify(
        self, waitlist: WaitlistRecord, stats: c.StatsResult, is_time_up: IsTimeUp = never
    ) -> str:
        """Write the events `near` and `ending` that are due.

        Return the digest of the first entries that are ready if all of their people have been told
        that they are near, else an empty one. The next run goes on with what this run has no time
        for.
        """
        settings = waitlist.settings
        if settings.messages is None or is_closed(offer_hours_of(settings), self.now_millis()):
            return ""
        redis_millis = millis_of(stats.clock_stamp)
        head = Head()
        if sends(settings, "near") and stats.waiting > stats.not_ready:
            head = self._head(waitlist.waitlist_id, settings.messages.near, redis_millis)
        due = list(head.due)
        if sends(settings, "ending") and stats.offered:
            due += self._ending(waitlist, redis_millis, is_time_up)
        written = []
        if due:
            known_stamp = max(one.record.known_stamp for one in due)
            drawn: c.DrawStampResult = self.queue.send(
                c.DrawStamp(waitlist_id=waitlist.waitlist_id, known_stamp=known_stamp)
            )
            write = partial(self._write, stamp=drawn.stamp, is_time_up=is_time_up)
            written = run_all(write, due)
        return head.digest if all(written) and not head.has_others else ""

    def _write(self, notice: Notice, stamp: int, is_time_up: IsTimeUp) -> bool:
        """Write a notice; return False if the time is up, or if the record has changed since."""
        if is_time_up():
            return False
        try:
            self.notices.record(notice, stamp)
        except EntryChanged:
            return False
        return True

    def _head(self, waitlist_id: str, most: int, redis_millis: int) -> Head:
        """Look at the first entries that are ready."""
        page: c.ListWaitingResult = self.queue.send(
            c.ListWaiting(waitlist_id=waitlist_id, limit=most, ready=True)
        )
        if not page.entries:
            return Head()
        ids, last_rank = [one.entry_id for one in page.entries], page.entries[-1].rank
        found = self.entries.get_many(waitlist_id, ids)
        notices = [Notice(found[entry_id], "near") for entry_id in ids if entry_id in found]
        new = [notice for notice in notices if notice.is_new]
        now_millis = max(redis_millis, self.now_millis())

        def is_due(notice: Notice) -> bool:
            # The entry may have gone away since Redis was asked.
            record = notice.record
            is_there = record.status == "waiting" and (record.rank or 0) <= last_rank
            return is_there and record.is_ready(now_millis) and notice.due_millis <= redis_millis

        due = [notice for notice in new if is_due(notice)]
        has_others = len(due) < len(new) or len(notices) < len(ids)
        return Head(digest_of(ids), due, has_others)

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


def digest_of(entry_ids: Sequence[str]) -> str:
    """Return a short text that is another one for other entries, or another order of these."""
    return hashlib.sha256("".join(entry_ids).encode()).hexdigest()[:32]


def near_of(settings: WaitlistSettings) -> int:
    """Return how many of the first entries are told that they are near; 0 if none is."""
    if settings.messages is None or not sends(settings, "near"):
        return 0
    return settings.messages.near


def may_be_due(waitlist: WaitlistRecord, stats: c.StatsResult, now_millis: int) -> bool:
    """Return whether a notice may be due though nothing has happened since the last heartbeat.

    Time alone brings an offer near its end. It also brings people near their turn, when a rest or a
    delay of theirs ends or the hours of the policy begin; so do new settings.
    """
    settings = waitlist.settings
    if stats.offered and sends(settings, "ending"):
        return True
    if not stats.first or digest_of(stats.first) == waitlist.checkpoint.told:
        return False
    return not is_closed(offer_hours_of(settings), now_millis)
