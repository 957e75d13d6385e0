"""Prints a single entry with all its fields, or several entries as rows."""

from collections.abc import Iterable, Sequence
from typing import Any

from waitlist_cli.errors import Refused
from waitlist_cli.operations.names import chosen_id
from waitlist_cli.operations.readiness import passed_over
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.output import format_count, format_details

WAITING = (
    "position",
    "call_number",
    "entry_id",
    "customer_id",
    "priority",
    "not_ready",
    "joined_at",
    "profile",
    "attributes",
)
FOUND = ("status", "position", "call_number", "entry_id", "customer_id", "joined_at", "profile")
OFFERED = (
    "call_number",
    "entry_id",
    "customer_id",
    "offered_until",
    "claimed_until",
    "attempts",
    "joined_at",
    "profile",
)
PARKED = (
    "call_number",
    "entry_id",
    "customer_id",
    "parked_at",
    "park_reason",
    "attempts",
    "profile",
)
ADMITTED = (
    "admitted_at",
    "call_number",
    "entry_id",
    "customer_id",
    "inside_until",
    "exited_at",
    "profile",
)
CLAIMED = (
    "call_number",
    "entry_id",
    "claim_token",
    "claimed_until",
    "attempts",
    "customer_id",
    "profile",
)
NUMBERS = ("position", "priority", "attempts")
NESTED = ("profile", "attributes")
EVENT = ("at", "event", "by", "reason", "detail")


def row(person: dict[str, Any], columns: Sequence[str]) -> list[object]:
    """Return an entry's values in column order."""
    return [_value(person, name) for name in columns]


def _value(person: dict[str, Any], name: str) -> object:
    if name == "not_ready":
        return passed_over(person) or None
    return format_details(person[name]) if name in NESTED else person[name]


def print_entries(
    context: Context, people: Iterable[dict[str, Any]], columns: Sequence[str], title: str = ""
) -> None:
    """Print entries as rows, or as JSON if the operator asked for JSON."""
    if context.output.as_json:
        context.output.json({"entries": list(people)})
        return
    if context.output.console.is_terminal:
        # On a terminal, show only one id for each person, so that there is room for the profile.
        # This id is the customer id if the operator has chosen one, or else the entry id.
        people = [
            {**entry, "customer_id": chosen_id(entry) or entry["entry_id"]} for entry in people
        ]
        unused = ["entry_id"] if any(map(passed_over, people)) else ["entry_id", "not_ready"]
        if not any(entry["call_number"] for entry in people):
            unused.append("call_number")
        columns = [name for name in columns if name not in unused]
    rows = (row(person, columns) for person in people)
    context.output.rows(columns, rows, title=title, right=NUMBERS)


def print_list(
    context: Context,
    waitlist: str,
    status: str,
    columns: Sequence[str],
    most: int | None,
    **query: str,
) -> None:
    """Print the people who have the given status, at most `most` of them."""
    people = context.pages(f"/{waitlist}/entries", "entries", most, status=status, **query)
    print_entries(context, people, columns, status.capitalize())


def print_each(
    context: Context,
    verb: str,
    words: tuple[str, str],
    people: Iterable[tuple[str, dict[str, Any], Refused | None]],
) -> int:
    """Print an error for each person whom the service refused, and the number of people whom it did
    not refuse. Return the exit code.

    Each item of `people` consists of the person's name, the fields that identify the person in JSON
    output, and the error. The error is None if the request succeeded.
    """
    count, refused = 0, []
    for name, who, refusal in people:
        if refusal is None:
            count += 1
            continue
        context.output.note(f"{name}: {refusal.message} ({refusal.code})", "yellow")
        refused.append({**who, "code": refusal.code})
    text = f"{format_count(count, *words)}, {len(refused):,} refused."
    context.output.result({verb: count, "refused": refused}, text)
    return 1 if refused else 0


def print_entry(context: Context, person: dict[str, Any]) -> None:
    """Print an entry's fields. On a terminal, also print its history."""
    pairs = {name: _value(person, name) for name in person if name not in ("history", "cursor")}
    context.output.pairs(pairs, person)
    if person.get("history") and context.output.console.is_terminal and not context.output.as_json:
        print_history(context, person["history"])


def print_history(context: Context, history: Sequence[dict[str, Any]]) -> None:
    """Print the events of an entry as rows, or as JSON if the operator asked for JSON."""
    shorten = name_in_arn if context.output.console.is_terminal else str
    rows = (
        [
            event["at"],
            event["event"],
            shorten(event["by"]),
            event["reason"],
            format_details(event["detail"]),
        ]
        for event in history
    )
    context.output.rows(EVENT, rows, title="History", document={"history": history})


def name_in_arn(who: str) -> str:
    """Return the last part of an ARN, such as `user/ada`.

    The account id is omitted, because all operators use the same account.
    """
    return who.rpartition(":")[2] if who.startswith("arn:") else who


def print_status(context: Context, entry: dict[str, Any]) -> None:
    """Print an entry's status and position, or the whole entry if the operator asked for JSON."""
    if context.output.as_json:
        context.output.json(entry)
        return
    ends = {"held": entry.get("claimed_until"), "offered": entry.get("offered_until")}
    until = "".join(f", {words} until {time}" for words, time in ends.items() if time)
    if reasons := passed_over(entry, str):
        until += f", not ready: {reasons}"
    if entry.get("confirm_by"):
        until += f", to confirm by {entry['confirm_by']}"
    who = context.describe_person(entry["entry_id"])
    context.output.text(f"{who}: {entry['status']}{place(entry)}{until}")


def place(entry: dict[str, Any]) -> str:
    """Describe an entry's position. Return "" if it has no position."""
    if entry.get("position") is None:
        return ""
    total = f" of {entry['total']:,}" if entry.get("total") is not None else ""
    return f", position {entry['position']:,}{total}"
