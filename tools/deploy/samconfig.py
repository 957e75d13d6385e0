"""The deployments in samconfig.toml."""

import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path

CONFIG = Path(__file__).resolve().parents[2] / "samconfig.toml"


class NoSuchSection(Exception):
    """samconfig.toml lacks the section, or the section contains no stack name. The message lists
    the existing sections.
    """


@dataclass(frozen=True)
class Settings:
    """A deployment, as described by a section of samconfig.toml."""

    stack: str
    parameters: dict[str, str]
    region: str | None
    profile: str | None

    @classmethod
    def read(cls, config_env: str, path: Path | None = None) -> "Settings":
        path = path or CONFIG
        sections = tomllib.loads(path.read_text(encoding="utf-8"))
        found = sections.get(config_env, {}).get("deploy", {}).get("parameters", {})
        if "stack_name" not in found:
            known = [name for name, section in sections.items() if isinstance(section, dict)]
            raise NoSuchSection(
                f"{path.name} contains no stack name for {config_env!r}. Set CONFIG_ENV to one of "
                f"{', '.join(known)}, or add `[{config_env}.deploy.parameters]`."
            )
        given = found.get("parameter_overrides", [])
        pairs = shlex.split(given) if isinstance(given, str) else given
        overrides = dict(str(pair).split("=", 1) for pair in pairs)
        return cls(found["stack_name"], overrides, found.get("region"), found.get("profile"))
