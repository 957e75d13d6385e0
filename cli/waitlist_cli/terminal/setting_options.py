"""The options for settings of a waitlist, which `create` and `edit` share."""

from inspect import get_annotations
from typing import Annotated, Any, Literal

import typer

from waitlist_cli.errors import WrongUsage
from waitlist_cli.terminal.command import Function
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.groups import expanded, option
from waitlist_cli.terminal.parameters import read_json
from waitlist_cli.terminal.times import checked_instant, utc


class SettingOptions:
    """Options by the names of the settings in the API; some, such as `rest`, have several."""

    name: Annotated[str | None, typer.Option("--name", help="A name for people to read.")]
    capacity: Annotated[
        int | None,
        typer.Option(
            "--capacity", min=0, help="How many people may be on the list; 0 for no limit."
        ),
    ]
    lease_seconds: Annotated[
        int | None,
        typer.Option("--lease", min=1, help="Seconds until a claim expires, by default."),
    ]
    max_attempts: Annotated[
        int | None,
        typer.Option(
            "--max-attempts", min=1, help="Expired claims after which an entry is parked."
        ),
    ]
    max_claims: Annotated[
        int | None,
        typer.Option("--max-claims", min=0, help="How many people may be claimed at once; 0: any."),
    ]
    bot_check_down: Annotated[
        Literal["refuse", "accept"] | None,
        typer.Option(
            "--bot-check-down",
            help="What happens to new guests while the bot check of the stack does not answer.",
        ),
    ]
    hide_counts: Annotated[
        bool | None,
        typer.Option("--hide-counts/--show-counts", help="Whether customers see counts."),
    ]
    rejoin: Annotated[
        Literal["never", "after_leaving", "always"] | None,
        typer.Option("--rejoin", help="Which customers may sign up again."),
    ]
    max_guest_bytes: Annotated[
        int | None,
        typer.Option(
            "--max-guest-bytes",
            min=0,
            help="How many bytes of profile and attributes a signup may have, as JSON.",
        ),
    ]
    retention_days: Annotated[
        int | None,
        typer.Option(
            "--retention-days",
            min=0,
            help="Days until entries that left or were admitted are deleted; 0 for never.",
        ),
    ]
    rest_max_days: Annotated[
        int | None,
        typer.Option(
            "--rest-max-days",
            min=0,
            help="Days for which customers may let others pass at most; 0: they may not.",
        ),
    ]
    rest_times: Annotated[
        int | None,
        typer.Option("--rest-times", min=1, help="How often a customer may rest in one stay."),
    ]
    confirm_every_days: Annotated[
        int | None,
        typer.Option(
            "--confirm-every-days",
            min=0,
            help="Days after which customers are asked if they still wait; 0: they are not.",
        ),
    ]
    confirm_answer_days: Annotated[
        int | None,
        typer.Option("--confirm-answer-days", min=1, help="Days that they have to answer."),
    ]
    confirm_reminders_days: Annotated[
        str | None,
        typer.Option(
            "--confirm-reminders-days",
            metavar="DAYS[,DAYS]",
            help="How many days before the deadline they are reminded, such as 7,1; '': never.",
        ),
    ]
    confirm_then: Annotated[
        Literal["park", "leave", "to_back"] | None,
        typer.Option("--confirm-then", help="What happens to the entry without an answer."),
    ]
    identity_field: Annotated[
        Literal["email", "phone", "off"] | None,
        typer.Option(
            "--identity",
            help="Guests are their mail address or number; off: callers name a customer id.",
        ),
    ]
    identity_verify: Annotated[
        Literal["off", "before_offer"] | None,
        typer.Option(
            "--verify", help="Whether the address is to be proved before a place is offered."
        ),
    ]
    identity_verify_minutes: Annotated[
        int | None,
        typer.Option("--verify-minutes", min=1, help="Minutes in which that is to be done."),
    ]
    identity_plus_addresses: Annotated[
        Literal["same", "different"] | None,
        typer.Option("--plus-addresses", help="Whether ada+news@example.com is ada@example.com."),
    ]
    identity_region: Annotated[
        str | None,
        typer.Option(
            "--region",
            metavar="CC",
            help="The country of numbers without +, such as DE; '': each number begins with it.",
        ),
    ]
    identity_blocked_domains: Annotated[
        list[str] | None,
        typer.Option(
            "--blocked-domain",
            metavar="DOMAIN",
            help="Mail domains that are refused. Replaces all; '' removes them.",
        ),
    ]
    messages_kinds: Annotated[
        str | None,
        typer.Option(
            "--messages",
            metavar="KIND[,KIND]",
            help="What people are told, such as joined,offered,confirm; '': nothing.",
        ),
    ]
    messages_near: Annotated[
        int | None,
        typer.Option("--messages-near", min=1, help="How many of the first people are near."),
    ]
    messages_language: Annotated[
        Literal["en", "de", "fr", "es", "ar"] | None,
        typer.Option(
            "--messages-language", help="The language of people whose own the service lacks."
        ),
    ]
    messages_timezone: Annotated[
        str | None,
        typer.Option(
            "--messages-timezone",
            metavar="ZONE",
            help="The zone of times in messages, such as Europe/Berlin.",
        ),
    ]
    messages_texts: Annotated[
        str | None,
        typer.Option(
            "--messages-texts",
            metavar="FILE",
            help="A JSON file with words in place of the service's, by language and kind, - for "
            "the standard input. Replaces all; '' removes them.",
        ),
    ]
    messages_sms_countries: Annotated[
        str | None,
        typer.Option(
            "--sms-countries",
            metavar="CC[,CC]",
            help="The countries to whose numbers SMS go, such as DE,AT; '': that of --region.",
        ),
    ]
    messages_sms_number_types: Annotated[
        str | None,
        typer.Option(
            "--sms-number-types",
            metavar="TYPE[,TYPE]",
            help="The kinds of numbers to which SMS go: mobile, fixed_line, voip, unknown.",
        ),
    ]
    messages_sms_parts_per_day: Annotated[
        int | None,
        typer.Option(
            "--sms-parts-per-day",
            min=0,
            help="How many parts of SMS a day may cost; 0: as many as the stack allows.",
        ),
    ]
    messages_mails_per_day: Annotated[
        int | None,
        typer.Option(
            "--mails-per-day",
            min=0,
            help="How many mails are sent on a day; 0: as many as the stack allows.",
        ),
    ]
    opens_at: Annotated[
        str | None,
        typer.Option(
            "--opens-at",
            metavar="TIME",
            help="Signups begin then, such as 2026-12-01T09:00:00+01:00; '': since ever.",
        ),
    ]
    closes_at: Annotated[
        str | None,
        typer.Option("--closes-at", metavar="TIME", help="Signups end then; '': for ever."),
    ]
    segments: Annotated[
        list[str] | None,
        typer.Option(
            "--segment",
            metavar="NAME[,NAME]",
            help="Attributes that one filter may combine. Replaces all segments; '' removes them.",
        ),
    ]


