"""Checks every response while a Redis server without persistence fails in three ways.

It is killed with `kill -9` and restarted during traffic, and again while nobody sends requests.
Then it dies before its last writes have reached the replica, and the replica takes over at the same
host and port. A single service meets all three failures, because starting a service takes longer
than the traffic.
"""

from tests.reliability.chaos.conftest import Serve
from tests.reliability.chaos.traffic import Disruption, Traffic
from tests.support.redis_servers import Server, await_sync, cut_off, running_pair

UNTIL_KILLED, AFTERWARDS = 40, 80
UNTIL_CUT_OFF, UNTIL_TAKEOVER, IN_ALL = 50, 95, 140


def take_over(replica: Server, port: int) -> None:
    replica.client.replicaof("NO", "ONE")
    replica.client.config_set("port", port)


def find_problems_after_repair(traffic: Traffic) -> list[str]:
    traffic.maintain()
    traffic.maintain()
    return [str(problem) for problem in traffic.problems()]


def test_every_answer_stays_true_when_redis_is_killed_and_replaced(serve: Serve) -> None:
    """While Redis is killed, restarted and replaced, every response is correct or asks the client
    to retry later (promises P1 to P4, P6 and P7).
    """
    with running_pair() as (primary, replica):
        traffic = serve(primary.url)

        def die() -> None:
            primary.kill()
            primary.start()

        traffic.flow(UNTIL_KILLED + AFTERWARDS, Disruption(UNTIL_KILLED, die))
        assert traffic.was_refused("rebuilding")
        assert find_problems_after_repair(traffic) == []
        traffic.lose(die)
        assert find_problems_after_repair(traffic) == []

        await_sync(replica)
        cutting = cut_off(primary, replica)

        def cut() -> None:
            cutting.__enter__()

        def inject() -> None:
            cutting.__exit__(None, None, None)
            take_over(replica, primary.port)

        traffic.flow(
            IN_ALL,
            Disruption(UNTIL_CUT_OFF, cut, is_loss=False),
            Disruption(UNTIL_TAKEOVER, inject),
        )
        assert traffic.was_refused("rebuilding")
        assert find_problems_after_repair(traffic) == []
