"""Provides the settings for a new waitlist, from a template or from another waitlist."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waitlist_cli.errors import Refused, WrongUsage
from waitlist_cli.operations.declared import settings_in
from waitlist_cli.operations.zone_countries import language_of, zone_countries

if TYPE_CHECKING:
    from waitlist_cli.client.api import Api

FILE = Path(__file__).parents[1] / "templates.json"
# Settings that are not copied from another waitlist: a new waitlist has its own name, and is open
# and running.
NOT_COPIED = ("name", "open", "paused")
# When a waitlist is copied, these times are copied only if they are in the future.
TIMES = ("opens_at", "closes_at")


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question that a template asks about a setting of the new waitlist.

    If `kind` is empty, the form shows the setting's usual field.
    """

    setting: str
    label: str
    kind: str = ""
    hint: str = ""
    required: bool = False


@dataclass(frozen=True, kw_only=True)
class Template:
    """The settings of a common kind of waitlist."""

    label: str
    summary: str
    asks: Sequence[Question]
    settings: Mapping[str, Any]
    # Default times for settings, as a number of days from the creation of the waitlist.
    in_days: Mapping[str, int] = field(default_factory=dict)


@cache
def templates() -> dict[str, Template]:
    """Return all templates, by name."""
    found = json.loads(FILE.read_text("utf-8"))
    return {
        name: Template(**{**parts, "asks": [Question(**one) for one in parts["asks"]]})
        for name, parts in found.items()
    }


def settings_like(api: "Api", like: str, zone: str = "") -> dict[str, Any]:
    """Return the settings for a new waitlist.

    `like` is the name of a template, or the id of a waitlist whose settings are copied. If the new
    waitlist has a time zone, a template's settings are adapted to the time zone's country.
    """
    now = datetime.now(UTC)
    if template := templates().get(like):
        found = template_settings(template, now)
        _fit_to_country(found, template, zone_countries().get(zone, ""))
        return found
    try:
        found = api.operator("GET", f"/{like}")
    except Refused as error:
        if error.code != "waitlist_not_found":
            raise
        names = ", ".join(templates())
        raise WrongUsage(f"{like!r} is neither a template ({names}) nor a waitlist.") from error
    return _copy(found, now)


def template_settings(template: Template, now: datetime) -> dict[str, Any]:
    """Return the settings of a template.

    The template gives some times as a number of days. These days are counted from `now`.
    """
    found: dict[str, Any] = json.loads(json.dumps(template.settings))
    for name, days in template.in_days.items():
        put(found, name, (now + timedelta(days=days)).isoformat(timespec="seconds"))
    return found


def _fit_to_country(settings: dict[str, Any], template: Template, country: str) -> None:
    """If the template uses messages, choose their language by the waitlist's country. If the
    template asks for the countries that receive SMS, set them to that country.
    """
    if "messages" in settings and (language := language_of(country)):
        put(settings, "messages.language", language)
    if country and "messages.sms_countries" in {question.setting for question in template.asks}:
        put(settings, "messages.sms_countries", [country])


def _copy(waitlist: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    copied = {name: waitlist[name] for name in settings_in("") if name not in NOT_COPIED}
    for name in TIMES:
        if copied[name] and datetime.fromisoformat(copied[name]) <= now:
            copied[name] = None
    policy = copied["admission"]
    if policy and policy["until"] and datetime.fromisoformat(policy["until"]) <= now:
        copied["admission"] = {**policy, "until": None}
    return copied


def get(settings: Mapping[str, Any], name: str) -> Any:
    """Return the setting with a name such as `admission.rate.count`, or None if it is not set."""
    value: Any = settings
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def put(settings: dict[str, Any], name: str, value: Any) -> None:
    """Store a value in nested settings, under a name such as `admission.rate.count`."""
    *groups, key = name.split(".")
    for group in groups:
        settings[group] = {**(settings.get(group) or {})}
        settings = settings[group]
    settings[key] = value


def merged(settings: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of `settings` with the values in `given`.

    If `given` contains only some settings of a group, the other settings of the group keep their
    values.
    """
    return {
        **settings,
        **{
            name: merged(settings[name], value)
            if isinstance(value, Mapping) and isinstance(settings.get(name), Mapping)
            else value
            for name, value in given.items()
        },
    }
