"""Pages of entries that left, were admitted or banned, or get no messages, in order of time."""

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
from waitlist_api.records.entry import PRESENT, SHARDS, EntryRecord, shard_of
from waitlist_api.records.places import EndedPage, Places
from waitlist_api.records.recipients import UNREACHED, Recipients, Unreached, is_unreached
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_shared.limits import MAX_PASS_SECONDS
from waitlist_shared.ranks import ticket_of_millis

Listed = Literal["admitted", "left", "inside", "banned", "unreachable", "messages_off"]
# So many entries that get no messages are counted of each shard.
MOST_COUNTED = 100
# Much longer than between an item of the index and its record, which is written next.
SETTLED_MILLIS = 3600_000


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
    """Lists entries whose stay ended, whose customer is banned or gets no messages, by that time.

    The index is eventually consistent: an entry can be missing for a moment after its stay ended.
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
            if entry_id in records and _is_still_listed(records[entry_id], which, now)
        ]
        return listed, following.cursor if following else None

    def count_unreached(self, waitlist_id: str) -> dict[Unreached, int]:
        """Return how many entries with a place get no messages, and why; at most 1,600 are read.

        Deletes items of the index of which the record says nothing, or which are of another stay.
        """
        with ThreadPoolExecutor(max_workers=SHARDS) as pool:
            shards = pool.map(
                lambda shard: self.places.unreached(waitlist_id, shard, MOST_COUNTED),
                range(SHARDS),
            )
            marks = [mark for shard in shards for mark in shard]
        records = self.entries.get_many(waitlist_id, [mark.entry_id for mark in marks])
        settled_millis = self.now_millis() - SETTLED_MILLIS
        for mark in marks:
            record = records.get(mark.entry_id)
            is_known = record is not None and record.ticket == mark.ticket
            is_said = record is not None and any(is_unreached(record, one) for one in UNREACHED)
            # A place that was taken back is reinstated with what the record says of it.
            if not (is_known and is_said) and mark.place_rank < settled_millis:
                self.recipients.remove(waitlist_id, mark)
        return {
            which: sum(_is_unreached(record, which) for record in records.values())
            for which in UNREACHED
        }


def _is_unreached(record: EntryRecord, which: Unreached) -> bool:
    return record.status in PRESENT and is_unreached(record, which)


def _is_still_listed(record: EntryRecord, which: Listed, now_millis: int) -> bool:
    """Return whether the record is what the index had: the entry may have joined again since."""
    if record.erase:
        return False
    if which == "banned":
        return record.ban_stamp > 0
    if which in UNREACHED:
        return _is_unreached(record, which)
    if record.has_never_joined:
        return False
    return record.inside_until(now_millis) > 0 if which == "inside" else record.status == which
