"""Runs the console's web server on the loopback addresses until the operator presses Ctrl-C."""

import errno
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
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
# The console listens on both loopback addresses, because a browser may connect to either of them.
# If the console used only one, another program could listen on the other and receive requests for
# the console.
FAMILIES = ((socket.AF_INET, IPV4), (socket.AF_INET6, IPV6))
# Listening on ::1 raises these errors on a computer without IPv6 support. The console then listens
# only on 127.0.0.1.
NO_IPV6 = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT)
# The number of ports to try if any free port may be used. A port that is free on 127.0.0.1 can be
# in use on ::1.
TRIES = 20
# Retry a request only once, because the operator is waiting and can press the button again.
PATIENCE = RetryPolicy(
    timeout_seconds=15.0, tries=2, first_jitter_seconds=0.5, most_asked_seconds=2
)
SHUTDOWN_SECONDS = 5


def run_console(context: Context, port: int, *, opens_browser: bool, undo_seconds: int) -> None:
    """Serve the console until the operator presses Ctrl-C.

    Port 0 means any free port. Raises WrongUsage if the port cannot be used.
    """
    api = replace(context.api, patience=PATIENCE, on_retry=lambda *_: None)
    with ExitStack() as ending:
        sockets = [ending.enter_context(closing(bound)) for bound in bound_sockets(port)]
        folder = Path(ending.enter_context(TemporaryDirectory(prefix="waitlist-console-")))
        app = ending.enter_context(
            console_app(api, folder, undo_seconds, partial(_report_unconfirmed, context))
        )
        guard = Guard(app, sockets[0].getsockname()[1])
        entrance = Entrance(guard, folder, context.output, opens_browser)
        if not context.output.as_json:
            action = "open it again" if opens_browser else "print a new address"
            context.output.line(
                f"The console for {api.http.base_url} is ready. Press Ctrl-C to stop it, or Enter "
                f"to {action}."
            )
        entrance.open()
        server = web_server(guard)
        # When a signal has stopped uvicorn, uvicorn sends the same signal to its own process once
        # more. `Shutdown` handles this second signal. Otherwise, the process would end before the
        # temporary folder is removed.
        shutdown = Shutdown(lambda: setattr(server, "should_exit", True), _interrupt)
        with suppress(KeyboardInterrupt), shutdown.installed(), _sigttin_ignored():
            entrance.open_at_each_line()
            server.run(sockets=sockets)


def _report_unconfirmed(context: Context, problem: str) -> None:
    context.output.note(f"The service has not confirmed this action. {problem}", "yellow")


@contextmanager
def _sigttin_ignored() -> Iterator[None]:
    """Ignore SIGTTIN.

    This signal stops a background process that reads from the terminal. While it is ignored,
    reading raises an error instead.
    """
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
    """Return the console's uvicorn server. The caller passes the sockets to its `run` method."""
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
    """Return sockets that listen on the same port of all loopback addresses."""
    for _ in range(TRIES - 1 if port == 0 else 0):
        with suppress(OSError):
            return _bound(port)
    try:
        return _bound(port)
    except OSError as error:
        raise WrongUsage(
            f"The console cannot listen on port {port}: {error.strerror}. Choose another --port."
        ) from error


def _bound(port: int) -> list[socket.socket]:
    """Listen on all loopback addresses.

    If listening on one address fails, close the other sockets and raise OSError.
    """
    with ExitStack() as made:
        sockets: list[socket.socket] = []
        for family, host in FAMILIES:
            used = sockets[0].getsockname()[1] if sockets else port
            try:
                bound = socket.create_server((host, used), family=family)
            except OSError as error:
                if family == socket.AF_INET6 and error.errno in NO_IPV6:
                    continue
                raise
            sockets.append(made.enter_context(closing(bound)))
        made.pop_all()
        return sockets
