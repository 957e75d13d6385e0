"""The private function's configuration."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit


class ConfigError(ValueError):
    """A variable of the environment is missing or wrong; the message names it."""


@dataclass(frozen=True)
class Config:
    redis_url: str
    redis_cluster: bool
    log_level: str
    metrics_namespace: str = ""

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Self:
        """Read REDIS_URL, REDIS_CLUSTER, LOG_LEVEL and METRICS_NAMESPACE."""
        return cls(
            redis_url=_redis_url(environ.get("REDIS_URL", "")),
            redis_cluster=_flag("REDIS_CLUSTER", environ.get("REDIS_CLUSTER", "false")),
            log_level=_level(environ.get("LOG_LEVEL", "INFO")),
            metrics_namespace=environ.get("METRICS_NAMESPACE", ""),
        )


def _redis_url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("redis", "rediss") or not parts.hostname:
        raise ConfigError(f"REDIS_URL must be redis://HOST:PORT or rediss://HOST:PORT: {value!r}")
    return value


def _flag(name: str, value: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise ConfigError(f"{name} must be true or false: {value!r}")
    return value.lower() == "true"


def _level(value: str) -> str:
    if value.upper() not in ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"):
        raise ConfigError(f"LOG_LEVEL must be DEBUG, INFO, WARNING, ERROR or CRITICAL: {value!r}")
    return value.upper()
