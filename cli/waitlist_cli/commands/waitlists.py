"""Defines the commands that create, list, pause, open, close and delete waitlists."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from waitlist_cli.errors import Refused
from waitlist_cli.operations.admit import quota_text
from waitlist_cli.operations.checklist import checklist
from waitlist_cli.operations.lists import CLOSE, DELETE, OPEN, PAUSE
from waitlist_cli.operations.notice import notice_text
from waitlist_cli.operations.policies import policy_text
from waitlist_cli.operations.settings import NO_PAGE, SETTINGS_CHANGED
from waitlist_cli.operations.settings import change as change_settings
from waitlist_cli.operations.settings import create as create_waitlist
from waitlist_cli.operations.templates import merged, settings_like, templates
from waitlist_cli.terminal.action_commands import list_command
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.output import format_count
from waitlist_cli.terminal.parameters import WaitlistId
from waitlist_cli.terminal.setting_options import with_settings

PANEL = "Waitlists"


@command("create", PANEL, "waitlist create bakery --name Bakery --segment language,gender")
@with_settings
def create(
    context: Context,
    waitlist: WaitlistId,
    settings: dict[str, Any],
    like: Annotated[
        str | None,
        typer.Option(
            "--like",
            metavar="TEMPLATE|WAITLIST",
            help=f"Begin with the settings of a template ({', '.join(templates())}) or of another "
            "waitlist. Other options change these settings.",
        ),
    ] = None,
    closed: Annotated[
        bool,
        typer.Option(
            "--closed", help="Create the waitlist closed, so that nobody can sign up yet."
        ),
    ] = False,
) -> None:
    """Create a waitlist."""
    zone = settings.get("timezone") or ""
    base = settings_like(context.api, like, zone) if like else {}
    named = {"name": settings.get("name") or waitlist, "open": not closed}
    given = {**merged(base, settings), **named}
    _print(context, create_waitlist(context.api, waitlist, given))


@command("list", PANEL, "waitlist list --json")
def list_waitlists(context: Context) -> None:
    """List all waitlists."""
    found = list(context.pages("", "waitlists"))
    columns = ("waitlist", "name", "open", "paused", "capacity", "segments", "created")
    rows = (
        (
            waitlist["waitlist_id"],
            waitlist["name"],
            waitlist["open"],
            waitlist["paused"],
            waitlist["capacity"],
            segments_text(waitlist["segments"]),
            waitlist["created_at"],
        )
        for waitlist in found
    )
    context.output.rows(columns, rows, right=("capacity",), document={"waitlists": found})


@command("delete", PANEL, "waitlist delete bakery --yes")
def delete(
    context: Context,
    waitlist: WaitlistId,
    yes: Annotated[
        bool, typer.Option("--yes", help="Delete without asking for confirmation.")
    ] = False,
) -> None:
    """Delete a waitlist and all its entries."""
    context.ask_first(yes, DELETE.title.format(who=waitlist))
    context.call(DELETE.method, waitlist)
    document = {"waitlist_id": waitlist, "outcome": "deleted"}
    context.output.result(document, f"{waitlist} was deleted.")


def show_waitlist(context: Context, waitlist: str) -> None:
    """Print a waitlist's settings, and the progress of an `admit --refill` if one is running."""
    _print(context, context.call("GET", waitlist))
    if not context.output.as_json:
        quota = quota_text(context.call("GET", waitlist, "/stats"))
        if quota:
            context.output.note(f"{quota} To end it: waitlist admit {waitlist} 0", "yellow")


def change(
    context: Context, waitlist: str, given: Mapping[str, Any], version: int | None = None
) -> None:
    """Change settings and print the waitlist.

    If another operator has changed the settings since the given version, raise Refused.
    """
    try:
        changed = change_settings(context.api, waitlist, given, version)
    except Refused as error:
        if error.code != SETTINGS_CHANGED:
            raise
        again = "Another operator has just changed the settings. Run the command again."
        raise Refused(again, error.code, error.status, error.fields) from error
    _print(context, changed)


def segments_text(segments: list[list[str]]) -> str:
    return " ".join("+".join(names) for names in segments)


def rest_text(rest: Mapping[str, int] | None) -> str:
    """Describe how long and how many times a customer may let other people go first."""
    if rest is None:
        return "not allowed"
    days, times = (
        format_count(rest["max_days"], "day", "days"),
        format_count(rest["times"], "time", "times"),
    )
    return f"at most {days}, {times} per signup"


