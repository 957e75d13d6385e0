"""Reserved ports for servers that cannot report which port they got for port 0.

Such a server is started with the number of a free port, and binds this port only later. Meanwhile,
and while the server restarts, another process could take the port.

Each process of this project therefore reserves a port before using it, by binding the UDP port with
the same number.

A program that does not reserve its ports can still take the port. The server then starts on another
port.
"""

import random
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TypeVar

HOST = "127.0.0.1"
# A cluster node needs a port from this range, and a second port whose number is higher by 10,000.
# The second ports are outside the range, so two nodes' ports never conflict. Operating systems use
# the ports from 32768 upwards for outgoing connections.
FIRST_PORT, LAST_PORT = 12_000, 21_999
DRAWS = 1_000
STARTS = 5

Server = TypeVar("Server")


class PortTaken(Exception):
    """Another program has taken the port."""


@contextmanager
def reserved_port(*offsets: int) -> Iterator[int]:
    """Reserve a free port, so that no other process takes it.

    For a server that needs several ports, each offset is added to the free port's number, and the
    resulting port is reserved too.
    """
    with ExitStack() as stack:
        yield _reserved(stack, offsets)


@contextmanager
def started_at_reserved_port(
    start: Callable[[int], Server], stop: Callable[[Server], object], *offsets: int
) -> Iterator[Server]:
    """If `start` raises PortTaken, another port is tried."""
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
    """Reserve a port until `stack` is closed."""
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
    """Raise OSError if another process has reserved or opened the port."""
    reservation = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        reservation.bind((HOST, port))
        with socket.socket() as probe:
            probe.bind((HOST, port))
    except OSError:
        reservation.close()
        raise
    return reservation
