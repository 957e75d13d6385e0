"""What spreadsheets and programs of tables make of ids and telephone numbers.

Excel shows a number of more than 11 digits as 4.9E+11, and a CSV has what it shows. A table of
numbers with gaps is one of fractions, so that 1701234567 becomes 1701234567.0. An error of a
formula, and a column that is too narrow, are text too. Each of these would be the id of another
person, or of several.
"""

import re

from waitlist_cli.imports.invalid import InvalidRow

AS_TEXT = "format the column as text where the file comes from, and write the file again"
ROUNDED = re.compile(r"[+-]?\d([.,]\d+)?[eE][+-]\d{2,3}")
FRACTION = re.compile(r"\+?\d+[.,]0+")
ERROR = re.compile(r"#(#+|N/A|NAME\?|NULL!|NUM!|REF!|VALUE!|DIV/0!|[A-Z]+!)", re.IGNORECASE)


def problem_of(text: str) -> str:
    """Return why a text is not as a person has typed it; "" if it may be."""
    text = text.strip()
    if ROUNDED.fullmatch(text):
        return "is a number that a spreadsheet has rounded"
    if FRACTION.fullmatch(text):
        return "is a whole number that another program has made a fraction"
    return "is an error of a spreadsheet" if ERROR.fullmatch(text) else ""


def check_unbroken(column: str, text: str) -> None:
    """Raise InvalidRow for an id, an address or a number that is not as it was typed."""
    if problem := problem_of(text):
        raise InvalidRow(f"{column}: {text.strip()[:50]!r} {problem}: {AS_TEXT}")
