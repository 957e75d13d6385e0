"""Four lists of entries, each sorted by time: entries that have left, were admitted, are banned, or
receive no messages.
"""

from collections.abc import Sequence
from heapq import merge
from typing import Literal, Self

from msgspec import Struct, field

from waitlist_api import cursors
from waitlist_api.clock import NowMillis
from waitlist_api.entries.position import EntryView
from waitlist_api.entries.queries import EntryDetails
from waitlist_api.parallel import run_all
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, SHARDS, EntryRecord, shard_of
from waitlist_api.records.places import EndedPage, Places
from waitlist_api.records.recipients import UNREACHED, Recipients, Unreached, is_unreached
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_shared.limits import MAX_PASS_SECONDS
from waitlist_shared.ranks import ticket_of_millis

Listed = Literal["admitted", "left", "inside", "banned", "unreachable", "messages_off"]
# The maximum number of unreachable entries that are counted in each shard of the index.
MOST_COUNTED = 100
# An index item is written shortly before its entry's record. If the index item still does not match
# the record after an hour, the item is outdated and can be deleted.
SETTLED_MILLIS = 3600_000


class Point(Struct, frozen=True):
    """The position in the index at which a page begins."""

    # The time, in milliseconds, at which the page begins in every shard of the index. For the list
    # of banned customers, `millis` is a logical timestamp instead.
    millis: int
    # The last entry read from each shard. Several entries in a shard can share a time, so the time
    # alone does not say where the next page begins.
    read: dict[int, str] = field(default_factory=dict)

    @property
    def cursor(self) -> str:
        return cursors.encode_ended(self.millis, [*self.read.values()])

    @classmethod
    def of_cursor(cls, cursor: str) -> Self:
        millis, entry_ids = cursors.decode_ended(cursor)
        return cls(millis, {shard_of(entry_id): entry_id for entry_id in entry_ids})


def merged(pages: Sequence[EndedPage], start: Point, limit: int) -> tuple[list[str], Point | None]:
    """Merge the pages of all shards into a single page, sorted by time.

    Return the entry ids and the point at which the next page starts.
    """
    lasts = [page.last for page in pages if page.last is not None]
    end = min((millis for millis, _ in lasts), default=None)
    in_order = merge(
        *(
            [(millis, shard, entry_id) for millis, entry_id in page.entries]
            for shard, page in enumerate(pages)
        ),
        key=lambda row: row[0],
    )
    within = [row for row in in_order if end is None or row[0] <= end]
    taken = within[:limit]
    entry_ids = [entry_id for _, _, entry_id in taken]
    is_cut = len(within) > limit
    if not is_cut and end is None:
        return entry_ids, None
    millis = taken[-1][0] if is_cut or end is None else end
    read = dict(start.read) if millis == start.millis else {}
    read |= {shard: entry_id for at, shard, entry_id in taken if at == millis}
    if not is_cut:
        read |= {
            shard: page.last[1]
            for shard, page in enumerate(pages)
            if page.last is not None and page.last[0] == millis
        }
    return entry_ids, Point(millis, read)


class Archive(Struct, frozen=True):
    """Returns entries from four lists, each sorted by time: entries that have left, were admitted,
    are banned, or receive no messages.
    """

    places: Places
    entries: EntryRecords
    recipients: Recipients
    waitlist_cache: WaitlistCache
    now_millis: NowMillis

    def page(
        self,
        waitlist_id: str,
        which: Listed,
        since_millis: int | None,
        cursor: str | None,
        limit: int,
    ) -> tuple[list[EntryDetails], str | None]:
        """Return at most `limit` entries, oldest first, and the cursor for the next page.

        A page can be empty even if more pages follow.
        """
        self.waitlist_cache.find(waitlist_id)
        now = self.now_millis()
        # Customers who were admitted before `earliest` are no longer inside, because no pass lasts
        # longer than MAX_PASS_SECONDS.
        earliest = now - MAX_PASS_SECONDS * 1000 if which == "inside" else 0
        since = max(earliest, since_millis or 0)
        start = Point(max(0, ticket_of_millis(since)) if which == "banned" else since)
        if cursor is not None:
            start = Point.of_cursor(cursor)
        pages = run_all(
            lambda shard: self.places.ended_page(
                waitlist_id, shard, which, start.millis, start.read.get(shard), limit, now
            ),
            range(SHARDS),
            workers=SHARDS,
        )
        entry_ids, following = merged(pages, start, limit)
        records = self.entries.get_many(waitlist_id, entry_ids)
        listed = [
            EntryDetails(EntryView.recorded(records[entry_id]), records[entry_id], [])
            for entry_id in entry_ids
            if entry_id in records and _is_still_listed(records[entry_id], which, now)
        ]
        return listed, following.cursor if following else None

    def count_unreached(self, waitlist_id: str) -> dict[Unreached, int]:
        """Count the entries that receive no messages, by reason.

        Also delete outdated index items.
        """
        shards = run_all(
            lambda shard: self.places.unreached(waitlist_id, shard, MOST_COUNTED),
            range(SHARDS),
            workers=SHARDS,
        )
        marks = [mark for shard in shards for mark in shard]
        records = self.entries.get_many(waitlist_id, [mark.entry_id for mark in marks])
        settled_millis = self.now_millis() - SETTLED_MILLIS
        for mark in marks:
            record = records.get(mark.entry_id)
            is_known = record is not None and record.ticket == mark.ticket
            is_confirmed = record is not None and any(
                is_unreached(record, reason) for reason in UNREACHED
            )
            # Do not delete the index item of an entry that has left. If an operator brings the
            # entry back, it must appear in the list of unreachable customers again.
            if not (is_known and is_confirmed) and mark.place_rank < settled_millis:
                self.recipients.remove(waitlist_id, mark)
        return {
            which: sum(_is_unreached(record, which) for record in records.values())
            for which in UNREACHED
        }


def _is_unreached(record: EntryRecord, which: Unreached) -> bool:
    return record.status in PRESENT and is_unreached(record, which)


def _is_still_listed(record: EntryRecord, which: Listed, now_millis: int) -> bool:
    """Return whether the record confirms that the entry belongs in this list.

    The index that lists the entry can be outdated, for example if the customer has just joined
    again.
    """
    if record.intent.erase:
        return False
    if which == "banned":
        return record.ban.stamp > 0
    if which in UNREACHED:
        return _is_unreached(record, which)
    if record.has_never_joined:
        return False
    return record.inside_until(now_millis) > 0 if which == "inside" else record.status == which
