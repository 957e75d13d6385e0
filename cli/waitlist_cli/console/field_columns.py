"""Chooses which profile fields and attributes become columns in tables of people."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from waitlist_cli.operations.names import field_label, own_name_of, questions_of

PARTS = ("attributes", "profile")
# The number of columns that a table shows by default, and the number that the operator can choose
# from.
MOST_USUAL, MOST_POSSIBLE = 6, 60
Document = Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    part: str
    name: str

    @property
    def key(self) -> str:
        return f"{self.part}.{self.name}"

    def label_in(self, waitlist: Document) -> str:
        return field_label(waitlist, self.part, self.name)

    def value_for(self, person: Document) -> Any:
        """Return a person's value for this field, or None if there is none."""
        value = person[self.part].get(self.name)
        return "; ".join(value) if isinstance(value, list) and self.part == "attributes" else value


@dataclass(frozen=True)
class Columns:
    """The columns that a table shows, and the columns that the operator can choose from."""

    shown: Sequence[Column]
    possible: Sequence[Column]


def columns_of(
    waitlist: Document, people: Sequence[Document], chosen: Sequence[str] | None
) -> Columns:
    """Return the columns of a table.

    By default, the fields in the waitlist's settings come first, followed by the most common other
    fields.
    """
    found = Counter(
        Column(part, name) for person in people for part in PARTS for name in person[part]
    )
    declared = [Column("attributes", name) for names in waitlist["segments"] for name in names]
    declared += [
        Column(question["kept_in"], question["name"]) for question in questions_of(waitlist)
    ]
    usual = dict.fromkeys([*declared, *(column for column, _ in found.most_common())])
    # By default, leave out columns that merely repeat people's names. The operator can still choose
    # them.
    names = {column for column in usual if _repeats_names(column, waitlist, people)}
    keys = [key.partition(".") for key in chosen or ()]
    picked = [Column(part, name) for part, _, name in keys if part in PARTS and name]
    possible = [*dict.fromkeys([*picked, *usual])][:MOST_POSSIBLE]
    shown = [column for column in possible if column not in names][:MOST_USUAL]
    return Columns(shown if chosen is None else picked, possible)


def _repeats_names(column: Column, waitlist: Document, people: Sequence[Document]) -> bool:
    values = [(column.value_for(person), person) for person in people]
    given = [(value, person) for value, person in values if value is not None]
    return bool(given) and all(value == own_name_of(person, waitlist) for value, person in given)
