"""Read and write the journal, which lists recent changes to records, minute by minute.

Maintenance compares these changes with Redis.
"""

from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Self

from msgspec import Struct
from msgspec.structs import asdict

from waitlist_api.parallel import run_all
from waitlist_api.records.entry import SHARDS, EntryRecord, shard_of
from waitlist_api.records.table import Item, Table
from waitlist_shared.ranks import TICKETS_PER_MILLISECOND

PAGE = 500
MINUTE = 60_000 * TICKETS_PER_MILLISECOND
# These values of `status` are not statuses of records. They mean that the entry was edited, that
# the admitted customer is no longer inside, or that the entry was erased.
EDITED, EXITED, ERASED = "edited", "exited", "erased"
KEPT_SECONDS = 2 * 24 * 3600
BEHIND_ALL = "~"
# How many minutes of the journal are read in one step. After a long interruption, most minutes are
# empty, so a step covers several.
STEP_MINUTES = 4

Key = tuple[str, str]


class Change(Struct, frozen=True, kw_only=True):
    """A change to a record, with the entry's state after the change.

    `status` is the record's status, or `edited`, `exited` or `erased`.
    """

    waitlist_id: str
    entry_id: str
    stamp: int
    status: str
    rank: int = 0
    # When the entry's pass, claim, offer or delay ends, or 0 if it has none.
    until_millis: int = 0
    join_id: str = ""
    # The ticket is 0 if the signup never got a place in the queue.
    ticket: int = 0

    @property
    def key(self) -> Key:
        """The waitlist id and the entry id."""
        return self.waitlist_id, self.entry_id

    @classmethod
    def from_item(cls, item: Item) -> Self:
        return cls(**{name: item[name] for name in cls.__struct_fields__ if name in item})

    def to_item(self, now_millis: int) -> Item:
        """Return the change as a DynamoDB item, which expires after two days."""
        return {
            "pk": _pk(self.stamp // MINUTE, shard_of(self.entry_id)),
            "sk": f"{self.stamp:016d}#{self.waitlist_id}#{self.entry_id}",
            "expires_at": now_millis // 1000 + KEPT_SECONDS,
            **{name: value for name, value in asdict(self).items() if value not in ("", 0)},
        }


def change_of(
    record: EntryRecord, stamp: int, status: str, *, rank: int = 0, until_millis: int = 0
) -> Change:
    """Return the journal entry for a change to the record."""
    return Change(
        waitlist_id=record.waitlist_id,
        entry_id=record.entry_id,
        stamp=stamp,
        status=status,
        rank=rank,
        until_millis=until_millis,
    )


class Journal(Struct, frozen=True):
    """Reads and writes recent changes across all waitlists."""

    table: Table

    def enter(self, change: Change, now_millis: int) -> None:
        """Write a change to the journal for an entry that has no record.

        The item's key is derived from the change, so a repeated call writes the same item.
        """
        self.table.transact([self.table.put_write(change.to_item(now_millis))])

    def in_steps(self, after: int, until: int) -> Iterator[tuple[int, list[Change]]]:
        """Yield the changes later than `after`, up to and including `until`, in steps of a few
        minutes.

        Each result is the timestamp up to which the journal has now been read, and the changes in
        this step.
        """
        last = until // MINUTE
        for first in range(after // MINUTE, last + 1, STEP_MINUTES):
            behind = min(first + STEP_MINUTES, last + 1)
            work = partial(self._minutes_of, range(first, behind), after, until)
            read = run_all(work, range(SHARDS), workers=SHARDS)
            yield min(behind * MINUTE - 1, until), list(chain.from_iterable(read))

    def of_shard(self, shard: int, after: int, until: int) -> Iterator[tuple[int, list[Change]]]:
        """Yield a shard's changes later than `after`, up to and including `until`, oldest first.

        Each result is the timestamp up to which the shard has now been read, and a page of changes.
        """
        for minute in range(after // MINUTE, until // MINUTE + 1):
            for page in self._pages(_pk(minute, shard), after, until):
                # The next page may contain more changes with the same timestamp as this page's last
                # change, so only the timestamps before it have been read completely.
                yield page[-1].stamp - 1, page
            yield min((minute + 1) * MINUTE - 1, until), []

    def _minutes_of(self, minutes: range, after: int, until: int, shard: int) -> list[Change]:
        return [
            change
            for minute in minutes
            for page in self._pages(_pk(minute, shard), after, until)
            for change in page
        ]

    def _pages(self, pk: str, after: int, until: int) -> Iterator[list[Change]]:
        values = {"pk": pk, "low": f"{after:016d}{BEHIND_ALL}", "high": f"{until:016d}{BEHIND_ALL}"}
        condition = "#pk = :pk AND #sk BETWEEN :low AND :high"
        last: Item | None = {}
        while last is not None:
            items, last = self.table.query(condition, values, last or None, Limit=PAGE)
            if items:
                yield [Change.from_item(item) for item in items]


def _pk(minute: int, shard: int) -> str:
    return f"JOURNAL#{minute}#{shard}"
