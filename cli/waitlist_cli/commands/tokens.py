"""Entry tokens and links for guests who have none, and verification by an operator."""

from collections.abc import Mapping
from typing import Any

from waitlist_cli.operations.person import Person
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.entry_output import print_status
from waitlist_cli.terminal.groups import with_person, with_person_and_reason

PANEL = "People"


@command("token", PANEL, "waitlist token bakery --customer ada")
@with_person
def token(context: Context, person: Person) -> None:
    """Issue an entry_token, for a guest who was imported or has lost the token.

    The holder of the token can act as the customer: see the entry, accept or decline an offer, take
    the pass, exit and leave. Earlier tokens stay valid. Only the token is printed.
    """
    _print(context, person.token(), "entry_token")


@command("link", PANEL, "waitlist link bakery --customer ada")
@with_person
def link(context: Context, person: Person) -> None:
    """Get the link that opens a person's place on the customer's page; only the link is printed.

    Whoever has it has the place: send it to the address of the person's profile alone. While the
    address is not verified, the reader verifies it by the link. With --json also the link that
    verifies a new address, which goes to that address alone.
    """
    _print(context, person.link(), "url")


@command("verify", PANEL, "waitlist verify bakery --customer ada --reason passport")
@with_person_and_reason
def verify(context: Context, person: Person) -> None:
    """Mark a person's address verified, by a proof of your own; the entry may then be taken."""
    print_status(context, person.verify(person.show()["joined_at"]))


def _print(context: Context, answer: Mapping[str, Any], field: str) -> None:
    """Print one field of an answer, or the whole answer as JSON."""
    if context.output.as_json:
        context.output.json(answer)
    else:
        context.output.line(answer[field])
