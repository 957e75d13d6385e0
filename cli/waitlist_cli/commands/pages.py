"""The customer's page of a waitlist: show, change."""

from typing import Annotated, Any

import typer

from waitlist_cli.commands.waitlists import change
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.settings import NO_PAGE, replacing
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.parameters import WaitlistId, read_json

PANEL = "Waitlists"


@command("page", PANEL, "waitlist page bakery --text 'Fresh bread' --colour '#0b6e4f'")
def page(
    context: Context,
    waitlist: WaitlistId,
    text: Annotated[
        str | None, typer.Option("--text", help="What people wait for; may have several lines.")
    ] = None,
    colour: Annotated[
        str | None,
        typer.Option("--colour", metavar="#RRGGBB", help="Of buttons; '' for the default."),
    ] = None,
    logo_url: Annotated[
        str | None, typer.Option("--logo", metavar="URL", help="An image; '' for none.")
    ] = None,
    enter_url: Annotated[
        str | None,
        typer.Option(
            "--enter", metavar="URL", help="Where a customer who enters goes; '' for nowhere."
        ),
    ] = None,
    fields: Annotated[
        str | None,
        typer.Option(
            "--fields",
            metavar="FILE",
            help="A JSON file with the list of questions of the form, - for the standard input; "
            "'' for none.",
        ),
    ] = None,
    image_url: Annotated[
        str | None,
        typer.Option(
            "--image", metavar="URL", help="An image for previews of links; '' for the logo."
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
            help="A field by whose answers signups are counted, such as utm_source; '' for none.",
        ),
    ] = None,
    sources: Annotated[
        str | None,
        typer.Option(
            "--sources",
            metavar="ANSWERS",
            help="The answers to it that are counted each by itself: newsletter,instagram. The "
            "others count as other.",
        ),
    ] = None,
    texts: Annotated[
        str | None,
        typer.Option(
            "--texts",
            metavar="FILE",
            help="A JSON file with words in place of the page's, by language and key, - for the "
            "standard input; '' for none.",
        ),
    ] = None,
    off: Annotated[
        bool, typer.Option("--off", help="Remove all of it: the page shows the name alone.")
    ] = False,
) -> None:
    """Show the address of the customer's page and what it shows, or change it.

    What is not named stays.
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
        typed["sources"] = [one.strip() for one in sources.split(",") if one.strip()]
    elif source == "":
        typed["sources"] = []
    version = None
    if texts is not None:
        found = context.call("GET", waitlist)
        former, version = (found["page"] or NO_PAGE)["texts"], found["version"]
        typed["texts"] = replacing(former, read_json(texts) if texts else {})
    if off and typed:
        raise WrongUsage("--off removes the whole setting: give it alone.")
    if off or typed:
        change(context, waitlist, {"page": typed or None}, version)
    else:
        _print(context, waitlist, context.call("GET", waitlist)["page"])


def _print(context: Context, waitlist: str, page: dict[str, Any] | None) -> None:
    address = f"{str(context.api.http.base_url).rstrip('/')}/w/{waitlist}"
    shown = page or NO_PAGE
    questions = ", ".join(one["name"] for one in shown["fields"])
    pairs = {"address": address, **shown, "fields": questions, "texts": ", ".join(shown["texts"])}
    context.output.pairs(pairs, {"address": address, "page": page})
