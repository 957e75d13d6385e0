"""`kill -9` of a Redis without persistence, while a dozen clients go on."""

from tests.reliability.chaos.conftest import Serve
from tests.reliability.chaos.traffic import Disruption
from tests.support.redis_servers import running_server

OPERATIONS = 240


def test_all_that_was_told_holds_when_redis_was_killed_and_came_back_empty(serve: Serve) -> None:
    """P1 P2 P3 P4 P6 P7: whoever asks meanwhile is told the truth, or to come again."""
    with running_server() as redis:
        traffic = serve(redis.url)

        def die() -> None:
            redis.kill()
            redis.process.start()

        traffic.flow(OPERATIONS, Disruption(OPERATIONS // 3, die))
        assert traffic.was_refused("rebuilding")
        traffic.maintain()
        traffic.maintain()
        assert traffic.problems() == []


def test_nobody_has_to_ask_for_an_order_that_was_lost(serve: Serve) -> None:
    """P3 P7"""
    with running_server() as redis:
        traffic = serve(redis.url)
        traffic.flow(OPERATIONS // 3)

        def die() -> None:
            redis.kill()
            redis.process.start()

        traffic.lose(die)
        traffic.maintain()
        traffic.maintain()
        assert traffic.problems() == []
