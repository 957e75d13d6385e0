"""Defines the options for the settings of a waitlist. `create` and `edit` share these options."""

from inspect import get_annotations
from typing import Annotated, Any, Literal

import typer

from waitlist_cli.errors import WrongUsage
from waitlist_cli.terminal.command import Function
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.groups import option, replace_parameter
from waitlist_cli.terminal.parameters import read_json
from waitlist_cli.terminal.times import check_instant, utc


class SettingOptions:
    """The options for the settings of a waitlist.

    Each field has the name of a setting in the API. A setting such as `rest` has several options.
    """

    name: Annotated[str | None, typer.Option("--name", help="Name that customers see.")]
    capacity: Annotated[
        int | None,
        typer.Option(
            "--capacity",
            min=0,
            help="Maximum number of people on the waitlist. 0 removes the limit.",
        ),
    ]
    lease_seconds: Annotated[
        int | None,
        typer.Option("--lease", min=1, help="Default number of seconds until a claim expires."),
    ]
    max_attempts: Annotated[
        int | None,
        typer.Option(
            "--max-attempts",
            min=1,
            help="Number of expired claims after which an entry is parked, which means "
            "set aside for an operator.",
        ),
    ]
    max_claims: Annotated[
        int | None,
        typer.Option(
            "--max-claims",
            min=0,
            help="Maximum number of people who are claimed at the same time. 0 removes the limit.",
        ),
    ]
    bot_check_down: Annotated[
        Literal["refuse", "accept"] | None,
        typer.Option(
            "--bot-check-down",
            help="What happens to signups of guests while the bot check of the stack does not "
            "answer.",
        ),
    ]
    hide_counts: Annotated[
        bool | None,
        typer.Option(
            "--hide-counts/--show-counts",
            help="Whether customers can see how many people are waiting.",
        ),
    ]
    rejoin: Annotated[
        Literal["never", "after_leaving", "always"] | None,
        typer.Option("--rejoin", help="Which former customers may sign up again."),
    ]
    max_guest_bytes: Annotated[
        int | None,
        typer.Option(
            "--max-guest-bytes",
            min=0,
            help="Maximum size of the profile and attributes of a signup, in bytes of JSON.",
        ),
    ]
    retention_days: Annotated[
        int | None,
        typer.Option(
            "--retention-days",
            min=0,
            help="Number of days after which entries that left or were admitted are deleted. 0 "
            "keeps them forever.",
        ),
    ]
    rest_max_days: Annotated[
        int | None,
        typer.Option(
            "--rest-max-days",
            min=0,
            help="Maximum number of days for which customers may let others go first. "
            "With 0, they may not.",
        ),
    ]
    rest_times: Annotated[
        int | None,
        typer.Option(
            "--rest-times",
            min=1,
            help="Number of times that a customer may let others go first.",
        ),
    ]
    confirm_every_days: Annotated[
        int | None,
        typer.Option(
            "--confirm-every-days",
            min=0,
            help="Number of days after which customers are asked whether they are still waiting. 0 "
            "turns this off.",
        ),
    ]
    confirm_answer_days: Annotated[
        int | None,
        typer.Option(
            "--confirm-answer-days",
            min=1,
            help="Number of days that customers have to confirm that they are still waiting.",
        ),
    ]
    confirm_reminders_days: Annotated[
        str | None,
        typer.Option(
            "--confirm-reminders-days",
            metavar="DAYS[,DAYS]",
            help="How many days before the deadline customers are reminded to answer, such as 7,1. "
            "Give '' to send no reminders.",
        ),
    ]
    confirm_then: Annotated[
        Literal["park", "leave", "to_back"] | None,
        typer.Option(
            "--confirm-then", help="What happens to the entry of a customer who does not answer."
        ),
    ]
    identity_field: Annotated[
        Literal["email", "phone", "off"] | None,
        typer.Option(
            "--identity",
            help="How guests are identified: by their mail address or their phone number. With "
            "`off`, the caller sends a customer id.",
        ),
    ]
    identity_verify: Annotated[
        Literal["off", "before_offer"] | None,
        typer.Option(
            "--verify", help="Whether guests must verify their address before they get an offer."
        ),
    ]
    identity_verify_minutes: Annotated[
        int | None,
        typer.Option(
            "--verify-minutes",
            min=1,
            help="Number of minutes that guests have to verify their address.",
        ),
    ]
    identity_plus_addresses: Annotated[
        Literal["same", "different"] | None,
        typer.Option(
            "--plus-addresses",
            help="Whether ada+news@example.com and ada@example.com are the same person.",
        ),
    ]
    identity_region: Annotated[
        str | None,
        typer.Option(
            "--region",
            metavar="CC",
            help="Country of phone numbers without +, such as DE. Give '' to require numbers with "
            "+.",
        ),
    ]
    identity_blocked_domains: Annotated[
        list[str] | None,
        typer.Option(
            "--blocked-domain",
            metavar="DOMAIN",
            help="Mail domain whose addresses are refused. Repeat the option for several "
            "domains. Give '' to allow all domains.",
        ),
    ]
    messages_kinds: Annotated[
        str | None,
        typer.Option(
            "--messages",
            metavar="KIND[,KIND]",
            help="Kinds of messages to send, such as joined,offered,confirm. Give '' to send none.",
        ),
    ]
    messages_near: Annotated[
        int | None,
        typer.Option(
            "--messages-near",
            min=1,
            help="Number of people at the head of the queue who get the message `near`.",
        ),
    ]
    messages_language: Annotated[
        Literal["en", "de", "fr", "es", "ar"] | None,
        typer.Option(
            "--messages-language",
            help="Language of messages to people whose own language is unknown or not supported.",
        ),
    ]
    messages_timezone: Annotated[
        str | None,
        typer.Option(
            "--messages-timezone",
            metavar="ZONE",
            help="Time zone of the times in messages, such as Europe/Berlin.",
        ),
    ]
    messages_texts: Annotated[
        str | None,
        typer.Option(
            "--messages-texts",
            metavar="FILE",
            help="JSON file with texts that replace the standard messages, by language and "
            "kind, or - for standard input. The file replaces all former texts. Give '' "
            "to remove them.",
        ),
    ]
    messages_sms_countries: Annotated[
        str | None,
        typer.Option(
            "--sms-countries",
            metavar="CC[,CC]",
            help="Countries whose numbers receive SMS, such as DE,AT. Give '' to use the country "
            "of --region.",
        ),
    ]
    messages_sms_number_types: Annotated[
        str | None,
        typer.Option(
            "--sms-number-types",
            metavar="TYPE[,TYPE]",
            help="Types of numbers that receive SMS: mobile, fixed_line, voip, unknown.",
        ),
    ]
    messages_sms_parts_per_day: Annotated[
        int | None,
        typer.Option(
            "--sms-parts-per-day",
            min=0,
            help="Maximum number of SMS parts in a day. 0 removes this limit, and only the limit "
            "of the stack applies.",
        ),
    ]
    messages_mails_per_day: Annotated[
        int | None,
        typer.Option(
            "--mails-per-day",
            min=0,
            help="Maximum number of mails in a day. 0 removes this limit, and only the limit of "
            "the stack applies.",
        ),
    ]
    opens_at: Annotated[
        str | None,
        typer.Option(
            "--opens-at",
            metavar="TIME",
            help="Time at which signups begin, such as 2026-12-01T09:00:00+01:00. Give '' to "
            "remove it.",
        ),
    ]
    closes_at: Annotated[
        str | None,
        typer.Option(
            "--closes-at", metavar="TIME", help="Time at which signups end. Give '' to remove it."
        ),
    ]
    segments: Annotated[
        list[str] | None,
        typer.Option(
            "--segment",
            metavar="NAME[,NAME]",
            help="Attributes that a filter can combine, which form a segment. Repeat the "
            "option for several segments. Give '' to remove all segments.",
        ),
    ]


