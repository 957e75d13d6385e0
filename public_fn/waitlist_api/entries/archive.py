"""Pages of entries that left, were admitted or were banned, in order of time."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from heapq import merge
from typing import Literal, Self

from msgspec import Struct, field

from waitlist_api import cursors
from waitlist_api.clock import NowMillis
from waitlist_api.entries.position import EntryView
from waitlist_api.entries.queries import EntryDetails
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import SHARDS, EntryRecord, shard_of
from waitlist_api.records.places import EndedPage, Places
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_shared.limits import MAX_PASS_SECONDS
from waitlist_shared.ranks import ticket_of_millis

WhichEnded = Literal["admitted", "left", "inside", "banned"]


class Point(Struct, frozen=True):
    """A time, and of each shard the last entry at exactly that time that was read.

    It is in milliseconds; of bans it is the stamp.
    """

    millis: int
    read: dict[int, str] = field(default_factory=dict)

    @property
    def cursor(self) -> str:
        return cursors.encode_ended(self.millis, [*self.read.values()])

    @classmethod
    def of_cursor(cls, cursor: str) -> Self:
        millis, entry_ids = cursors.decode_ended(cursor)
        return cls(millis, {shard_of(entry_id): entry_id for entry_id in entry_ids})


def merged(pages: Sequence[EndedPage], start: Point, limit: int) -> tuple[list[str], Point | None]:
    """Return the first entries of all shards, and where the next page begins.

    A shard that has more entries ends the page at the last one that was read of it, because its
    next one may be earlier than those of other shards.
    """
    lasts = [page.last for page in pages if page.last is not None]
    end = min((millis for millis, _ in lasts), default=None)
    in_order = merge(
        *(
            [(millis, shard, entry_id) for millis, entry_id in page.entries]
            for shard, page in enumerate(pages)
        ),
        key=lambda one: one[0],
    )
    within = [one for one in in_order if end is None or one[0] <= end]
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
    """Lists entries whose stay ended, or whose customer is banned, by the time of that.

    The index is eventually consistent: an entry can be missing for a moment after its stay ended.
    """

    places: Places
    entries: EntryRecords
    waitlist_cache: WaitlistCache
    now_millis: NowMillis

    def page(
        self,
        waitlist_id: str,
        which: WhichEnded,
        since_millis: int | None,
        cursor: str | None,
        limit: int,
    ) -> tuple[list[EntryDetails], str | None]:
        """Return at most `limit` entries, the oldest first, and the cursor of the next page.

        Reads at most `limit` entries of each shard, so a page can be empty before the last one.
        """
        self.waitlist_cache.find(waitlist_id)
        now = self.now_millis()
        # Before that time every pass is over.
        earliest = now - MAX_PASS_SECONDS * 1000 if which == "inside" else 0
        since = max(earliest, since_millis or 0)
        start = Point(max(0, ticket_of_millis(since)) if which == "banned" else since)
        if cursor is not None:
            start = Point.of_cursor(cursor)
        with ThreadPoolExecutor(max_workers=SHARDS) as pool:
            pages = list(
                pool.map(
                    lambda shard: self.places.ended_page(
                        waitlist_id, shard, which, start.millis, start.read.get(shard), limit, now
                    ),
                    range(SHARDS),
                )
            )
        entry_ids, following = merged(pages, start, limit)
        records = self.entries.get_many(waitlist_id, entry_ids)
        listed = [
            EntryDetails(EntryView.recorded(records[entry_id]), records[entry_id], [])
            for entry_id in entry_ids
            if entry_id in records and _is(records[entry_id], which, now)
        ]
        return listed, following.cursor if following else None


def _is(record: EntryRecord, which: WhichEnded, now_millis: int) -> bool:
    """Return whether the record is what the index had: the entry may have joined again since."""
    if record.erase:
        return False
    if which == "banned":
        return record.ban_stamp > 0
    if record.has_never_joined:
        return False
    return record.inside_until(now_millis) > 0 if which == "inside" else record.status == which
