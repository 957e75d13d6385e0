"""Tests a Redis cache that reports a different `run_id` on each connection, for example because of
a proxy.
"""

from itertools import count, cycle
from typing import Any

import pytest

from tests.support.admissions import Admissions
from tests.support.lambdas import InProcessLambda
from tests.support.line import Line
from tests.support.redis_servers import Server
from tests.support.world import World
from tools.local.dynamodb.memory_table import MemoryTable
from waitlist_queue import connections
from waitlist_queue.app import store_of
from waitlist_queue.config import Config
from waitlist_queue.service import QueueService

PROCESSES = 3


@pytest.fixture
def reported_run_ids(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    numbers, run_ids = count(), list[str]()

    def run_id(_info: str) -> str:
        run_ids.append(f"{next(numbers):016x}")
        return run_ids[-1]

    monkeypatch.setattr(connections, "_run_id", run_id)
    return run_ids


def people_on_several_processes(valkey: Server, **settings: Any) -> Admissions:
    config = Config(redis_url=valkey.url, redis_cluster=False, log_level="INFO", **settings)
    services = [QueueService(store_of(config), monotonic=lambda: 0) for _ in range(PROCESSES)]
    turns = cycle(services)

    def handle(message: object) -> dict[str, Any]:
        return next(turns).handle(message)

    lambda_ = InProcessLambda(handle)
    return Admissions(World.on(MemoryTable(), valkey.client, lambda _: lambda_))


def test_the_whole_service_works_if_each_connection_gets_another_run_id(
    valkey: Server, reported_run_ids: list[str]
) -> None:
    """The service works even if every connection reports a different `run_id`.

    In this test, several processes sign people up, poll, claim and rebuild (promises P3, P6 and
    P7).
    """
    people = people_on_several_processes(valkey)
    people.configure(lease_seconds=3600)
    people.all_sign_up("ann", "bob", "cyd", "dan")
    for _ in range(2 * PROCESSES):
        assert people.poll("dan").json["position"] == 4
        assert people.counts() == (4, 0, 0, 0, 0)
    assert people.claimed(2) == ["ann", "bob"]
    assert people.complete("ann").status == 200
    assert people.release("bob").json["position"] == 1
    assert people.leave("cyd").status == 204
    people.world.maintain()
    valkey.client.flushall()
    assert people.poll("dan").code == "rebuilding"
    people.world.maintain()
    for _ in range(2 * PROCESSES):
        assert people.order() == ["bob", "dan"]
        assert people.counts() == (2, 0, 0, 1, 1)
    assert reported_run_ids == []


def test_where_servers_have_run_ids_another_one_is_noticed(
    valkey: Server, reported_run_ids: list[str]
) -> None:
    """If `REDIS_HAS_RUN_IDS` is on, a different `run_id` means a different server.

    The private function asks for the `run_id` once on each connection (promise P7).
    """
    people = people_on_several_processes(valkey, redis_has_run_ids=True)
    people.configure()
    assert people.sign_up("ann").code == "rebuilding"
    assert len(reported_run_ids) == PROCESSES


def test_one_connection_asks_once(valkey: Server, reported_run_ids: list[str]) -> None:
    """P9"""
    config = Config(
        redis_url=valkey.url, redis_cluster=False, log_level="INFO", redis_has_run_ids=True
    )
    line = Line(valkey.client, connect=lambda: connections.connect(config))
    line.init()
    line.all_sign_up(["ann", "bob"])
    assert line.position("bob")["position"] == 2
    assert len(reported_run_ids) == 1
