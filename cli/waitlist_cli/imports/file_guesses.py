"""What the first rows of a file say about its columns, for `waitlist import`."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from waitlist_cli.imports.columns import CUSTOMER
from waitlist_cli.imports.guesses import likely_customer, time_guess
from waitlist_cli.imports.records import is_file, opened
from waitlist_cli.terminal.output import Output

GUESSED_ROWS = 1_000


@dataclass(frozen=True)
class FirstRows:
    """The columns of a file with their first values; none of a pipe, which is read once."""

    names: Sequence[str] = ()
    values: Sequence[Sequence[object]] = ()


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


def customer_of(output: Output, rows: FirstRows, mapped: Sequence[str]) -> str:
    """Return the column of the customer ids; notes one that has another name."""
    taken = {text.partition("=")[0] for text in mapped}
    pairs = [
        (name, values)
        for name, values in zip(rows.names, rows.values, strict=True)
        if name not in taken
    ]
    found = likely_customer([name for name, _ in pairs], [values for _, values in pairs])
    if found is None or found == CUSTOMER or f"{found}={CUSTOMER}" in mapped:
        return CUSTOMER
    output.note(f"The customer ids are in the column {found} (--customer).")
    return found


def format_of(output: Output, rows: FirstRows, column: str) -> str | None:
    """Return how the times of a column are written; None for ISO 8601. Notes the format."""
    if column not in rows.names:
        return None
    found = time_guess(rows.values[rows.names.index(column)])
    if found is None or found.time_format is None:
        return None
    other = f", and not as {found.other}" if found.other else ""
    output.note(f"Times are read as {found.time_format}{other} (--time-format).")
    return found.time_format
