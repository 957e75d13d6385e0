"""Looking: counts, the head of the line, somebody's neighbours, all of it live."""

from typing import Annotated, Any

import typer

from waitlist_cli.commanding import command
from waitlist_cli.desk import PAGE, Desk
from waitlist_cli.errors import Refused, WrongUsage
from waitlist_cli.ids import checked_waitlist_id, chosen_entry_id
from waitlist_cli.parameters import MOST_SECONDS, Customer, EntryId, HowMany, WaitlistId
from waitlist_cli.persons import WAITING, print_people

PANEL = "Looking"
TRIES = 3


@command("stats", PANEL, "waitlist stats bakery --json")
def stats(desk: Desk, waitlist: WaitlistId) -> None:
    """Count who waits, is offered, is parked, was admitted, has left."""
    found = desk.call("GET", checked_waitlist_id(waitlist), "/stats")
    if desk.out.as_json:
        desk.out.json(found)
    else:
        desk.out.pairs(found)


@command("segments", PANEL, "waitlist segments bakery")
def segments(desk: Desk, waitlist: WaitlistId) -> None:
    """Count who waits in each segment."""
    path = f"/{checked_waitlist_id(waitlist)}/segments"
    found = sorted(desk.pages(path, "segments"), key=lambda one: -one["waiting"])
    if desk.out.as_json:
        desk.out.json({"segments": found})
        return
    rows = [
        (" ".join(f"{k}={v}" for k, v in one["segment"].items()), one["waiting"]) for one in found
    ]
    desk.out.rows(("segment", "waiting"), rows, right=("waiting",))


@command("head", PANEL, "waitlist head bakery -n 20")
def head(desk: Desk, waitlist: WaitlistId, count: HowMany = 10) -> None:
    """List the first in line, in serving order."""
    path = f"/{checked_waitlist_id(waitlist)}/entries"
    print_people(desk, desk.pages(path, "entries", count), WAITING, "Head of the line")


@command("around", PANEL, "waitlist around bakery --customer ada -n 5")
def around(
    desk: Desk,
    waitlist: WaitlistId,
    entry: EntryId = None,
    customer: Customer = None,
    count: Annotated[
        int, typer.Option("-n", "--count", min=1, max=PAGE // 2 - 1, help="How many on each side.")
    ] = 5,
) -> None:
    """List somebody's neighbours in line: who comes just before, who just after."""
    entry_id = chosen_entry_id(checked_waitlist_id(waitlist), entry, customer)
    print_people(desk, _neighbours(desk, waitlist, entry_id, count), WAITING)


@command("watch", PANEL, "waitlist watch bakery")
def watch(
    desk: Desk,
    waitlist: WaitlistId,
    seconds: Annotated[
        float, typer.Option("--every", min=0.1, max=MOST_SECONDS, help="Seconds between two looks.")
    ] = 1.0,
    looks: Annotated[int | None, typer.Option("--looks", min=1, help="End after so many.")] = None,
) -> None:
    """Watch a waitlist live: depth, rate in and out, the oldest, the head of the line.

    In a pipe, and with --json, a line for each look. Ctrl-C ends it.
    """
    from waitlist_cli.watching import watch_until_told

    watch_until_told(desk, checked_waitlist_id(waitlist), seconds, looks)


def _neighbours(desk: Desk, waitlist: str, entry_id: str, count: int) -> list[dict[str, Any]]:
    """Return a page around somebody, who may move between the two questions."""
    for _ in range(TRIES):
        person = desk.call("GET", waitlist, f"/entries/{entry_id}")
        if person["position"] is None:
            raise Refused(
                f"{entry_id} has no neighbours: the status is {person['status']}.", "not_waiting"
            )
        first = max(1, person["position"] - count)
        last = person["position"] + count
        params = {"first": first, "limit": last - first + 1}
        page = desk.api.operator("GET", f"/{waitlist}/entries", params=params)
        people: list[dict[str, Any]] = page["entries"]
        if any(one["entry_id"] == entry_id for one in people):
            return people
    raise WrongUsage(f"{entry_id} moves faster than one can look; try again.")
