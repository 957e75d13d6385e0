"""Defines the `messages` command, which counts, lists, previews and tests messages."""

import sys
from typing import Annotated, Any, Literal

import typer

from waitlist_cli.client.ids import ENTRY_ID, checked_waitlist_id
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.messages import describe_result, plain, previews, send_test
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.output import format_count
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
    "called",
    "ending",
    "confirm",
    "admitted",
    "left",
    "message",
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
            metavar="WAITLIST",
            help="Id of the waitlist. To preview or test messages, write `preview` or `test` "
            "before the id.",
        ),
    ],
    who: Annotated[
        str | None,
        typer.Argument(
            metavar="PERSON", help="The person's entry id or customer id.", show_default=False
        ),
    ] = None,
    customer: Customer = None,
    kind: Annotated[
        Kind | None, typer.Option("--kind", help="Kind of message to preview or to send as a test.")
    ] = None,
    language: Annotated[
        Language | None, typer.Option("--language", help="Language of the preview or test.")
    ] = None,
    email: Annotated[
        str | None,
        typer.Option(
            "--email",
            help="Email address for the test. Use - to read the address from standard input.",
        ),
    ] = None,
    phone: Annotated[
        str | None,
        typer.Option(
            "--phone",
            help="Phone number for the test. Use - to read the number from standard input.",
        ),
    ] = None,
) -> None:
    """Count a waitlist's messages, or list the messages to one person since their signup.

    To print the texts with example data, use `waitlist messages preview bakery`. To send yourself a
    test message, use `waitlist messages test bakery --kind offered --email me@example.com`.
    """
    if what in (PREVIEW, TEST):
        if who is None or customer is not None:
            raise WrongUsage(f"Name one waitlist: waitlist messages {what} WAITLIST.")
        waitlist = checked_waitlist_id(who)
        if what == PREVIEW and email is None and phone is None:
            _preview(context, waitlist, kind, language)
        elif what == TEST and kind is not None and (email is None) != (phone is None):
            _test(
                context, waitlist, kind, language, ("email", email) if email else ("phone", phone)
            )
        else:
            raise WrongUsage(
                "`messages test` needs --kind and either --email or --phone. `messages preview` "
                "takes neither --email nor --phone."
            )
        return
    if kind or language or email or phone:
        raise WrongUsage(
            "--kind, --language, --email and --phone are only for `waitlist messages preview` and "
            "`waitlist messages test`."
        )
    waitlist = checked_waitlist_id(what)
    if who is None and customer is None:
        _count(context, waitlist)
        return
    if who is not None and customer is None and not ENTRY_ID.fullmatch(who):
        who, customer = None, who
    found = context.person(waitlist, who, customer).messages()
    rows = (
        [message["at"], message["kind"], message["channel"], describe_result(message)]
        for message in found["messages"]
    )
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
    context.output.result(
        {"waitlist_id": waitlist, "outcome": "sent"}, "The test message was sent."
    )


def _count(context: Context, waitlist: str) -> None:
    found = context.call("GET", waitlist, "/stats")["messages"]
    rows = ([counts[name] for name in COUNT] for counts in found or [])
    context.output.rows(COUNT, rows, right=COUNT[1:], document={"messages": found})


def _preview(context: Context, waitlist: str, kind: str | None, language: str | None) -> None:
    found = previews(context.api, waitlist, kind, language)
    if context.output.as_json:
        context.output.json({"messages": found})
        return
    for number, preview in enumerate(found):
        context.output.text(("\n" if number else "") + _preview_text(preview))


def _preview_text(preview: dict[str, Any]) -> str:
    parts = f"{format_count(preview['sms_parts'], 'part', 'parts')} as SMS"
    title = f"{preview['kind']}, {preview['language']}, {parts}: {preview['subject']}"
    return plain(f"{title}\n\n{preview['text'].strip()}")
