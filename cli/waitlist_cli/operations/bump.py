"""Moves one person, or the people in a file, to another place."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from waitlist_cli.client.ids import entry_id_of
from waitlist_cli.client.ranks import TICKETS_PER_MILLISECOND, rank_of
from waitlist_cli.client.retries import PATIENT
from waitlist_cli.errors import Refused
from waitlist_cli.imports.columns import CUSTOMER, id_of
from waitlist_cli.imports.invalid import InvalidRow
from waitlist_cli.imports.records import Record
from waitlist_cli.operations.action import (
    ENTRY,
    REASON,
    Bulk,
    Document,
    Field,
    Inverse,
    PersonAction,
)
from waitlist_cli.operations.person import Person
from waitlist_cli.terminal.output import format_value

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

MOST_PRIORITY = 255
ENDS = {"front": "Front of their priority", "back": "End of the queue, at priority 0"}


def way_back(person: Document) -> list[Inverse]:
    """Return a list with the request that undoes a move. `person` is the person before the move.

    The request moves the person to the place that their priority and signup time determine. If the
    person was at another place, for example after an earlier move, no request can restore that
    place, so the list is empty.
    """
    if person["rank"] is None or person["joined_at"] is None:
        return []
    priority = person["priority"]
    first = rank_of(priority, datetime.fromisoformat(person["joined_at"]))
    if not first <= person["rank"] < first + TICKETS_PER_MILLISECOND:
        return []
    return [Inverse("bump", person["entry_id"], {"priority": priority})]


def target(values: dict[str, Any]) -> dict[str, Any]:
    """Return the request body for a move to the destination that the operator chose."""
    where, number = values.pop("where"), values.pop("number", None)
    if where in ENDS:
        return {**values, "to": where}
    if number is None:
        raise NUMBER.wrong("Enter a number.")
    return {**values, where: number}


WHERE = Field(
    "where",
    "Where to",
    "choice",
    options=(
        *ENDS.items(),
        ("places", "Forward by a number of places"),
        ("priority", "Another priority"),
    ),
    value="front",
)
NUMBER = Field(
    "number",
    "Places or priority",
    "number",
    f"A priority is from 0 to {MOST_PRIORITY}. The usual priority is 0.",
)
PLACES = Field(
    "places", "Places", "number", "Number of places to move the person forward.", at_least=1
)
PRIORITY = Field(
    "priority",
    "Priority",
    "number",
    f"A number from 0 to {MOST_PRIORITY}. People with a higher priority are served first.",
    at_most=MOST_PRIORITY,
)
BUMP = PersonAction(
    name="bump",
    title="Move {who}",
    consequence="The person moves at once and loses their old place.",
    button="Move",
    path=f"{ENTRY}/bump",
    is_possible=lambda person: person["status"] == "waiting",
    fields=(WHERE, NUMBER, REASON),
    to_body=target,
    notice=lambda entry: (
        f"{{who}} is now at position {format_value(entry['position'])}, with priority "
        f"{entry['priority']}."
    ),
    inverse=lambda person, _: way_back(person),
    has_inverse_for=lambda _waitlist, person, _body: bool(way_back(person)),
    bulk=Bulk(
        "Move {people}",
        "These people move at once and lose their old places.",
        "{people}: moved.",
        lambda body: body.get("to") == "front",
    ),
)


@dataclass(frozen=True)
class Bumps:
    """Moves everyone in a file in the same way, for example to the front of their priority.

    Each row's idempotency key stays the same during a run, so if a row is sent twice, the person
    moves only once.
    """

    waitlist_id: str
    # The part of the request body that says where the people move.
    to: Mapping[str, Any]
    reason: str = ""
    column: str = CUSTOMER
    run_key: str = field(default_factory=lambda: secrets.token_hex(8))

    def in_order(self, records: Sequence[Record]) -> Sequence[Record]:
        """Return the rows in the order in which the people must be moved.

        Each person who is moved to the front passes the people moved earlier. For moves to the
        front, the rows are therefore reversed, so that the people end up in the file's order.

        If several rows name the same person, only the first of these rows moves the person.
        """
        first: dict[str | int, Record] = {}
        for record in records:
            first.setdefault(self._person_or_row(record), record)
        rows = list(first.values())
        return rows[::-1] if self.to.get("to") == "front" else rows

    def _person_or_row(self, record: Record) -> str | int:
        """Return the entry id for a row, or the row's number if the row has no valid id."""
        try:
            return self.entry_id(record)
        except InvalidRow:
            return record.number

    def entry_id(self, record: Record) -> str:
        """Return the entry id for a row. Raises InvalidRow if the row has no valid id."""
        return entry_of_row(self.waitlist_id, record, self.column)

    def move(self, api: "Api", record: Record) -> Refused | None:
        """Move the person in this row. Return the error if the service refuses the move."""
        key, entry_id = f"{self.run_key}-{record.number}", self.entry_id(record)
        try:
            person = Person(api, self.waitlist_id, entry_id, key, PATIENT)
            person.send(BUMP, **self.to, reason=self.reason)
        except Refused as error:
            return error
        return None


def entry_of_row(waitlist_id: str, record: Record, column: str) -> str:
    """Return the entry id for the customer id in a row.

    Raises InvalidRow if the id is not valid.
    """
    value = record.fields.get(column)
    if record.problem or value in (None, ""):
        raise InvalidRow(record.problem or f"no customer id in {column}")
    try:
        return entry_id_of(waitlist_id, id_of(column, value))
    except UnicodeEncodeError:
        raise InvalidRow("contains bytes that do not fit the file's encoding") from None
