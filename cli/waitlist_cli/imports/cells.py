"""Converts profile fields and attributes to the cells of a CSV file and back."""

import re
from collections.abc import Sequence
from typing import Any

from waitlist_cli.imports.broken import describe_damage
from waitlist_cli.terminal.output import CONTROLS, VALUE_SEPARATOR, escaped_json

PARTS = ("profile", "attributes")
# Tabs and line breaks are control characters, but they occur in ordinary text, so a cell may
# contain them.
_LINE_BREAKS = re.compile("\t|\r\n|\n")


def is_export_column(column: str) -> bool:
    """Return whether a column of an export contains a single profile field or attribute.

    Such a column is named `profile.NAME` or `attributes.NAME`.
    """
    part, _, name = column.partition(".")
    return part in PARTS and bool(name)


def has_column(name: str) -> bool:
    """Return whether this name can be a column name in a CSV file."""
    return name != "" and name == name.strip() and not CONTROLS.search(name)


def cell_of(part: str, value: Any) -> str:
    """Format a value for a cell. Return "" if a cell cannot represent the value."""
    if part == "attributes":
        text = VALUE_SEPARATOR.join(value) if isinstance(value, list) else value
    elif isinstance(value, bool):
        text = "yes" if value else "no"
    elif isinstance(value, dict) and value.keys() == {"text", "version"}:
        # A checkbox's answer consists of the text that the customer agreed to and the text's
        # version.
        text = str(value["text"])
    else:
        text = value if isinstance(value, str) else escaped_json(value)
    # Other control characters could change what a program displays, so leave the cell empty.
    return "" if CONTROLS.search(_LINE_BREAKS.sub("", text)) else text


def is_whole_in_cell(part: str, value: Any) -> bool:
    """Return whether an import would read exactly this value from its cell."""
    cell = cell_of(part, value)
    if not cell.strip() or describe_damage(cell):
        return False
    read: object = values_of(cell.strip(), splits=True) if part == "attributes" else cell
    return bool(read == value)


def values_of(text: str, *, splits: bool) -> str | Sequence[str]:
    """Parse the cell of an attribute. Return a list if the cell contains several values."""
    if not splits:
        return text
    values = [value.strip() for value in text.split(VALUE_SEPARATOR) if value.strip()]
    return values[0] if len(values) == 1 else values
