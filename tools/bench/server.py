"""The benchmarks' Redis server: an embedded Valkey that stores nothing on disk."""

from collections.abc import Iterator
from contextlib import contextmanager

from redis import Redis

from tools.local.embedded_valkey import running_valkey
from tools.local.ports import HOST


@contextmanager
def valkey() -> Iterator[int]:
    # FLUSHALL must free the memory before it returns. Otherwise, Redis would free it during the
    # next measurement.
    with running_valkey(**{"lazyfree-lazy-user-flush": "no"}) as server:
        yield server.port


def bare_client(port: int) -> Redis:
    return Redis(host=HOST, port=port)
