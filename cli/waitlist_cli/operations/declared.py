"""Describes a waitlist's settings.

The service declares the settings, `tools/settings.py` writes the declarations to `settings.json`,
and this module reads that file.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "settings.json"


@dataclass(frozen=True, kw_only=True, eq=False)
class Setting:
    """A setting of a waitlist.

    The name of a setting in a group begins with the group's name, as in `rest.max_days`.
    """

    name: str
    # The type is `boolean`, `integer`, `string`, `time`, `choice`, `integers`, `strings`, `lists`,
    # `object` or `group`.
    type: str
    label: str = ""
    help: str = ""
    # What null means, such as `no limit`.
    null: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    minimum: int = 0
    # The maximum length of a customer's answer, for the setting that contains the signup form's
    # questions.
    max_answer: int = 0
    is_nullable: bool = False
    default: Any = None

    @property
    def group(self) -> str:
        return self.name.rpartition(".")[0]

    @property
    def key(self) -> str:
        """The name of the setting within its group."""
        return self.name.rpartition(".")[2]


@cache
def settings() -> dict[str, Setting]:
    """Return all settings and groups, by name."""
    found = json.loads(FILE.read_text("utf-8"))
    return {name: Setting(name=name, **described) for name, described in found.items()}


def settings_in(group: str) -> dict[str, Setting]:
    """Return a group's settings by key.

    If `group` is "", return all groups and the settings that belong to no group.
    """
    return {one.key: one for one in settings().values() if one.group == group}


def defaults(group: str) -> dict[str, Any]:
    """Return the default values of the settings in a group.

    The default of a required setting is None.
    """
    return {key: setting.default for key, setting in settings_in(group).items()}


def choices(name: str) -> list[tuple[str, str]]:
    """Return the values of a setting and their labels."""
    return list(settings()[name].choices.items())


def end_of_group(setting: Setting) -> str | None:
    """If this setting turns a group of settings off, describe what happens then. Otherwise, return
    None.

    The first setting of a group is the one that turns the group off.
    """
    if not setting.group:
        return None
    first = next(iter(settings_in(setting.group)))
    return settings()[setting.group].null if setting.key == first else None
