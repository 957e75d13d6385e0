"""Read the `by_place` index, which is eventually consistent and therefore never used to decide
about a single entry.
"""

import json
from collections.abc import Iterator
from typing import Any, Self

from msgspec import Struct, convert

from waitlist_api.records.entry import (
    SHARDS,
    EntryRecord,
    HistoryEvent,
    banned_place,
    ended_place,
    ids_of,
    intents_place,
    line_place,
    record_key,
    unreached_place,
)
from waitlist_api.records.facets import Changes, End, Hold
from waitlist_api.records.recipients import UNREACHED, Mark, unreached_key
from waitlist_api.records.table import Item, Table
from waitlist_shared import contracts as c

INDEX = "by_place"
PAGE = 500
NO_ATTRIBUTES = "{}"
INSIDE = (
    "#status = :admitted AND #end.#inside_until_millis > :now"
    " AND attribute_not_exists(#end.#exited_millis)"
)


class IndexRow(Struct, frozen=True, kw_only=True, gc=False):
    """The fields that a rebuild needs to restore an entry in Redis."""

    waitlist_id: str
    entry_id: str
    join_id: str
    status: str
    rank: int | None = None
    ticket: int | None = None
    stamp: int = 0
    hold: Hold = Hold()
    end: End = End()
    attributes: dict[str, Any] = {}
    attributes_version: int = 0
    changes: Changes = Changes()
    readiness: c.Readiness | None = None

    @property
    def known_stamp(self) -> int:
        """The newest logical timestamp in this index row.

        Any later event about the entry must have a greater timestamp.
        """
        return max(self.stamp, self.changes.edited_stamp)

    @classmethod
    def from_item(cls, item: Item) -> Self:
        text = item.get("attributes") or NO_ATTRIBUTES
        attributes = {} if text == NO_ATTRIBUTES else json.loads(text)
        row = {**item, "attributes": attributes}
        row["waitlist_id"], row["entry_id"] = ids_of(item["pk"])
        return convert(row, cls)

    @classmethod
    def from_record(cls, record: EntryRecord) -> Self:
        return cls(**{name: getattr(record, name) for name in cls.__struct_fields__})


class EndedPage(Struct, frozen=True):
    """A page of entries from one shard, sorted by time.

    `last` is the last entry that was read, or None on the last page.
    """

    entries: list[tuple[int, str]]
    last: tuple[int, str] | None


# These fields are not stored in the index. `waitlist_id` and `entry_id` are parsed from the
# partition key.
NOT_PROJECTED = ("waitlist_id", "entry_id", "changes", "readiness")
READ_FROM_INDEX = [name for name in IndexRow.__struct_fields__ if name not in NOT_PROJECTED]
# A rebuild requests only these attributes, because it spends most of its time parsing responses.
ASKED = ", ".join(f"#{name}" for name in ("pk", *READ_FROM_INDEX))


