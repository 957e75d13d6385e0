"""Maps the columns of a file to the fields of an entry."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from waitlist_cli.errors import WrongUsage
from waitlist_cli.terminal.output import VALUE_SEPARATOR
from waitlist_cli.terminal.parameters import pair
from waitlist_cli.terminal.times import utc

CUSTOMER = "customer_id"
WHOLE = ("profile", "attributes")
SINGLE = (CUSTOMER, "priority", "joined_at")
DROP = "-"
# Columns that this program adds to the file of refused rows.
REJECTION_COLUMNS = ("refused_row", "refused_code", "refused_reason", "refused_line")


def is_of_export(column: str) -> bool:
    """Return whether a column is a field of a profile or an attribute, as exports name them."""
    part, _, name = column.partition(".")
    return part in WHOLE and bool(name)


class InvalidRow(Exception):
    """A row that cannot be sent; the message says why."""


@dataclass(frozen=True)
class Columns:
    """`targets` maps columns to customer_id, priority, joined_at, profile.NAME or attributes.NAME.

    With `identity`, `email` or `phone`, that field of the profile says who a row is, and a customer
    id is not needed. Other columns go into the profile under their own name, or are dropped.
    """

    targets: dict[str, str] = field(default_factory=lambda: {CUSTOMER: CUSTOMER})
    keep_others: bool = True
    splits_values: bool = True
    zone: tzinfo = UTC
    time_format: str | None = None
    identity: str | None = None

    def check(self, header: Sequence[str] | None) -> None:
        """Raise WrongUsage if the file lacks a mapped column."""
        if header is None:
            return
        missing = sorted(set(self.targets) - set(header))
        if missing:
            raise WrongUsage(
                f"No column {', '.join(missing)}: the file has {', '.join(header)}. "
                f"{_advice(header, [self.targets[name] for name in missing])}"
            )

    def entry(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Return the entry of a row; raises InvalidRow."""
        entry: dict[str, Any] = {}
        parts: dict[str, dict[str, Any]] = {"profile": {}, "attributes": {}}
        for column, value in fields.items():
            is_empty = value is None or (isinstance(value, str) and not value.strip())
            if is_empty or column in REJECTION_COLUMNS:
                continue
            self._put(entry, parts, column, value)
        if self.identity is not None and CUSTOMER not in entry:
            if self.identity not in parts["profile"]:
                raise InvalidRow(f"no {self.identity} in {self._column_of(self.address_target)}")
        elif CUSTOMER not in entry:
            raise InvalidRow(f"no customer id in {self._column_of(CUSTOMER)}")
        return entry | {name: part for name, part in parts.items() if part}

    @property
    def address_target(self) -> str:
        return f"profile.{self.identity}"

    def _put(
        self, entry: dict[str, Any], parts: dict[str, dict[str, Any]], column: str, value: Any
    ) -> None:
        target = self.targets.get(column)
        if target is None and column in WHOLE:
            whole = _object(column, value)
            parts[column] = whole | parts[column]
        elif target is None and not (self.keep_others or is_of_export(column)):
            return
        elif target in SINGLE:
            entry[target] = self._single(target, column, value)
        elif target != DROP:
            own = column if is_of_export(column) else f"profile.{column}"
            part, _, name = (target or own).partition(".")
            parts[part][name] = self._values(column, value) if part == "attributes" else value

    def _single(self, target: str, column: str, value: Any) -> Any:
        if target == CUSTOMER:
            return _text(column, value)
        return _number(column, value) if target == "priority" else self._time(column, value)

    def _values(self, column: str, value: Any) -> Any:
        """Return the value of an attribute, or a list if there are several."""
        if isinstance(value, list):
            return value
        text = _text(column, value)
        if not self.splits_values:
            return text
        values = [one.strip() for one in text.split(VALUE_SEPARATOR) if one.strip()]
        return values[0] if len(values) == 1 else values

    def _time(self, column: str, value: Any) -> str:
        text = _text(column, value)
        try:
            return utc(text, self.zone, self.time_format)
        except (ValueError, OverflowError):
            expected = self.time_format or "2026-03-01T09:30:00+01:00"
            raise InvalidRow(f"{column}: {text!r} is not a time like {expected}") from None

    def _column_of(self, target: str) -> str:
        return next((name for name, one in self.targets.items() if one == target), target)


def _advice(header: Sequence[str], missing: Sequence[str]) -> str:
    for delimiter, option in ((";", "';'"), ("\t", "tab"), ("|", "'|'")):
        if len(header) == 1 and delimiter in header[0]:
            return f"Its columns seem to have another delimiter: --delimiter {option}"
    if CUSTOMER in missing:
        return "Name the column of the customer ids with --customer NAME."
    return "Name columns as the first row does."


def columns_of(
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
) -> Columns:
    """Return the columns for the typed options; raises WrongUsage."""
    targets = {customer: CUSTOMER if identity is None else f"profile.{identity}"}
    targets |= {name: f"attributes.{name}" for name in attributes}
    targets |= {priority: "priority"} if priority else {}
    targets |= {kept_time: "joined_at"} if kept_time else {}
    for text in mapped:
        column, target = pair(text, "--map")
        targets[column] = _checked(target, text)
    if identity is None and CUSTOMER not in targets.values():
        raise WrongUsage("No column has the customer ids. Name it with --customer COLUMN.")
    return Columns(targets, keep_others, splits_values, _zone(zone), time_format, identity)


def _checked(target: str, text: str) -> str:
    part, _, name = target.partition(".")
    if target in SINGLE or target == DROP or (part in WHOLE and name):
        return target
    raise WrongUsage(
        f"--map {text}: the target is one of {', '.join(SINGLE)}, profile.NAME, attributes.NAME "
        f"and {DROP} (left out)."
    )


def _zone(name: str) -> tzinfo:
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise WrongUsage(f"{name!r} is not a time zone. Give one such as Europe/Berlin.") from None


def _text(column: str, value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise InvalidRow(f"{column}: text is needed, not {json.dumps(value)[:50]}")


def _number(column: str, value: Any) -> int:
    text = _text(column, value)
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise InvalidRow(f"{column}: {text!r} is not a whole number")
    return int(text)


def _object(column: str, value: Any) -> dict[str, Any]:
    try:
        found = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InvalidRow(f"{column}: a JSON object is needed")
    return found
