"""Draws the screen of `waitlist watch`: counts, a chart of the queue length, and the first
people.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Self

from rich import box
from rich.console import ConsoleOptions, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from waitlist_cli.operations.names import name_of
from waitlist_cli.terminal.output import format_details, format_duration, format_value

BARS = "▁▂▃▄▅▆▇█"
ASCII_BARS = "_.-=+*%#"
# If the terminal is at least this many columns wide, the screen shows the numbers side by side, and
# includes people's profiles.
WIDE = 76
LONGEST_NAME = 26
# The number of screen lines that are not available for the table of people.
OTHER_LINES = 14
# The states in which a waitlist refuses signups, and the colour in which the screen shows each.
SHUT = {"closed": "red", "not_open_yet": "yellow"}


@dataclass(frozen=True)
class Snapshot:
    """The state of a waitlist at one point in time."""

    at: str
    waitlist: dict[str, Any]
    stats: dict[str, Any]
    joined_per_second: float | None
    gone_per_second: float | None
    depths: tuple[int, ...]
    people: Sequence[dict[str, Any]]
    # If the latest numbers could not be read, this text says why, and the snapshot contains the
    # previous numbers.
    problem: str = ""

    def with_problem(self, at: str, problem: str, waitlist: dict[str, Any]) -> Self:
        return replace(self, at=at, problem=problem, waitlist=waitlist)

    def summary(self) -> dict[str, Any]:
        """Return the values that `waitlist watch` prints on one line if the output is not a
        terminal.
        """
        head = self.people[0]["entry_id"] if self.people else None
        return {
            "at": self.at,
            **{name: self.stats[name] for name in ("waiting", "not_ready", "offered", "parked")},
            **{name: self.stats[name] for name in ("signed_up", "admitted", "left")},
            "in_per_second": _rounded(self.joined_per_second),
            "out_per_second": _rounded(self.gone_per_second),
            "oldest_waiting_seconds": self.stats["oldest_waiting_seconds"],
            "head": head,
            "problem": self.problem or None,
        }


def picture(snapshot: Snapshot, options: ConsoleOptions) -> RenderableType:
    """Return the whole screen, which is never taller than the terminal."""
    rows = max(3, options.max_height - OTHER_LINES)
    is_wide = options.max_width >= WIDE
    numbers = _numbers(snapshot) if is_wide else _few_numbers(snapshot)
    curve = _curve(snapshot.depths, ASCII_BARS if options.ascii_only else BARS)
    parts: list[RenderableType] = [numbers, curve, _head(snapshot, rows, is_wide=is_wide)]
    if snapshot.problem:
        parts.insert(0, Text(snapshot.problem, style="bold red"))
    return Panel(
        Group(*parts), title=_title(snapshot), subtitle=Text(f"{snapshot.at}  Ctrl-C to stop")
    )


def sparkline(values: Sequence[int], bars: str = BARS) -> str:
    """Draw a chart on a single line of text, with one bar for each value.

    The lowest bar stands for the smallest value, and the highest bar stands for the largest value.
    """
    if not values:
        return ""
    least, most = min(values), max(values)
    span = max(1, most - least)
    return "".join(bars[(value - least) * (len(bars) - 1) // span] for value in values)


def _title(snapshot: Snapshot) -> Text:
    waitlist = snapshot.waitlist
    title = Text(
        f"{format_value(waitlist['waitlist_id'])}  {format_value(waitlist['name'])}  ", style="bold"
    )
    line = snapshot.stats["line"]
    title.append(line.replace("_", " ") if line in SHUT else "open", SHUT.get(line, "green"))
    if waitlist["paused"]:
        title.append("  paused", "yellow")
    if waitlist["rebuild"]:
        done, total = waitlist["rebuild"]["done"], waitlist["rebuild"]["total"]
        title.append(f"  rebuilding {done:,} of {total:,}", "red")
    return title


def _cells(snapshot: Snapshot) -> dict[str, Text]:
    """Return the formatted numbers by name."""
    stats = snapshot.stats
    cells = {
        "waiting": (format_value(stats["waiting"]), "bold cyan"),
        "not ready": (format_value(stats["not_ready"]), "yellow"),
        "in": (_rate(snapshot.joined_per_second), "green"),
        "out": (_rate(snapshot.gone_per_second), "magenta"),
        "oldest": (format_duration(stats["oldest_waiting_seconds"]), "bold"),
        "offered": (format_value(stats["offered"]), "yellow"),
        "parked": (format_value(stats["parked"]), "red" if stats["parked"] else ""),
        "admitted": (format_value(stats["admitted"]), ""),
        "left": (format_value(stats["left"]), ""),
    }
    if not stats["not_ready"]:
        cells.pop("not ready")
    return {name: Text(text, style=style) for name, (text, style) in cells.items()}


def _numbers(snapshot: Snapshot) -> Table:
    cells = _cells(snapshot)
    grid = Table(box=box.SIMPLE, expand=True, show_edge=False)
    for name in cells:
        grid.add_column(name, justify="right", no_wrap=True)
    grid.add_row(*cells.values())
    return grid


def _few_numbers(snapshot: Snapshot) -> Table:
    """Arrange the numbers in two columns, so that they fit on a narrow terminal."""
    cells = _cells(snapshot)
    grid = Table.grid(padding=(0, 1))
    for left, right in (
        ("waiting", "oldest"),
        ("in", "out"),
        ("offered", "parked"),
        ("admitted", "left"),
    ):
        grid.add_row(left, cells[left], right, cells[right])
    if "not ready" in cells:
        grid.add_row("not ready", cells["not ready"])
    return grid


def _curve(depths: Sequence[int], bars: str) -> Text:
    least, most = (min(depths), max(depths)) if depths else (0, 0)
    text = Text(f" depth {least:,} to {most:,}  ", style="dim", no_wrap=True, overflow="crop")
    return text.append(sparkline(depths[-80:], bars), "cyan").append("\n")


def _head(snapshot: Snapshot, rows: int, *, is_wide: bool) -> Table:
    """Return a table of the first people."""
    table = Table(box=box.SIMPLE_HEAD, expand=True, show_edge=False)
    table.add_column("#", justify="right", no_wrap=True)
    if is_wide:
        table.add_column("customer", no_wrap=True, max_width=LONGEST_NAME)
        table.add_column("priority", justify="right", no_wrap=True)
    table.add_column("waiting for", justify="right", no_wrap=True)
    table.add_column("profile" if is_wide else "customer", no_wrap=True, ratio=1)
    for person in snapshot.people[:rows]:
        name = Text(name_of(person, snapshot.waitlist), style="bold")
        waited = Text(format_duration(_waited(snapshot.at, person["joined_at"])))
        where = Text(format_value(person["position"]))
        if is_wide:
            profile = Text(format_value(format_details(person["profile"])))
            table.add_row(where, name, Text(format_value(person["priority"])), waited, profile)
        else:
            table.add_row(where, waited, name)
    return table


def _waited(now: str, joined_at: str | None) -> int | None:
    if joined_at is None:
        return None
    waited = datetime.fromisoformat(now) - datetime.fromisoformat(joined_at)
    return max(0, int(waited.total_seconds()))


def _rate(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}/s"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
