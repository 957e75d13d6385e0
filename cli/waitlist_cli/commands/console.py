"""Defines the `console` command, which runs the operator console as a local web application."""

from typing import Annotated

import typer

from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context

PANEL = "View"


@command("console", PANEL, "waitlist console --port 8700")
def console(
    context: Context,
    port: Annotated[
        int,
        typer.Option("--port", min=0, max=65535, help="Port to listen on. 0 chooses a free port."),
    ] = 0,
    no_browser: Annotated[
        bool,
        typer.Option(
            "--no-browser", help="Print the console's address instead of opening a browser."
        ),
    ] = False,
    undo_seconds: Annotated[
        int,
        typer.Option(
            "--undo-seconds",
            min=1,
            max=120,
            help="How many seconds the console waits before it carries out an action that cannot "
            "be undone. During this time, the operator can cancel the action.",
        ),
    ] = 10,
) -> None:
    """Open the operator console in a browser: waitlists, charts, people, policies and imports.

    The console listens only on this computer, and calls the API with your credentials. Only the
    first browser that opens the address can use the console.

    Press Enter to open the console again. Press Ctrl-C to stop it.
    """
    from waitlist_cli.console.server import run_console

    run_console(context, port, opens_browser=not no_browser, undo_seconds=undo_seconds)