def with_settings(function: Function) -> Function:
    """Replace the `settings` parameter of a command with one option for each setting."""
    kinds = get_annotations(SettingOptions)
    options = [option(name, kinds[name]) for name in kinds]
    return replace_parameter(function, "settings", options, _as_in_api)


def _as_in_api(_context: Context, **typed: Any) -> dict[str, Any]:
    """Convert the options that the operator gave to settings in the format of the API."""
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
    """Remove the parts of the `confirm` setting from `given`, and return the whole setting."""
    names = ("every_days", "answer_days", "reminders_days", "then")
    parts = {name: given.pop(f"confirm_{name}", None) for name in names}
    if parts["every_days"] == 0:
        return {"confirm": None}
    if (days := parts["reminders_days"]) is not None:
        label = "--confirm-reminders-days"
        parts["reminders_days"] = [_day(day, label) for day in days.split(",") if day.strip()]
    typed = {name: value for name, value in parts.items() if value is not None}
    return {"confirm": typed} if typed else {}


def _identity(given: dict[str, Any]) -> dict[str, Any]:
    """Remove the parts of the `identity` setting from `given`, and return the whole setting."""
    names = ("field", "verify", "verify_minutes", "plus_addresses", "region", "blocked_domains")
    parts = {name: given.pop(f"identity_{name}", None) for name in names}
    typed = {name: value for name, value in parts.items() if value is not None}
    if typed.get("field") == "off":
        return {"identity": None}
    if "region" in typed:
        typed["region"] = typed["region"] or None
    if "blocked_domains" in typed:
        typed["blocked_domains"] = [domain for domain in typed["blocked_domains"] if domain]
    return {"identity": typed} if typed else {}


def _messages(given: dict[str, Any]) -> dict[str, Any]:
    """Remove the parts of the `messages` setting from `given`, and return the whole setting."""
    lists = ("kinds", "sms_countries", "sms_number_types")
    budgets = ("sms_parts_per_day", "mails_per_day")
    names = (*lists, *budgets, "near", "language", "timezone", "texts")
    parts = {name: given.pop(f"messages_{name}", None) for name in names}
    typed = {name: value for name, value in parts.items() if value is not None}
    if typed.get("kinds") == "":
        return {"messages": None}
    for name in lists:
        if name in typed:
            typed[name] = [item.strip() for item in typed[name].split(",") if item.strip()]
    for name in budgets:
        if name in typed:
            typed[name] = typed[name] or None
    if "texts" in typed:
        typed["texts"] = read_json(typed["texts"]) if typed["texts"] else {}
    return {"messages": typed} if typed else {}


def _day(text: str, label: str) -> int:
    if not text.strip().isdecimal():
        raise WrongUsage(f"{label} {text!r}: give whole numbers, separated by commas.")
    return int(text)


def _time(text: str, label: str) -> str | None:
    """Parse a time and convert it to UTC. Return None if the text is empty."""
    return utc(check_instant(text, label)) if text else None
