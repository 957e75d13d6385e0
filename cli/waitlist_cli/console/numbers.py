"""Calculates the figures that the console derives from the service's responses."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

Document = Mapping[str, Any]
FLOWS = ("joined", "admitted", "left", "entered", "declined", "no_shows")
SPARK_WIDTH, SPARK_HEIGHT, SPARK_POINTS = 120, 28, 60


def line_of(waitlist: Document, stats: Document | None) -> str:
    """Return the state that customers see, such as `open`, `closed` or `rebuilding`.

    If `stats` is None, derive the state from the settings, and ignore the opening times.
    """
    if waitlist["rebuild"] is not None:
        return "rebuilding"
    if stats:
        return str(stats["line"])
    if not waitlist["open"]:
        return "closed"
    return "paused" if waitlist["paused"] else "open"


def sparkline(values: Sequence[int]) -> str:
    """Return the points of an SVG line that shows up to an hour of counts.

    Return "" if there are fewer than two counts.
    """
    if len(values) < 2:
        return ""
    least, most = min(values), max(values)
    span = max(1, most - least)
    inner = SPARK_HEIGHT - 4
    first = SPARK_POINTS - len(values)
    return " ".join(
        f"{(first + number) * SPARK_WIDTH / (SPARK_POINTS - 1):.1f},"
        f"{2 + inner - (value - least) / span * inner:.1f}"
        for number, value in enumerate(values)
    )


def series(history: Document) -> dict[str, Any]:
    """Return a chart's columns: the times in seconds, and one column for each kind of count.

    If a sample is missing, the columns contain None, and the chart shows a gap.
    """
    step = history["step_seconds"]
    names = (*FLOWS, "waiting", "offered", "parked", "inside")
    columns: dict[str, list[int | None]] = {name: [] for name in ("at", *names)}
    last: int | None = None
    for point in history["points"]:
        at = _seconds(point["at"])
        if last is not None and at - last > step:
            columns["at"].append(last + step)
            for name in names:
                columns[name].append(None)
        columns["at"].append(at)
        for name in names:
            columns[name].append(point[name])
        last = at
    return {"step": step, **columns}


def _seconds(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())
