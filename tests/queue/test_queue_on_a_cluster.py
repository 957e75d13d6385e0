"""Runs some tests in the `behaviour` folder on a Redis cluster.

They run every script with every outcome, and batches of requests. `make test-tls` runs
all tests in the folder on a Redis cluster.
"""

from typing import Any

import pytest

from tests.queue.behaviour import suite
from tests.support.line import Line, accepted
from tests.support.redis_servers import Cluster, waitlist_on
from waitlist_queue.config import Config
from waitlist_queue.connections import connect


@pytest.fixture
def line(cluster: Cluster, cluster_client: Any) -> Line:
    return Line(cluster_client)


globals().update(suite("batching", "outcomes"))


def test_a_batch_sends_each_call_to_the_node_of_its_waitlist(cluster: Cluster) -> None:
    """A node that receives a call for another node's waitlist answers with the error `MOVED`. The
    call is then repeated, which takes another round trip.
    """
    line = Line(connect(Config(redis_url=cluster.url, redis_cluster=True, log_level="INFO")))
    messages = [
        line.message("stats") | {"waitlist_id": waitlist_on(cluster, node)}
        for node in cluster.nodes
    ]
    before = count_moved(cluster)
    answer = accepted(line.handle({"op": "batch", "requests": messages}))
    assert [result["code"] for result in answer["results"]] == ["cold"] * len(cluster.nodes)
    assert count_moved(cluster) == before


def count_moved(cluster: Cluster) -> int:
    errors = [node.client.info("errorstats") for node in cluster.nodes]
    return sum(error.get("errorstat_MOVED", {"count": 0})["count"] for error in errors)
