"""Groups rows into calls: as many as the API accepts, in file order."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from waitlist_cli.imports.columns import CUSTOMER, Columns, Reading
from waitlist_cli.imports.invalid import InvalidRow
from waitlist_cli.imports.records import Record

MOST_ROWS = 500
# The API accepts 2 MB.
MOST_BYTES = 1_500_000
PREFIX = b'{"entries":['


@dataclass(frozen=True, slots=True)
class Row:
    """A record and its entry as JSON; None if the row is not sent.

    Then it has a `problem`, or `notes` that say why the import leaves the person out.
    """

    record: Record
    content: bytes | None
    problem: str = ""
    customer_id: str = ""
    address: str = ""
    notes: tuple[str, ...] = ()


@dataclass
class Batch:
    """The rows of one call; `sent` leaves out those with a problem."""

    rows: list[Row] = field(default_factory=list)
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
    """Return a request's body: the rows, and each option that is set."""
    given = {name: value for name, value in options.items() if value}
    also = "".join(f",{json.dumps(name)}:{json.dumps(value)}" for name, value in given.items())
    return PREFIX + b",".join(row.content or b"" for row in rows) + f"]{also}}}".encode()


def batches(records: Iterable[Record], columns: Columns, run_key: str) -> Iterator[Batch]:
    """Yield the calls to make, in order; `run_key` is unique to the run of the command."""
    batch = Batch()
    for record in records:
        row = _row(record, columns, run_key)
        if not batch.has_room_for(row) and batch.rows:
            yield batch
            batch = Batch()
        batch.add(row)
    if batch.rows:
        yield batch


def readable(record: Record, columns: Columns) -> Reading:
    """Return what a row becomes, if it can be sent; raises InvalidRow."""
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
        raise InvalidRow(f"{size:,} bytes: too large for a signup")
    return reading


def _row(record: Record, columns: Columns, run_key: str) -> Row:
    try:
        reading = readable(record, columns)
    except InvalidRow as error:
        return Row(record, None, str(error))
    if reading.entry is None:
        return Row(record, None, notes=reading.notes)
    # If the answer of a call is lost, the service recognises the rows of the next one.
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
