"""Defines the commands of `waitlist`.

`waitlist --help` lists them in the order in which their modules are imported here.
"""

from waitlist_cli.terminal.command import app  # noqa: I001
from waitlist_cli.commands import (
    waitlists,
    policies,
    pages,
    notice,
    people,
    reinstate,
    admission,
    invitations,
    view,
    costs,
    webhooks,
    messages,
    broadcast,
    console,
    bulk,
)

PARTS = (
    waitlists,
    policies,
    pages,
    notice,
    people,
    reinstate,
    admission,
    invitations,
    view,
    costs,
    webhooks,
    messages,
    broadcast,
    console,
    bulk,
)

__all__ = ("PARTS", "app")
