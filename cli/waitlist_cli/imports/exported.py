"""Converts exported rows back to entries."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from waitlist_cli.imports.invalid import InvalidRow
from waitlist_cli.terminal.output import VALUE_SEPARATOR
from waitlist_cli.terminal.times import utc

Use = Literal["taken", "noted", "implied"]
# How an import uses each field of an export. The fields are in the order of the CSV columns.
#
# A `taken` field is imported. A `noted` field is skipped and mentioned in the report. An `implied`
# field is skipped without being mentioned.
FIELDS: Mapping[str, Use] = {
    "position": "implied",
    "entry_id": "implied",
    "customer_id": "taken",
    "status": "taken",
    "priority": "taken",
    "joined_at": "taken",
    "call_number": "noted",
    "not_ready": "taken",
    "held_back_reason": "taken",
    "rest_until": "taken",
    "delayed_until": "noted",
    "confirm_by": "noted",
    "confirmed_at": "taken",
    "offered_until": "noted",
    "claimed_until": "noted",
    "attempts": "noted",
    "parked_at": "noted",
    "park_reason": "taken",
    "admitted_at": "noted",
    "inside_until": "noted",
    "exited_at": "noted",
    "left_at": "noted",
    "banned_at": "taken",
    "ban_reason": "taken",
    "messages_off": "taken",
    "unreachable": "taken",
    "language": "taken",
    "rank": "taken",
    "ready": "implied",
    "ready_ahead": "implied",
    "asked_at": "implied",
    "room_until": "noted",
    "call": "implied",
    "total": "implied",
}
WAITING = ("waiting", "joining")
# Notes about exported data that is not imported.
#
# In a note, "there" is the exported waitlist, and "here" is the waitlist that receives the people.
OFFERED = "Offered or claimed there: waiting at their places here"
PARKED = "Parked there: held back at their places here"
DELAYED = "Passed over for some time after a claim or a decline there: ready here"
ASKED = "Asked there whether they are still waiting: not asked here"
ATTEMPTS = "Had failed attempts there: attempts are counted from 0 here"
NUMBERED = "Had call numbers there: get new numbers here, if this waitlist has call numbers"
# A customer can be banned without having signed up. An exported file does not contain such a
# customer's id, so the import cannot ban them.
UNKNOWN = "Banned there but never signed up, so the customer id is unknown: not banned here"
LEFT_OUT = {
    "left": "Had left there: not added",
    "leaving": "Had left there: not added",
    "admitted": "Were admitted there: not added",
}
WORDS = {"yes": True, "no": False, "true": True, "false": False}
NUMBER = re.compile("-?[0-9]{1,18}")
LONGEST_REASON = 500


@dataclass(frozen=True)
class Taken:
    """The entry to import for an exported row."""

    # The entry to import, or None if the person is not imported.
    entry: dict[str, Any] | None
    # Notes about data in the row that is not imported.
    notes: tuple[str, ...] = ()


def read_exported_row(row: Mapping[str, Any]) -> Taken:
    """Convert an exported row to an entry.

    Raises InvalidRow if an export cannot contain this row.
    """
    status = row.get("status")
    if "banned_at" in row:
        return Taken({"banned": True, "reason": _text(row, "ban_reason")})
    if status in LEFT_OUT:
        return Taken(None, (LEFT_OUT[status],))
    if status not in (*WAITING, "offered", "parked"):
        raise InvalidRow(f"status: {status!r} is not a status that an export writes")
    reasons = _several(row, "not_ready")
    entry = _place(row) | _messages(row) | _not_ready(row, reasons)
    notes = {
        OFFERED: status == "offered",
        PARKED: status == "parked",
        DELAYED: bool({"delayed", "declined"} & set(reasons)),
        ASKED: "confirm_by" in row,
        ATTEMPTS: _number(row, "attempts") > 0,
        NUMBERED: "call_number" in row,
    }
    return Taken(entry, tuple(note for note, is_true in notes.items() if is_true))


def _place(row: Mapping[str, Any]) -> dict[str, Any]:
    entry: dict[str, Any] = {"priority": _number(row, "priority")}
    if "rank" in row:
        entry["rank"] = _number(row, "rank")
    return entry | _times(row, "joined_at", "confirmed_at")


def _not_ready(row: Mapping[str, Any], reasons: Sequence[str]) -> dict[str, Any]:
    entry = _times(row, "rest_until")
    if "unverified" in reasons:
        entry["verified"] = False
    if row["status"] == "parked":
        why = _text(row, "park_reason")
        reason = f"parked: {why}" if why else "parked"
        entry |= {"ready": False, "reason": reason[:LONGEST_REASON]}
    elif "held_back" in reasons or "held_back_reason" in row:
        entry |= {"ready": False, "reason": _text(row, "held_back_reason")}
    return entry


def _messages(row: Mapping[str, Any]) -> dict[str, Any]:
    entry: dict[str, Any] = {}
    if _is_true(row, "messages_off"):
        entry["messages"] = "off"
    if _is_true(row, "unreachable"):
        entry["unreachable"] = True
    if "language" in row:
        entry["language"] = _text(row, "language")
    return entry


def _times(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    found = {}
    for name in names:
        if name in row:
            try:
                found[name] = utc(_text(row, name))
            except (ValueError, OverflowError):
                raise InvalidRow(
                    f"{name}: {row[name]!r} is not a time in the format of an export"
                ) from None
    return found


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name, "")
    if not isinstance(value, str):
        raise InvalidRow(f"{name}: must be a string, not {value!r}")
    return value.strip()


def _several(row: Mapping[str, Any], name: str) -> Sequence[str]:
    """Return the items of a list field. In a CSV file, a single cell contains all the items."""
    value = row.get(name, [])
    return value if isinstance(value, list) else _text(row, name).split(VALUE_SEPARATOR)


def _number(row: Mapping[str, Any], name: str) -> int:
    text = str(row.get(name, 0)).strip()
    if not NUMBER.fullmatch(text):
        raise InvalidRow(f"{name}: {text!r} is not a number in the format of an export")
    return int(text)


def _is_true(row: Mapping[str, Any], name: str) -> bool:
    value = row.get(name, False)
    found = value if isinstance(value, bool) else WORDS.get(str(value).strip().lower())
    if found is None:
        raise InvalidRow(f"{name}: {value!r} is neither yes nor no")
    return found
