"""Defines the commands that invite people and list invitations."""

from typing import Annotated, Any

import typer

from waitlist_cli.operations.invite import FUNNEL, INVITE, PATH, invited_text
from waitlist_cli.terminal.action_commands import list_command
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.parameters import WaitlistId

PANEL = "Admission"
COLUMNS = ("invitation_id", "created_at", "until", "state")


def _print_invitation(context: Context, invitation: dict[str, Any]) -> None:
    context.output.result(invitation, invited_text(invitation))


list_command(
    INVITE,
    PANEL,
    "waitlist invite bakery --count 100 --until 48h",
    _print_invitation,
    has_key=True,
)


@command("invitations", PANEL, "waitlist invitations bakery")
def invitations(
    context: Context,
    waitlist: WaitlistId,
    most: Annotated[
        int,
        typer.Option("-n", "--count", min=1, help="Maximum number of invitations to list."),
    ] = 20,
) -> None:
    """List a waitlist's invitations, newest first, with the number of people at each stage.

    Delivered counts the messages that have not bounced. Opened counts the people who have seen
    their offer. Each invited person is also counted under exactly one stage: open, entered,
    declined, missed or left.
    """
    path = PATH.format(waitlist_id=waitlist)
    found = list(context.pages(path, "invitations", most))
    if context.output.as_json:
        context.output.json({"invitations": found})
        return
    rows = [
        [
            *(invitation[name] for name in COLUMNS),
            *(invitation["funnel"][name] for name in FUNNEL),
        ]
        for invitation in found
    ]
    context.output.rows([*COLUMNS, *FUNNEL], rows, title="Invitations", right=tuple(FUNNEL))
