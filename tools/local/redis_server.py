"""An embedded Valkey server without persistence.

It runs as a child process, started with `python -m tools.local.redis_server`.
"""

from tools.local.child import serve_until_parent_ends
from tools.local.embedded_valkey import running_valkey


def main() -> None:
    with running_valkey() as server:
        serve_until_parent_ends(server.port)


if __name__ == "__main__":
    main()
