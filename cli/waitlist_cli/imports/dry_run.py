"""Predicts the result of an import without importing anything."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from heapq import nlargest, nsmallest
from typing import TYPE_CHECKING, Any

from waitlist_cli.client.ranks import rank_of
from waitlist_cli.imports.batches import body_of, group_into_batches, read_entry
from waitlist_cli.imports.columns import CUSTOMER, Columns
from waitlist_cli.imports.invalid import InvalidRow
from waitlist_cli.imports.records import Record
from waitlist_cli.imports.run import MOST_REASONS, NO_ADDRESS, reason_of
from waitlist_cli.operations.names import name_of
from waitlist_cli.terminal.output import escaped_json

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

SHOWN = 10
# The service's rules that the dry run checks itself. Files break these rules more often than the
# others.
CUSTOMER_ID = re.compile(r"[!-~]{1,256}")
MOST_PRIORITY, MOST_PROFILE_BYTES = 255, 8 * 1024
ATTRIBUTE = re.compile(r"[a-z][a-z0-9_]{0,31}")
MOST_ATTRIBUTES, LONGEST_VALUE = 16, 64
FIRST_TIME = datetime(2020, 1, 1, tzinfo=UTC)
# People without a signup time are sorted as if they had signed up at this time. It is later than
# any signup time, so they come after everybody else with the same priority.
LAST_TIME = datetime(2080, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Person:
    """A person whom the import would add."""

    row: int
    customer_id: str
    # The name that operators know the person by. The JSON output leaves it out, because it is
    # personal data.
    name: str
    priority: int
    # The person's signup time, or "" if the file contains none.
    joined_at: str
    rank: int | None = None

    @property
    def sort_key(self) -> tuple[float, int]:
        """The key that sorts people in queue order."""
        if self.rank is not None:
            return (self.rank, self.row)
        joined_at = datetime.fromisoformat(self.joined_at) if self.joined_at else LAST_TIME
        return (rank_of(self.priority, joined_at), self.row)


@dataclass
class DryRun:
    """The result of a dry run."""

    rows: int = 0
    people: int = 0
    # The people at the beginning of the new order.
    first: list[Person] = field(default_factory=list)
    # The people at the end of the new order.
    last: list[Person] = field(default_factory=list)
    duplicate_rows: int = 0
    # Rows about a customer who is in an earlier row of the file. Each tuple contains the row's
    # number and the person from the earlier row.
    duplicates: list[tuple[int, Person]] = field(default_factory=list)
    refused_rows: int = 0
    # Tuples of a row number and a reason.
    refused: list[tuple[int, str]] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    left_out: int = 0
    banned: int = 0
    notes: Counter[str] = field(default_factory=Counter)

    @property
    def between(self) -> int:
        """The number of people between `first` and `last`. These people are not listed."""
        return self.people - len(self.first) - len(self.last)

    def as_json(self) -> dict[str, Any]:
        """Return the output of `waitlist import --dry-run --json`."""
        people = {"first": self.first, "last": self.last}
        return {
            "rows": self.rows,
            "people": self.people,
            **{name: [_as_json(person) for person in shown] for name, shown in people.items()},
            "duplicates": self.duplicate_rows,
            "duplicate_rows": [
                {"row": row, "former_row": former.row, "customer_id": former.customer_id}
                for row, former in self.duplicates
            ],
            "banned": self.banned,
            "left_out": self.left_out,
            "notes": [{"note": text, "rows": rows} for text, rows in self.notes.most_common()],
            "refused": self.refused_rows,
            "reasons": [
                {"reason": text, "rows": rows} for text, rows in self.reasons.most_common()
            ],
        }


def _as_json(person: Person) -> dict[str, Any]:
    return {name: value for name, value in vars(person).items() if name != "name"}


def try_out_import(
    api: "Api",
    waitlist_id: str,
    records: Iterable[Record],
    columns: Columns,
    waitlist: Mapping[str, Any] | None = None,
) -> DryRun:
    """Predict the result of an import.

    The result contains people's names only if `waitlist` is given.

    Only the service can tell whether two addresses belong to the same person. If addresses identify
    people, the service therefore checks the rows.
    """
    if columns.identity is None:
        return dry_run(records, columns, datetime.now(UTC), waitlist=waitlist)
    rows, results = list(records), dict[int, Any]()
    for batch in group_into_batches(rows, columns, ""):
        if batch.sent:
            body = body_of(batch.sent, dry_run=True)
            answer = api.operator("POST", f"/{waitlist_id}/import", body)
            numbers = [row.record.number for row in batch.sent]
            results |= dict(zip(numbers, answer["results"], strict=True))
    return dry_run(rows, columns, datetime.now(UTC), results, waitlist)


def dry_run(
    records: Iterable[Record],
    columns: Columns,
    now: datetime,
    results: Mapping[int, Mapping[str, Any]] | None = None,
    waitlist: Mapping[str, Any] | None = None,
) -> DryRun:
    """Read all rows and predict the result of the import.

    If the service has checked the rows, `results` maps each row number to the service's result.
    """
    found = DryRun()
    people = list(_people(records, columns, now, found, results or {}, waitlist))
    found.people = len(people)
    found.first = nsmallest(SHOWN, people, key=lambda person: person.sort_key)
    shown_last = min(SHOWN, len(people) - len(found.first))
    found.last = nlargest(shown_last, people, key=lambda person: person.sort_key)[::-1]
    return found


def _people(
    records: Iterable[Record],
    columns: Columns,
    now: datetime,
    found: DryRun,
    results: Mapping[int, Mapping[str, Any]],
    waitlist: Mapping[str, Any] | None,
) -> Iterator[Person]:
    rows: dict[str, Person] = {}
    for record in records:
        found.rows += 1
        try:
            reading = read_entry(record, columns)
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
        # Show the entry id instead of the address, because the address is personal data.
        customer_id = entry.get(CUSTOMER) or result["entry_id"]
        if (former := rows.get(customer_id)) is not None:
            found.duplicate_rows += 1
            if len(found.duplicates) < SHOWN:
                found.duplicates.append((record.number, former))
            continue
        joined_at = entry.get("joined_at", "")
        priority, rank = entry.get("priority", 0), entry.get("rank")
        known = {**entry, "entry_id": customer_id}
        name = name_of(known, waitlist) if waitlist is not None else customer_id
        person = Person(record.number, customer_id, name, priority, joined_at, rank)
        rows[customer_id] = person
        yield person


def _refuse(found: DryRun, row: int, reason: str) -> None:
    found.refused_rows += 1
    if len(found.refused) < SHOWN:
        found.refused.append((row, reason))
    # Keep only a limited number of different reasons. A reason can contain the invalid value, so
    # each row could have a different reason.
    if reason in found.reasons or len(found.reasons) < MOST_REASONS:
        found.reasons[reason] += 1


def _check(entry: dict[str, Any], now: datetime) -> None:
    """Raise InvalidRow if the entry breaks one of the service's rules that can be checked here."""
    if CUSTOMER in entry and not CUSTOMER_ID.fullmatch(entry[CUSTOMER]):
        raise InvalidRow(f"{CUSTOMER}: must be 1 to 256 printable ASCII characters without spaces")
    if entry.get("priority", 0) > MOST_PRIORITY:
        raise InvalidRow(f"priority: must be at most {MOST_PRIORITY}")
    if (joined_at := entry.get("joined_at")) is not None:
        moment = datetime.fromisoformat(joined_at)
        if not FIRST_TIME <= moment <= now:
            raise InvalidRow("joined_at: must be after 2019 and not in the future")
    if len(escaped_json(entry.get("profile", {})).encode()) > MOST_PROFILE_BYTES:
        raise InvalidRow(f"profile: must be at most {MOST_PROFILE_BYTES:,} bytes as JSON")
    _check_attributes(entry.get("attributes", {}))


def _check_attributes(attributes: dict[str, Any]) -> None:
    if len(attributes) > MOST_ATTRIBUTES:
        raise InvalidRow(f"attributes: there must be at most {MOST_ATTRIBUTES}")
    for name, value in attributes.items():
        if not ATTRIBUTE.fullmatch(name):
            raise InvalidRow(
                f"attributes: the name {name!r} must have only lower-case letters, digits and "
                "underscores, such as party_size"
            )
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and len(text) > LONGEST_VALUE:
                raise InvalidRow(f"attributes: {name} is longer than {LONGEST_VALUE} characters")
