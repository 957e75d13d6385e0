"""Defines the commands that show counts, the first people, an entry's neighbours and live data."""

import sys
from typing import Annotated, Any, Literal

import typer

from waitlist_cli.client.paging import PAGE
from waitlist_cli.errors import Refused, Unavailable, WrongUsage
from waitlist_cli.operations.person import Person
from waitlist_cli.operations.search import find_person, found_people
from waitlist_cli.terminal.command import command
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.entry_output import FOUND, WAITING, print_entries, print_entry
from waitlist_cli.terminal.groups import with_person
from waitlist_cli.terminal.output import estimate_text, format_duration, format_value
from waitlist_cli.terminal.parameters import (
    MOST_SECONDS,
    Asked,
    HowMany,
    Unverified,
    WaitlistId,
    only_of,
)

PANEL = "View"
TRIES = 3
Period = Literal["hour", "day", "week"]
POINT = (
    *("at", "joined", "admitted", "left", "entered", "declined", "no_shows"),
    *("waiting", "offered", "parked", "inside"),
)


@command("stats", PANEL, "waitlist stats bakery --history --period week")
def stats(
    context: Context,
    waitlist: WaitlistId,
    history: Annotated[
        bool, typer.Option("--history", help="Show how the counts have changed over time.")
    ] = False,
    period: Annotated[
        Period,
        typer.Option(
            "--period",
            help="Period that --history covers. Counts are given per minute for an hour, every 10 "
            "minutes for a day, and per hour for a week.",
        ),
    ] = "day",
) -> None:
    """Count the people by status, and estimate how long a customer who joins now will wait."""
    if history:
        _history(context, waitlist, period)
        return
    found = context.call("GET", waitlist, "/stats")
    if context.output.as_json:
        context.output.json(found)
    else:
        texts = readable if context.output.console.is_terminal else _plain
        context.output.pairs(texts(found))


def _history(context: Context, waitlist: str, period: Period) -> None:
    path = f"/{waitlist}/stats/history"
    found = context.api.operator("GET", path, params={"period": period})
    rows = ([point[name] for name in POINT] for point in found["points"])
    context.output.rows(POINT, rows, right=POINT[1:], document=found)


def _plain(stats: dict[str, Any]) -> dict[str, Any]:
    """Return the statistics for scripts, with durations in seconds."""
    estimate = stats["estimated_wait"] or {}
    waits = {f"estimated_wait_{name}": estimate.get(name) for name in ("seconds", "low", "high")}
    return {**{name: stats[name] for name in stats if name != "estimated_wait"}, **waits}


def readable(stats: dict[str, Any]) -> dict[str, str]:
    """Return the statistics as text for readers, with durations in days, hours and minutes."""
    texts = {
        name.removesuffix("_seconds"): format_duration(value)
        if name.endswith("_seconds")
        else format_value(value)
        for name, value in stats.items()
        if not name.startswith("estimate")
    }
    estimate = stats["estimated_wait"]
    if estimate is None:
        texts["estimated_wait"] = format_value(stats["estimate_unavailable"])
    else:
        texts["estimated_wait"] = estimate_text(estimate)
    return texts


@command("segments", PANEL, "waitlist segments bakery")
def segments(context: Context, waitlist: WaitlistId) -> None:
    """Count the waiting people in each segment."""
    path = f"/{waitlist}/segments"
    found = sorted(context.pages(path, "segments"), key=lambda segment: -segment["waiting"])
    rows = (
        (" ".join(f"{k}={v}" for k, v in count["segment"].items()), count["waiting"])
        for count in found
    )
    columns = ("segment", "waiting")
    context.output.rows(columns, rows, right=columns[1:], document={"segments": found})


@command("head", PANEL, "waitlist head bakery -n 20 --first 312")
def head(
    context: Context,
    waitlist: WaitlistId,
    count: HowMany = 10,
    first: Annotated[int, typer.Option("--first", min=1, help="First position to list.")] = 1,
    ready: Annotated[
        bool | None,
        typer.Option(
            "--ready/--not-ready",
            help="List only people who are ready, or only people who are not ready.",
        ),
    ] = None,
    unverified: Unverified = False,
    asked: Asked = False,
) -> None:
    """List the first people in the queue in serving order."""
    path = f"/{waitlist}/entries"
    title = "Head of the queue" if first == 1 else f"From position {first:,}"
    query = {"first": str(first)}
    if ready is not None:
        title += ", ready" if ready else ", not ready"
        query["ready"] = str(ready).lower()
    if only := only_of(unverified, asked):
        title += f", {only['only']}"
        query |= only
    people = context.pages(path, "entries", count, **query)
    print_entries(context, people, WAITING, title)


