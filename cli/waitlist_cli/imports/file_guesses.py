"""What a file says of itself, where the options of `waitlist import` say nothing."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice

from waitlist_cli.imports.columns import CUSTOMER
from waitlist_cli.imports.guesses import (
    likely_address,
    likely_addresses,
    likely_customer,
    time_guess,
)
from waitlist_cli.imports.records import REJECTION_COLUMNS, is_export, is_file, opened
from waitlist_cli.terminal.output import Output

GUESSED_ROWS = 1_000
READ_AS = REJECTION_COLUMNS[-1]
ADDRESS_WORDS = {"email": "mail addresses", "phone": "telephone numbers"}


@dataclass(frozen=True)
class ReadAs:
    """What was found in a file, if it is read by this `identity`, with times in the column `time`.

    `customer` is the column of the customer ids, or of the addresses that say who people are, and
    `time_format` that of the times. `addresses` maps columns to the fields of the profile to which
    messages go.
    """

    identity: str | None = None
    time: str | None = None
    customer: str | None = None
    time_format: str | None = None
    addresses: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The text in a file of refused rows: these rows alone may look otherwise."""
        if not (self.customer or self.time_format or self.addresses):
            return ""
        return json.dumps({name: one for name, one in asdict(self).items() if one})

    @classmethod
    def from_text(cls, text: object) -> "ReadAs | None":
        """Read what `text` returned; None if it is something else."""
        try:
            return cls(**json.loads(str(text)))
        except (ValueError, TypeError):
            return None


@dataclass(frozen=True)
class Said:
    """What the options say of the columns; the rest is found in the file."""

    customer: str | None
    identity: str | None
    time: str | None
    time_format: str | None
    taken: Sequence[str]
    keeps_others: bool


@dataclass(frozen=True)
class FirstRows:
    """The columns of a file with their first values; none of a pipe, which is read once."""

    names: Sequence[str] = ()
    values: Sequence[Sequence[object]] = ()

    def of(self, column: str) -> Sequence[object]:
        return self.values[self.names.index(column)] if column in self.names else ()


def first_rows(file: str, form: str | None, delimiter: str, encoding: str | None) -> FirstRows:
    """Read the first rows of a CSV; raises WrongUsage if it cannot be read."""
    if not is_file(file):
        return FirstRows()
    with opened(file, form, delimiter, encoding=encoding) as source:
        if source.columns is None:
            return FirstRows()
        records = list(islice(source.records(), GUESSED_ROWS))
        values = [[one.fields.get(name) for one in records] for name in source.columns]
        return FirstRows(source.columns, values)


def read_as(output: Output, rows: FirstRows, said: Said) -> ReadAs:
    """Return what the options do not say; notes what is not as usual.

    A file of refused rows is read as the file was from which they come.
    """
    found = next(map(ReadAs.from_text, filter(None, rows.of(READ_AS))), None)
    if found is None or (found.identity, found.time) != (said.identity, said.time):
        found = ReadAs(
            said.identity,
            said.time,
            _customer(rows, said),
            _time_format(rows, said),
            _addresses(rows, said),
        )
    others = {*rows.names} - {*said.taken}
    found = replace(
        found,
        addresses={name: field for name, field in found.addresses.items() if name in others},
    )
    _note(output, rows, said, found)
    return found


def _customer(rows: FirstRows, said: Said) -> str | None:
    if said.customer is not None:
        return None
    if said.identity is not None:
        own = f"profile.{said.identity}"
        if is_export(rows.names) and own in rows.names:
            return own
        return likely_address(rows.names, rows.values, said.identity)
    names = [name for name in rows.names if name not in said.taken]
    found = likely_customer(names, [rows.of(name) for name in names])
    return None if found == CUSTOMER else found


def _time_format(rows: FirstRows, said: Said) -> str | None:
    if said.time is None or said.time_format is not None:
        return None
    found = time_guess(rows.of(said.time))
    return found.time_format if found else None


def _addresses(rows: FirstRows, said: Said) -> dict[str, str]:
    if not said.keeps_others or is_export(rows.names):
        return {}
    own = [f"profile.{said.identity}"] if said.identity else []
    return likely_addresses(rows.names, rows.values, [*said.taken, *own])


def _note(output: Output, rows: FirstRows, said: Said, found: ReadAs) -> None:
    if found.customer is not None:
        what = "customer ids" if said.identity is None else ADDRESS_WORDS[said.identity]
        output.note(f"The {what} are in the column {found.customer} (--customer).")
    for column, target in found.addresses.items():
        what = ADDRESS_WORDS[target.partition(".")[2]]
        output.note(f"The {what} of the column {column} go into {target} (--map).")
    if found.time_format is not None and said.time is not None:
        guess = time_guess(rows.of(said.time))
        other = guess.other if guess and guess.time_format == found.time_format else None
        also = f", and not as {other}" if other else ""
        output.note(f"Times are read as {found.time_format}{also} (--time-format).")
