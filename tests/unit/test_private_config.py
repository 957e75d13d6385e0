"""The private function's environment: read once, and a bad value names its variable."""

import pytest

from waitlist_queue.config import Config, ConfigError

GOOD = {"REDIS_URL": "rediss://cache.example.com:6379", "REDIS_CLUSTER": "True"}


def test_the_environment_becomes_the_configuration() -> None:
    config = Config.from_env({**GOOD, "LOG_LEVEL": "debug"})
    assert config == Config("rediss://cache.example.com:6379", True, "DEBUG")


def test_what_is_not_set_has_a_default() -> None:
    config = Config.from_env({"REDIS_URL": "redis://localhost:6379"})
    assert (config.redis_cluster, config.log_level) == (False, "INFO")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("REDIS_URL", ""),
        ("REDIS_URL", "localhost:6379"),
        ("REDIS_URL", "http://localhost:6379"),
        ("REDIS_URL", "redis://"),
        ("REDIS_CLUSTER", "yes"),
        ("REDIS_CLUSTER", ""),
        ("LOG_LEVEL", "LOUD"),
    ],
)
def test_a_bad_value_names_its_variable(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=name):
        Config.from_env({**GOOD, name: value})


def test_no_address_is_no_configuration() -> None:
    with pytest.raises(ConfigError, match="REDIS_URL"):
        Config.from_env({})
