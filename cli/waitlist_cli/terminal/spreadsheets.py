"""CSV for spreadsheets: an apostrophe before each value that looks like a formula.

The rule is OWASP's (CSV injection): each field is quoted, and a value that begins with one of
= + - @, their full-width forms, a tab, a carriage return or a line feed gets the apostrophe.
Customers choose such values, and the spreadsheet of an operator would run them.
"""

import csv
import re
from collections.abc import Iterable
from typing import TextIO

_FORMULA_STARTS = "=+\\-@\t\r\n＝＋－＠"  # noqa: RUF001 (the full-width forms are meant)
# A value that begins with apostrophes before such a sign gets one more, so that a reader who
# removes one gets the original value.
_FORMULA = re.compile(f"'*[{_FORMULA_STARTS}]")
_NEUTRALISED = re.compile(f"'+[{_FORMULA_STARTS}]")


def neutralised(value: object) -> object:
    """Return a value with an apostrophe, if a spreadsheet would run it as a formula."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def original(cell: str) -> str:
    """Undo `neutralised`."""
    return cell[1:] if _NEUTRALISED.match(cell) else cell


class SheetWriter:
    """Writes a CSV file for spreadsheets."""

    def __init__(self, file: TextIO) -> None:
        self._header = csv.writer(file)
        self._rows = csv.writer(file, quoting=csv.QUOTE_ALL)

    def header(self, names: Iterable[str]) -> None:
        self._header.writerow(map(neutralised, names))

    def row(self, values: Iterable[object]) -> None:
        self._rows.writerow(map(neutralised, values))
