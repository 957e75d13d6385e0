"""Creates the command-line options for the settings of a waitlist from the declarations in
`settings.json`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Literal

import typer

from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.declared import Setting, end_of_group, settings
from waitlist_cli.terminal.command import Function
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.groups import option, replace_parameter
from waitlist_cli.terminal.parameters import read_json
from waitlist_cli.terminal.times import check_instant, utc

# These settings have no options here, because other commands change them: `policy`, `page`, `open`,
# `close`, `pause` and `resume`.
OF_OTHER_COMMANDS = ("admission", "page", "open", "paused")
# The option names that differ from the names of their settings.
NAMES = {
    "lease_seconds": "--lease",
    "hide_counts": "--hide-counts/--show-counts",
    "segments": "--segment",
    "identity.field": "--identity",
    "identity.verify": "--verify",
    "identity.verify_minutes": "--verify-minutes",
    "identity.plus_addresses": "--plus-addresses",
    "identity.region": "--region",
    "identity.blocked_domains": "--blocked-domain",
    "messages.kinds": "--messages",
    "messages.sms_countries": "--sms-countries",
    "messages.sms_number_types": "--sms-number-types",
    "messages.sms_parts_per_day": "--sms-parts-per-day",
    "messages.mails_per_day": "--mails-per-day",
    "page.logo_url": "--logo",
    "page.header_url": "--header",
    "page.privacy_url": "--privacy",
    "page.imprint_url": "--imprint",
    "page.enter_url": "--enter",
    "page.image_url": "--image",
}
# The placeholder that the help shows for values of each type.
METAVARS = {
    "integers": "NUMBER[,NUMBER]",
    "strings": "ITEM[,ITEM]",
    "lists": "NAME[,NAME]",
    "object": "FILE",
    "time": "TIME",
    "string": "TEXT",
}
HINTS = {
    "lists": "Repeat the option for several items.",
    "object": "Give a JSON file, or - for standard input. The JSON replaces the current value.",
    "time": "Give a time such as 2026-12-01T09:00:00+01:00.",
}
OFF = {"integer": "0", "choice": "off"}
MANY = ("integers", "strings", "lists")


def with_settings(function: Function) -> Function:
    """Replace a command's `settings` parameter with one option for each setting."""
    names = [name for name in settings() if name.split(".")[0] not in OF_OTHER_COMMANDS]
    return with_settings_named(names)(function)


def with_settings_named(names: Iterable[str], group: str = "") -> Callable[[Function], Function]:
    """Return a decorator that replaces a command's `settings` parameter with an option for each
    named setting.

    If `group` is given, all the settings belong to this group, and the option names do not contain
    the group's name.
    """
    chosen = [settings()[name] for name in names if settings()[name].type != "group"]
    options = [
        option(_parameter(one), _annotation(one, _option_name(one, group))) for one in chosen
    ]

    def make(_context: Context, **typed: Any) -> Any:
        given = {one: value for one in chosen if (value := typed[_parameter(one)]) is not None}
        found = _as_in_api(given, group)
        if not group:
            return found
        # In `found`, an inner group such as `admission.misses` is separate from its outer group
        # `admission`. The API expects the inner group inside the outer group, so move it there.
        parts = {name.rpartition(".")[2]: part for name, part in found.items() if name != group}
        return found.get(group, {}) | parts

    return lambda function: replace_parameter(function, "settings", options, make)


def _parameter(setting: Setting) -> str:
    return setting.name.replace(".", "_")


def _option_name(setting: Setting, group: str = "") -> str:
    name = setting.name.removeprefix(f"{group}.")
    return NAMES.get(setting.name, f"--{name.replace('.', '-').replace('_', '-')}")


def _annotation(setting: Setting, name: str) -> Any:
    """Return the type annotation of an option, which also contains its name and help text."""
    if setting.type == "boolean" and "/" not in name:
        name = f"{name}/--no-{name.removeprefix('--')}"
    kind: Any = {"boolean": bool, "integer": int}.get(setting.type, str)
    if setting.type in MANY:
        kind = list[str]
    elif setting.type == "choice":
        kind = Literal[tuple(setting.choices)]
    meaning = _meaning_of_off(setting)
    off = f"{OFF.get(setting.type, repr(''))} means {meaning}." if meaning else ""
    # An integer option accepts 0 only if the setting may be 0, or if 0 turns the setting off. It
    # never accepts negative numbers. The service checks all other limits.
    least = (0 if meaning else min(setting.minimum, 1)) if setting.type == "integer" else None
    words = " ".join(filter(None, (setting.help, HINTS.get(setting.type), off)))
    metavar = METAVARS.get(setting.type)
    return Annotated[kind | None, typer.Option(name, help=words, min=least, metavar=metavar)]


def _meaning_of_off(setting: Setting) -> str:
    """Describe the effect of turning a setting off, for the setting's help text.

    Return "" if the setting cannot be turned off.
    """
    if setting.is_nullable or _ends_group(setting):
        return end_of_group(setting) or setting.null or "none"
    return "none" if setting.type in (*MANY, "object") else ""


def _ends_group(setting: Setting) -> bool:
    is_own = setting.group not in OF_OTHER_COMMANDS
    return is_own and end_of_group(setting) is not None


def _as_in_api(given: Mapping[Setting, Any], group: str) -> dict[str, Any]:
    """Convert the given options to settings, as the API expects them."""
    found: dict[str, Any] = {}
    for setting, typed in given.items():
        value = _value(setting, typed, _option_name(setting, group))
        if not setting.group:
            found[setting.key] = value
        elif _ends_group(setting) and value in (0, "off", []):
            found[setting.group] = None
        elif found.get(setting.group, {}) is not None:
            found.setdefault(setting.group, {})[setting.key] = value
    return found


def _value(setting: Setting, typed: Any, label: str) -> Any:
    if setting.type == "lists":
        return [text.split(",") for text in typed if text]
    if setting.type in MANY:
        items = [item.strip() for text in typed for item in text.split(",") if item.strip()]
        return [_number(item, label) for item in items] if setting.type == "integers" else items
    if setting.type == "object":
        return read_json(typed) if typed else setting.default
    if setting.type == "time" and typed:
        return utc(check_instant(typed, label))
    return (typed or None) if setting.is_nullable else typed


def _number(text: str, label: str) -> int:
    if not text.isdecimal():
        raise WrongUsage(f"{label} {text!r}: give whole numbers, separated by commas.")
    return int(text)
