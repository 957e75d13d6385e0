"""Ports for servers that would not tell which port they got for port 0.

Such a server is started with the number of a free port, and binds the port only later. So that no
other process draws the same port meanwhile, or while the server restarts, the port is reserved:
each process of this project that draws a port first binds the UDP port of the same number. A
program that does not reserve its ports may still be faster: then the server starts at another port.
"""

import random
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeVar

HOST = "127.0.0.1"
# Systems take the port of an outgoing connection from 32768 on. A cluster's node has a second port,
# 10,000 above the first one, which must not be one of those either, nor the first port of a node.
FIRST_PORT, LAST_PORT = 12_000, 21_999
DRAWS = 1_000
STARTS = 5

Server = TypeVar("Server")


class PortTaken(Exception):
    """Another program has the port that a server was to listen at."""


@contextmanager
def reserved_port(*offsets: int) -> Iterator[int]:
    """Yield a free port that no other process reserves meanwhile.

    Ports at these offsets above it are free and reserved too.
    """
    with ExitStack() as stack:
        yield _reserved(stack, offsets)


@contextmanager
def started_at_reserved_port(
    start: Callable[[int], Server], stop: Callable[[Server], object], *offsets: int
) -> Iterator[Server]:
    """Start a server at a reserved port, and stop it at the end.

    `start` raises PortTaken if another program was faster. Then another port is tried.
    """
    with ExitStack() as stack:
        for attempt in range(STARTS):
            port = _reserved(stack, offsets)
            try:
                server = start(port)
            except PortTaken:
                if attempt == STARTS - 1:
                    raise
            else:
                stack.callback(stop, server)
                yield server
                return


def _reserved(stack: ExitStack, offsets: tuple[int, ...]) -> int:
    """Reserve a port until the stack is closed."""
    for _ in range(DRAWS):
        port = random.randint(FIRST_PORT, LAST_PORT)
        with ExitStack() as held:
            try:
                for offset in (0, *offsets):
                    held.enter_context(_reservation(port + offset))
            except OSError:
                continue
            stack.push(held.pop_all())
            return port
    raise OSError(f"no port from {FIRST_PORT} to {LAST_PORT} is free")


def _reservation(port: int) -> socket.socket:
    """Return a socket that reserves a port; raise OSError if the port is reserved or in use."""
    reservation = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        reservation.bind((HOST, port))
        with socket.socket() as probe:
            probe.bind((HOST, port))
    except OSError:
        reservation.close()
        raise
    return reservation
