"""Checks every response during a failover in which the Redis primary dies before its last writes
have reached the replica.

The replica takes over at the same host and port.
"""

from tests.reliability.chaos.conftest import Serve
from tests.reliability.chaos.traffic import Disruption
from tests.support.redis_servers import Server, cut_off, running_pair

OPERATIONS = 140
FIRST, LOST = 50, 95


def take_over(replica: Server, port: int) -> None:
    replica.client.replicaof("NO", "ONE")
    replica.client.config_set("port", port)


def test_every_answer_stays_true_when_another_server_answers_at_the_same_address(
    serve: Serve,
) -> None:
    """P1 P2 P3 P4 P6 P7"""
    with running_pair() as (primary, replica):
        traffic = serve(primary.url)
        cutting = cut_off(primary, replica)

        def cut() -> None:
            cutting.__enter__()

        def inject() -> None:
            cutting.__exit__(None, None, None)
            take_over(replica, primary.port)

        traffic.flow(OPERATIONS, Disruption(FIRST, cut, is_loss=False), Disruption(LOST, inject))
        assert traffic.was_refused("rebuilding")
        traffic.maintain()
        traffic.maintain()
        assert traffic.problems() == []