def confirm_text(confirm: Mapping[str, Any] | None) -> str:
    """Describe how often customers are asked whether they are still waiting."""
    if confirm is None:
        return "not asked"
    days = ", ".join(map(str, confirm["reminders_days"]))
    reminders = f", reminders {days} days before" if days else ""
    then = confirm["then"].replace("_", " ")
    every = format_count(confirm["every_days"], "day", "days")
    answer = format_count(confirm["answer_days"], "day", "days")
    return f"asked every {every}, {answer} to answer{reminders}, then {then}"


def call_numbers_text(rules: Mapping[str, str] | None) -> str:
    """Describe the call numbers that customers get."""
    if rules is None:
        return "none"
    ends = {"daily": "start over every day", "never": "never start over"}
    return f"{rules['prefix']}001, {rules['prefix']}002, …, which {ends[rules['restart']]}"


def messages_text(messages: Mapping[str, Any] | None) -> str:
    """Describe the messages that the waitlist sends."""
    if messages is None:
        return "none"
    own = ", ".join(messages["texts"])
    zone = messages["language"]
    if messages["timezone"]:
        zone = f"{zone}, times of {messages['timezone']}"
    near = f", near is {messages['near']}" if "near" in messages["kinds"] else ""
    parts = [f"{', '.join(messages['kinds'])}; {zone}{near}"]
    if own:
        parts.append(f"own words: {own}")
    if countries := ", ".join(messages["sms_countries"]):
        parts.append(f"SMS to {countries} ({', '.join(messages['sms_number_types'])})")
    for name, unit in (("mails_per_day", "emails"), ("sms_parts_per_day", "SMS parts")):
        if messages[name] is not None:
            parts.append(f"at most {messages[name]} {unit} a day")
    return ", ".join(parts)


def identity_text(identity: Mapping[str, Any] | None) -> str:
    """Describe how the waitlist identifies guests."""
    if identity is None:
        return "the customer_id that the caller sends"
    field = {"email": "email address", "phone": "telephone number"}[identity["field"]]
    if identity["verify"] == "off":
        return f"the {field}, not verified"
    minutes = format_count(identity["verify_minutes"], "minute", "minutes")
    return f"the {field}, to be verified within {minutes}"


def page_text(page: Mapping[str, Any] | None) -> str:
    """List the customer page's settings that differ from their defaults."""
    chosen = [name for name, value in (page or NO_PAGE).items() if value != NO_PAGE.get(name)]
    return ", ".join(chosen) or "the name alone"


def _print(context: Context, waitlist: dict[str, Any]) -> None:
    if context.output.as_json:
        context.output.json(waitlist)
        return
    texts = {
        **waitlist,
        "segments": segments_text(waitlist["segments"]),
        "rest": rest_text(waitlist["rest"]),
        "confirm": confirm_text(waitlist["confirm"]),
        "call_numbers": call_numbers_text(waitlist["call_numbers"]),
        "messages": messages_text(waitlist["messages"]),
        "identity": identity_text(waitlist["identity"]),
        "admission": policy_text(waitlist["admission"]),
        "page": page_text(waitlist["page"]),
        "notice": notice_text(waitlist["notice"]) or "none",
    }
    warnings = texts.pop("warnings")
    pairs = {name: texts[name] for name in texts if name != "rebuild" or texts[name]}
    context.output.pairs(pairs)
    for warning in warnings:
        context.output.note(f"{', '.join(warning['settings'])}: {warning['message']}", "yellow")


@command("check", PANEL, "waitlist check bakery")
def check(context: Context, waitlist: WaitlistId) -> int:
    """List the settings that a waitlist still lacks, and the commands that set them.

    The exit code is 1 if any setting is missing.
    """
    found = context.call("GET", waitlist)
    if context.output.as_json:
        context.output.json({"waitlist_id": waitlist, "warnings": found["warnings"]})
    else:
        items = checklist(found)
        if not items:
            context.output.text(f"The settings of {waitlist} are complete.")
        for item in items:
            context.output.text(f"{item.message} Use: {' or '.join(item.commands)}")
    return 1 if found["warnings"] else 0


for action in (PAUSE, OPEN, CLOSE):
    list_command(action, PANEL, f"waitlist {action.name} bakery", _print)
