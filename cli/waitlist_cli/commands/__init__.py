"""What can be typed: each module holds the commands of one part of `waitlist --help`.

They are imported in the order in which `--help` lists them.
"""

from waitlist_cli.commands import (  # noqa: I001
    waitlists,
    people,
    tokens,
    admission,
    looking,
    bulk,
)

ALL = (waitlists, people, tokens, admission, looking, bulk)
