"""Invites people, and lists invitations with their funnels."""

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

from waitlist_cli.operations.action import Document, Field, ListAction, ListRequest, name_zone
from waitlist_cli.operations.admit import end_after, moment_text
from waitlist_cli.operations.claim import FILTER
from waitlist_cli.terminal.output import format_count
from waitlist_cli.terminal.times import AGO, UNITS

MOST_INVITED = 100_000
MOST_TIME = timedelta(days=14)
USUAL_HOURS = 48
USUAL = f"{USUAL_HOURS}h"
PATH = "/{waitlist_id}/invitations"
# Maps the names of an invitation's counts to column headings.
FUNNEL = {
    "invited": "Invited",
    "delivered": "Delivered",
    "opened": "Opened",
    "open": "Still open",
    "entered": "Entered",
    "declined": "Declined",
    "missed": "Missed",
    "left": "Left",
}
COUNT = Field(
    "count",
    "How many",
    "number",
    "Invite this many people from the head of the queue.",
    at_least=1,
    at_most=MOST_INVITED,
    option="-n --count",
)
ENTRIES = Field(
    "entries",
    "Only these people",
    "long",
    "Ids of the entries to invite, instead of a number. At most 100, separated by spaces.",
    option="--entries",
)
UNTIL = Field(
    "until",
    "Until when",
    "text",
    "How long the offers last, such as 48h or 14d, or when they end, such as 2026-12-01T18:00 in "
    "the waitlist's time zone. At most 14 days.",
    value=USUAL,
    is_required=True,
    option="--until",
    adapt=name_zone,
)
SUBJECT = Field("subject", "Subject of the email", "text", "Replaces the standard subject.")
TEXT = Field(
    "text",
    "Text of the message",
    "long",
    "Replaces the standard text. {until} stands for the time when the offer ends, and {name} for "
    "the waitlist's name.",
)
LANGUAGE = Field(
    "language",
    "Language of these words",
    "text",
    "A two-letter language code, such as en. People who use another language receive the standard "
    "text. Default: the waitlist's main language.",
)


def ends(typed: str, zone: str) -> dict[str, Any]:
    """Return the request field that says when the offers end: `offer_seconds` for a duration, or
    `until` for a time.

    A time without a UTC offset is a local time in `zone`.
    """
    if duration := re.fullmatch(AGO, typed.replace(" ", "")):
        length = timedelta(**{UNITS[duration[2]]: int(duration[1])})
        if length > MOST_TIME:
            raise UNTIL.wrong(f"Enter at most {MOST_TIME.days} days.")
        return {"offer_seconds": int(length.total_seconds())}
    return {"until": UNTIL.instant(typed, zone, ", and not a duration such as 48h")}


def invited_text(invitation: Document, zone: str = "") -> str:
    """Return a message that says how many people are invited, and when their offers end.

    If no `zone` is given, the time is in UTC.
    """
    invited = invitation["funnel"]["invited"]
    people = format_count(invited, "person is invited", "people are invited")
    text = f"{people}. The offers end at {moment_text(invitation['until'], zone)}."
    if invitation["state"] == "running":
        return f"{text} More offers are being made, up to {invitation['count']:,} people in all."
    if invited < invitation["count"]:
        return f"{text} No one else could be invited."
    return text


def ends_at(waitlist: Document) -> str:
    end = end_after(USUAL_HOURS * 3600, waitlist["timezone"])
    return f"With {USUAL}, the offers end at {end}."


def _invitation(request: ListRequest) -> tuple[dict[str, Any], str]:
    """Return the body of a request to invite people, and the waitlist's time zone."""
    values = dict(request.values)
    typed, words = values.pop(UNTIL.name), {}
    for field in (SUBJECT, TEXT):
        if text := values.pop(field.name, ""):
            words[field.name] = text
    language = values.pop(LANGUAGE.name, "")
    if "filters" in values:
        raise FILTER.wrong("An invitation takes one filter.")
    body = {name: value for name, value in values.items() if value}
    if ENTRIES.name in body:
        body[ENTRIES.name] = re.findall(r"[^\s,]+", body[ENTRIES.name])
    if COUNT.name not in body and ENTRIES.name not in body:
        raise COUNT.wrong("Enter how many people to invite, or the ids of their entries.")
    waitlist = request.api.operator("GET", f"/{request.waitlist_id}")
    if words:
        usual = (waitlist["messages"] or {}).get("language", "en")
        body["message"] = {language or usual: words}
    return {**body, **ends(typed, waitlist["timezone"])}, waitlist["timezone"]


def _invite(request: ListRequest) -> tuple[str, Any]:
    body, zone = _invitation(request)
    path = PATH.format(waitlist_id=request.waitlist_id)
    invitation = request.api.operator("POST", path, body, key=request.key)
    return invited_text(invitation, zone), invitation


def _warn(request: ListRequest) -> str:
    body, zone = _invitation(request)
    end = body["until"] if UNTIL.name in body else None
    text = moment_text(end, zone) if end else end_after(body["offer_seconds"], zone)
    count = min(body.get(COUNT.name, MOST_INVITED), len(body.get(ENTRIES.name, ())) or MOST_INVITED)
    people = format_count(count, "person gets", "people get")
    return f"Up to {people} an offer until {text}. An invitation cannot be taken back."


INVITE = ListAction(
    name="invite",
    summary="Invite people to accept an offer by a given time.",
    title="Invite people on {who}",
    consequence="Each invited person receives one offer now, and at most one reminder before it "
    "ends. Unused offers are not passed on to other people.",
    more=ends_at,
    path=PATH,
    fields=(COUNT, replace(FILTER, adapt=None), ENTRIES, UNTIL, SUBJECT, TEXT, LANGUAGE),
    carry_out=_invite,
    ask_again=_warn,
)