def with_settings(function: Function) -> Function:
    """Give a command an option for each setting, instead of its parameter `settings`.

    The command gets those that were typed, as the API takes them.
    """
    kinds = get_annotations(SettingOptions)
    options = [option(name, kinds[name]) for name in kinds]
    return expanded(function, "settings", options, _as_in_api)


def _as_in_api(_context: Context, **typed: Any) -> dict[str, Any]:
    """Return the settings that were typed."""
    given = {name: value for name, value in typed.items() if value is not None}
    for limit in ("capacity", "max_claims", "retention_days"):
        if limit in given:
            given[limit] = given[limit] or None
    for name in ("opens_at", "closes_at"):
        if name in given:
            given[name] = _time(given[name], f"--{name.replace('_', '-')}")
    given |= _confirm(given) | _identity(given) | _messages(given)
    rest = {name: given.pop(f"rest_{name}", None) for name in ("max_days", "times")}
    if rest["max_days"] == 0:
        given["rest"] = None
    elif typed_rest := {name: value for name, value in rest.items() if value is not None}:
        given["rest"] = typed_rest
    if "segments" in given:
        given["segments"] = [text.split(",") for text in given["segments"] if text]
    return given


def _confirm(given: dict[str, Any]) -> dict[str, Any]:
    """Take the parts of `confirm` out of the settings that were typed, and return it."""
    names = ("every_days", "answer_days", "reminders_days", "then")
    parts = {name: given.pop(f"confirm_{name}", None) for name in names}
    if parts["every_days"] == 0:
        return {"confirm": None}
    if (days := parts["reminders_days"]) is not None:
        label = "--confirm-reminders-days"
        parts["reminders_days"] = [_day(one, label) for one in days.split(",") if one.strip()]
    typed = {name: value for name, value in parts.items() if value is not None}
    return {"confirm": typed} if typed else {}


def _identity(given: dict[str, Any]) -> dict[str, Any]:
    """Take the parts of `identity` out of the settings that were typed, and return it."""
    names = ("field", "verify", "verify_minutes", "plus_addresses", "region", "blocked_domains")
    parts = {name: given.pop(f"identity_{name}", None) for name in names}
    typed = {name: value for name, value in parts.items() if value is not None}
    if typed.get("field") == "off":
        return {"identity": None}
    if "region" in typed:
        typed["region"] = typed["region"] or None
    if "blocked_domains" in typed:
        typed["blocked_domains"] = [one for one in typed["blocked_domains"] if one]
    return {"identity": typed} if typed else {}


def _messages(given: dict[str, Any]) -> dict[str, Any]:
    """Take the parts of `messages` out of the settings that were typed, and return it."""
    lists = ("kinds", "sms_countries", "sms_number_types")
    budgets = ("sms_parts_per_day", "mails_per_day")
    names = (*lists, *budgets, "near", "language", "timezone", "texts")
    parts = {name: given.pop(f"messages_{name}", None) for name in names}
    typed = {name: value for name, value in parts.items() if value is not None}
    if typed.get("kinds") == "":
        return {"messages": None}
    for name in lists:
        if name in typed:
            typed[name] = [one.strip() for one in typed[name].split(",") if one.strip()]
    for name in budgets:
        if name in typed:
            typed[name] = typed[name] or None
    if "texts" in typed:
        typed["texts"] = read_json(typed["texts"]) if typed["texts"] else {}
    return {"messages": typed} if typed else {}


def _day(text: str, label: str) -> int:
    if not text.strip().isdecimal():
        raise WrongUsage(f"{label} {text!r}: give whole numbers, a comma between two.")
    return int(text)


def _time(text: str, label: str) -> str | None:
    """Return a time in UTC, None for an empty text; errors call it `label`."""
    return utc(checked_instant(text, label)) if text else None
