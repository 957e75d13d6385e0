"""The private function reads its environment once.

If a value is wrong, the error names the variable.
"""

import pytest

from waitlist_queue.config import Cache, Config, ConfigError, IamUser

GOOD = {"REDIS_URL": "rediss://cache.example.com:6379", "REDIS_CLUSTER": "True"}
CACHE_ARN = "arn:aws:elasticache:eu-west-1:123456789012:serverlesscache:waitlist-0a1b"
IAM = {**GOOD, "REDIS_IAM_USER": "waitlist", "REDIS_IAM_CACHE_ARN": CACHE_ARN}


def test_the_environment_becomes_the_configuration() -> None:
    config = Config.from_env({**GOOD, "LOG_LEVEL": "debug"})
    assert config == Config("rediss://cache.example.com:6379", True, "DEBUG")


def test_a_variable_that_is_not_set_has_a_default() -> None:
    config = Config.from_env({"REDIS_URL": "redis://localhost:6379"})
    assert (config.redis_cluster, config.log_level, config.iam_user) == (False, "INFO", None)


def test_an_empty_variable_counts_as_not_set() -> None:
    config = Config.from_env({**GOOD, "REDIS_IAM_USER": "", "REDIS_IAM_CACHE_ARN": ""})
    assert config.iam_user is None


@pytest.mark.parametrize(
    ("arn", "cache"),
    [
        (CACHE_ARN, Cache("waitlist-0a1b", "eu-west-1", is_serverless=True)),
        (
            "arn:aws-cn:elasticache:cn-north-1:123456789012:replicationgroup:orders",
            Cache("orders", "cn-north-1", is_serverless=False),
        ),
    ],
)
def test_name_region_and_kind_of_a_cache_are_read_from_its_arn(arn: str, cache: Cache) -> None:
    config = Config.from_env({**IAM, "REDIS_IAM_CACHE_ARN": arn})
    assert config.iam_user == IamUser("waitlist", cache)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("REDIS_URL", ""),
        ("REDIS_URL", "localhost:6379"),
        ("REDIS_URL", "http://localhost:6379"),
        ("REDIS_URL", "redis://"),
        ("REDIS_CLUSTER", "yes"),
        ("REDIS_HAS_RUN_IDS", "yes"),
        ("REDIS_CLUSTER", ""),
        ("LOG_LEVEL", "LOUD"),
    ],
)
def test_a_bad_value_names_its_variable(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=name):
        Config.from_env({**GOOD, name: value})


def test_the_address_of_redis_is_required() -> None:
    with pytest.raises(ConfigError, match="REDIS_URL"):
        Config.from_env({})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"REDIS_IAM_CACHE_ARN": ""}, "Set both REDIS_IAM_USER and REDIS_IAM_CACHE_ARN"),
        ({"REDIS_IAM_USER": ""}, "REDIS_IAM_USER and"),
        ({"REDIS_IAM_CACHE_ARN": "waitlist-0a1b"}, "REDIS_IAM_CACHE_ARN must be arn:"),
        ({"REDIS_IAM_CACHE_ARN": CACHE_ARN + "/*"}, "REDIS_IAM_CACHE_ARN must be arn:"),
        ({"REDIS_URL": "redis://cache.example.com:6379"}, "needs a REDIS_URL with rediss://"),
        ({"REDIS_URL": "rediss://ann:secret@cache.example.com:6379"}, "without user and password"),
        ({"REDIS_URL": "rediss://:secret@cache.example.com:6379"}, "without user and password"),
    ],
)
def test_an_iam_user_needs_a_cache_and_tls_and_excludes_a_password(
    changes: dict[str, str], message: str
) -> None:
    """To log in to Redis as an IAM user, the function needs a cache name and TLS, and must not have
    a password.

    Without TLS, others could read the token and use it for a quarter of an hour.
    """
    with pytest.raises(ConfigError, match=message) as refused:
        Config.from_env({**IAM, **changes})
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "http://ann:secret@localhost:6379",
        "redis://ann:secret@",
        "redis://ann:secret/more@localhost:6379",
        "redis://ann:secret@localhost:secret",
        "rediss://:secret]@[localhost:6379",
        "ann:secret@localhost:6379",
    ],
)
def test_an_error_about_the_address_does_not_show_its_password(url: str) -> None:
    with pytest.raises(ConfigError, match="REDIS_URL") as refused:
        Config.from_env({**GOOD, "REDIS_URL": url})
    assert "secret" not in str(refused.value)
    assert refused.value.__cause__ is None
    assert refused.value.__context__ is None, "a traceback would show it"


def test_the_repr_of_a_configuration_does_not_show_its_password() -> None:
    config = Config.from_env({"REDIS_URL": "rediss://ann:secret@localhost:6379"})
    assert config.redis_url == "rediss://ann:secret@localhost:6379"
    assert "secret" not in repr(config)
