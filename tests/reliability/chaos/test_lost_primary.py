"""Checks every response during a failover in which the Redis primary dies before its last writes
have reached the replica.
"""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.reliability.chaos.conftest import Serve
from tests.reliability.chaos.traffic import Disruption, Traffic
from tests.reliability.load.plan import WAITLIST_ID
from tests.support.redis_servers import (
    ReplicatedCluster,
    cut_off,
    running_replicated_cluster,
)
from waitlist_queue import keys

OPERATIONS = 160
FIRST, LOST = 50, 50


class Failover:
    """Causes a failover: disconnects the primary from its replica for a while, and then kills the
    primary, so that the replica lacks writes.
    """

    def __init__(self, cluster: ReplicatedCluster) -> None:
        self._cluster = cluster
        self._primary = cluster.owner_of(keys.meta(WAITLIST_ID))
        self._replica = cluster.replica_of(self._primary)
        self._cutting = ExitStack()

    @property
    def url(self) -> str:
        """Return the URL of a node that no test kills."""
        return next(node.url for node in self._cluster.nodes if node is not self._primary)

    def cut(self) -> None:
        self._cutting.enter_context(cut_off(self._primary, self._replica))

    def inject(self) -> None:
        self._cutting.close()
        self._cluster.promote(self._replica)


@pytest.fixture
def failover() -> Iterator[Failover]:
    with running_replicated_cluster() as cluster:
        yield Failover(cluster)


def on(failover: Failover, serve: Serve) -> Traffic:
    return serve(failover.url, REDIS_CLUSTER="true")


def test_every_answer_stays_true_when_a_primary_dies_with_its_last_writes(
    failover: Failover, serve: Serve
) -> None:
    """During a failover that loses writes, every response is correct or asks the client to retry
    later (promises P1 to P4, P6 and P7).
    """
    traffic = on(failover, serve)
    cut = Disruption(FIRST, failover.cut, is_loss=False)
    traffic.flow(OPERATIONS, cut, Disruption(FIRST + LOST, failover.inject))
    assert traffic.was_refused("rebuilding")
    traffic.maintain()
    traffic.maintain()
    assert traffic.problems() == []
