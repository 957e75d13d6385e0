"""Reserved ports for servers that cannot report which port they got for port 0.

Such a server is started with the number of a free port, and binds this port only later. Meanwhile,
and while the server restarts, another process could take the port. Therefore each process of this
project reserves a port before it uses it, by binding the UDP port with the same number. A program
that does not reserve its ports can still take the port. The server then starts on another port.
"""

import random
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeVar

HOST = "127.0.0.1"
# Operating systems choose the ports of outgoing connections from 32768 upwards. A cluster node has
# a second port 10,000 above its first port. This second port must be neither in the range of
# outgoing connections nor in the range of first ports.
FIRST_PORT, LAST_PORT = 12_000, 21_999
DRAWS = 1_000
STARTS = 5

Server = TypeVar("Server")


class PortTaken(Exception):
    """Another program uses the port on which a server was going to listen."""


@contextmanager
def reserved_port(*offsets: int) -> Iterator[int]:
    """Yield a free port that no other process can reserve at the same time.

    For each offset, the port at this offset above the free port is also free and reserved.
    """
    with ExitStack() as stack:
        yield _reserved(stack, offsets)


@contextmanager
def started_at_reserved_port(
    start: Callable[[int], Server], stop: Callable[[Server], object], *offsets: int
) -> Iterator[Server]:
    """Start a server on a reserved port, and stop it when the context ends.

    If another program took the port first, `start` raises PortTaken, and another port is tried.
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
    """Reserve a random free port until the stack is closed."""
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
    """Return a socket that reserves the port. Raise OSError if the port is reserved or in use."""
    reservation = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        reservation.bind((HOST, port))
        with socket.socket() as probe:
            probe.bind((HOST, port))
    except OSError:
        reservation.close()
        raise
    return reservation
