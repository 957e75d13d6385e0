"""Detects ids and phone numbers that another program has damaged.

For example, Excel changes a long number to 4.9E+11. A damaged value could identify the wrong
person.
"""

import re

from waitlist_cli.imports.invalid import InvalidRow

AS_TEXT = "format the column as text in the original program, and export the file again"
ROUNDED = re.compile(r"[+-]?\d([.,]\d+)?[eE][+-]\d{2,3}")
FRACTION = re.compile(r"\+?\d+[.,]0+")
ERROR = re.compile(r"#(#+|N/A|NAME\?|NULL!|NUM!|REF!|VALUE!|DIV/0!|[A-Z]+!)", re.IGNORECASE)


def describe_damage(text: str) -> str:
    """Describe how the text was damaged, or return "" if it is not damaged."""
    text = text.strip()
    if ROUNDED.fullmatch(text):
        return "is a number that a spreadsheet has rounded"
    if FRACTION.fullmatch(text):
        return "is a whole number that another program has changed to a fraction"
    return "is an error message from a spreadsheet" if ERROR.fullmatch(text) else ""


def check_undamaged(column: str, text: str) -> None:
    """Raise InvalidRow if another program has damaged this id, email address or phone number."""
    if problem := describe_damage(text):
        raise InvalidRow(f"{column}: {text.strip()[:50]!r} {problem}: {AS_TEXT}")
