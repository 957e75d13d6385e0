"""Checks every response while a Redis server without persistence is killed with `kill -9` and
restarted.

It is killed once during traffic, and once while nobody sends requests.
"""

from tests.reliability.chaos.conftest import Serve
from tests.reliability.chaos.traffic import Disruption
from tests.support.redis_servers import running_server

OPERATIONS = 120


def test_every_answer_stays_true_when_redis_is_killed_twice(serve: Serve) -> None:
    """While Redis is killed and restarted, every response is correct or asks the client to retry
    later (promises P1 to P4, P6 and P7).
    """
    with running_server() as redis:
        traffic = serve(redis.url)

        def die() -> None:
            redis.kill()
            redis.start()

        traffic.flow(OPERATIONS, Disruption(OPERATIONS // 3, die))
        assert traffic.was_refused("rebuilding")
        traffic.maintain()
        traffic.maintain()
        assert traffic.problems() == []
        traffic.lose(die)
        traffic.maintain()
        traffic.maintain()
        assert traffic.problems() == []
