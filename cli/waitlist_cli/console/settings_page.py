"""Builds the form for a waitlist's settings and the form for a new waitlist."""

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waitlist_cli.client.ids import checked_waitlist_id
from waitlist_cli.console.actions import Form, save_settings, seen, with_form
from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.console.picked_times import picked_utc, zones
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.action import Document, Field
from waitlist_cli.operations.settings import create

PATH = "/lists/{waitlist}/settings"
REJOIN = (
    ("never", "No one"),
    ("after_leaving", "Customers who left"),
    ("always", "Customers who left or were admitted"),
)
REQUIRED_NUMBERS = (
    ("lease_seconds", "Lease of a claim"),
    ("max_attempts", "Attempts"),
    ("max_guest_bytes", "Data of a signup"),
)
UNANSWERED = (
    ("park", "The entry is parked"),
    ("leave", "The entry leaves the list"),
    ("to_back", "The entry goes to the end of the queue"),
)
HIDE_COUNTS = (
    ("no", "Customers see how many people wait"),
    ("yes", "Only operators see how many people wait"),
)
BOT_CHECK_DOWN = (
    ("refuse", "New guests are refused, and can try again"),
    ("accept", "New guests join unchecked"),
)
IDENTITY = (
    ("", "A customer id, which your app chooses or the page creates for each browser"),
    ("email", "The mail address"),
    ("phone", "The telephone number"),
)
VERIFY = (
    ("off", "No"),
    ("before_offer", "Yes, before they can be offered a place"),
)
PLUS_ADDRESSES = (
    ("same", "The same person as ada@example.com"),
    ("different", "Another person"),
)
OPEN = (("yes", "Open: customers can sign up"), ("no", "Closed: no signups yet"))
NEW: Document = {
    "name": "",
    "capacity": None,
    "rejoin": "after_leaving",
    "lease_seconds": 300,
    "max_attempts": 5,
    "max_claims": None,
    "hide_counts": False,
    "bot_check_down": "refuse",
    "max_guest_bytes": 2048,
    "retention_days": None,
    "segments": [],
    "rest": None,
    "confirm": None,
    "identity": None,
    "opens_at": None,
    "closes_at": None,
}


def routes(console: Console) -> list[Route]:
    def show(request: Request) -> Response:
        waitlist = console.get(f"/{waitlist_of(request)}")
        fields, identity = _fields(waitlist), _identity_fields(waitlist["identity"] or {})
        return console.page(
            request,
            "settings.html",
            waitlist=waitlist,
            fields=fields,
            identity=identity,
            seen=seen(waitlist, NEW),
        )

    def save(request: Request, form: Form) -> Response:
        waitlist_id = waitlist_of(request)
        save_settings(console, waitlist_id, form, _typed(form))
        return console.done("The settings are saved.", to=f"/lists/{waitlist_id}/settings")

    def ask_new(request: Request) -> Response:
        own = (
            Field(
                "id",
                "Id",
                hint="Lower-case letters, digits and hyphens. Addresses and events contain the id.",
                is_required=True,
            ),
            Field("open", "Signups", "choice", options=OPEN, value="yes"),
        )
        first, *others = _fields(NEW)
        fields = [own[0], first, own[1], *others]
        return console.page(request, "new.html", fields=fields, identity=_identity_fields({}))

    def make(_request: Request, form: Form) -> Response:
        waitlist_id = checked_waitlist_id(form.text("id"))
        create(console.api, waitlist_id, {**_typed(form), "open": form.text("open") != "no"})
        return console.done(f"{waitlist_id} is created.", to=f"/lists/{waitlist_id}")

    return [
        Route(PATH, show),
        Route(PATH, with_form(save), methods=["POST"]),
        Route("/new", ask_new),
        Route("/new", with_form(make), methods=["POST"]),
    ]


