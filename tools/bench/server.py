"""The Redis of the benchmarks: an embedded Valkey without persistence."""

from collections.abc import Iterator
from contextlib import contextmanager

from redis import Redis

from tools.local.embedded_valkey import running_valkey
from tools.local.ports import HOST


@contextmanager
def valkey() -> Iterator[int]:
    """Yield the port of an empty server, which ends with the block."""
    # Memory that a flush frees later would count in the next measurement.
    with running_valkey(**{"lazyfree-lazy-user-flush": "no"}) as server:
        yield server.port


def bare_client(port: int) -> Redis:
    """Return a redis-py client with its defaults."""
    return Redis(host=HOST, port=port)
