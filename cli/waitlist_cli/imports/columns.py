"""Maps a file's columns to an entry's fields."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from waitlist_cli.client.ranks import MOST_PRIORITY
from waitlist_cli.errors import WrongUsage
from waitlist_cli.imports.broken import check_undamaged
from waitlist_cli.imports.cells import PARTS, cell_of, is_export_column, values_of
from waitlist_cli.imports.exported import FIELDS, UNKNOWN, read_exported_row
from waitlist_cli.imports.invalid import InvalidRow
from waitlist_cli.imports.records import REJECTION_COLUMNS, is_export
from waitlist_cli.terminal.parameters import pair
from waitlist_cli.terminal.times import (
    ZONE_NAME,
    SkippedTime,
    check_time_format,
    in_utc,
    is_shown_twice,
    read_time,
)

CUSTOMER = "customer_id"
SINGLE = (CUSTOMER, "priority", "joined_at")
# The profile fields that can hold an address.
ADDRESSES = ("profile.email", "profile.phone")
DROP = "-"


@dataclass(frozen=True)
class Reading:
    """The result of reading a row."""

    # The entry to import, or None if the row is not imported.
    entry: dict[str, Any] | None
    # Remarks that tell the operator which data is not imported and which values are ambiguous.
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Columns:
    """The mapping from a file's columns to an entry's fields."""

    # Maps each column's name to the field that it fills: customer_id, priority, joined_at,
    # profile.NAME or attributes.NAME.
    targets: dict[str, str] = field(default_factory=lambda: {CUSTOMER: CUSTOMER})
    # True if columns without a target are imported as profile fields. Columns named `profile.NAME`
    # or `attributes.NAME` are imported even if it is False.
    keep_others: bool = True
    splits_values: bool = True
    zone: tzinfo = UTC
    time_format: str | None = None
    # The profile field that identifies people, `email` or `phone`. None if customer ids identify
    # people.
    identity: str | None = None
    # Some columns fill two fields. Maps the name of such a column to the second field.
    copies: Mapping[str, str] = field(default_factory=dict)

    def check(self, header: Sequence[str] | None) -> None:
        """Raise WrongUsage if the file lacks a mapped column."""
        if header is None:
            return
        missing = sorted(set(self.targets) - set(header))
        if missing:
            raise WrongUsage(
                f"The file has no column {', '.join(missing)}. It has {', '.join(header)}. "
                f"{_advice(header, [self.targets[name] for name in missing])}"
            )

    def read(self, fields: Mapping[str, Any]) -> Reading:
        """Convert a row to an entry. Raise InvalidRow if a value is not valid."""
        is_exported = is_export(fields)
        # Spreadsheets can damage values. An export in JSON lines is not checked for damage, because
        # nobody edits it in a spreadsheet.
        row = _Row(self, may_be_broken=self.splits_values or not is_exported)
        exported: dict[str, Any] = {}
        for column, value in fields.items():
            is_empty = value is None or (isinstance(value, str) and not value.strip())
            if is_empty or column in REJECTION_COLUMNS:
                continue
            if is_exported and column in FIELDS and column not in self.targets:
                exported[column] = value
            else:
                row.put(column, value)
        row.check_addresses()
        if not is_exported:
            return Reading(self._identified(row.entry, row.parts), tuple(row.notes))
        taken = read_exported_row(exported)
        if taken.entry is None:
            return Reading(None, taken.notes)
        entry = taken.entry | row.entry
        self._identify_exported(entry, row.parts["profile"], exported)
        if "banned" in entry and not (CUSTOMER in entry or self._has_address(row.parts["profile"])):
            return Reading(None, (UNKNOWN,))
        return Reading(self._identified(entry, row.parts), (*taken.notes, *row.notes))

    def _identify_exported(
        self, entry: dict[str, Any], profile: Mapping[str, Any], exported: Mapping[str, Any]
    ) -> None:
        """If no address identifies the person, add the customer id from the exported row.

        A row about a banned customer may contain no address. The customer id then identifies them.
        """
        needs_id = self.identity is None or ("banned" in entry and not self._has_address(profile))
        if needs_id and CUSTOMER not in entry and CUSTOMER in exported:
            entry[CUSTOMER] = id_of(CUSTOMER, exported[CUSTOMER])

    def _has_address(self, profile: Mapping[str, Any]) -> bool:
        """Return whether the profile contains the address that identifies the person."""
        return self.identity is not None and self.identity in profile

    def _identified(
        self, entry: dict[str, Any], parts: Mapping[str, dict[str, Any]]
    ) -> dict[str, Any]:
        if self.identity is not None and CUSTOMER not in entry:
            if self.identity not in parts["profile"]:
                raise InvalidRow(f"no {self.identity} in {self._column_of(self.address_target)}")
        elif CUSTOMER not in entry:
            raise InvalidRow(f"no customer id in {self._column_of(CUSTOMER)}")
        if "banned" in entry:
            # The service stores only the id or the address of a banned customer, so drop all other
            # data.
            profile = {} if CUSTOMER in entry else parts["profile"]
            parts = {"profile": profile, "attributes": {}}
        return entry | {name: part for name, part in parts.items() if part}

    @property
    def address_target(self) -> str:
        return f"profile.{self.identity}"

    def _column_of(self, target: str) -> str:
        return next((name for name, field in self.targets.items() if field == target), target)


class _Row:
    """Collects a row's values, grouped into entry fields, profile fields and attributes."""

    def __init__(self, columns: Columns, *, may_be_broken: bool) -> None:
        self.entry: dict[str, Any] = {}
        self.parts: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
        self.notes: list[str] = []
        self._columns = columns
        self._may_be_broken = may_be_broken
        # Maps each profile field or attribute that has a cell of its own to that cell's column and
        # text.
        self._cells: dict[tuple[str, str], tuple[str, str]] = {}

    def put(self, column: str, value: Any) -> None:
        """Add a value from a column or a JSON field to the row.

        Raise InvalidRow if the value is not valid.
        """
        columns = self._columns
        target = columns.targets.get(column)
        if target is None and column in PARTS:
            self._put_whole(column, _object(column, value))
        elif target is None and not (columns.keep_others or is_export_column(column)):
            return
        elif target in SINGLE:
            self.entry[target] = self._single(target, column, value)
        elif target != DROP:
            self._put_named(column, target, value)
        if column in columns.copies:
            self._put_named(column, columns.copies[column], value)

    def _put_whole(self, part: str, whole: Mapping[str, Any]) -> None:
        """Add all fields of the JSON object in a row's `profile` or `attributes` column.

        A field can also have a cell of its own. If the two values differ, the cell's value is
        imported, because the operator has probably edited it.
        """
        for name, value in whole.items():
            _, cell = self._cells.get((part, name), ("", None))
            if cell is None or cell == cell_of(part, value):
                self.parts[part][name] = value
                self._cells.pop((part, name), None)

    def _put_named(self, column: str, target: str | None, value: Any) -> None:
        own = column if is_export_column(column) else f"profile.{column}"
        part, _, name = (target or own).partition(".")
        there = self.parts[part].get(name)
        if isinstance(value, str):
            if there is not None and value == cell_of(part, there):
                return
            self._cells[part, name] = column, value
        if part == "attributes" and not isinstance(value, list):
            value = values_of(_text(column, value), splits=self._columns.splits_values)
        self.parts[part][name] = value

    def check_addresses(self) -> None:
        """Raise InvalidRow if another program has damaged an address.

        An exported file contains each address twice: in a cell of its own, and in a JSON cell. An
        address that is the same in both cells is not damaged.
        """
        for target in ADDRESSES if self._may_be_broken else ():
            part, _, name = target.partition(".")
            if (part, name) in self._cells:
                check_undamaged(*self._cells[part, name])

    def _single(self, target: str, column: str, value: Any) -> Any:
        if target == CUSTOMER:
            return id_of(column, value) if self._may_be_broken else _text(column, value)
        return _priority(column, value) if target == "priority" else self._time(column, value)

    def _time(self, column: str, value: Any) -> str:
        text, form = _text(column, value), self._columns.time_format
        try:
            moment = read_time(text, self._columns.zone, form)
            found = in_utc(moment)
        except SkippedTime:
            raise InvalidRow(
                f"{column}: the clocks in {self._columns.zone} skip {text!r}"
            ) from None
        except (ValueError, OverflowError):
            expected = form or "2026-03-01T09:30:00+01:00"
            raise InvalidRow(
                f"{column}: {text!r} is not a time such as {expected}{_zones(form)}"
            ) from None
        if is_shown_twice(moment):
            self.notes.append(
                f"Times that occur twice in {self._columns.zone}: read as the earlier time"
            )
        return found


