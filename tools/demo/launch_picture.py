"""The launch demo's picture in the terminal, with a bar for each group of people."""

from collections.abc import Mapping
from typing import Any

from rich.console import Group
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

BAR_WIDTH = 40


def picture(
    people: int,
    max_inside: int,
    stats: Mapping[str, Any],
    counts: Mapping[str, int],
    last: Mapping[str, Any],
    seconds: float,
) -> Group:
    table = Table(box=None, show_header=False)
    rows = (
        ("waiting", stats["waiting"], people),
        ("offered", stats["offered"], max_inside),
        ("inside", stats["inside"], max_inside),
        ("admitted", stats["admitted"], people),
    )
    for name, count, most in rows:
        bar = ProgressBar(total=most, completed=count, width=BAR_WIDTH)
        table.add_row(name, str(count), bar, f"of {most}")
    done = ", ".join(f"{counts.get(action, 0)} {words}" for action, words in DONE.items())
    return Group(Text(f"{seconds:.0f} s", style="bold"), table, Text(done), Text(_of_last(last)))


DONE = {
    "enter": "entered",
    "exit": "exited",
    "no-show": "did not show up",
    "decline": "declined",
    "too late": "came too late",
}


def _of_last(last: Mapping[str, Any]) -> str:
    if last["status"] != "waiting":
        return f"The last customer: {last['status']}"
    wait = last["estimated_wait"]
    words = f", {wait['low']} to {wait['high']} s to wait" if wait else ""
    return f"The last customer: position {last['position']}{words}"
