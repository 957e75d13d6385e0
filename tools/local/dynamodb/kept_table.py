"""An in-memory table that also writes its items to a SQLite file."""

import json
import sqlite3
from pathlib import Path
from typing import Any

from tools.local.dynamodb.items import TABLE_KEYS, Item, Key
from tools.local.dynamodb.memory_table import MemoryTable


class KeptTable(MemoryTable):
    """A table that writes each change to the file before it answers.

    Each request is one SQLite transaction.
    """

    def __init__(self, file: Path) -> None:
        super().__init__()
        # Several threads may use the connection, because each call holds the table's lock.
        self._file = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        self._file.execute("PRAGMA journal_mode = WAL")
        # With this setting, no write is lost if the process is killed, but a power failure may lose
        # the last few writes.
        self._file.execute("PRAGMA synchronous = NORMAL")
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS items (pk, sk, item, PRIMARY KEY (pk, sk)) WITHOUT ROWID"
        )
        rows = self._file.execute("SELECT pk, sk, item FROM items")
        self.items = {(pk, sk): json.loads(item) for pk, sk, item in rows}
        # Sort all partitions now, so that the first request does not have to wait for it.
        self.items.partition(TABLE_KEYS, "")

    def transact_write_items(self, TransactItems: list[Item], **_: Any) -> Item:  # noqa: N803
        with self._lock:
            self._file.execute("BEGIN")
            try:
                return super().transact_write_items(TransactItems)
            finally:
                # If a transaction was refused, the table has already undone its writes.
                self._file.execute("COMMIT")

    def _write(self, key: Key, item: Item | None) -> None:
        super()._write(key, item)
        if item is None:
            self._file.execute("DELETE FROM items WHERE pk = ? AND sk = ?", key)
        else:
            values = (*key, json.dumps(item, ensure_ascii=False, separators=(",", ":")))
            self._file.execute("REPLACE INTO items VALUES (?, ?, ?)", values)
