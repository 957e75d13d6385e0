"""Defines the command that shows a notice to a waitlist's customers."""

import uuid
from typing import Annotated, Any

import typer

from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.action import ListRequest
from waitlist_cli.operations.notice import END_NOTICE, NOTICE, shown_text
from waitlist_cli.terminal.action_commands import with_fields
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.parameters import WaitlistId


@command(
    "notice", "Waitlists", "waitlist notice bakery --text 'The oven is being repaired.' --until 2h"
)
@with_fields("values", NOTICE.fields)
def notice(
    context: Context,
    waitlist: WaitlistId,
    end: Annotated[bool, typer.Option("--end", help="Remove the current notice now.")] = False,
    *,
    values: dict[str, Any],
) -> None:
    """Show a notice to all customers of a waitlist, or remove the current one.

    Customers see the notice on their page until the notice ends. A new notice replaces the current
    one. No message is sent to customers.
    """
    if end and any(values.values()):
        raise WrongUsage("Pass either a new notice or --end.")
    request = ListRequest(context.api, waitlist, str(uuid.uuid4()), values)
    _, answer = (END_NOTICE if end else NOTICE).carry_out(request)
    context.output.result(answer["now"], shown_text(answer["now"]))