def _fields(waitlist: Document) -> Sequence[Field]:
    def number(name: str) -> str:
        return "" if waitlist[name] is None else str(waitlist[name])

    def rest(name: str) -> str:
        return str(waitlist["rest"][name]) if waitlist["rest"] else ""

    def confirm(name: str) -> str:
        found = (waitlist["confirm"] or {}).get(name, "")
        return ", ".join(map(str, found)) if isinstance(found, list) else str(found)

    return (
        Field(
            "name",
            "Name",
            hint="The name that customers see.",
            value=waitlist["name"],
            is_required=True,
        ),
        Field(
            "capacity",
            "Capacity",
            "number",
            "How many people can be on the list. Leave empty for no limit.",
            number("capacity"),
        ),
        Field(
            "opens_at",
            "Opens",
            "time",
            "Customers can sign up from this time on. Leave empty for no start time.",
            waitlist["opens_at"] or "",
        ),
        Field(
            "closes_at",
            "Closes",
            "time",
            "Customers can sign up until this time. Leave empty for no end time.",
            waitlist["closes_at"] or "",
        ),
        Field(
            "timezone",
            "Time zone",
            "zone",
            "The two times above are in this time zone.",
            options=[(name, name) for name in zones()],
        ),
        Field(
            "rejoin", "Who may sign up again", "choice", options=REJOIN, value=waitlist["rejoin"]
        ),
        Field(
            "hide_counts",
            "Counts",
            "choice",
            options=HIDE_COUNTS,
            value="yes" if waitlist["hide_counts"] else "no",
        ),
        Field(
            "bot_check_down",
            "If the bot check does not answer",
            "choice",
            "This setting has an effect only if the stack parameter BotCheck is set.",
            options=BOT_CHECK_DOWN,
            value=waitlist["bot_check_down"],
        ),
        Field(
            "rest_max_days",
            "Longest rest, in days",
            "number",
            "How long customers may let others go first. If customers may not rest, leave "
            "this field and the next field empty.",
            rest("max_days"),
        ),
        Field(
            "rest_times",
            "Number of rests",
            "number",
            "How many times a customer may rest before they leave or are admitted.",
            rest("times"),
        ),
        Field(
            "confirm_every_days",
            "Ask whether they are still waiting, every … days",
            "number",
            "Leave the field empty to never ask customers whether they are still waiting.",
            confirm("every_days"),
        ),
        Field(
            "confirm_answer_days",
            "Days to answer",
            "number",
            "The number must not exceed the number of days above. Leave the field empty for "
            "14 days.",
            confirm("answer_days"),
        ),
        Field(
            "confirm_reminders_days",
            "Reminders, in days before the deadline",
            hint="Separate the numbers with commas, such as 7, 1. Leave the field empty for "
            "no reminders.",
            value=confirm("reminders_days"),
        ),
        Field(
            "confirm_then",
            "If they do not answer",
            "choice",
            options=UNANSWERED,
            value=confirm("then") or "park",
        ),
        Field(
            "segments",
            "Segments",
            "long",
            "Enter one segment per line, such as language or language,gender. Claims can "
            "filter by these attributes.",
            "\n".join(",".join(names) for names in waitlist["segments"]),
        ),
        Field(
            "lease_seconds",
            "Lease of a claim, in seconds",
            "number",
            value=number("lease_seconds"),
            is_required=True,
        ),
        Field(
            "max_attempts",
            "Attempts",
            "number",
            "After this many expired claims or offers, an entry is set aside until "
            "an operator returns it.",
            number("max_attempts"),
            is_required=True,
        ),
        Field(
            "max_claims",
            "Claims at once",
            "number",
            "How many people can be claimed at the same time. Leave empty for no limit.",
            number("max_claims"),
        ),
        Field(
            "max_guest_bytes",
            "Data of a signup, in bytes",
            "number",
            "The maximum size of a customer's profile and attributes as JSON. Imports have a "
            "different limit.",
            number("max_guest_bytes"),
            is_required=True,
        ),
        Field(
            "retention_days",
            "Retention in days",
            "number",
            "How long the data of a signup is kept after the customer has left or was "
            "admitted. Leave empty to keep it for ever.",
            number("retention_days"),
        ),
    )


