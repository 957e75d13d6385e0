"""Groups a file's rows into requests within the API's limits."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from waitlist_cli.imports.columns import CUSTOMER, Columns, Reading
from waitlist_cli.imports.invalid import InvalidRow
from waitlist_cli.imports.records import Record

MOST_ROWS = 500
# The API accepts request bodies of up to 2 MB.
MOST_BYTES = 1_500_000
PREFIX = b'{"entries":['


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a file, with the entry to import."""

    record: Record
    # The entry as JSON, or None if the row is not sent to the service.
    content: bytes | None
    problem: str = ""
    customer_id: str = ""
    address: str = ""
    notes: tuple[str, ...] = ()


@dataclass
class Batch:
    """The rows that one import request covers."""

    # All rows, including rows that are not sent.
    rows: list[Row] = field(default_factory=list)
    # The rows that are sent in the request.
    sent: list[Row] = field(default_factory=list)
    size: int = 0

    def add(self, row: Row) -> None:
        self.rows.append(row)
        if row.content is not None:
            self.sent.append(row)
            self.size += len(row.content) + 1

    def has_room_for(self, row: Row) -> bool:
        size = self.size + len(row.content or b"") + 1
        return len(self.rows) < MOST_ROWS and size <= MOST_BYTES


def body_of(rows: Iterable[Row], **options: object) -> bytes:
    """Encode the body of an import request. Options without a value are left out."""
    given = {name: value for name, value in options.items() if value}
    also = "".join(f",{json.dumps(name)}:{json.dumps(value)}" for name, value in given.items())
    return PREFIX + b",".join(row.content or b"" for row in rows) + f"]{also}}}".encode()


def group_into_batches(
    records: Iterable[Record], columns: Columns, run_key: str
) -> Iterator[Batch]:
    """Group rows into batches, in the order of the file.

    A row's idempotency key consists of the random string `run_key` and the row's number.
    """
    batch = Batch()
    for record in records:
        row = _row(record, columns, run_key)
        if not batch.has_room_for(row) and batch.rows:
            yield batch
            batch = Batch()
        batch.add(row)
    if batch.rows:
        yield batch


def read_entry(record: Record, columns: Columns) -> Reading:
    """Convert a record to an entry. Raise InvalidRow if the record is not valid."""
    if record.problem:
        raise InvalidRow(record.problem)
    reading = columns.read(record.fields)
    if reading.entry is None:
        return reading
    try:
        size = len(_json(reading.entry))
    except UnicodeEncodeError:
        raise InvalidRow("has bytes that are not in the encoding of the file") from None
    except ValueError:
        raise InvalidRow("NaN and Infinity are not JSON") from None
    if size > MOST_BYTES:
        raise InvalidRow(f"{size:,} bytes is too large for a signup")
    return reading


def _row(record: Record, columns: Columns, run_key: str) -> Row:
    try:
        reading = read_entry(record, columns)
    except InvalidRow as error:
        return Row(record, None, str(error))
    if reading.entry is None:
        return Row(record, None, notes=reading.notes)
    # If a request is sent twice, the service recognises each row by this idempotency key.
    entry = reading.entry | {"idempotency_key": f"{run_key}-{record.number}"}
    address = str(entry.get("profile", {}).get(columns.identity, ""))
    return Row(
        record,
        _json(entry),
        customer_id=entry.get(CUSTOMER, ""),
        address=address,
        notes=reading.notes,
    )


def _json(entry: dict[str, Any]) -> bytes:
    text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode()
