"""Create, configure and delete waitlists; `show` and `edit` are in people.py."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import typer

from waitlist_cli.client.ids import checked_waitlist_id
from waitlist_cli.operations import settings
from waitlist_cli.operations.policies import policy_text
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.output import counted
from waitlist_cli.terminal.parameters import WaitlistId

PANEL = "Waitlists"
WhenRejoin = Literal["never", "after_leaving", "always"]
Name = Annotated[str | None, typer.Option("--name", help="A name for people to read.")]
Capacity = Annotated[
    int | None, typer.Option("--capacity", min=0, help="How many people may wait; 0 for no limit.")
]
LeaseSeconds = Annotated[
    int | None, typer.Option("--lease", min=1, help="Seconds until a claim expires, by default.")
]
MaxAttempts = Annotated[
    int | None,
    typer.Option("--max-attempts", min=1, help="Expired claims after which an entry is parked."),
]
MaxClaims = Annotated[
    int | None,
    typer.Option("--max-claims", min=0, help="How many people may be claimed at once; 0: any."),
]
HideCounts = Annotated[
    bool | None, typer.Option("--hide-counts/--show-counts", help="Whether customers see counts.")
]
Rejoin = Annotated[
    WhenRejoin | None,
    typer.Option("--rejoin", help="Which customers may sign up again."),
]
MaxGuestBytes = Annotated[
    int | None,
    typer.Option(
        "--max-guest-bytes",
        min=0,
        help="How many bytes of profile and attributes a signup may have, as JSON.",
    ),
]
RetentionDays = Annotated[
    int | None,
    typer.Option(
        "--retention-days",
        min=0,
        help="Days until entries that left or were admitted are deleted; 0 for never.",
    ),
]
RestMaxDays = Annotated[
    int | None,
    typer.Option(
        "--rest-max-days",
        min=0,
        help="Days for which customers may let others pass at most; 0: they may not.",
    ),
]
RestTimes = Annotated[
    int | None,
    typer.Option("--rest-times", min=1, help="How often a customer may rest in one stay."),
]
Segments = Annotated[
    list[str] | None,
    typer.Option(
        "--segment",
        metavar="NAME[,NAME]",
        help="Attributes that one filter may combine. Replaces all segments; '' removes them.",
    ),
]


@command("create", PANEL, "waitlist create bakery --name Bakery --segment language,gender")
def create(
    context: Context,
    waitlist: WaitlistId,
    name: Name = None,
    capacity: Capacity = None,
    lease_seconds: LeaseSeconds = None,
    max_attempts: MaxAttempts = None,
    max_claims: MaxClaims = None,
    hide_counts: HideCounts = None,
    rejoin: Rejoin = None,
    max_guest_bytes: MaxGuestBytes = None,
    retention_days: RetentionDays = None,
    rest_max_days: RestMaxDays = None,
    rest_times: RestTimes = None,
    segments: Segments = None,
    closed: Annotated[bool, typer.Option("--closed", help="Accept no signups yet.")] = False,
) -> None:
    """Create a waitlist."""
    checked_waitlist_id(waitlist)
    given = changes(
        name=name or waitlist,
        capacity=capacity,
        lease_seconds=lease_seconds,
        max_attempts=max_attempts,
        max_claims=max_claims,
        hide_counts=hide_counts,
        rejoin=rejoin,
        max_guest_bytes=max_guest_bytes,
        retention_days=retention_days,
        rest_max_days=rest_max_days,
        rest_times=rest_times,
        segments=segments,
    )
    _print(context, settings.create(context.api, waitlist, {**given, "open": not closed}))


@command("list", PANEL, "waitlist list --json")
def list_waitlists(context: Context) -> None:
    """List the waitlists."""
    found = list(context.pages("", "waitlists"))
    if context.output.as_json:
        context.output.json({"waitlists": found})
        return
    columns = ("waitlist", "name", "open", "paused", "capacity", "segments", "created")
    rows = [
        (
            one["waitlist_id"],
            one["name"],
            one["open"],
            one["paused"],
            one["capacity"],
            segments_text(one["segments"]),
            one["created_at"],
        )
        for one in found
    ]
    context.output.rows(columns, rows, right=("capacity",))


@command("pause", PANEL, "waitlist pause bakery")
def pause(context: Context, waitlist: WaitlistId) -> None:
    """Stop claims until `resume`; signups continue."""
    change(context, waitlist, {"paused": True})


@command("resume", PANEL, "waitlist resume bakery")
def resume(context: Context, waitlist: WaitlistId) -> None:
    """Allow claims again."""
    change(context, waitlist, {"paused": False})


@command("open", PANEL, "waitlist open bakery")
def open_waitlist(context: Context, waitlist: WaitlistId) -> None:
    """Accept signups."""
    change(context, waitlist, {"open": True})


@command("close", PANEL, "waitlist close bakery")
def close(context: Context, waitlist: WaitlistId) -> None:
    """Refuse signups; claims continue."""
    change(context, waitlist, {"open": False})


@command("delete", PANEL, "waitlist delete bakery --yes")
def delete(
    context: Context,
    waitlist: WaitlistId,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a waitlist and all its entries."""
    checked_waitlist_id(waitlist)
    context.ask_first(yes, f"Delete {waitlist} and all its entries?")
    context.call("DELETE", waitlist)
    document = {"waitlist_id": waitlist, "outcome": "deleted"}
    context.output.result(document, f"{waitlist} is deleted.")


def show_waitlist(context: Context, waitlist: str) -> None:
    """Print a waitlist's configuration."""
    _print(context, context.call("GET", checked_waitlist_id(waitlist)))


def change(context: Context, waitlist: str, given: dict[str, Any]) -> None:
    """Change some settings and print the waitlist."""
    checked_waitlist_id(waitlist)
    _print(context, settings.change(context.api, waitlist, given))


def changes(**typed: Any) -> dict[str, Any]:
    """Return the typed settings as the API takes them."""
    given = {name: value for name, value in typed.items() if value is not None}
    for limit in ("capacity", "max_claims", "retention_days"):
        if limit in given:
            given[limit] = given[limit] or None
    rest = {name: given.pop(f"rest_{name}", None) for name in ("max_days", "times")}
    if rest["max_days"] == 0:
        given["rest"] = None
    elif typed_rest := {name: value for name, value in rest.items() if value is not None}:
        given["rest"] = typed_rest
    if "segments" in given:
        given["segments"] = [text.split(",") for text in given["segments"] if text]
    return given


def segments_text(segments: list[list[str]]) -> str:
    return " ".join("+".join(names) for names in segments)


def rest_text(rest: Mapping[str, int] | None) -> str:
    """Return how customers may rest."""
    if rest is None:
        return "not allowed"
    days, times = counted(rest["max_days"], "day", "days"), counted(rest["times"], "time", "times")
    return f"at most {days}, {times} in a stay"


def page_text(page: Mapping[str, Any] | None) -> str:
    """Return what the customer's page has besides the name."""
    return ", ".join(name for name, value in (page or {}).items() if value) or "the name alone"


def _print(context: Context, waitlist: dict[str, Any]) -> None:
    if context.output.as_json:
        context.output.json(waitlist)
        return
    texts = {
        **waitlist,
        "segments": segments_text(waitlist["segments"]),
        "rest": rest_text(waitlist["rest"]),
        "admission": policy_text(waitlist["admission"]),
        "page": page_text(waitlist["page"]),
    }
    context.output.pairs({name: texts[name] for name in texts if name != "rebuild" or texts[name]})
