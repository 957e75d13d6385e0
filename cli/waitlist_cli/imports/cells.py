"""How a field of a profile, or an attribute, is written in a cell, and read from one."""

import re
from collections.abc import Sequence
from typing import Any

from waitlist_cli.imports.broken import problem_of
from waitlist_cli.terminal.output import CONTROLS, VALUE_SEPARATOR, escaped_json

PARTS = ("profile", "attributes")
# Characters that a cell keeps, though a terminal acts on them.
_LINE_BREAKS = re.compile("\t|\r\n|\n")


def is_of_export(column: str) -> bool:
    """Return whether a column is a field of a profile or an attribute, as exports name them."""
    part, _, name = column.partition(".")
    return part in PARTS and bool(name)


def has_column(name: str) -> bool:
    """Return whether the header of a CSV can have a field of this name."""
    return name != "" and name == name.strip() and not CONTROLS.search(name)


def cell_of(part: str, value: Any) -> str:
    """Return the text of a value in a cell; "" if a cell cannot show it."""
    if part == "attributes":
        text = VALUE_SEPARATOR.join(value) if isinstance(value, list) else value
    elif isinstance(value, bool):
        text = "yes" if value else "no"
    elif isinstance(value, dict) and value.keys() == {"text", "version"}:
        # What a customer has agreed to.
        text = str(value["text"])
    else:
        text = value if isinstance(value, str) else escaped_json(value)
    # A program that shows the file could act on these.
    return "" if CONTROLS.search(_LINE_BREAKS.sub("", text)) else text


def is_whole_in_cell(part: str, value: Any) -> bool:
    """Return whether an import reads this very value from its cell."""
    cell = cell_of(part, value)
    if not cell.strip() or problem_of(cell):
        return False
    read: object = values_of(cell.strip(), splits=True) if part == "attributes" else cell
    return bool(read == value)


def values_of(text: str, *, splits: bool) -> str | Sequence[str]:
    """Return the value of an attribute, or a list if there are several."""
    if not splits:
        return text
    values = [one.strip() for one in text.split(VALUE_SEPARATOR) if one.strip()]
    return values[0] if len(values) == 1 else values
