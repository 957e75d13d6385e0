"""Entry tokens for guests who have none."""

from waitlist_cli.operations.person import Person
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.groups import with_person

PANEL = "People"


@command("token", PANEL, "waitlist token bakery --customer ada")
@with_person
def token(context: Context, person: Person) -> None:
    """Issue an entry_token, for a guest who was imported or has lost the token.

    The holder of the token can act as the customer: see the entry, accept or decline an offer, take
    the pass, exit and leave. Earlier tokens stay valid. Only the token is printed.
    """
    issued = person.token()
    if context.output.as_json:
        context.output.json(issued)
    else:
        context.output.line(issued["entry_token"])
