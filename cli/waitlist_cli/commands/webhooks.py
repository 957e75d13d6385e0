"""Defines the `webhook` command, which resends the events that a webhook did not accept."""

from typing import Annotated, Literal

import typer

from waitlist_cli.operations.webhooks import replays
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.output import format_count
from waitlist_cli.terminal.times import since_of

PANEL = "View"
Action = Literal["replay"]
DONE: dict[Action, str] = {"replay": "replayed"}


@command("webhook", PANEL, "waitlist webhook replay --since 2d")
def webhook(
    context: Context,
    action: Annotated[Action, typer.Argument(help="`replay` resends events.")],
    since: Annotated[
        str,
        typer.Option(
            "--since",
            metavar="TIME",
            help="Resend only events since this time: today (UTC), 1h, 2d, or "
            "2026-03-01T09:30:00+01:00.",
        ),
    ],
) -> None:
    """Resend the dead letters.

    A dead letter is an event that could not be delivered to the webhook for a day. If the command
    is interrupted, run it again.
    """
    count = sum(replays(context.api, since_of(since)["since"]))
    events = format_count(count, "event was", "events were")
    context.output.result({DONE[action]: count}, f"{events} resent.")
