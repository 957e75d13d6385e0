"""Starts Redis servers that accept only TLS connections and have two users."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import trustme
from redis import Redis, RedisError

from tests.support import waits
from tests.support.redis_access import ACCESS
from tests.support.redis_servers import await_that, form
from tools.local.embedded_valkey import CLUSTER_BUS
from tools.local.ports import HOST, PortTaken, started_at_reserved_port
from waitlist_queue.config import Config

PROGRAM = os.environ.get("REDIS_SERVER", "redis-server")
HOW_TO_GET_IT = (
    f"{PROGRAM} is needed, with TLS: apt-get install redis-server, or brew install redis;"
    " REDIS_SERVER names another program"
)
# The domain whose host names point to this machine in the tests.
DOMAIN = "waitlist.test"
USER, PASSWORD = "waitlist", "pass/word@1:%"
ADMIN, ADMIN_PASSWORD = "admin", "admin-password"


@dataclass
class TlsServer:
    """A Redis server with its own host name. `client` is logged in as the administrator."""

    process: "subprocess.Popen[bytes]"
    host: str
    port: int
    authority: str

    @cached_property
    def client(self) -> Any:
        return Redis.from_url(self.url(ADMIN, ADMIN_PASSWORD), decode_responses=True, protocol=2)

    def url(self, user: str = USER, password: str = PASSWORD, host: str = "") -> str:
        who = f"{user}:{quote(password, safe='')}@" if user else ""
        return f"rediss://{who}{host or self.host}:{self.port}?ssl_ca_certs={self.authority}"

    def has_started(self) -> bool:
        def answers() -> bool:
            try:
                return self.process.poll() is not None or self._is_the_one_that_answers()
            except (RedisError, OSError):
                return False

        await_that(answers)
        return self.process.poll() is None

    def _is_the_one_that_answers(self) -> bool:
        # Make sure that this server answered, because an older server may still be running on the
        # same port.
        return bool(self.client.info("server")["process_id"] == self.process.pid)

    def stop(self) -> None:
        self.client.close()
        self.process.kill()
        self.process.wait()

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Pause the server, so that it accepts connections but never answers."""
        os.kill(self.process.pid, signal.SIGSTOP)
        try:
            with waits.silent(self.port):
                yield
        finally:
            os.kill(self.process.pid, signal.SIGCONT)


@dataclass
class Place:
    """A Redis server or a cluster of three nodes, together with the private function's
    configuration for it.
    """

    nodes: list[TlsServer]

    @property
    def is_cluster(self) -> bool:
        return len(self.nodes) > 1

    def config(self, url: str = "", **fields: Any) -> Config:
        url = url or self.nodes[0].url()
        return Config(url, redis_cluster=self.is_cluster, log_level="INFO", **fields)

    def on_each(self, *command: object) -> list[Any]:
        return [node.client.execute_command(*command) for node in self.nodes]

    def empty(self) -> None:
        self.on_each("FLUSHALL")
        self.on_each("ACL", "LOG", "RESET")


@contextmanager
def running(folder: Path, authority: trustme.CA, nodes: int = 1) -> Iterator[Place]:
    pem = folder / "authority.pem"
    authority.cert_pem.write_to_path(pem)
    with ExitStack() as stack:
        servers: list[TlsServer] = []
        for number in range(nodes):
            own = folder / f"redis-{number}.{DOMAIN}"
            own.mkdir()
            settings = _settings(own, authority.issue_cert(own.name), pem, nodes)
            start = partial(_started, own, settings)
            offsets = (CLUSTER_BUS,) if nodes > 1 else ()
            started = started_at_reserved_port(start, TlsServer.stop, *offsets)
            servers.append(stack.enter_context(started))
        if nodes > 1:
            form(servers)
        yield Place(servers)


def _settings(
    folder: Path, certificate: trustme.LeafCert, authority: Path, nodes: int
) -> dict[str, object]:
    settings = certified(folder, certificate)
    settings |= {"tls-ca-cert-file": authority, "aclfile": _users(folder)}
    if nodes > 1:
        settings |= {
            "cluster-enabled": "yes",
            "tls-cluster": "yes",
            "cluster-announce-hostname": folder.name,
            "cluster-preferred-endpoint-type": "hostname",
        }
    return settings


def certified(folder: Path, certificate: trustme.LeafCert) -> dict[str, object]:
    key, chain = folder / "server.key", folder / "server.pem"
    certificate.private_key_pem.write_to_path(key)
    for number, blob in enumerate(certificate.cert_chain_pems):
        blob.write_to_path(chain, append=number > 0)
    return {"tls-key-file": key, "tls-cert-file": chain}


def _users(folder: Path) -> Path:
    users = folder / "users.acl"
    users.write_text(
        "user default off\n"
        f"user {ADMIN} on >{ADMIN_PASSWORD} ~* &* +@all\n"
        f"user {USER} >{PASSWORD} {ACCESS}\n",
        encoding="utf-8",
    )
    return users


def _started(folder: Path, settings: dict[str, object], port: int) -> TlsServer:
    program = shutil.which(PROGRAM) or pytest.exit(HOW_TO_GET_IT, returncode=1)
    fixed = {
        "port": 0,
        "tls-auth-clients": "no",
        "bind": HOST,
        "dir": folder,
        "logfile": folder / "log",
        "save": "",
        "appendonly": "no",
    }
    given = (fixed | settings | {"tls-port": port}).items()
    process = subprocess.Popen(
        [program, *(str(part) for name, value in given for part in (f"--{name}", value))]
    )
    server = TlsServer(process, folder.name, port, str(settings["tls-ca-cert-file"]))
    if server.has_started():
        return server
    server.stop()
    log = (folder / "log").read_text("utf-8") if (folder / "log").exists() else ""
    if "Address already in use" in log:
        (folder / "log").unlink()
        raise PortTaken
    pytest.exit(f"{program} does not start. {HOW_TO_GET_IT}\n{log[-2000:]}", returncode=1)
