"""An embedded Valkey server in a child process, run as `python -m tools.local.redis_server`.

It stores nothing on disk.
"""

from tools.local.child import serve_until_parent_ends
from tools.local.embedded_valkey import running_valkey


def main() -> None:
    with running_valkey() as server:
        serve_until_parent_ends(server.port)


if __name__ == "__main__":
    main()
