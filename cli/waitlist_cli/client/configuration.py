"""Chooses the service from options, environment variables and an optional configuration file."""

import ipaddress
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from platformdirs import user_config_path

from waitlist_cli.errors import WrongUsage

LOCAL_HOST = "127.0.0.1"
LOCAL_PORT = "8080"
CONFIG_VARIABLE = "WAITLIST_CONFIG"
URL_VARIABLE = "WAITLIST_URL"
ENVIRONMENT_VARIABLE = "WAITLIST_ENV"
API_GATEWAY = re.compile(r"[a-z0-9]+\.execute-api\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?")


@dataclass(frozen=True)
class Choice:
    """The values of the options that all commands share.

    An option that was not given is None.
    """

    url: str | None = None
    environment: str | None = None
    profile: str | None = None
    region: str | None = None
    local: bool | None = None
    as_json: bool | None = None

    def with_defaults(self, other: "Choice") -> "Choice":
        """Return a copy of these options, with missing ones taken from `other`."""
        mine = {option.name: getattr(self, option.name) for option in fields(self)}
        given = {name: value for name, value in mine.items() if value is not None}
        return Choice(**{**other.__dict__, **given})


@dataclass(frozen=True)
class Target:
    """The address of a service, and the AWS profile and region used to sign requests to it."""

    url: str
    profile: str | None = None
    region: str | None = None
    is_local: bool = False


def target_of(choice: Choice, environ: Mapping[str, str]) -> Target:
    """Return the service that the operator chose. Raises WrongUsage if no service is chosen."""
    if choice.local:
        url = choice.url or f"http://{LOCAL_HOST}:{_port(environ)}"
        return Target(_checked_url(url, "--url"), is_local=True)
    kept = {} if choice.url else _environment(choice, environ)
    named = choice.url or kept.get("url")
    if not named:
        raise WrongUsage(
            f"No service is chosen. Pass --url https://…, set {URL_VARIABLE}, or write the "
            f"address into {config_path(environ)}. To use the service that `make run` starts, "
            "pass --local."
        )
    checked = _checked_url(named, kept.get("origin", "--url"))
    return Target(
        url=checked,
        profile=choice.profile or kept.get("profile"),
        region=choice.region
        or kept.get("region")
        or _region_of(checked)
        # Other AWS SDKs and the AWS CLI read AWS_REGION, but botocore reads only
        # AWS_DEFAULT_REGION.
        or environ.get("AWS_REGION"),
    )


def config_path(environ: Mapping[str, str]) -> Path:
    """Return the path of the configuration file, which need not exist."""
    named = environ.get(CONFIG_VARIABLE)
    return Path(named) if named else user_config_path("waitlist") / "config.toml"


def _environment(choice: Choice, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the configured URL, AWS profile and AWS region.

    Error messages mention the `origin`, the environment variable or file that the URL comes from.
    """
    path = config_path(environ)
    config = _read(path, must_exist=bool(environ.get(CONFIG_VARIABLE)))
    if choice.environment is None and environ.get(URL_VARIABLE):
        return {"url": environ[URL_VARIABLE], "origin": URL_VARIABLE}
    name = choice.environment or environ.get(ENVIRONMENT_VARIABLE) or config.get("default")
    whole = {**_texts(config, path), "origin": f"url in {path}"}
    if not name:
        return whole
    known = config.get("environments")
    named = known if isinstance(known, dict) else {}
    if not isinstance(name, str) or name not in named:
        names = ", ".join(sorted(named)) or "none"
        raise WrongUsage(
            f"There is no environment {name!r} in {path}. The environments there are: {names}."
        )
    return {**whole, **_texts(named[name], path)}


def _read(path: Path, *, must_exist: bool) -> dict[str, Any]:
    try:
        # Some Windows editors begin a UTF-8 file with a byte order mark, which `utf-8-sig` skips.
        return tomllib.loads(path.read_text("utf-8-sig"))
    except FileNotFoundError:
        if must_exist:
            raise WrongUsage(f"{CONFIG_VARIABLE} names {path}, which does not exist.") from None
        return {}
    except (OSError, ValueError) as error:
        raise WrongUsage(f"{path} cannot be read as TOML: {error}") from error


def _texts(table: object, path: Path) -> dict[str, str]:
    named = table if isinstance(table, dict) else {}
    found = {name: named[name] for name in ("url", "profile", "region") if name in named}
    for name, value in found.items():
        if not isinstance(value, str):
            raise WrongUsage(f'{path}: {name} = {value!r} is not a string. Write {name} = "…".')
    return found


def _port(environ: Mapping[str, str]) -> str:
    port = environ.get("PORT") or LOCAL_PORT
    if not (port.isascii() and port.isdecimal() and 0 < int(port) < 65536):
        raise WrongUsage(
            f"PORT={port} is not a port. Set it to the port of `make run`, from 1 to 65535."
        )
    return port


def _checked_url(text: str, origin: str) -> str:
    try:
        parts = urlsplit(text)
        # Encoding the host name raises a ValueError if a part of the name is empty or too long.
        (parts.hostname or "").encode("idna")
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not text.isprintable() or " " in text:
        raise WrongUsage(
            f"{origin} {text!r} is not the address of a service. Give an address such as https://…."
        )
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        raise WrongUsage(
            f"{origin} {text!r} would send personal data and signed requests unencrypted. "
            "Use https://. Plain http is allowed only on this computer (127.0.0.1, localhost)."
        )
    return text.rstrip("/")


def is_loopback(host: str) -> bool:
    """Return whether a host name or an address belongs to this computer."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _region_of(url: str) -> str | None:
    """Return the AWS region in an API Gateway address, or None for any other address."""
    found = API_GATEWAY.fullmatch(urlsplit(url).hostname or "")
    return found[1] if found else None
