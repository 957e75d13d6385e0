"""Builds the form for a waitlist's admission policy, and previews the effect of a change."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waitlist_cli.console.actions import Form, save_settings, seen, with_form
from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.console.launch import launch_form_values, read_launch
from waitlist_cli.console.picked_times import in_zone, picked_utc, zones
from waitlist_cli.console.settings_page import fields_of, read_setting
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.action import Field, name_zone
from waitlist_cli.operations.declared import choices, settings, settings_in
from waitlist_cli.operations.policies import (
    DEFAULTS,
    PERIOD_SECONDS,
    admits_alone,
    hours_line,
    hours_of,
    hours_text,
    no_show_warning,
    past_warning,
    policy_text,
    presence_of,
    presence_text,
    rate_text,
    schedule_line,
    schedule_of,
    value_text,
)
from waitlist_cli.terminal.output import estimate_text

PATH = "/lists/{waitlist}/policy"
# The form fields of these settings are generated from `settings.json`.
OWN = ("misses", "decline", "then")
NAMES = {key: setting.label for key, setting in settings_in("admission").items()}
BEGINS = Field("rate_from", "Rate begins", "time", "Leave empty to begin at once.")
ENDS = Field(
    "until",
    NAMES["until"],
    "time",
    "From this time on, no offers are made and open offers end. Leave empty for no end.",
)
NO_SHOWS = choices("admission.no_show")
COUNTS = choices("admission.rate.counts")
COMBINES = choices("admission.combine")
ACCEPTANCES = choices("admission.acceptance")
CUSTOMER_EXITS = choices("admission.customer_exit")
THENS = choices("admission.then")


def routes(console: Console) -> list[Route]:
    def show(request: Request) -> Response:
        waitlist = console.get(f"/{waitlist_of(request)}")
        policy = waitlist["admission"]
        saved = policy or DEFAULTS
        return console.page(
            request,
            "policy.html",
            waitlist=waitlist,
            seen=seen(waitlist, ["admission", "timezone"]),
            has_policy=policy is not None,
            policy={**DEFAULTS, **(policy or {})},
            offer_hours=hours_line(policy),
            schedule="\n".join(_lines_of(policy, waitlist["timezone"])),
            begins=_shown(BEGINS, waitlist, (saved["rate"] or {}).get("from")),
            ends=_shown(ENDS, waitlist, saved["until"]),
            periods=list(PERIOD_SECONDS),
            no_shows=NO_SHOWS,
            acceptances=ACCEPTANCES,
            customer_exits=CUSTOMER_EXITS,
            counts=COUNTS,
            combines=COMBINES,
            own=[
                field
                for name in OWN
                for field in fields_of(settings()[f"admission.{name}"], (policy or DEFAULTS)[name])
            ],
        )

    def launch(request: Request) -> Response:
        waitlist = console.get(f"/{waitlist_of(request)}")
        return console.page(
            request,
            "launch.html",
            waitlist=waitlist,
            seen=seen(waitlist, ["admission"]),
            typed=launch_form_values(waitlist["admission"], waitlist["timezone"]),
            zones=zones(),
            periods=list(PERIOD_SECONDS),
            no_shows=NO_SHOWS,
        )

    def preview(request: Request, form: Form) -> Response:
        waitlist_id = waitlist_of(request)
        waitlist, policy = console.get(f"/{waitlist_id}"), _typed(form)
        zone = form.text("timezone") if form.text("by") == "launch" else waitlist["timezone"]
        now = datetime.now(UTC)
        found = console.api.operator("POST", f"/{waitlist_id}/preview", {"admission": policy})
        is_alone = policy is not None and admits_alone(policy)
        return console.page(
            request,
            "policy_preview.html",
            # Show times in the time zone that the operator has chosen in the form.
            waitlist={**waitlist, "timezone": zone},
            text=policy_text(policy),
            policy=policy,
            changes=list(_changes(waitlist["admission"], policy)),
            is_alone=is_alone,
            waits=_waits(found, now) if is_alone else [],
            times=found["scheduled"],
            is_paused=waitlist["paused"],
            no_shows=no_show_warning(waitlist, policy) if policy else None,
            past=past_warning(waitlist["admission"], policy, now) if policy else None,
        )

    def save(request: Request, form: Form) -> Response:
        given, notice = {"admission": _typed(form)}, "The admission policy was saved."
        return save_settings(console, PATH, waitlist_of(request), form, given, notice)

    return [
        Route(PATH, show),
        Route(f"{PATH}/launch", launch),
        Route(f"{PATH}/preview", with_form(preview), methods=["POST"]),
        Route(PATH, with_form(save), methods=["POST"]),
    ]


def _typed(form: Form) -> dict[str, Any] | None:
    """Return the policy that the form describes, or None if operators admit people by hand."""
    if form.text("by") == "hand":
        return None
    if form.text("by") == "launch":
        return read_launch(form)
    count = form.number("rate_count", "Rate")
    per = form.text("rate_per")
    if count is not None and per not in PERIOD_SECONDS:
        raise WrongUsage(f"Rate: {per!r} is not a period.")
    if count == 0:
        raise WrongUsage("Rate: enter a number of at least 1, or leave the field empty.")
    saved = form.seen() or {}
    zone = saved.get("timezone", "UTC")
    shown = _lines_of(saved.get("admission"), zone)
    rate = {
        "count": count,
        "per": per,
        "counts": form.text("rate_counts") or "offered",
        "from": _picked(form, BEGINS, zone),
    }
    return {
        "rate": None if count is None else rate,
        "schedule": [
            # If the operator has not changed a line, keep its scheduled time as it was saved. Parse
            # only changed lines.
            scheduled
            for line in form.lines("schedule")
            for scheduled in (
                [shown[line]] if line in shown else schedule_of([line], "Schedule", zone)
            )
        ],
        "combine": form.text("combine") or "least",
        "max_inside": form.number("max_inside", "At most inside") or None,
        "offer_seconds": _seconds(form, "offer_seconds"),
        "pass_seconds": _seconds(form, "pass_seconds"),
        "no_show": form.text("no_show"),
        "acceptance": form.text("acceptance"),
        "customer_exit": form.text("customer_exit"),
        "until": _picked(form, ENDS, zone),
        **{name: read_setting(form, settings()[f"admission.{name}"]) for name in OWN},
        "offer_hours": hours_of(form.text("offer_hours"), "Offers between"),
        "presence": presence_of(form.number("away_after", NAMES["presence"])),
    }


def _lines_of(policy: Mapping[str, Any] | None, zone: str) -> dict[str, Mapping[str, Any]]:
    """Map each line of the form's schedule field to the saved scheduled time that the line shows.

    The lines contain local times in the `zone` time zone.
    """
    return {
        schedule_line(
            {**scheduled, "at": in_zone(scheduled["at"], zone)}
            if scheduled.get("at")
            else scheduled
        ): scheduled
        for scheduled in (policy or DEFAULTS)["schedule"]
    }


def _shown(field: Field, waitlist: Mapping[str, Any], value: str | None) -> Field:
    return replace(name_zone(field, waitlist, {}), value=value or "")


def _picked(form: Form, field: Field, zone: str) -> str | None:
    before = form.text(f"{field.name}_before")
    return picked_utc(form.text(field.name), zone, field.label, before, zone)


def _seconds(form: Form, name: str) -> int:
    seconds = form.number(name, NAMES[name])
    if not seconds:
        raise WrongUsage(f"{NAMES[name]}: enter a number of seconds.")
    return seconds


def _changes(
    before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
) -> Iterator[tuple[str, str, str]]:
    """Yield a row for each setting that would change: its label, its old value and its
    new value.
    """
    if (before is None) != (after is None):
        yield "Admission", _summary(before), _summary(after)
        return
    for name, label in NAMES.items():
        old, new = _value(name, before), _value(name, after)
        if old != new:
            yield label, old, new


def _summary(policy: Mapping[str, Any] | None) -> str:
    if policy is None or admits_alone(policy):
        return policy_text(policy)
    return "by hand only, with offers and passes"


def _value(name: str, policy: Mapping[str, Any] | None) -> str:
    value: Any = (policy or DEFAULTS).get(name)
    if name == "rate":
        return rate_text(value) if value else "no limit"
    if name == "schedule":
        return ", ".join(map(schedule_line, value)) or "none"
    if name == "offer_hours":
        return hours_text(value) if value else "at any time"
    if name == "presence":
        return presence_text(value)
    if name == "max_inside":
        return f"{value:,}" if value else "no limit"
    if name in ("misses", "decline", "until"):
        return str(value_text(value) or "none")
    words = dict((*NO_SHOWS, *ACCEPTANCES, *COMBINES, *CUSTOMER_EXITS, *THENS))
    return str(words.get(value, value))


def _waits(found: Mapping[str, Any], now: datetime) -> list[dict[str, Any]]:
    """Return a row for each estimate: the position, the wait in words and the expected time."""
    waits = []
    for estimate in found["estimates"]:
        wait = estimate["estimated_wait"]
        waits.append(
            {
                "position": estimate["position"],
                "is_next": estimate["position"] == found["waiting"] + 1,
                "text": estimate_text(wait) if wait else None,
                "at": (now + timedelta(seconds=wait["seconds"])).isoformat() if wait else None,
            }
        )
    return waits