@command("find", PANEL, "waitlist find bakery ada")
def find(
    context: Context,
    waitlist: WaitlistId,
    text: Annotated[
        str | None,
        typer.Argument(
            metavar="TEXT",
            help="Part of the customer id, profile or attributes. The search ignores case.",
        ),
    ] = None,
    email: Annotated[
        str | None,
        typer.Option(
            "--email",
            help="The person's email address. Use - to read the address from standard input.",
        ),
    ] = None,
    phone: Annotated[
        str | None,
        typer.Option(
            "--phone",
            help="The person's phone number. Use - to read the number from standard input.",
        ),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option(
            "--max",
            min=1,
            help="Maximum number of people to examine for each status. Default: all.",
        ),
    ] = None,
) -> None:
    """Find people whose customer id, profile or attributes contain the given text.

    If addresses identify the people on the waitlist, use --email or --phone. To keep an address out
    of your shell history, use - and enter the address on standard input.
    """
    given = {"email": email, "phone": phone}
    addresses = {name: value for name, value in given.items() if value is not None}
    if len(addresses) + (text is not None) != 1:
        raise WrongUsage("Pass exactly one of TEXT, --email and --phone.")
    if text is None:
        ((field, value),) = addresses.items()
        address = {field: sys.stdin.readline().strip() if value == "-" else value}
        print_entry(context, find_person(context.api, waitlist, address))
        return
    from rich.progress import Progress, TextColumn, TimeElapsedColumn

    notes = context.output.notes
    columns = (TextColumn("{task.completed:,} people looked at"), TimeElapsedColumn())
    with Progress(
        *columns, console=notes, disable=not notes.is_terminal, transient=True
    ) as progress:
        task = progress.add_task("find", total=None)
        people = found_people(
            context.api,
            waitlist,
            text,
            most,
            lambda status: _limited(context, most or 0, status),
            lambda: progress.advance(task),
        )
        print_entries(context, people, FOUND, "Found")


def _limited(context: Context, most: int, status: str) -> None:
    context.output.note(f"--max limited the search to the first {most:,} {status} people.")


@command("around", PANEL, "waitlist around bakery --customer ada -n 5")
@with_person
def around(
    context: Context,
    person: Person,
    count: Annotated[
        int,
        typer.Option(
            "-n", "--count", min=1, max=PAGE // 2 - 1, help="Number of people to list on each side."
        ),
    ] = 5,
) -> None:
    """List the people directly ahead of and behind a person."""
    print_entries(context, _neighbours(context, person, count), WAITING)


@command("health", PANEL, "waitlist health")
def health(context: Context) -> int:
    """Check whether the service, Redis and DynamoDB respond.

    If any of them does not respond, the exit code is 3.
    """
    found = context.api.health()
    context.output.pairs(found, found)
    return 0 if found["status"] == "ok" else Unavailable.exit_code


@command("watch", PANEL, "waitlist watch bakery")
def watch(
    context: Context,
    waitlist: WaitlistId,
    seconds: Annotated[
        float,
        typer.Option(
            "--every", min=0.1, max=MOST_SECONDS, help="Number of seconds between updates."
        ),
    ] = 1.0,
    looks: Annotated[
        int | None, typer.Option("--looks", min=1, help="Stop after this many updates.")
    ] = None,
) -> None:
    """Watch a waitlist live.

    The screen shows how many people are waiting, how fast people join and leave the queue, the
    longest wait, and the head of the queue. In a pipe or with --json, each update is printed as a
    line. Press Ctrl-C to stop.
    """
    from waitlist_cli.watch.watcher import run_watch

    run_watch(context, waitlist, seconds, looks)


def _neighbours(context: Context, person: Person, count: int) -> list[dict[str, Any]]:
    """Return the entries around a person, including the person's own entry.

    The position and the entries come from separate requests. If the person has moved between these
    requests, repeat both.
    """
    for _ in range(TRIES):
        found = person.show()
        if found["position"] is None:
            raise Refused(
                f"{person.entry_id} has no neighbours, because the status is {found['status']}.",
                "not_waiting",
            )
        first = max(1, found["position"] - count)
        last = found["position"] + count
        params = {"first": first, "limit": last - first + 1}
        page = context.api.operator("GET", f"/{person.waitlist_id}/entries", params=params)
        people: list[dict[str, Any]] = page["entries"]
        if any(entry["entry_id"] == person.entry_id for entry in people):
            return people
    raise WrongUsage(f"{person.entry_id} kept moving, so its neighbours are unknown. Try again.")
