"""Messages: how they look, what became of those to one person, and counts."""

import sys
from typing import Annotated, Any, Literal

import typer

from waitlist_cli.client.ids import ENTRY_ID, checked_waitlist_id
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.messages import became, plain, previews, send_test
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.parameters import Customer

PANEL = "View"
PREVIEW, TEST = "preview", "test"
Kind = Literal[
    "joined",
    "verify",
    "link",
    "address",
    "near",
    "offered",
    "ending",
    "confirm",
    "admitted",
    "left",
]
Language = Literal["en", "de", "fr", "es", "ar"]
NOTE = ("at", "kind", "channel", "became")
COUNT = ("kind", "sent", "bounced", "dropped", "limited")


@command("messages", PANEL, "waitlist messages bakery --customer ada")
def messages(
    context: Context,
    what: Annotated[
        str,
        typer.Argument(
            metavar="WAITLIST", help="The waitlist's id. Or: preview WAITLIST, test WAITLIST."
        ),
    ],
    who: Annotated[
        str | None,
        typer.Argument(
            metavar="PERSON", help="The person's entry or customer id.", show_default=False
        ),
    ] = None,
    customer: Customer = None,
    kind: Annotated[
        Kind | None, typer.Option("--kind", help="With preview and test: the kind.")
    ] = None,
    language: Annotated[
        Language | None, typer.Option("--language", help="With preview and test: the language.")
    ] = None,
    email: Annotated[
        str | None, typer.Option("--email", help="With test: your mail address; - reads it.")
    ] = None,
    phone: Annotated[
        str | None, typer.Option("--phone", help="With test: your number; - reads it.")
    ] = None,
) -> None:
    """Count the messages of a waitlist, or list what became of those to one person.

    For a person: of the present stay, without address and text. `waitlist messages preview bakery`
    shows how they read, with example data; `waitlist messages test bakery --kind offered --email
    me@example.com` sends one to you.
    """
    if what in (PREVIEW, TEST):
        if who is None or customer is not None:
            raise WrongUsage(f"Give one waitlist: waitlist messages {what} WAITLIST.")
        waitlist = checked_waitlist_id(who)
        if what == PREVIEW and email is None and phone is None:
            _preview(context, waitlist, kind, language)
        elif what == TEST and kind is not None and (email is None) != (phone is None):
            _test(
                context, waitlist, kind, language, ("email", email) if email else ("phone", phone)
            )
        else:
            raise WrongUsage(
                "A test needs --kind, and either --email or --phone; a preview takes no address."
            )
        return
    if kind or language or email or phone:
        raise WrongUsage("These options are for waitlist messages preview and test.")
    waitlist = checked_waitlist_id(what)
    if who is None and customer is None:
        _count(context, waitlist)
        return
    if who is not None and customer is None and not ENTRY_ID.fullmatch(who):
        who, customer = None, who
    found = context.person(waitlist, who, customer).messages()
    rows = ([one["at"], one["kind"], one["channel"], became(one)] for one in found["messages"])
    context.output.rows(NOTE, rows, title="Messages", document=found)


def _test(
    context: Context,
    waitlist: str,
    kind: str,
    language: str | None,
    address: tuple[str, str | None],
) -> None:
    field, typed = address
    to = sys.stdin.readline().strip() if typed == "-" else typed
    send_test(context.api, waitlist, kind, language, {field: to or ""})
    context.output.result({"waitlist_id": waitlist, "outcome": "sent"}, "The message is sent.")


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
    title = f"{one['kind']}, {one['language']}, {one['sms_parts']} parts as SMS: {one['subject']}"
    text = f"{title}\n\n{one['text'].strip()}"
    return plain(text)
