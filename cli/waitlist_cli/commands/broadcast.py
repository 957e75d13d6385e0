"""Defines the command that sends a message to some or all people on a waitlist."""

import uuid
from typing import Annotated, Any

import typer

from waitlist_cli.operations.action import ListRequest
from waitlist_cli.operations.broadcast import MESSAGE, reach_text, send_message
from waitlist_cli.terminal.action_commands import with_fields
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.parameters import Key, WaitlistId


@command("message", "People", "waitlist message bakery --text 'We close at 5 pm today.' --dry-run")
@with_fields("values", MESSAGE.fields)
def message(
    context: Context,
    waitlist: WaitlistId,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count the recipients without sending anything.")
    ] = False,
    key: Key = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Send without asking for confirmation.")
    ] = False,
    *,
    values: dict[str, Any],
) -> None:
    """Send a message to some or all people on a waitlist by email or SMS.

    Each person gets the message once. The command first counts the people who would get it, and
    asks for confirmation before it sends anything.
    """
    request = ListRequest(context.api, waitlist, key or str(uuid.uuid4()), values)
    if dry_run or not yes:
        answer = send_message(request, dry_run=True)
        if dry_run:
            context.output.result(answer, reach_text(answer))
            return
        context.ask_first(yes, f"{reach_text(answer)} Send it?")
    answer = send_message(request)
    context.output.result(answer, reach_text(answer))
