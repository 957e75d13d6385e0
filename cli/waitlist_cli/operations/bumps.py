"""Moves the people in a file, one after another."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from waitlist_cli.client.ids import entry_id_of
from waitlist_cli.client.retries import PATIENT
from waitlist_cli.errors import Refused
from waitlist_cli.imports.columns import CUSTOMER, id_of
from waitlist_cli.imports.invalid import InvalidRow
from waitlist_cli.imports.records import Record
from waitlist_cli.operations.person import Person

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api


@dataclass(frozen=True)
class Bumps:
    """Moves every person in a file in the same way.

    Within a run, each row has a fixed idempotency key. If a row is sent twice, its person moves
    only once.
    """

    waitlist_id: str
    # The arguments of `Person.bump`.
    to: Mapping[str, Any]
    reason: str = ""
    column: str = CUSTOMER
    run_key: str = field(default_factory=lambda: secrets.token_hex(8))

    def in_order(self, records: Sequence[Record]) -> Sequence[Record]:
        """Return the rows in the order in which their people must be moved.

        For moves to the front, the last row comes first, because each person passes the people who
        moved before.
        """
        return records[::-1] if self.to.get("to") == "front" else records

    def entry_id(self, record: Record) -> str:
        """Return the entry id for a row. Raises InvalidRow if the row has no valid id."""
        return entry_of_row(self.waitlist_id, record, self.column)

    def move(self, api: "Api", record: Record) -> Refused | None:
        """Move the person in a row. Return the refusal if the service refused the move, or None."""
        key, entry_id = f"{self.run_key}-{record.number}", self.entry_id(record)
        try:
            Person(api, self.waitlist_id, entry_id, self.reason, key, PATIENT).bump(**self.to)
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
        raise InvalidRow("contains bytes that do not fit the encoding of the file") from None
