"""Starts the console's web server, on this computer only, and ends it at Ctrl-C."""

import errno
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

import uvicorn

from waitlist_cli.client.retries import RetryPolicy
from waitlist_cli.console.app import console_app
from waitlist_cli.console.entrance import Entrance
from waitlist_cli.console.guard import Guard
from waitlist_cli.errors import WrongUsage
from waitlist_cli.terminal.context import Context
from waitlist_cli.work.signals import Shutdown

IPV4, IPV6 = "127.0.0.1", "::1"
# A browser that asks for a name below localhost may try either address first, so no other program
# may have the port on one of them.
FAMILIES = ((socket.AF_INET, IPV4), (socket.AF_INET6, IPV6))
# A computer without IPv6 has no such address that another program could take.
NO_IPV6 = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT)
# How often a free port is asked for: it may be taken on the other address.
TRIES = 20
# A person waits for each answer, and can press the button again.
PATIENCE = RetryPolicy(
    timeout_seconds=15.0, tries=2, first_jitter_seconds=0.5, most_asked_seconds=2
)
SHUTDOWN_SECONDS = 5


def run_console(context: Context, port: int, *, opens_browser: bool) -> None:
    """Serve the console until Ctrl-C; port 0 takes a free one. Raises WrongUsage."""
    api = replace(context.api, patience=PATIENCE, on_retry=lambda *_: None)
    with ExitStack() as ending:
        sockets = [ending.enter_context(closing(one)) for one in bound_sockets(port)]
        folder = Path(ending.enter_context(TemporaryDirectory(prefix="waitlist-console-")))
        app = ending.enter_context(console_app(api, folder))
        guard = Guard(app, sockets[0].getsockname()[1])
        entrance = Entrance(guard, folder, context.output, opens_browser)
        if not context.output.as_json:
            again = "opens it again" if opens_browser else "prints another address"
            context.output.line(
                f"The console of {api.http.base_url} is ready. Ctrl-C ends it, Enter {again}."
            )
        entrance.open()
        server = web_server(guard)
        # After SIGINT or SIGTERM uvicorn raises the signal again, which must not end the process
        # before the folder of the imports is removed. It does not handle SIGHUP.
        shutdown = Shutdown(lambda: setattr(server, "should_exit", True), _interrupt)
        with suppress(KeyboardInterrupt), shutdown.installed(), _reading_is_refused():
            entrance.open_at_each_line()
            server.run(sockets=sockets)


@contextmanager
def _reading_is_refused() -> Iterator[None]:
    """Let a read from the terminal fail in the background, where it would stop the process."""
    if not hasattr(signal, "SIGTTIN"):
        yield
        return
    former = signal.signal(signal.SIGTTIN, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGTTIN, former)


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


def bound_sockets(port: int) -> list[socket.socket]:
    """Return a socket of each loopback address, all of one port; 0 takes a free one.

    Raises WrongUsage.
    """
    for _ in range(TRIES - 1 if port == 0 else 0):
        with suppress(OSError):
            return _bound(port)
    try:
        return _bound(port)
    except OSError as error:
        raise WrongUsage(
            f"Port {port} cannot be used: {error.strerror}. Give another --port."
        ) from error


def _bound(port: int) -> list[socket.socket]:
    """Listen on all loopback addresses or on none; raises OSError."""
    with ExitStack() as made:
        sockets: list[socket.socket] = []
        for family, host in FAMILIES:
            used = sockets[0].getsockname()[1] if sockets else port
            try:
                one = socket.create_server((host, used), family=family)
            except OSError as error:
                if family == socket.AF_INET6 and error.errno in NO_IPV6:
                    continue
                raise
            sockets.append(made.enter_context(closing(one)))
        made.pop_all()
        return sockets
