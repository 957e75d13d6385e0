"""Guesses the import settings that the operator has not given as options."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice

from waitlist_cli.imports.columns import CUSTOMER
from waitlist_cli.imports.guesses import (
    guess_address_column,
    guess_address_columns,
    guess_customer_column,
    guess_time_format,
)
from waitlist_cli.imports.records import REJECTION_COLUMNS, is_export, is_file, open_source
from waitlist_cli.terminal.output import Output

GUESSED_ROWS = 1_000
READ_AS = REJECTION_COLUMNS[-1]
ADDRESS_WORDS = {"email": "email addresses", "phone": "telephone numbers"}


@dataclass(frozen=True)
class ReadAs:
    """The settings that were guessed from a file."""

    identity: str | None = None
    # The column with the signup times.
    time: str | None = None
    # The column that identifies people, by customer id or by address.
    customer: str | None = None
    # The format of the signup times.
    time_format: str | None = None
    # Maps columns to the profile fields, `email` or `phone`, in which their addresses are stored.
    addresses: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The guesses as JSON, for the file of refused rows. A later import of this file uses them,
        because the refused rows alone could suggest different settings.
        """
        if not (self.customer or self.time_format or self.addresses):
            return ""
        return json.dumps({name: value for name, value in asdict(self).items() if value})

    @classmethod
    def from_text(cls, text: object) -> "ReadAs | None":
        """Parse the guesses from JSON. Return None if the text contains none."""
        try:
            return cls(**json.loads(str(text)))
        except (ValueError, TypeError):
            return None


@dataclass(frozen=True)
class GivenOptions:
    """The options that describe the columns."""

    customer: str | None
    identity: str | None
    time: str | None
    time_format: str | None
    taken: Sequence[str]
    keeps_others: bool


@dataclass(frozen=True)
class FirstRows:
    """The columns' names and first values.

    Both are empty for a pipe. A pipe can be read only once, so all its rows are left for the
    import.
    """

    names: Sequence[str] = ()
    values: Sequence[Sequence[object]] = ()

    def of(self, column: str) -> Sequence[object]:
        return self.values[self.names.index(column)] if column in self.names else ()


def read_first_rows(file: str, form: str | None, delimiter: str, encoding: str | None) -> FirstRows:
    """Read the first rows of a CSV file. Raise WrongUsage if the file cannot be read."""
    if not is_file(file):
        return FirstRows()
    with open_source(file, form, delimiter, encoding=encoding) as source:
        if source.columns is None:
            return FirstRows()
        records = list(islice(source.records(), GUESSED_ROWS))
        values = [[record.fields.get(name) for record in records] for name in source.columns]
        return FirstRows(source.columns, values)


def guess_settings(output: Output, rows: FirstRows, given: GivenOptions) -> ReadAs:
    """Guess the settings that the operator has not given. Print a note about each unusual guess.

    A file of refused rows contains the guesses that were made for the original file. If such a file
    is imported, those guesses are used instead of new ones.
    """
    found = next(map(ReadAs.from_text, filter(None, rows.of(READ_AS))), None)
    if found is None or (found.identity, found.time) != (given.identity, given.time):
        found = ReadAs(
            given.identity,
            given.time,
            _customer(rows, given),
            _time_format(rows, given),
            _addresses(rows, given),
        )
    others = {*rows.names} - {*given.taken}
    found = replace(
        found,
        addresses={name: field for name, field in found.addresses.items() if name in others},
    )
    _note(output, rows, given, found)
    return found


def _customer(rows: FirstRows, given: GivenOptions) -> str | None:
    if given.customer is not None:
        return None
    if given.identity is not None:
        own = f"profile.{given.identity}"
        if is_export(rows.names) and own in rows.names:
            return own
        return guess_address_column(rows.names, rows.values, given.identity)
    names = [name for name in rows.names if name not in given.taken]
    found = guess_customer_column(names, [rows.of(name) for name in names])
    return None if found == CUSTOMER else found


def _time_format(rows: FirstRows, given: GivenOptions) -> str | None:
    if given.time is None or given.time_format is not None:
        return None
    found = guess_time_format(rows.of(given.time))
    return found.time_format if found else None


def _addresses(rows: FirstRows, given: GivenOptions) -> dict[str, str]:
    if not given.keeps_others or is_export(rows.names):
        return {}
    own = [f"profile.{given.identity}"] if given.identity else []
    return guess_address_columns(rows.names, rows.values, [*given.taken, *own])


def _note(output: Output, rows: FirstRows, given: GivenOptions, found: ReadAs) -> None:
    if found.customer is not None:
        kind = "customer ids" if given.identity is None else ADDRESS_WORDS[given.identity]
        output.note(f"The {kind} are read from the column {found.customer} (--customer).")
    for column, target in found.addresses.items():
        kind = ADDRESS_WORDS[target.partition(".")[2]]
        output.note(f"The {kind} in the column {column} are stored as {target} (--map).")
    if found.time_format is not None and given.time is not None:
        guess = guess_time_format(rows.of(given.time))
        other = guess.other if guess and guess.time_format == found.time_format else None
        also = f", and not as {other}" if other else ""
        output.note(f"Times are read in the format {found.time_format}{also} (--time-format).")