def _typed(form: Form) -> dict[str, Any]:
    """Return the settings that the form describes. Raises WrongUsage if a field is not valid."""
    required = {}
    for name, label in REQUIRED_NUMBERS:
        required[name] = form.number(name, label)
        if required[name] is None:
            raise WrongUsage(f"{label}: enter a whole number.")
    return {
        **required,
        "name": form.text("name"),
        "capacity": form.number("capacity", "Capacity") or None,
        "max_claims": form.number("max_claims", "Claims at once") or None,
        "rejoin": form.text("rejoin"),
        "hide_counts": form.text("hide_counts") == "yes",
        "bot_check_down": form.text("bot_check_down"),
        "retention_days": form.number("retention_days", "Retention in days") or None,
        "rest": _rest(form),
        "confirm": _confirm(form),
        "identity": _identity(form),
        "opens_at": _time(form, "opens_at", "Opens"),
        "closes_at": _time(form, "closes_at", "Closes"),
        "segments": [[name.strip() for name in line.split(",")] for line in form.lines("segments")],
    }


def _time(form: Form, name: str, label: str) -> str | None:
    return picked_utc(form.text(name), form.text("timezone"), label, form.text(f"{name}_before"))


def _confirm(form: Form) -> dict[str, Any] | None:
    """Return the `confirm` setting, or None if customers are never asked to confirm."""
    every = form.number("confirm_every_days", "Ask whether they are still waiting")
    if not every:
        return None
    answer = form.number("confirm_answer_days", "Days to answer") or 14
    typed = map(str.strip, form.text("confirm_reminders_days").split(","))
    reminders = [days for days in typed if days]
    if not all(map(str.isdecimal, reminders)):
        raise WrongUsage("Reminders: enter whole numbers, separated by commas.")
    return {
        "every_days": every,
        "answer_days": answer,
        "reminders_days": [int(days) for days in reminders],
        "then": form.text("confirm_then") or "park",
    }


def _identity_fields(identity: Document) -> Sequence[Field]:
    return (
        Field(
            "identity_field",
            "A guest is identified by",
            "choice",
            "The choice applies only to later signups, so make it before the first signup.",
            options=IDENTITY,
            value=identity.get("field", ""),
        ),
        Field(
            "identity_verify",
            "Guests must verify their address",
            "choice",
            "If guests must verify their address, a signup does not reveal who is "
            "on the list. Visible counts can reveal this, so hide the counts.",
            options=VERIFY,
            value=identity.get("verify", "off"),
        ),
        Field(
            "identity_verify_minutes",
            "Minutes to verify the address",
            "number",
            "Guests who do not verify their address within this time are removed from the "
            "list. Leave the field empty for 1,440 minutes, which is a day.",
            str(identity.get("verify_minutes", "")),
        ),
        Field(
            "identity_plus_addresses",
            "ada+news@example.com is",
            "choice",
            options=PLUS_ADDRESSES,
            value=identity.get("plus_addresses", "same"),
        ),
        Field(
            "identity_region",
            "Country of numbers without a + sign",
            hint="Enter two letters, such as DE. If the field is empty, every phone number "
            "must begin with + or 00.",
            value=identity.get("region") or "",
        ),
        Field(
            "identity_blocked_domains",
            "Refused mail domains",
            "long",
            "Enter one mail domain per line, such as example.com. Subdomains are refused too.",
            "\n".join(identity.get("blocked_domains", ())),
        ),
    )


def _identity(form: Form) -> dict[str, Any] | None:
    """Return the `identity` setting, or None if the waitlist identifies guests by customer id."""
    if not form.text("identity_field"):
        return None
    minutes = form.number("identity_verify_minutes", "Minutes to verify the address")
    return {
        "field": form.text("identity_field"),
        "verify": form.text("identity_verify") or "off",
        "verify_minutes": minutes or 1440,
        "plus_addresses": form.text("identity_plus_addresses") or "same",
        "region": form.text("identity_region").upper() or None,
        "blocked_domains": form.lines("identity_blocked_domains"),
    }


def _rest(form: Form) -> dict[str, int] | None:
    """Return the `rest` setting, or None if customers may not rest."""
    max_days = form.number("rest_max_days", "Longest rest, in days")
    times = form.number("rest_times", "Number of rests")
    if not max_days and not times:
        return None
    if not (max_days and times):
        raise WrongUsage(
            "Enter both the longest rest and the number of rests, or leave both fields empty."
        )
    return {"max_days": max_days, "times": times}
