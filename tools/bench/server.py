"""The Redis server of the benchmarks: an embedded Valkey without persistence."""

from collections.abc import Iterator
from contextlib import contextmanager

from redis import Redis

from tools.local.embedded_valkey import running_valkey
from tools.local.ports import HOST


@contextmanager
def valkey() -> Iterator[int]:
    """Start an empty server, and yield its port. The server is stopped when the context ends."""
    # The server frees memory synchronously after a flush. Memory that is freed later would count in
    # the next measurement.
    with running_valkey(**{"lazyfree-lazy-user-flush": "no"}) as server:
        yield server.port


def bare_client(port: int) -> Redis:
    return Redis(host=HOST, port=port)
