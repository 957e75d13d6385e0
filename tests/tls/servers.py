"""Redis servers that speak TLS alone, and know nobody but two users."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import trustme
from redis import Redis, RedisError

from tests.support.redis_servers import HOST, await_that, form, free_port
from waitlist_queue.config import Config

ROOT = Path(__file__).resolve().parents[2]
ACCESS = (ROOT / "docs" / "policies" / "redis-user.acl").read_text("utf-8").strip()
PROGRAM = os.environ.get("REDIS_SERVER", "redis-server")
HOW_TO_GET_IT = (
    f"{PROGRAM} is needed, with TLS: apt-get install redis-server, or brew install redis;"
    " REDIS_SERVER names another program"
)
DOMAIN = "waitlist.test"  # which the tests themselves look up
USER, PASSWORD = "waitlist", "pass/word@1:%"
ADMIN, ADMIN_PASSWORD = "admin", "admin-password"
START_ATTEMPTS = 5


@dataclass
class TlsServer:
    """One server under a name of its own; `client` is its administrator's."""

    process: "subprocess.Popen[bytes]"
    host: str
    port: int
    authority: str
    client: Any

    def url(self, user: str = USER, password: str = PASSWORD, host: str = "") -> str:
        who = f"{user}:{quote(password, safe='')}@" if user else ""
        return f"rediss://{who}{host or self.host}:{self.port}?ssl_ca_certs={self.authority}"

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Let it accept connections, and say nothing."""
        os.kill(self.process.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.process.pid, signal.SIGCONT)


@dataclass
class Place:
    """A server, or a cluster of three, and how the private function finds it."""

    nodes: list[TlsServer]

    @property
    def is_cluster(self) -> bool:
        return len(self.nodes) > 1

    def config(self, url: str = "", **fields: Any) -> Config:
        url = url or self.nodes[0].url()
        return Config(url, redis_cluster=self.is_cluster, log_level="INFO", **fields)

    def on_each(self, *command: object) -> list[Any]:
        """Give each node a command of its administrator."""
        return [node.client.execute_command(*command) for node in self.nodes]

    def empty(self) -> None:
        self.on_each("FLUSHALL")
        self.on_each("ACL", "LOG", "RESET")


@contextmanager
def running(folder: Path, authority: trustme.CA, nodes: int = 1) -> Iterator[Place]:
    """Yield a server, or a cluster; each node has a certificate for its name and nothing else."""
    pem = folder / "authority.pem"
    authority.cert_pem.write_to_path(pem)
    with ExitStack() as stack:
        servers = [
            stack.enter_context(
                _server(folder, authority, f"redis-{number}.{DOMAIN}", in_cluster=nodes > 1)
            )
            for number in range(nodes)
        ]
        if nodes > 1:
            form(servers)
        yield Place(servers)


@contextmanager
def _server(
    folder: Path, authority: trustme.CA, host: str, *, in_cluster: bool
) -> Iterator[TlsServer]:
    own = folder / host
    own.mkdir()
    settings = certified(own, authority.issue_cert(host)) | {
        "tls-ca-cert-file": folder / "authority.pem",
        "aclfile": _users(own),
    }
    if in_cluster:
        settings |= {
            "cluster-enabled": "yes",
            "tls-cluster": "yes",
            "cluster-announce-hostname": host,
            "cluster-preferred-endpoint-type": "hostname",
        }
    process, port = _started(own, settings)
    pem = str(folder / "authority.pem")
    client = Redis(
        host=host,
        port=port,
        username=ADMIN,
        password=ADMIN_PASSWORD,
        ssl=True,
        ssl_ca_certs=pem,
        decode_responses=True,
        protocol=2,
    )
    try:
        _await_start(process, client, own)
        yield TlsServer(process, host, port, pem, client)
    finally:
        client.close()
        process.kill()
        process.wait()


def certified(folder: Path, certificate: trustme.LeafCert) -> dict[str, object]:
    """Return the settings with which a server shows a certificate."""
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


def _started(folder: Path, settings: dict[str, object]) -> tuple["subprocess.Popen[bytes]", int]:
    program = shutil.which(PROGRAM)
    assert program, HOW_TO_GET_IT
    port = free_port()
    fixed = {
        "port": 0,
        "tls-port": port,
        "tls-auth-clients": "no",
        "bind": HOST,
        "dir": folder,
        "logfile": folder / "log",
        "save": "",
        "appendonly": "no",
    }
    arguments = [
        str(part) for name, value in (fixed | settings).items() for part in (f"--{name}", value)
    ]
    return subprocess.Popen([program, *arguments]), port


def _await_start(process: "subprocess.Popen[bytes]", client: Any, folder: Path) -> None:
    def answers() -> bool:
        if process.poll() is not None:
            log = (folder / "log").read_text("utf-8") if (folder / "log").exists() else ""
            raise RuntimeError(f"{PROGRAM} ended. {HOW_TO_GET_IT}\n{log[-2000:]}")
        try:
            return bool(client.ping())
        except (RedisError, OSError):
            return False

    await_that(answers)
