"""The operator's console: a web application on this computer."""

from typing import Annotated

import typer

from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context

PANEL = "View"


@command("console", PANEL, "waitlist console --port 8700")
def console(
    context: Context,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Default: any free port.")
    ] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address, and open no browser.")
    ] = False,
) -> None:
    """Open the console: all lists, charts, people, policies and imports in a browser.

    It listens on this computer only and calls the API with your credentials, as every command does.
    Only the browser that it opens gets in, or the one that first opens the printed address within
    a minute; Enter opens or prints it again. Ctrl-C ends it.
    """
    from waitlist_cli.console.server import run_console

    run_console(context, port, opens_browser=not no_browser)
