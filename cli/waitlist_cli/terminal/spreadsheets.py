"""CSV for spreadsheets: an apostrophe before whatever would be a formula in a cell.

The rule is OWASP's (CSV injection): each field is quoted, quotes in it are doubled, and what begins
like a formula gets an apostrophe. Customers choose such values, and the spreadsheet of an operator
would run them. A spreadsheet may divide a file at another separator than ours, as Excel does at the
semicolon of many countries, and then takes no notice of our quotes. So the rule also holds behind
each separator and line break within a value.
"""

import csv
import re
from collections.abc import Iterable
from typing import TextIO

UTF_8_MARK = "\ufeff"
# With the full-width forms, which are formulas to a spreadsheet of some countries.
_SIGNS = "=+\\-@＝＋－＠"  # noqa: RUF001 (the full-width forms are meant)
_CELL = '(\\A|[,;\\t\\r\\n])([ "]*)'
# Where an apostrophe may already stand, one more is added, so that a reader who removes one gets
# the original value.
_FORMULA = re.compile(f"{_CELL}('*)(?=[{_SIGNS}])")
_NEUTRALISED = re.compile(f"{_CELL}'('*)(?=[{_SIGNS}])")
# A spreadsheet drops these at the beginning of a cell. It keeps 15 digits of a number.
_ALONE = "'*(?:[\\t\\r\\n]|\\d{16,}\\Z)"
_FRAGILE = re.compile(_ALONE)
_KEPT = re.compile(f"'{_ALONE}")
# What other programs neutralise is the beginning of a value alone.
_FOREIGN = re.compile(f"'+[{_SIGNS}\\t\\r\\n]")


def neutralised(value: object) -> object:
    """Return a value with apostrophes, if a spreadsheet would run or change it."""
    if not isinstance(value, str):
        return value
    text = _FORMULA.sub(r"\1\2'\3", value)
    return f"'{text}" if _FRAGILE.match(text) else text


def original(cell: str) -> str:
    """Undo `neutralised`."""
    text = cell[1:] if _KEPT.match(cell) else cell
    return _NEUTRALISED.sub(r"\1\2\3", text)


def without_apostrophe(cell: str) -> str:
    """Return a cell of another program's file without the apostrophe before a formula."""
    return cell[1:] if _FOREIGN.match(cell) else cell


class SheetWriter:
    """Writes a CSV file for spreadsheets."""

    def __init__(self, file: TextIO, delimiter: str = ",") -> None:
        self._header = csv.writer(file, delimiter=delimiter)
        self._rows = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL)

    def header(self, names: Iterable[str]) -> None:
        self._header.writerow(map(neutralised, names))

    def row(self, values: Iterable[object]) -> None:
        self._rows.writerow(map(neutralised, values))
