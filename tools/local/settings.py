"""The settings of `make run`, which are read from the environment once."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tools.local.bot_check import SECRET, SITE_KEY
from tools.local.http_message import is_loopback
from waitlist_api.bots.providers import PROVIDERS
from waitlist_api.webhooks.signatures import BadWebhookSecret, signers

DEFAULT_PORT = 8080
# A secret that anyone can read, because it is in the source code.
WEBHOOK_SECRET = "whsec_bG9jYWwtd2ViaG9vay1zZWNyZXQtbm90LXByb2R1Y3Rpb24="
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


class SettingError(Exception):
    """An environment variable has an invalid value.

    The message names the variable and the value.
    """


@dataclass(frozen=True)
class Settings:
    """The local run's settings.

    If `redis_url` or `dynamodb_url` is None, the local run starts its own server.

    `keep` is the folder in which the embedded DynamoDB stores its data. If it is None, the data is
    lost when the run ends.

    If `jwt_issuer` is set, customers use this issuer's tokens. `jwt_jwks` is the URL of its public
    keys or of its discovery document. If `jwt_jwks` is None, the local run signs the tokens itself.

    `bot_check` is `turnstile`, `hcaptcha` or empty. The local run stands in for this provider,
    unless `bot_check_url` is the URL of another `siteverify`.
    """

    port: int = DEFAULT_PORT
    redis_url: str | None = None
    redis_cluster: bool = False
    dynamodb_url: str | None = None
    keep: Path | None = None
    log_level: str = "WARNING"
    signup_rate_limit: int | None = None
    public_concurrency: int | None = None
    private_concurrency: int | None = None
    jwt_issuer: str = ""
    jwt_audiences: tuple[str, ...] = ()
    jwt_jwks: str | None = None
    cors_origins: tuple[str, ...] = ()
    webhook_url: str = ""
    webhook_secret: str = WEBHOOK_SECRET
    bot_check: str = ""
    bot_check_url: str | None = None
    bot_check_script_url: str | None = None
    bot_check_site_key: str = SITE_KEY
    bot_check_secret: str = SECRET

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> "Settings":
        """An empty variable means the default. Raise SettingError if a value is invalid."""
        given = {name: value.strip() for name, value in environ.items() if value.strip()}
        cluster = _choice(given, "REDIS_CLUSTER", "false", ("true", "false")) == "true"
        if cluster and "REDIS_URL" not in given:
            raise SettingError(
                "REDIS_CLUSTER=true needs REDIS_URL, because the embedded server is not a cluster"
            )
        if "KEEP" in given and "AWS_ENDPOINT_URL_DYNAMODB" in given:
            raise SettingError(
                "KEEP only works with the embedded DynamoDB. Unset AWS_ENDPOINT_URL_DYNAMODB."
            )
        return cls(
            port=_whole_number(given, "PORT", DEFAULT_PORT, 0, 65535),
            redis_url=_url(given, "REDIS_URL", ("redis", "rediss")),
            redis_cluster=cluster,
            dynamodb_url=_url(given, "AWS_ENDPOINT_URL_DYNAMODB", ("http", "https")),
            keep=Path(given["KEEP"]).expanduser() if "KEEP" in given else None,
            log_level=_choice(given, "LOG_LEVEL", "WARNING", LOG_LEVELS, upper=True),
            signup_rate_limit=_limit(given, "SIGNUP_RATE_LIMIT"),
            public_concurrency=_limit(given, "PUBLIC_CONCURRENCY"),
            private_concurrency=_limit(given, "PRIVATE_CONCURRENCY"),
            **_issuer(given),
            cors_origins=tuple(filter(None, given.get("CORS_ORIGINS", "").split(","))),
            **_webhook(given),
            **_bot_check(given),
        )


def _issuer(given: Mapping[str, str]) -> dict[str, Any]:
    issuer = _url(given, "JWT_ISSUER", ("http", "https"))
    audiences = tuple(filter(None, given.get("JWT_AUDIENCE", "").split(",")))
    jwks = _url(given, "JWT_JWKS", ("http", "https"))
    if issuer is None and (audiences or jwks):
        raise SettingError("JWT_AUDIENCE and JWT_JWKS need JWT_ISSUER=https://…")
    if issuer is not None and not audiences:
        raise SettingError(
            f"JWT_ISSUER={issuer} needs JWT_AUDIENCE=…, the audience of the issuer's tokens"
        )
    return {"jwt_issuer": issuer or "", "jwt_audiences": audiences, "jwt_jwks": jwks}


def _webhook(given: Mapping[str, str]) -> dict[str, Any]:
    url = _url(given, "WEBHOOK_URL", ("http", "https")) or ""
    host = urlsplit(url).hostname
    if url and not is_loopback(f"[{host}]" if ":" in str(host) else str(host)):
        raise SettingError(
            f"WEBHOOK_URL={without_password(url)} must be an address on this machine, such as "
            "http://127.0.0.1:9000/hook, because nothing leaves the local run"
        )
    if url and "AWS_ENDPOINT_URL_DYNAMODB" in given:
        raise SettingError(
            "WEBHOOK_URL only works with the embedded DynamoDB. Unset AWS_ENDPOINT_URL_DYNAMODB."
        )
    secret = given.get("WEBHOOK_SECRET", WEBHOOK_SECRET)
    try:
        signers(secret)
    except BadWebhookSecret as error:
        raise SettingError(f"WEBHOOK_SECRET: {error}") from error
    return {"webhook_url": url, "webhook_secret": secret}


def _bot_check(given: Mapping[str, str]) -> dict[str, Any]:
    provider = _choice(given, "BOT_CHECK", "off", ("off", *PROVIDERS))
    names = ("BOT_CHECK_URL", "BOT_CHECK_SCRIPT_URL", "BOT_CHECK_SITE_KEY", "BOT_CHECK_SECRET")
    if provider == "off":
        if more := [name for name in names if name in given]:
            raise SettingError(f"{', '.join(more)} needs BOT_CHECK=turnstile or hcaptcha")
        return {}
    if "JWT_ISSUER" in given:
        raise SettingError(
            "BOT_CHECK only works for guests, but JWT_ISSUER makes customers sign in. "
            "Unset one of the two."
        )
    urls = {name: _url(given, name, ("http", "https")) for name in names[:2]}
    keys = {name: given[name] for name in names[2:] if name in given}
    return {"bot_check": provider} | {name.lower(): value for name, value in (urls | keys).items()}


def _limit(given: Mapping[str, str], name: str) -> int | None:
    return _whole_number(given, name, 1, 1, 1000) if name in given else None


def _whole_number(
    given: Mapping[str, str], name: str, default: int, lowest: int, highest: int
) -> int:
    text = given.get(name, str(default))
    if not (text.isascii() and text.isdecimal() and lowest <= int(text) <= highest):
        raise SettingError(f"{name}={text} must be a whole number from {lowest} to {highest}")
    return int(text)


def _url(given: Mapping[str, str], name: str, schemes: tuple[str, ...]) -> str | None:
    url = given.get(name)
    if url is None:
        return None
    try:
        parts = urlsplit(url)
        usable = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        examples = " or ".join(f"{scheme}://host:port" for scheme in schemes)
        raise SettingError(f"{name}={without_password(url)} must look like {examples}")
    return url


def _choice(
    given: Mapping[str, str],
    name: str,
    default: str,
    choices: tuple[str, ...],
    *,
    upper: bool = False,
) -> str:
    text = given.get(name, default)
    value = text.upper() if upper else text.lower()
    if value not in choices:
        raise SettingError(f"{name}={text} must be one of {', '.join(choices)}")
    return value


def without_password(url: str) -> str:
    """Remove the user name and password from a URL, so that it can be printed."""
    scheme, separator, rest = url.rpartition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2]}"
