"""Tests a Redis cluster in which a waitlist's hash slot moves to another node, or is not served by
any node for a while.
"""

from typing import Any

import pytest

from tests.support.line import WAITLIST_ID, Line, accepted
from tests.support.redis_servers import Cluster, Server, hung, waitlist_on
from tests.support.waits import waited_seconds
from waitlist_queue.config import Config
from waitlist_queue.connections import connect

META = "wl:{bakery-opening}:meta"


@pytest.fixture
def filled(cluster: Cluster, cluster_client: Any) -> Line:
    line = line_on(cluster.url, cluster_client)
    accepted(line.init())
    line.all_sign_up(["ann", "bob", "eve"])
    return line


def line_on(url: str, client: Any, waitlist_id: str = WAITLIST_ID) -> Line:
    config = Config(redis_url=url, redis_cluster=True, log_level="INFO")
    return Line(client, waitlist_id=waitlist_id, connect=lambda: connect(config))


def another_node(cluster: Cluster) -> Server:
    owner = cluster.owner_of(META)
    return next(node for node in cluster.nodes if node is not owner)


def settle_in(line: Line) -> None:
    assert line.stats()["code"] == "cold"
    later = "0000bbbb"
    assert accepted(line.init(mode="open", epoch=later))["outcome"] == "created"
    for rank, name in enumerate(["ann", "bob", "eve"], 1):
        accepted(line.restore(name, rank=rank, ticket=rank, epoch=later))
    assert accepted(line.init(epoch=later))["outcome"] == "warmed"


def batch(line: Line) -> list[dict[str, Any]]:
    requests = [line.message("position", entry_id=line.id_of(name)) for name in ["ann", "bob"]]
    requests.append(line.message("signup", **line.stay("zoe")))
    answer = accepted(line.handle({"op": "batch", "requests": requests}))
    results: list[dict[str, Any]] = answer["results"]
    return results


def test_a_call_follows_a_waitlist_to_another_node(cluster: Cluster, filled: Line) -> None:
    """A node that takes over a waitlist may lack writes, so the queue counts as lost until it has
    been rebuilt (promises P3 and P6).
    """
    cluster.move_slot(META, another_node(cluster))
    settle_in(filled)
    assert filled.signup("zoe")["position"] == 4
    assert filled.position("bob")["position"] == 2
    assert filled.order() == ["ann", "bob", "eve", "zoe"]


def test_a_batch_follows_a_waitlist_to_another_node(cluster: Cluster, filled: Line) -> None:
    """After a different node has taken over a waitlist, a batch goes to this node, and its requests
    run in order (promises P1 and P6).
    """
    cluster.move_slot(META, another_node(cluster))
    assert [answer["code"] for answer in batch(filled)] == ["cold"] * 3
    settle_in(filled)
    assert [answer["position"] for answer in batch(filled)] == [1, 2, 4]


def test_a_call_finds_the_node_that_took_over_from_a_hung_one(
    cluster: Cluster, filled: Line
) -> None:
    """The first call still goes to the node that no longer responds. It must fail within its time
    limit (promises P3 and P9).
    """
    former, taker = cluster.owner_of(META), another_node(cluster)
    cluster.move_slot(META, taker)
    with hung(former):
        settle_in(filled)
        assert filled.signup("zoe")["position"] == 4
        assert filled.position("bob")["position"] == 2


def test_a_batch_finds_the_node_that_took_over_from_a_hung_one(
    cluster: Cluster, filled: Line
) -> None:
    """P1, P3, P9"""
    former, taker = cluster.owner_of(META), another_node(cluster)
    cluster.move_slot(META, taker)
    with hung(former):
        assert [answer["code"] for answer in batch(filled)] == ["cold"] * 3
        settle_in(filled)
        assert [answer["position"] for answer in batch(filled)] == [1, 2, 4]


def seconds_of_an_unavailable_batch(line: Line) -> float:
    start = waited_seconds()
    answer = line.handle({"op": "batch", "requests": [line.message("stats")] * 500})
    assert answer["code"] == "queue_unavailable"
    return waited_seconds() - start


def test_a_slot_without_a_node_is_an_outage(cluster: Cluster, filled: Line) -> None:
    """While no node serves the hash slot, calls fail.

    When a node serves it again, the queue is unchanged (promises P7 and P9).
    """
    with cluster.slot_without_owner(META) as owner:
        # This client connects while no node serves the hash slot.
        newcomer = line_on(owner.url, filled.client)
        for line in (filled, newcomer):
            assert line.signup("zoe")["code"] == "queue_unavailable"
            assert seconds_of_an_unavailable_batch(line) < 2
    for line in (filled, newcomer):
        assert accepted(line.signup("zoe"))["position"] == 4


def test_a_slot_without_a_node_does_not_affect_others(cluster: Cluster, filled: Line) -> None:
    other = waitlist_on(cluster, another_node(cluster))
    with cluster.slot_without_owner(META) as owner:
        newcomer = line_on(owner.url, filled.client, other)
        accepted(newcomer.init())
    # The new client does not know which node serves the first waitlist's hash slot.
    newcomer.waitlist_id = WAITLIST_ID
    assert accepted(newcomer.signup("zoe"))["position"] == 4


def test_a_slot_on_its_way_is_an_outage_until_it_has_arrived(
    cluster: Cluster, filled: Line
) -> None:
    """While a hash slot moves to another node, keys may be missing. The service then reports an
    outage rather than a missing entry (promise P7).
    """
    owner, target, slot = cluster.owner_of(META), another_node(cluster), cluster.slot_of(META)
    target_id = target.client.execute_command("CLUSTER", "MYID")
    owner.client.execute_command("CLUSTER", "SETSLOT", slot, "MIGRATING", target_id)
    try:
        assert filled.leave("ann")["code"] == "queue_unavailable"
        answer = filled.handle({"op": "batch", "requests": [filled.message("stats")]})
        assert answer["code"] == "queue_unavailable"
    finally:
        owner.client.execute_command("CLUSTER", "SETSLOT", slot, "STABLE")
    assert filled.leave("ann")["outcome"] == "left"
