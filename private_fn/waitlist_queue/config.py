"""The configuration of the private function."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import SplitResult, urlsplit

CACHE_ARN = re.compile(
    r"arn:[a-z-]+:elasticache:(?P<region>[a-z0-9-]+):[0-9]+"
    r":(?P<kind>serverlesscache|replicationgroup):(?P<name>[a-z0-9-]+)"
)


class ConfigError(ValueError):
    """An environment variable is missing or invalid. The message names the variable."""


@dataclass(frozen=True)
class Cache:
    """An ElastiCache cache, identified by its ARN."""

    name: str
    region: str
    is_serverless: bool


@dataclass(frozen=True)
class IamUser:
    """An IAM user that may log in to an ElastiCache cache."""

    name: str
    cache: Cache


@dataclass(frozen=True)
class Config:
    """The settings of the private function."""

    redis_url: str = field(repr=False)  # may hold a password
    redis_cluster: bool
    log_level: str
    # If there is no IAM user, the private function logs in to Redis with the user and password in
    # `redis_url`.
    iam_user: IamUser | None = None
    metrics_namespace: str = ""
    # True if each Redis server has its own `run_id`. Scripts use the `run_id` to notice when a
    # different server has taken over.
    redis_has_run_ids: bool = False

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Self:
        """Read the settings from environment variables such as REDIS_URL and REDIS_CLUSTER."""
        url = _redis_url(environ.get("REDIS_URL", ""))
        name, arn = environ.get("REDIS_IAM_USER", ""), environ.get("REDIS_IAM_CACHE_ARN", "")
        return cls(
            redis_url=url,
            redis_cluster=_flag("REDIS_CLUSTER", environ.get("REDIS_CLUSTER", "false")),
            log_level=_level(environ.get("LOG_LEVEL", "INFO")),
            iam_user=_iam_user(name, arn, url) if name or arn else None,
            metrics_namespace=environ.get("METRICS_NAMESPACE", ""),
            redis_has_run_ids=_flag("REDIS_HAS_RUN_IDS", environ.get("REDIS_HAS_RUN_IDS", "false")),
        )


def _redis_url(value: str) -> str:
    # The error messages are logged, so they do not contain the URL, which may contain a password.
    parts = _parts(value)
    if parts is None or parts.scheme not in ("redis", "rediss") or not parts.hostname:
        raise ConfigError(
            "REDIS_URL must be redis://HOST:PORT or rediss://HOST:PORT. If Redis needs a login, put"
            " USER:PASSWORD@ before HOST, and percent-encode characters other than letters and"
            " digits in them (%XX)"
        )
    return value


def _parts(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises ValueError if the port is not a number
    except ValueError:
        return None
    return parts


def _iam_user(name: str, arn: str, url: str) -> IamUser:
    if not (name and arn):
        raise ConfigError("Set both REDIS_IAM_USER and REDIS_IAM_CACHE_ARN, or neither of them")
    found = CACHE_ARN.fullmatch(arn)
    if not found:
        raise ConfigError(
            "REDIS_IAM_CACHE_ARN must be arn:aws:elasticache:REGION:ACCOUNT:serverlesscache:NAME"
            f" or …:replicationgroup:NAME: {arn!r}"
        )
    parts = urlsplit(url)
    if parts.scheme != "rediss":
        raise ConfigError(
            "REDIS_IAM_USER needs a REDIS_URL with rediss://, because ElastiCache requires TLS"
        )
    if parts.username is not None or parts.password is not None:
        raise ConfigError("REDIS_IAM_USER needs a REDIS_URL without user and password")
    cache = Cache(found["name"], found["region"], found["kind"] == "serverlesscache")
    return IamUser(name, cache)


def _flag(name: str, value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise ConfigError(f"{name} must be true or false: {value!r}")
    return value.lower() == "true"


def _level(value: str) -> str:
    if value.upper() not in ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"):
        raise ConfigError(f"LOG_LEVEL must be DEBUG, INFO, WARNING, ERROR or CRITICAL: {value!r}")
    return value.upper()
