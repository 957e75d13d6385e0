"""Defines the `policy` command, which shows, changes or simulates a waitlist's admission policy."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import typer

from waitlist_cli.commands.waitlists import change
from waitlist_cli.errors import Refused, WrongUsage
from waitlist_cli.operations.declared import settings_in
from waitlist_cli.operations.policies import (
    DEFAULTS,
    admits_alone,
    hours_of,
    no_show_warning,
    past_warning,
    policy_text,
    presence_of,
    preview_text,
    rate_of,
    schedule_of,
    value_text,
)
from waitlist_cli.operations.templates import merged
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.parameters import WaitlistId
from waitlist_cli.terminal.setting_options import with_settings_named
from waitlist_cli.terminal.times import check_instant

PANEL = "Waitlists"
# The groups of settings that the command prints itself, because `policy_text` leaves them out.
GROUPS = ("misses", "decline")
OTHERS = ("combine", "offer_seconds", "pass_seconds", "no_show", "acceptance", "customer_exit")


@command("policy", PANEL, "waitlist policy bakery --rate 500/minute --max-inside 2000")
@with_settings_named(
    (
        *(f"admission.{name}" for name in ("max_inside", "until", "then", *OTHERS)),
        *(setting.name for name in GROUPS for setting in settings_in(f"admission.{name}").values()),
    ),
    "admission",
)
def policy(
    context: Context,
    waitlist: WaitlistId,
    settings: dict[str, Any],
    rate: Annotated[
        str | None,
        typer.Option(
            "--rate",
            metavar="COUNT/PERIOD",
            help="Admission rate, such as 500/minute or 20/hour. Use '' to remove it.",
        ),
    ] = None,
    rate_from: Annotated[
        str | None,
        typer.Option(
            "--rate-from",
            metavar="TIME",
            help="When the rate begins. Use '' to begin at once.",
        ),
    ] = None,
    rate_counts: Annotated[
        Literal["offered", "entered"] | None,
        typer.Option(
            "--rate-counts",
            help="What counts towards the rate: every offer (`offered`), or only accepted offers "
            "(`entered`). With `entered`, unused slots are offered again.",
        ),
    ] = None,
    schedule: Annotated[
        list[str] | None,
        typer.Option(
            "--schedule",
            metavar="'COUNT at TIME'",
            help="Number of slots and when to release them: a date, such as '100 at "
            "2026-12-01T09:00:00Z', or a cron expression, such as '100 at 0 9 * * * "
            "Europe/Berlin'. Repeat the option to add more times. Use '' to remove the "
            "schedule.",
        ),
    ] = None,
    offer_hours: Annotated[
        str | None,
        typer.Option(
            "--offer-hours",
            metavar="'FROM-TO [ZONE]'",
            help="Hours during which slots are offered, such as '08:00-22:00 Europe/Berlin'. Use "
            "'' to offer slots at any time.",
        ),
    ] = None,
    away_after: Annotated[
        int | None,
        typer.Option(
            "--away-after",
            metavar="SECONDS",
            min=0,
            help="Pass over people whose page has not polled for this many seconds. Use 0 to "
            "offer slots to these people too.",
        ),
    ] = None,
    off: Annotated[
        bool, typer.Option("--off", help="Remove the policy, so that only operators admit people.")
    ] = False,
    simulated: Annotated[
        int | None,
        typer.Option(
            "--simulate",
            metavar="PEOPLE",
            min=1,
            help="Print how long the last person in a queue of this many people would wait. "
            "Nothing is changed.",
        ),
    ] = None,
) -> None:
    """Show or change a waitlist's admission policy.

    Without options, the command prints the policy. Otherwise, it changes the settings that you give
    and keeps the others. With --simulate, nothing is saved.
    """
    typed = dict(settings)
    of_rate: dict[str, Any] = {} if rate_counts is None else {"counts": rate_counts}
    if rate_from is not None:
        of_rate["from"] = check_instant(rate_from, "--rate-from") if rate_from else None
    if schedule is not None:
        typed["schedule"] = schedule_of(schedule)
    if offer_hours is not None:
        typed["offer_hours"] = hours_of(offer_hours)
    if away_after is not None:
        typed["presence"] = presence_of(away_after)
    if off and (typed or simulated or of_rate or rate is not None):
        raise WrongUsage("--off removes the whole policy. Do not combine it with other options.")
    if off:
        change(context, waitlist, {"admission": None})
        return
    found = context.call("GET", waitlist)
    before = found["admission"]
    typed |= _typed_rate((before or DEFAULTS)["rate"], rate, of_rate)
    if not typed and simulated is None:
        _print(context, before)
        return
    whole = merged({**DEFAULTS, **(before or {})}, typed)
    for warning in (no_show_warning(found, whole), past_warning(before, whole, datetime.now(UTC))):
        if warning:
            context.output.note(warning, "yellow")
    if simulated is None:
        change(context, waitlist, {"admission": typed}, found["version"])
    else:
        _simulate(context, waitlist, whole, simulated)


def _typed_rate(
    before: dict[str, Any] | None, text: str | None, of_rate: dict[str, Any]
) -> dict[str, Any]:
    """Return the `rate` setting with the options' changes, or {} if no option changes it."""
    if text is None and not of_rate:
        return {}
    rate = (before or {}) if text is None else rate_of(text)
    if not rate:
        if of_rate:
            raise WrongUsage("--rate-from and --rate-counts need a rate. Pass --rate too.")
        return {"rate": None}
    return {"rate": {**(before or {}), **rate, **of_rate}}


def _print(context: Context, admission: dict[str, Any] | None) -> None:
    if context.output.as_json:
        context.output.json({"admission": admission})
        return
    pairs: dict[str, object] = {"admission": policy_text(admission)}
    for name in (*OTHERS, *GROUPS, "until", "then"):
        if admission is not None:
            pairs[name] = value_text(admission[name])
    context.output.pairs(pairs)


def _simulate(context: Context, waitlist: str, admission: dict[str, Any], people: int) -> None:
    if not admits_alone(admission):
        raise Refused(
            "This policy admits nobody automatically, so there is nothing to simulate. Pass "
            "--rate, --schedule or --max-inside."
        )
    body = {"admission": admission, "people": people}
    found = context.call("POST", waitlist, "/preview", body)
    context.output.result(found, preview_text(admission, found["estimates"][0]))
