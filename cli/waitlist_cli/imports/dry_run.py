"""What an import would do, without a change: the new order, duplicates, rows that are refused."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from heapq import nlargest, nsmallest
from typing import TYPE_CHECKING, Any

from waitlist_cli.client.ranks import rank_of
from waitlist_cli.imports.batches import batches, body_of, readable
from waitlist_cli.imports.columns import CUSTOMER, Columns
from waitlist_cli.imports.invalid import InvalidRow
from waitlist_cli.imports.records import Record
from waitlist_cli.imports.run import MOST_REASONS, NO_ADDRESS, reason_of
from waitlist_cli.terminal.output import escaped_json

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

SHOWN = 10
# The rules of the service that a file breaks most; the service itself decides, and has more.
CUSTOMER_ID = re.compile(r"[!-~]{1,256}")
MOST_PRIORITY, MOST_PROFILE_BYTES = 255, 8 * 1024
ATTRIBUTE = re.compile(r"[a-z][a-z0-9_]{0,31}")
MOST_ATTRIBUTES, LONGEST_VALUE = 16, 64
FIRST_TIME = datetime(2020, 1, 1, tzinfo=UTC)
# No file has a later one; the ranks of a priority end some years after it.
LAST_TIME = datetime(2080, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Person:
    """A row that would be sent; `joined_at` is empty for those at the end of the queue."""

    row: int
    customer_id: str
    priority: int
    joined_at: str
    rank: int | None = None

    @property
    def key(self) -> tuple[float, int]:
        """Sort people as the queue does: by rank, those of one rank in file order.

        The rank is made of priority and time, to the millisecond, unless an export states it.
        People without a time stand behind the others of their priority.
        """
        if self.rank is not None:
            return (self.rank, self.row)
        joined_at = datetime.fromisoformat(self.joined_at) if self.joined_at else LAST_TIME
        return (rank_of(self.priority, joined_at), self.row)


@dataclass
class DryRun:
    """`first` and `last` are people in their new order, `duplicates` rows of the same customers.

    A duplicate is (row, former row, customer id); `refused` has (row, reason).
    """

    rows: int = 0
    people: int = 0
    first: list[Person] = field(default_factory=list)
    last: list[Person] = field(default_factory=list)
    duplicate_rows: int = 0
    duplicates: list[tuple[int, int, str]] = field(default_factory=list)
    refused_rows: int = 0
    refused: list[tuple[int, str]] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    left_out: int = 0
    banned: int = 0
    notes: Counter[str] = field(default_factory=Counter)

    @property
    def between(self) -> int:
        """How many people stand between the first and the last that are shown."""
        return self.people - len(self.first) - len(self.last)

    def as_json(self) -> dict[str, Any]:
        """Return the document of `waitlist import --dry-run --json`."""
        people = {"first": self.first, "last": self.last}
        return {
            "rows": self.rows,
            "people": self.people,
            **{name: [vars(one) for one in shown] for name, shown in people.items()},
            "duplicates": self.duplicate_rows,
            "duplicate_rows": [
                {"row": row, "former_row": former, "customer_id": name}
                for row, former, name in self.duplicates
            ],
            "banned": self.banned,
            "left_out": self.left_out,
            "notes": [{"note": text, "rows": rows} for text, rows in self.notes.most_common()],
            "refused": self.refused_rows,
            "reasons": [
                {"reason": text, "rows": rows} for text, rows in self.reasons.most_common()
            ],
        }


def dry_run_for(
    api: "Api", waitlist_id: str, records: Iterable[Record], columns: Columns
) -> DryRun:
    """Read all rows; the service says which addresses are one person, and writes nothing."""
    if columns.identity is None:
        return dry_run(records, columns, datetime.now(UTC))
    rows, results = list(records), dict[int, Any]()
    for batch in batches(rows, columns, ""):
        if batch.sent:
            body = body_of(batch.sent, dry_run=True)
            answer = api.operator("POST", f"/{waitlist_id}/import", body)
            numbers = [row.record.number for row in batch.sent]
            results |= dict(zip(numbers, answer["results"], strict=True))
    return dry_run(rows, columns, datetime.now(UTC), results)


def dry_run(
    records: Iterable[Record],
    columns: Columns,
    now: datetime,
    results: Mapping[int, Mapping[str, Any]] | None = None,
) -> DryRun:
    """Read all rows, keeping the customer ids and the people that are shown.

    `results` has by row what the service says, which alone knows whose an address is.
    """
    found = DryRun()
    people = list(_people(records, columns, now, found, results or {}))
    found.people = len(people)
    found.first = nsmallest(SHOWN, people, key=lambda one: one.key)
    shown_last = min(SHOWN, len(people) - len(found.first))
    found.last = nlargest(shown_last, people, key=lambda one: one.key)[::-1]
    return found


def _people(
    records: Iterable[Record],
    columns: Columns,
    now: datetime,
    found: DryRun,
    results: Mapping[int, Mapping[str, Any]],
) -> Iterator[Person]:
    rows: dict[str, int] = {}
    for record in records:
        found.rows += 1
        try:
            reading = readable(record, columns)
            entry = reading.entry or {}
            _check(entry, now)
            result = results.get(record.number, {})
            if result.get("outcome") == "refused":
                raise InvalidRow(reason_of(result))
        except InvalidRow as error:
            _refuse(found, record.number, str(error))
            continue
        found.notes.update(reading.notes)
        if reading.entry is None:
            found.left_out += 1
            continue
        if result.get("has_no_address"):
            found.notes[NO_ADDRESS] += 1
        if entry.get("banned"):
            found.banned += 1
            continue
        # Of a row with an address the entry's id: the address is not shown.
        customer_id = entry.get(CUSTOMER) or result["entry_id"]
        if (former := rows.get(customer_id)) is not None:
            found.duplicate_rows += 1
            if len(found.duplicates) < SHOWN:
                found.duplicates.append((record.number, former, customer_id))
            continue
        rows[customer_id] = record.number
        joined_at = entry.get("joined_at", "")
        priority, rank = entry.get("priority", 0), entry.get("rank")
        yield Person(record.number, customer_id, priority, joined_at, rank)


def _refuse(found: DryRun, row: int, reason: str) -> None:
    found.refused_rows += 1
    if len(found.refused) < SHOWN:
        found.refused.append((row, reason))
    # A reason can name the value, so that a file may have as many reasons as rows.
    if reason in found.reasons or len(found.reasons) < MOST_REASONS:
        found.reasons[reason] += 1


def _check(entry: dict[str, Any], now: datetime) -> None:
    """Raise InvalidRow for an entry that the service would refuse."""
    if CUSTOMER in entry and not CUSTOMER_ID.fullmatch(entry[CUSTOMER]):
        raise InvalidRow(
            f"{CUSTOMER}: 1 to 256 letters, digits and signs of ASCII without blanks are needed"
        )
    if entry.get("priority", 0) > MOST_PRIORITY:
        raise InvalidRow(f"priority: more than {MOST_PRIORITY}")
    if (joined_at := entry.get("joined_at")) is not None:
        moment = datetime.fromisoformat(joined_at)
        if not FIRST_TIME <= moment <= now:
            raise InvalidRow("joined_at: before 2020, or in the future")
    if len(escaped_json(entry.get("profile", {})).encode()) > MOST_PROFILE_BYTES:
        raise InvalidRow(f"profile: more than {MOST_PROFILE_BYTES:,} bytes as JSON")
    _check_attributes(entry.get("attributes", {}))


def _check_attributes(attributes: dict[str, Any]) -> None:
    if len(attributes) > MOST_ATTRIBUTES:
        raise InvalidRow(f"attributes: more than {MOST_ATTRIBUTES}")
    for name, value in attributes.items():
        if not ATTRIBUTE.fullmatch(name):
            raise InvalidRow(
                f"attributes: {name!r} is no name: lower-case letters, digits and underscores, "
                "such as party_size"
            )
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str) and len(one) > LONGEST_VALUE:
                raise InvalidRow(f"attributes: {name} is longer than {LONGEST_VALUE} letters")
