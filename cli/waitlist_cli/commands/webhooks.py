"""The stack's webhook: send its dead letters again."""

from typing import Annotated, Literal

import typer

from waitlist_cli.operations.webhooks import replays
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.output import counted
from waitlist_cli.terminal.times import since_of

PANEL = "View"
Action = Literal["replay"]
DONE: dict[Action, str] = {"replay": "replayed"}


@command("webhook", PANEL, "waitlist webhook replay --since 2d")
def webhook(
    context: Context,
    action: Annotated[Action, typer.Argument(help="replay: send events again.")],
    since: Annotated[
        str,
        typer.Option(
            "--since",
            metavar="TIME",
            help="When they happened: today (UTC), 1h, 2d, or 2026-03-01T09:30:00+01:00.",
        ),
    ],
) -> None:
    """Send the events again that the webhook has not taken for a day.

    They arrive in order for each person. After an interruption run the same command again.
    """
    count = sum(replays(context.api, since_of(since)["since"]))
    events = counted(count, "event is", "events are")
    context.output.result({DONE[action]: count}, f"{events} sent again.")
