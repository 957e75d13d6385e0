"""An in-memory table with a stream, which contains a record for each changed item."""

from pathlib import Path
from typing import Any

from tools.local.dynamodb.items import Item, Key
from tools.local.dynamodb.kept_table import KeptTable
from tools.local.dynamodb.memory_table import MemoryTable

TIME_TO_LIVE = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}


class StreamedTable(MemoryTable):
    """A table with the stream that the template declares.

    `records` contains each changed item's old and new images until `take_records` returns them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.records: list[Item] = []

    def transact_write_items(self, TransactItems: list[Item], **more: Any) -> Item:  # noqa: N803
        with self._lock:
            before = len(self.records)
            try:
                return super().transact_write_items(TransactItems, **more)
            except Exception:
                del self.records[before:]
                raise

    def take_records(self) -> Item:
        with self._lock:
            records, self.records = self.records, []
        return {"Records": records}

    def expire(self, now_seconds: int) -> None:
        with self._lock:
            for item in list(self.items.values()):
                if int(item.get("expires_at", {"N": "9" * 12})["N"]) <= now_seconds:
                    self._delete({"Key": {name: item[name] for name in ("pk", "sk")}})
                    self.records[-1]["userIdentity"] = TIME_TO_LIVE

    def _write(self, key: Key, item: Item | None) -> None:
        before = self.items.get(key)
        super()._write(key, item)
        # A write that changes nothing adds no record to DynamoDB's stream.
        if before != item:
            self.records.append(_record(key, before, item))


class StreamedKeptTable(StreamedTable, KeptTable):
    """A table that has a stream and stores its items in a file."""

    def __init__(self, file: Path) -> None:
        KeptTable.__init__(self, file)
        self.records = []


def _record(key: Key, before: Item | None, after: Item | None) -> Item:
    name = "INSERT" if before is None else "REMOVE" if after is None else "MODIFY"
    keys = {"pk": {"S": key[0]}, "sk": {"S": key[1]}}
    images = {"OldImage": before, "NewImage": after}
    change = {"Keys": keys, **{kind: image for kind, image in images.items() if image is not None}}
    return {"eventName": name, "eventSource": "aws:dynamodb", "dynamodb": change}
