"""The commands: each module holds one part of `waitlist --help`.

They are imported in the order in which `--help` lists them.
"""

from waitlist_cli.terminal.command import app  # noqa: I001
from waitlist_cli.commands import (
    waitlists,
    policies,
    pages,
    people,
    reinstate,
    tokens,
    admission,
    view,
    costs,
    webhooks,
    messages,
    console,
    bulk,
)

PARTS = (
    waitlists,
    policies,
    pages,
    people,
    reinstate,
    tokens,
    admission,
    view,
    costs,
    webhooks,
    messages,
    console,
    bulk,
)

__all__ = ("PARTS", "app")
