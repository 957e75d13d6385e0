import pytest
from redis import Redis

from tools.local.child import Child
from tools.local.redis_check import RedisUnreachableError, check_redis


def test_the_redis_server_runs_without_persistence_and_ends_with_its_parent() -> None:
    with Child("tools.local.redis_server") as child:
        url = f"redis://127.0.0.1:{child.port()}"
        check_redis(url, cluster=False)
        with Redis.from_url(url, decode_responses=True) as redis:
            assert redis.config_get("save") == {"save": ""}
            assert redis.config_get("appendonly") == {"appendonly": "no"}
    with pytest.raises(RedisUnreachableError):
        check_redis(url, cluster=False)


@pytest.mark.parametrize("cluster", [False, True])
def test_a_redis_that_does_not_answer_is_an_error(cluster: bool) -> None:
    with pytest.raises(RedisUnreachableError):
        check_redis("redis://127.0.0.1:1", cluster=cluster)
