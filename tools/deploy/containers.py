"""The address at which containers reach this computer."""

import ipaddress
import json
import shutil
import socket
import subprocess
from dataclasses import dataclass
from urllib.parse import urlsplit

from tools.deploy.processes import Failed

LOOPBACK = "127.0.0.1"
NEED_DOCKER = (
    "The functions run in containers, which need Docker, but {problem}.\n"
    "Install it from https://docs.docker.com/get-started/get-docker/ and start it"
    " (on Linux: sudo systemctl start docker).\n"
    "`make run` runs the same functions without Docker."
)


@dataclass(frozen=True)
class Endpoint:
    host: str
    port: int

    @classmethod
    def of_url(cls, host: str, url: str) -> "Endpoint":
        port = urlsplit(url).port
        if port is None:
            raise Failed(f"{url} contains no port")
        return cls(host, port)

    @property
    def flags(self) -> list[str]:
        return ["--host", self.host, "--port", str(self.port)]

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def need_docker() -> None:
    if shutil.which("docker") is None:
        raise Failed(NEED_DOCKER.format(problem="there is no `docker` command"))
    info = subprocess.run(["docker", "info"], capture_output=True, text=True, check=False)
    if info.returncode != 0:
        problem = f"its engine does not answer ({info.stderr.strip().splitlines()[-1]})"
        raise Failed(NEED_DOCKER.format(problem=problem))


def bind_address() -> str:
    """Return an address of this computer that its containers can reach, but other computers cannot.

    On Linux, this is the address of Docker's bridge network. With Docker Desktop, it is the
    loopback address, which containers reach as host.docker.internal.
    """
    inspected = subprocess.run(
        ["docker", "network", "inspect", "bridge", "--format", "{{json .IPAM.Config}}"],
        capture_output=True,
        text=True,
        check=True,
    )
    for config in json.loads(inspected.stdout):
        network = ipaddress.ip_network(config["Subnet"])
        gateway = config.get("Gateway") or str(network[1])
        if network.version == 4 and _can_bind(Endpoint(gateway, 0)):
            return gateway
    return LOOPBACK


def need_free(endpoint: Endpoint) -> None:
    if not _can_bind(endpoint):
        raise Failed(f"{endpoint} is in use. Stop the program that listens there, and try again.")


def _can_bind(endpoint: Endpoint) -> bool:
    with socket.socket() as listener:
        # Set SO_REUSEADDR, as servers do. Otherwise, connections that were just closed would make
        # the port seem in use.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((endpoint.host, endpoint.port))
        except OSError:
            return False
    return True
