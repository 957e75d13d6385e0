"""Writes CSV files that are safe to open in a spreadsheet.

Customers choose the values, and a spreadsheet would run a value that looks like a formula. To
prevent this attack, which is called CSV injection, this module puts an apostrophe before each
formula, as OWASP recommends.
"""

import csv
import re
from collections.abc import Iterable
from typing import TextIO

UTF_8_MARK = "\ufeff"
# The characters that begin a formula. In some countries, spreadsheets also accept the full-width
# forms of these characters.
_SIGNS = "=+\\-@＝＋－＠"  # noqa: RUF001 (the full-width forms are meant)
# A formula can also begin within a value, after a comma, semicolon, tab or line break, because some
# spreadsheets split a line at these characters.
_CELL = '(\\A|[,;\\t\\r\\n])([ "]*)'
# To prevent a spreadsheet from running text that begins like a formula, an apostrophe is written
# before the text. The customer's own text may also begin with apostrophes, so only one apostrophe
# is removed when the file is read.
_FORMULA = re.compile(f"{_CELL}('*)(?=[{_SIGNS}])")
_NEUTRALISED = re.compile(f"{_CELL}'('*)(?=[{_SIGNS}])")
# This pattern matches values that a spreadsheet would change. A spreadsheet drops tabs and line
# breaks at the beginning of a value, and keeps only 15 digits of a long number.
_ALONE = "'*(?:[\\t\\r\\n]|\\d{16,}\\Z)"
_FRAGILE = re.compile(_ALONE)
_KEPT = re.compile(f"'{_ALONE}")
# This pattern matches values in which another program may have put an apostrophe before a formula.
# Other programs do so only at the beginning of a value.
_FOREIGN = re.compile(f"'+[{_SIGNS}\\t\\r\\n]")


def neutralise(value: object) -> object:
    """Add apostrophes to a value if a spreadsheet would otherwise change it or run it as a
    formula.
    """
    if not isinstance(value, str):
        return value
    text = _FORMULA.sub(r"\1\2'\3", value)
    return f"'{text}" if _FRAGILE.match(text) else text


def restore_cell(cell: str) -> str:
    """Remove the apostrophes that `neutralise` has added to a cell."""
    text = cell[1:] if _KEPT.match(cell) else cell
    return _NEUTRALISED.sub(r"\1\2\3", text)


def remove_apostrophe(cell: str) -> str:
    """If another program has put an apostrophe before a formula in this cell, remove the
    apostrophe.
    """
    return cell[1:] if _FOREIGN.match(cell) else cell


class SheetWriter:
    """Writes the header and the rows of a CSV file, with an apostrophe before each formula."""

    def __init__(self, file: TextIO, delimiter: str = ",") -> None:
        self._header = csv.writer(file, delimiter=delimiter)
        self._rows = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL)

    def header(self, names: Iterable[str]) -> None:
        self._header.writerow(map(neutralise, names))

    def row(self, values: Iterable[object]) -> None:
        self._rows.writerow(map(neutralise, values))
