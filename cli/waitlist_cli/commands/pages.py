"""Defines the commands for a waitlist's customer page and poster."""

from pathlib import Path
from typing import Annotated, Any

import typer

from waitlist_cli.commands.waitlists import change
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.settings import NO_PAGE, replacement_patch
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.parameters import WaitlistId
from waitlist_cli.terminal.setting_options import with_settings_named

PANEL = "Waitlists"


@command("page", PANEL, "waitlist page bakery --text 'Fresh bread' --colour '#0b6e4f'")
@with_settings_named((f"page.{name}" for name in NO_PAGE), "page")
def page(
    context: Context,
    waitlist: WaitlistId,
    settings: dict[str, Any],
    off: Annotated[
        bool,
        typer.Option(
            "--off",
            help="Remove all page settings, so that the page shows only the waitlist's name.",
        ),
    ] = False,
) -> None:
    """Show or change a waitlist's customer page.

    Without options, the command prints the page's address and settings. Otherwise, it changes the
    settings that you give and keeps the others.
    """
    version = None
    if settings.get("source", "") is None:
        settings.setdefault("sources", [])
    if "texts" in settings:
        found = context.call("GET", waitlist)
        former, version = (found["page"] or NO_PAGE)["texts"], found["version"]
        settings["texts"] = replacement_patch(former, settings["texts"])
    if off and settings:
        raise WrongUsage("--off removes all page settings. Do not combine it with other options.")
    if off or settings:
        change(context, waitlist, {"page": settings or None}, version)
    else:
        found = context.call("GET", waitlist)
        _print(context, found["page_url"], found["page"])


@command("poster", PANEL, "waitlist poster bakery --language en --language de")
def poster(
    context: Context,
    waitlist: WaitlistId,
    languages: Annotated[
        list[str] | None,
        typer.Option(
            "--language",
            help="Language of the words on the poster: en, de, fr, es or ar. Repeat the option "
            "for several languages. Default: all the customer page's languages.",
        ),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(
            "--address",
            help="Web address that the poster's QR code opens, such as your own page. Default: the "
            "customer page.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write, or - for standard output. Default: the waitlist's id, followed "
            "by -poster.svg.",
        ),
    ] = None,
) -> None:
    """Write a poster with a QR code that leads to a waitlist's customer page.

    The poster is an A4 SVG file. To print it, open the file in a browser, which also loads the
    page's logo.
    """
    from waitlist_cli.operations.poster import draw_poster

    svg = draw_poster(context.call("GET", waitlist), languages or (), address)
    if output == "-":
        context.output.line(svg.rstrip())
        return
    path = output or f"{waitlist}-poster.svg"
    Path(path).write_text(svg, "utf-8")
    context.output.result({"file": path}, f"The poster is in {path}.")


def _print(context: Context, address: str | None, page: dict[str, Any] | None) -> None:
    shown = page or NO_PAGE
    questions = ", ".join(field["name"] for field in shown["fields"])
    pairs = {"address": address, **shown, "fields": questions, "texts": ", ".join(shown["texts"])}
    context.output.pairs(pairs, {"address": address, "page": page})