class Places(Struct, frozen=True):
    """Reads entries from the index."""

    table: Table

    def pages_on_waitlist(
        self, waitlist_id: str, shard: int, behind: tuple[int, str] | None = None
    ) -> Iterator[list[IndexRow]]:
        """Yield pages of the entries on the waitlist, sorted by rank.

        To start after a specific entry, pass its rank and id as `behind`.
        """
        place = line_place(waitlist_id, shard)
        start: Item = {}
        if behind is not None:
            rank, entry_id = behind
            start = {**record_key(waitlist_id, entry_id), "place": place, "place_rank": rank}
        return self._pages("#place = :place", {"place": place}, start)

    def pages_at(self, place: str) -> Iterator[list[IndexRow]]:
        """Yield the pages of an index partition."""
        return self._pages("#place = :place", {"place": place})

    def pages_changed_on_waitlist(
        self, waitlist_id: str, shard: int, since_millis: int
    ) -> Iterator[list[IndexRow]]:
        """Yield pages of entries on the waitlist that have changed since the given time."""
        return self._pages(
            "#place = :place",
            {"place": line_place(waitlist_id, shard), "since": since_millis},
            FilterExpression="#updated_millis >= :since",
        )

    def ended(self, waitlist_id: str, shard: int, since_millis: int) -> Iterator[list[IndexRow]]:
        """Yield pages of entries that have left or been admitted since the given time, oldest
        first.
        """
        return self._pages(
            "#place = :place AND #place_rank >= :since",
            {"place": ended_place(waitlist_id, shard), "since": since_millis},
        )

    def inside(
        self, waitlist_id: str, shard: int, since_millis: int, now_millis: int
    ) -> Iterator[list[IndexRow]]:
        """Yield pages of customers who have been admitted since the given time and are still
        inside.
        """
        return self._pages(
            "#place = :place AND #place_rank >= :since",
            {
                "place": ended_place(waitlist_id, shard),
                "since": since_millis,
                "now": now_millis,
                "admitted": "admitted",
            },
            FilterExpression=INSIDE,
        )

    def ended_page(
        self,
        waitlist_id: str,
        shard: int,
        which: str,
        since: int,
        after: str | None,
        limit: int,
        now_millis: int,
    ) -> EndedPage:
        """Return a page of the entries in a group.

        `which` is `admitted`, `left`, `inside`, `banned`, or one of the groups in UNREACHED, whose
        customers get no messages. A page can contain fewer than `limit` entries even if it is not
        the last page.
        """
        place, filters = ended_place(waitlist_id, shard), {"FilterExpression": "#status = :status"}
        values: Item = {"status": which}
        if which == "inside":
            filters = {"FilterExpression": INSIDE}
            values = {"admitted": "admitted", "now": now_millis}
        elif which == "banned":
            place, filters, values = banned_place(waitlist_id, shard), {}, {}
        elif which in UNREACHED:
            place, filters, values = unreached_place(waitlist_id, shard), {}, {}
        start: Item | None = None
        if after is not None:
            key = record_key(waitlist_id, after)
            if which == "banned":
                key = HistoryEvent.key(waitlist_id, after, since, "banned")
            elif which in UNREACHED:
                key = unreached_key(waitlist_id, after)
            start = {**key, "place": place, "place_rank": since}
        items, last = self.table.query(
            "#place = :place AND #place_rank >= :since",
            {"place": place, "since": since, **values},
            start,
            IndexName=INDEX,
            Limit=limit,
            ProjectionExpression="#pk, #place_rank",
            **filters,
        )
        read = None if last is None else _time_and_entry(last)
        return EndedPage([_time_and_entry(item) for item in items], read)

    def unreached(self, waitlist_id: str, shard: int, limit: int) -> list[Mark]:
        """Return up to `limit` items, each of which marks a customer who gets no messages."""
        items, _ = self.table.query(
            "#place = :place",
            {"place": unreached_place(waitlist_id, shard)},
            IndexName=INDEX,
            Limit=limit,
            ProjectionExpression="#pk, #ticket, #place_rank",
        )
        return [convert({**item, "entry_id": ids_of(item["pk"])[1]}, Mark) for item in items]

    def unfinished(self, waitlist_id: str, shard: int) -> Iterator[list[IndexRow]]:
        """Yield pages of entries that are joining or leaving the waitlist, oldest first."""
        pages = self._pages(
            "#place = :place",
            {"place": intents_place(shard), "joining": "joining", "leaving": "leaving"},
            FilterExpression="#status IN (:joining, :leaving)",
        )
        for page in pages:
            yield [placed for placed in page if placed.waitlist_id == waitlist_id]

    def scheduled(self, waitlist_id: str, shard: int) -> Iterator[list[IndexRow]]:
        """Yield pages of a waitlist's entries that maintenance has to work on.

        These are entries with unfinished requests, signups whose address must be verified by a
        deadline, and aliases that must be checked.
        """
        for page in self.pages_at(intents_place(shard)):
            yield [placed for placed in page if placed.waitlist_id == waitlist_id]

    def intents(self, shard: int, before_millis: int) -> Iterator[list[IndexRow]]:
        """Yield pages of the work on all waitlists that was due before the given time, oldest
        first.
        """
        return self._pages(
            "#place = :place AND #place_rank < :before",
            {"place": intents_place(shard), "before": before_millis},
        )

    def newest_stamp(self, waitlist_id: str) -> int:
        """Return the newest timestamp in the records of the entries at the end of the queue.

        Tickets and timestamps come from the same counter, so a new signup's ticket must be greater
        than this timestamp.
        """
        newest = 0
        for shard in range(SHARDS):
            items, _ = self.table.query(
                "#place = :place",
                {"place": line_place(waitlist_id, shard)},
                IndexName=INDEX,
                ScanIndexForward=False,
                Limit=1,
                ProjectionExpression="#stamp",
            )
            newest = max([newest, *(item.get("stamp", 0) for item in items)])
        return newest

    def _pages(
        self, condition: str, values: Item, start: Item | None = None, **options: str
    ) -> Iterator[list[IndexRow]]:
        after: Item | None = start or {}
        while after is not None:
            items, after = self.table.query(
                condition,
                values,
                after or None,
                IndexName=INDEX,
                Limit=PAGE,
                ProjectionExpression=ASKED,
                **options,
            )
            yield [IndexRow.from_item(item) for item in items]


def _time_and_entry(item: Item) -> tuple[int, str]:
    return int(item["place_rank"]), ids_of(item["pk"])[1]
