"""Messages: how they look, what became of those to one person, and counts."""

from typing import Annotated, Any, Literal

import typer

from waitlist_cli.client.ids import ENTRY_ID, checked_waitlist_id
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.messages import became, previews
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.parameters import Customer

PANEL = "View"
PREVIEW = "preview"
Kind = Literal[
    "joined", "verify", "link", "near", "offered", "ending", "confirm", "admitted", "left"
]
Language = Literal["en", "de", "fr", "es", "ar"]
NOTE = ("at", "kind", "channel", "became")
COUNT = ("kind", "sent", "bounced", "dropped")


@command("messages", PANEL, "waitlist messages bakery --customer ada")
def messages(
    context: Context,
    what: Annotated[
        str, typer.Argument(metavar="WAITLIST", help="The waitlist's id, or: preview WAITLIST.")
    ],
    who: Annotated[
        str | None,
        typer.Argument(
            metavar="PERSON", help="The person's entry or customer id.", show_default=False
        ),
    ] = None,
    customer: Customer = None,
    kind: Annotated[
        Kind | None, typer.Option("--kind", help="With preview: only this kind.")
    ] = None,
    language: Annotated[
        Language | None, typer.Option("--language", help="With preview: only this language.")
    ] = None,
) -> None:
    """Count the messages of a waitlist, or list what became of those to one person.

    `waitlist messages preview bakery --kind offered --language de` shows how they read, with
    example data. For a person: of the present stay, without address and text.
    """
    if what == PREVIEW:
        if who is None or customer is not None:
            raise WrongUsage("Give one waitlist: waitlist messages preview WAITLIST.")
        _preview(context, checked_waitlist_id(who), kind, language)
        return
    if kind or language:
        raise WrongUsage("--kind and --language are for waitlist messages preview WAITLIST.")
    waitlist = checked_waitlist_id(what)
    if who is None and customer is None:
        _count(context, waitlist)
        return
    if who is not None and customer is None and not ENTRY_ID.fullmatch(who):
        who, customer = None, who
    found = context.person(waitlist, who, customer).messages()
    rows = ([one["at"], one["kind"], one["channel"], became(one)] for one in found["messages"])
    context.output.rows(NOTE, rows, title="Messages", document=found)


def _count(context: Context, waitlist: str) -> None:
    found = context.call("GET", waitlist, "/stats")["messages"]
    rows = ([one[name] for name in COUNT] for one in found or [])
    context.output.rows(COUNT, rows, right=COUNT[1:], document={"messages": found})


def _preview(context: Context, waitlist: str, kind: str | None, language: str | None) -> None:
    found = previews(context.api, waitlist, kind, language)
    if context.output.as_json:
        context.output.json({"messages": found})
        return
    for number, one in enumerate(found):
        context.output.text(("\n" if number else "") + _plain(one))


def _plain(one: dict[str, Any]) -> str:
    return f"{one['kind']}, {one['language']}: {one['subject']}\n\n{one['text'].strip()}"
