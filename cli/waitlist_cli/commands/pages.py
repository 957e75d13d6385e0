"""Defines the `page` command, which shows or changes the customer page of a waitlist."""

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
            "--off", help="Remove all settings of the page. The page then shows only the name."
        ),
    ] = False,
) -> None:
    """Show or change the customer page of a waitlist.

    If you give no options, the command prints the address and the settings of the page. Otherwise,
    the command changes the settings that you give and keeps the other settings.
    """
    version = None
    if settings.get("source", "") is None:
        settings.setdefault("sources", [])
    if "texts" in settings:
        found = context.call("GET", waitlist)
        former, version = (found["page"] or NO_PAGE)["texts"], found["version"]
        settings["texts"] = replacement_patch(former, settings["texts"])
    if off and settings:
        raise WrongUsage(
            "--off removes all settings of the page. Do not combine it with other options."
        )
    if off or settings:
        change(context, waitlist, {"page": settings or None}, version)
    else:
        _print(context, waitlist, context.call("GET", waitlist)["page"])


def _print(context: Context, waitlist: str, page: dict[str, Any] | None) -> None:
    address = f"{str(context.api.http.base_url).rstrip('/')}/w/{waitlist}"
    shown = page or NO_PAGE
    questions = ", ".join(field["name"] for field in shown["fields"])
    pairs = {"address": address, **shown, "fields": questions, "texts": ", ".join(shown["texts"])}
    context.output.pairs(pairs, {"address": address, "page": page})
