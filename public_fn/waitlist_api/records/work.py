"""Stores operators' bulk tasks, such as invitations.

Each task is done page by page, and any process can continue a task that another process has begun.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, Generic, Self, TypeVar

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from waitlist_api.clock import NowMillis
from waitlist_api.records.table import ConditionFailed, Item, Key, Table
from waitlist_shared.errors import IdempotencyKeyReused, Throttled

# The partition that lists the running tasks. It also contains maintenance's progress, so that
# maintenance reads both with one query (records/rounds.py).
RUNNING_PK = "MAINTENANCE"
ID, KEY = "ID#", "KEY#"
# How long a request's idempotency key is remembered.
ONCE_SECONDS = 24 * 3600


class Work(Struct, frozen=True, kw_only=True):
    """A bulk task, such as an invitation to many customers.

    It is done page by page, and `page` is the number of finished pages.
    """

    # All of a waitlist's tasks of one kind share a partition. The partition's key consists of
    # PARTITION, `#` and the waitlist's id.
    PARTITION: ClassVar[str]
    RUNNING: ClassVar[str]

    waitlist_id: str
    created_millis: int
    by: str
    page: int = 0
    running: bool = True

    @property
    def work_id(self) -> str:
        """The id of the task, as it appears in the sort key."""
        raise NotImplementedError

    @property
    def expires_at(self) -> int:
        """When DynamoDB deletes the item, in seconds since 1970."""
        raise NotImplementedError

    @property
    def running_key(self) -> Key:
        return {"pk": RUNNING_PK, "sk": f"{self.RUNNING}{self.waitlist_id}#{self.work_id}"}

    @classmethod
    def key_in(cls, waitlist_id: str, sort: str) -> dict[str, str]:
        return {"pk": f"{cls.PARTITION}#{waitlist_id}", "sk": sort}

    @classmethod
    def from_item(cls, item: Item) -> Self:
        return convert(item, cls)

    def to_item(self) -> Item:
        key = self.key_in(self.waitlist_id, f"{ID}{self.work_id}")
        return {**key, **to_builtins(self), "expires_at": self.expires_at}


AnyWork = TypeVar("AnyWork", bound=Work)


class WorkRecords(Struct, Generic[AnyWork], frozen=True):
    """Reads and writes all tasks of one kind."""

    table: Table
    now_millis: NowMillis

    @property
    def kind(self) -> type[AnyWork]:
        raise NotImplementedError

    def create(self, work: AnyWork, once_key: str, body: str) -> AnyWork:
        """Store a new task, and return it.

        If a task with the same idempotency key exists, return that task instead.
        """
        now = self.now_millis() // 1000
        once = {
            **work.key_in(work.waitlist_id, f"{KEY}{once_key}"),
            "work_id": work.work_id,
            "body": body,
            "expires_at": now + ONCE_SECONDS,
        }
        is_unused = "attribute_not_exists(#pk) OR #expires_at < :now"
        running = {**work.running_key, "expires_at": work.expires_at}
        writes = [
            self.table.put_write(once, is_unused, {"now": now}),
            self.table.put_write(work.to_item()),
            self.table.put_write(running),
        ]
        try:
            self.table.transact(writes)
        except ConditionFailed:
            # A concurrent copy of the request has already stored the task.
            former = self.find_by_key(work.waitlist_id, once_key, body)
            if former is None:
                raise Throttled from None
            return former
        return work

    def find_by_key(self, waitlist_id: str, once_key: str, body: str) -> AnyWork | None:
        """Return the task that was requested with this idempotency key, or None.

        Raise IdempotencyKeyReused if it was requested with a different body.
        """
        found = self.table.get(self.kind.key_in(waitlist_id, f"{KEY}{once_key}"))
        if not found or not self._is_kept(found):
            return None
        if found["body"] != body:
            raise IdempotencyKeyReused
        return self.find(waitlist_id, found["work_id"])

    def find(self, waitlist_id: str, work_id: str) -> AnyWork | None:
        """Return the task with this id, or None if it does not exist or has expired."""
        item = self.table.get(self.kind.key_in(waitlist_id, f"{ID}{work_id}"))
        return self.kind.from_item(item) if item and self._is_kept(item) else None

    def advance(self, before: AnyWork, after: AnyWork) -> AnyWork | None:
        """Store the progress of a task after a page, and return the task.

        If another process has already finished this page, return None.
        """
        after = replace(after, page=before.page + 1)
        writes = [
            self.table.put_write(after.to_item(), "#page = :read_page", {"read_page": before.page})
        ]
        if not after.running:
            writes.append(self.table.delete_write(after.running_key))
        try:
            self.table.transact(writes)
        except ConditionFailed:
            return None
        return after

    def running(self, sort_keys: Sequence[str]) -> Iterator[AnyWork]:
        """Yield the unfinished tasks that the given sort keys belong to. The sort keys come from
        the `RUNNING_PK` partition.
        """
        for sort_key in sort_keys:
            if not sort_key.startswith(self.kind.RUNNING):
                continue
            waitlist_id, _, work_id = sort_key.removeprefix(self.kind.RUNNING).partition("#")
            found = self.find(waitlist_id, work_id)
            if found is not None and found.running:
                yield found
            else:
                # The waitlist was deleted.
                self.table.delete_many([{"pk": RUNNING_PK, "sk": sort_key}])

    def delete_all(self, waitlist_id: str) -> None:
        """Delete all tasks of this kind that belong to a waitlist."""
        pk = self.kind.key_in(waitlist_id, "")["pk"]
        after: Item | None = {}
        while after is not None:
            items, after = self.table.query("#pk = :pk", {"pk": pk}, after or None)
            for item in items:
                if item["sk"].startswith(ID):
                    self.delete_results(waitlist_id, item["sk"].removeprefix(ID))
            self.table.delete_many([{"pk": item["pk"], "sk": item["sk"]} for item in items])

    def delete_results(self, waitlist_id: str, work_id: str) -> None:
        """Delete the results that a task has stored outside its partition.

        By default, a task has no such results. A kind of task that has such results must override
        this method.
        """

    def _is_kept(self, item: Item) -> bool:
        return bool(item["expires_at"] * 1000 > self.now_millis())
