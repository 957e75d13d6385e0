"""What `watch` shows: numbers, a curve of the depth, the head of the line."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Self

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from waitlist_cli.output import details, shown

BARS = "▁▂▃▄▅▆▇█"
# Of the panel, the numbers, the curve and the table's own frame.
OTHER_LINES = 14
COLUMNS = ("#", "customer", "priority", "waiting for", "profile")


@dataclass(frozen=True)
class Look:
    """What was seen at one moment; with a `problem` it is what was seen last."""

    at: str
    waitlist: dict[str, Any]
    stats: dict[str, Any]
    joined_per_second: float | None
    gone_per_second: float | None
    depths: tuple[int, ...]
    people: Sequence[dict[str, Any]]
    problem: str = ""

    def with_problem(self, at: str, problem: str) -> Self:
        return replace(self, at=at, problem=problem)

    def summary(self) -> dict[str, Any]:
        """Return it as one line of a script's input."""
        head = self.people[0]["entry_id"] if self.people else None
        return {
            "at": self.at,
            **{name: self.stats[name] for name in ("waiting", "offered", "parked")},
            **{name: self.stats[name] for name in ("signed_up", "admitted", "left")},
            "in_per_second": _rounded(self.joined_per_second),
            "out_per_second": _rounded(self.gone_per_second),
            "oldest_waiting_seconds": self.stats["oldest_waiting_seconds"],
            "head": head,
            "problem": self.problem or None,
        }


def picture(look: Look, height: int) -> RenderableType:
    """Return the whole view, no higher than the terminal."""
    rows = max(3, height - OTHER_LINES)
    parts: list[RenderableType] = [_numbers(look), _curve(look.depths), _head(look, rows)]
    if look.problem:
        parts.insert(0, Text(look.problem, style="bold red"))
    return Panel(Group(*parts), title=_title(look), subtitle=Text(f"{look.at}  Ctrl-C ends"))


def duration(seconds: int | None) -> str:
    """Return seconds as a person says them: 3 d 4 h, 2 min 5 s."""
    if seconds is None:
        return "-"
    parts: list[str] = []
    left = int(seconds)
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        number, left = divmod(left, size)
        if number or (unit == "s" and not parts):
            parts.append(f"{number} {unit}")
    return " ".join(parts[:2])


def sparkline(values: Sequence[int]) -> str:
    """Return a curve in one line of text, from the least value to the most."""
    if not values:
        return ""
    least, most = min(values), max(values)
    span = max(1, most - least)
    return "".join(BARS[(value - least) * (len(BARS) - 1) // span] for value in values)


def _title(look: Look) -> Text:
    waitlist = look.waitlist
    title = Text(f"{shown(waitlist['waitlist_id'])}  {shown(waitlist['name'])}  ", style="bold")
    title.append("open" if waitlist["open"] else "closed", "green" if waitlist["open"] else "red")
    if waitlist["paused"]:
        title.append("  paused", "yellow")
    if waitlist["rebuild"]:
        done, total = waitlist["rebuild"]["done"], waitlist["rebuild"]["total"]
        title.append(f"  rebuilding {done:,} of {total:,}", "red")
    return title


def _numbers(look: Look) -> Table:
    stats = look.stats
    cells = {
        "waiting": (shown(stats["waiting"]), "bold cyan"),
        "in": (_rate(look.joined_per_second), "green"),
        "out": (_rate(look.gone_per_second), "magenta"),
        "oldest": (duration(stats["oldest_waiting_seconds"]), "bold"),
        "offered": (shown(stats["offered"]), "yellow"),
        "parked": (shown(stats["parked"]), "red" if stats["parked"] else ""),
        "admitted": (shown(stats["admitted"]), ""),
        "left": (shown(stats["left"]), ""),
    }
    grid = Table(box=box.SIMPLE, expand=True, show_edge=False)
    for name in cells:
        grid.add_column(name, justify="right", no_wrap=True)
    grid.add_row(*[Text(text, style=style) for text, style in cells.values()])
    return grid


def _curve(depths: Sequence[int]) -> Text:
    least, most = (min(depths), max(depths)) if depths else (0, 0)
    text = Text(f" depth {least:,} to {most:,}  ", style="dim", no_wrap=True, overflow="crop")
    return text.append(sparkline(depths[-80:]), "cyan").append("\n")


def _head(look: Look, rows: int) -> Table:
    table = Table(box=box.SIMPLE_HEAD, expand=True, show_edge=False)
    for name in COLUMNS:
        justify: Any = "right" if name in ("#", "priority", "waiting for") else "left"
        table.add_column(name, justify=justify, no_wrap=True, overflow="ellipsis")
    for person in look.people[:rows]:
        table.add_row(
            Text(shown(person["position"])),
            Text(shown(person["customer_id"] or person["entry_id"]), style="bold"),
            Text(shown(person["priority"])),
            Text(duration(_waited(look.at, person["joined_at"]))),
            Text(shown(details(person["profile"]))),
        )
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
