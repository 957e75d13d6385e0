"""Defines the commands that issue entry tokens and links, and that verify addresses by hand."""

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
    """Issue an entry_token for a person, such as a guest who has lost the token.

    Anyone who has the token can act as the customer. Earlier tokens stay valid.
    """
    _print(context, person.token(), "entry_token")


@command("link", PANEL, "waitlist link bakery --customer ada")
@with_person
def link(context: Context, person: Person) -> None:
    """Print the link to the customer page that shows a person's position.

    Anyone who has the link can act as the customer, so send it only to the address in the person's
    profile. The link verifies this address.

    If the person has asked for a new address, --json also prints a link that verifies the new
    address. Send that link only to the new address.
    """
    _print(context, person.link(), "url")


@command("verify", PANEL, "waitlist verify bakery --customer ada --reason passport")
@with_person_and_reason
def verify(context: Context, person: Person) -> None:
    """Mark a person's address as verified, after you have checked the address yourself.

    The person can then be offered a slot or claimed.
    """
    print_status(context, person.verify(person.show()["joined_at"]))


def _print(context: Context, answer: Mapping[str, Any], field: str) -> None:
    """Print a single field of a response.

    If the operator asked for JSON, print the whole response.
    """
    if context.output.as_json:
        context.output.json(answer)
    else:
        context.output.line(answer[field])
