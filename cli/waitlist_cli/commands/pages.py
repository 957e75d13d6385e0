"""Defines the `page` command, which shows or changes the customer page of a waitlist."""

from typing import Annotated, Any

import typer

from waitlist_cli.commands.waitlists import change
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.settings import NO_PAGE, replacement_patch
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.parameters import WaitlistId, read_json

PANEL = "Waitlists"


@command("page", PANEL, "waitlist page bakery --text 'Fresh bread' --colour '#0b6e4f'")
def page(
    context: Context,
    waitlist: WaitlistId,
    text: Annotated[
        str | None,
        typer.Option(
            "--text",
            help="Text that says what people are waiting for. The text may have several lines.",
        ),
    ] = None,
    colour: Annotated[
        str | None,
        typer.Option(
            "--colour",
            metavar="#RRGGBB",
            help="Colour of the buttons. Give '' to restore the default.",
        ),
    ] = None,
    logo_url: Annotated[
        str | None,
        typer.Option(
            "--logo", metavar="URL", help="Address of the logo image. Give '' to show no logo."
        ),
    ] = None,
    enter_url: Annotated[
        str | None,
        typer.Option(
            "--enter",
            metavar="URL",
            help="Address to which customers are sent when they enter. Give '' to keep "
            "customers on the page.",
        ),
    ] = None,
    fields: Annotated[
        str | None,
        typer.Option(
            "--fields",
            metavar="FILE",
            help="JSON file with the list of questions on the signup form, or - for standard "
            "input. Give '' to ask no questions.",
        ),
    ] = None,
    image_url: Annotated[
        str | None,
        typer.Option(
            "--image",
            metavar="URL",
            help="Address of the image in link previews. Give '' to use the logo.",
        ),
    ] = None,
    index: Annotated[
        bool | None,
        typer.Option("--index/--no-index", help="Whether search engines may list the page."),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            metavar="FIELD",
            help="Form field whose answers are counted as the sources of signups, such as "
            "utm_source. Give '' to count no sources.",
        ),
    ] = None,
    sources: Annotated[
        str | None,
        typer.Option(
            "--sources",
            metavar="ANSWERS",
            help="Answers to count separately, such as newsletter,instagram. All other "
            "answers are counted as `other`.",
        ),
    ] = None,
    texts: Annotated[
        str | None,
        typer.Option(
            "--texts",
            metavar="FILE",
            help="JSON file with texts that replace texts of the page, by language and key, "
            "or - for standard input. Give '' to restore the standard texts.",
        ),
    ] = None,
    off: Annotated[
        bool,
        typer.Option(
            "--off", help="Remove all settings of the page. The page then shows only the name."
        ),
    ] = False,
) -> None:
    """Show or change the customer page of a waitlist.

    If you give no options, the command prints the address and the settings of the page. Otherwise,
    it changes the settings that you give and keeps the others.
    """
    typed: dict[str, Any] = {"colour": colour, "logo_url": logo_url, "enter_url": enter_url}
    typed |= {"image_url": image_url, "source": source}
    typed = {name: value or None for name, value in typed.items() if value is not None}
    if text is not None:
        typed["text"] = text
    if fields is not None:
        typed["fields"] = read_json(fields) if fields else []
    if index is not None:
        typed["index"] = index
    if sources is not None:
        typed["sources"] = [answer.strip() for answer in sources.split(",") if answer.strip()]
    elif source == "":
        typed["sources"] = []
    version = None
    if texts is not None:
        found = context.call("GET", waitlist)
        former, version = (found["page"] or NO_PAGE)["texts"], found["version"]
        typed["texts"] = replacement_patch(former, read_json(texts) if texts else {})
    if off and typed:
        raise WrongUsage(
            "--off removes all settings of the page. Do not combine it with other options."
        )
    if off or typed:
        change(context, waitlist, {"page": typed or None}, version)
    else:
        _print(context, waitlist, context.call("GET", waitlist)["page"])


def _print(context: Context, waitlist: str, page: dict[str, Any] | None) -> None:
    address = f"{str(context.api.http.base_url).rstrip('/')}/w/{waitlist}"
    shown = page or NO_PAGE
    questions = ", ".join(field["name"] for field in shown["fields"])
    pairs = {"address": address, **shown, "fields": questions, "texts": ", ".join(shown["texts"])}
    context.output.pairs(pairs, {"address": address, "page": page})
