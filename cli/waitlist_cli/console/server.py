"""Starts the console's web server, on this computer only, and ends it at Ctrl-C."""

import socket
import webbrowser
from contextlib import closing, suppress
from dataclasses import replace
from typing import NoReturn

import uvicorn

from waitlist_cli.console.app import console_app
from waitlist_cli.console.guard import Guard
from waitlist_cli.context import Context
from waitlist_cli.errors import WrongUsage
from waitlist_cli.retries import RetryPolicy
from waitlist_cli.signals import Shutdown

HOST = "127.0.0.1"
# A person waits for each answer, and can press the button again.
PATIENCE = RetryPolicy(
    timeout_seconds=15.0, tries=2, first_jitter_seconds=0.5, most_asked_seconds=2
)
SHUTDOWN_SECONDS = 5


def run_console(context: Context, port: int, *, opens_browser: bool) -> None:
    """Serve the console until Ctrl-C; port 0 takes a free one. Raises WrongUsage."""
    api = replace(context.api, patience=PATIENCE, on_retry=lambda *_: None)
    with closing(_bound(port)) as bound, console_app(api) as app:
        guard = Guard(app, bound.getsockname()[1])
        address = f"http://{HOST}:{guard.port}/?token={guard.token}"
        if context.output.as_json:
            context.output.json_line({"url": address})
        else:
            context.output.line(f"The console of {api.http.base_url} is ready. Ctrl-C ends it.")
            context.output.line(address)
        if opens_browser:
            webbrowser.open(address)
        server = web_server(guard)
        # After SIGINT or SIGTERM uvicorn raises the signal again, which must not end the process
        # before the folder of the imports is removed. It does not handle SIGHUP.
        shutdown = Shutdown(lambda: setattr(server, "should_exit", True), _interrupt)
        with suppress(KeyboardInterrupt), shutdown.installed():
            server.run(sockets=[bound])


def _interrupt() -> NoReturn:
    raise KeyboardInterrupt


def web_server(guard: Guard) -> uvicorn.Server:
    """Return the server of a console, to be run with a socket."""
    return uvicorn.Server(
        uvicorn.Config(
            guard,
            http="h11",
            ws="none",
            lifespan="off",
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        )
    )


def _bound(port: int) -> socket.socket:
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        raise WrongUsage(
            f"Port {port} cannot be used: {error.strerror}. Give another --port."
        ) from error