def _zones(time_format: str | None) -> str:
    """Return advice on the time zones that %Z can read.

    Return "" if the time format does not contain %Z.
    """
    if ZONE_NAME not in (time_format or ""):
        return ""
    return (
        ". %Z reads only UTC and GMT. For other zones use --zone, or %z for offsets such as +0100"
    )


def _advice(header: Sequence[str], missing: Sequence[str]) -> str:
    for delimiter, option in ((";", "';'"), ("\t", "tab"), ("|", "'|'")):
        if len(header) == 1 and delimiter in header[0]:
            return f"The file seems to have another delimiter. Use --delimiter {option}"
    if CUSTOMER in missing:
        return "Use --customer NAME to say which column contains the customer ids."
    return "Write column names exactly as they appear in the first row."


def build_columns(
    *,
    customer: str,
    priority: str | None,
    kept_time: str | None,
    attributes: Sequence[str],
    mapped: Sequence[str],
    keep_others: bool,
    zone: str,
    time_format: str | None,
    splits_values: bool,
    identity: str | None = None,
    addresses: Mapping[str, str] | None = None,
) -> Columns:
    """Build the column mapping from the operator's options.

    `addresses` maps columns with addresses to profile fields. Raises WrongUsage if an option is not
    valid.
    """
    targets = {customer: CUSTOMER if identity is None else f"profile.{identity}"}
    targets |= {name: f"attributes.{name}" for name in attributes}
    targets |= {priority: "priority"} if priority else {}
    targets |= {kept_time: "joined_at"} if kept_time else {}
    for text in mapped:
        column, target = pair(text, "--map")
        targets[column] = _checked(target, text)
    if identity is None and CUSTOMER not in targets.values():
        raise WrongUsage(
            "The file needs a column with customer ids. Name it with --customer COLUMN."
        )
    if time_format is not None:
        check_time_format(time_format)
    copies: dict[str, str] = {}
    for column, target in (addresses or {}).items():
        (copies if column in targets else targets)[column] = target
    return Columns(targets, keep_others, splits_values, _zone(zone), time_format, identity, copies)


def _checked(target: str, text: str) -> str:
    part, _, name = target.partition(".")
    if target in SINGLE or target == DROP or (part in PARTS and name):
        return target
    raise WrongUsage(
        f"--map {text}: the target must be {', '.join(SINGLE)}, profile.NAME or attributes.NAME. "
        f"Use {DROP} to leave the column out."
    )


def _zone(name: str) -> tzinfo:
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise WrongUsage(
            f"{name!r} is not a time zone. Use a zone such as Europe/Berlin."
        ) from None


def _text(column: str, value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise InvalidRow(f"{column}: must be a string, not {json.dumps(value)[:50]}")


def id_of(column: str, value: Any) -> str:
    """Read the customer id from a cell. Raise InvalidRow if another program has damaged the id."""
    text = _text(column, value)
    check_undamaged(column, text)
    return text


def _priority(column: str, value: Any) -> int:
    text = value.strip() if isinstance(value, str) else json.dumps(value)
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise InvalidRow(f"{column}: {text[:50]!r} is not a whole number from 0 to {MOST_PRIORITY}")
    return int(text)


def _object(column: str, value: Any) -> dict[str, Any]:
    try:
        found = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InvalidRow(f"{column}: must be a JSON object")
    return found
