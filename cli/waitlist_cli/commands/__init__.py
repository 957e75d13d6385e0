"""What can be typed: each module holds the commands of one part of `waitlist --help`.

They are imported in the order in which `--help` lists them.
"""

from waitlist_cli.commanding import app  # noqa: I001
from waitlist_cli.commands import (
    waitlists,
    people,
    tokens,
    admission,
    looking,
    bulk,
)

PARTS = (waitlists, people, tokens, admission, looking, bulk)

__all__ = ("PARTS", "app")
