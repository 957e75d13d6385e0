"""Draws answers, latencies and memory of a run over time, as SVG."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeVar

from tests.reliability.load.history import Attempt
from tests.reliability.load.memory import STORES
from tests.reliability.load.report import PERCENTILES, percentiles
from tests.reliability.load.run import Measured, Run

WIDTH, HEIGHT, LEFT, RIGHT = 900, 170, 60, 190
TOP, GAP = 40, 60
BINS = 60
# Margins of a panel: numbers on the left, names on the right.
COLOURS = ("#2e7d57", "#8a8a8a", "#e0a030", "#c0392b", "#3566a8", "#7b4fa0")


T = TypeVar("T")


@dataclass(frozen=True)
class Panel:
    """Lines over the run's time, by name; a line has one value per bin, or None."""

    title: str
    lines: Mapping[str, Sequence[float | None]]
    colours: Mapping[str, str]

    @property
    def most(self) -> float:
        return max((value for line in self.lines.values() for value in line if value), default=1)


def picture(run: Run) -> str:
    """Return an SVG document."""
    panels = [_throughput(run), _latency(run), _memory(run, "functions"), _memory(run, "stores")]
    title = (
        f"{run.plan.clients} clients, {run.plan.private_concurrency} calls of the private function"
        " at once"
    )
    return document(title, panels, run.seconds)


def document(title: str, panels: Sequence[Panel], seconds: float) -> str:
    """Return an SVG document with one panel below the other."""
    height = TOP + len(panels) * (HEIGHT + GAP)
    width = LEFT + WIDTH + RIGHT
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            ' font-family="sans-serif" font-size="13">',
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            _text(LEFT, 20, title, "#222"),
            *(
                _panel(panel, TOP + number * (HEIGHT + GAP) + 20, seconds)
                for number, panel in enumerate(panels)
            ),
            "</svg>\n",
        ]
    )


def _throughput(run: Run) -> Panel:
    kinds: dict[str, Callable[[Attempt], bool]] = {
        "done": lambda one: 200 <= one.status < 300,
        "refused (4xx)": lambda one: 400 <= one.status < 500 and one.status != 429,
        "429 throttled": lambda one: one.status == 429,
        "5xx or no answer": lambda one: one.status == 0 or one.status >= 500,
    }
    width = run.seconds / BINS
    lines = {
        name: [
            sum(is_it(one) for one in bin_) / width
            for bin_ in binned(run, run.history.attempts, lambda one: one.ended)
        ]
        for name, is_it in kinds.items()
    }
    throttled = [len(bin_) / width for bin_ in binned(run, run.throttled, lambda at: at)]
    lines["private calls throttled"] = throttled
    return Panel("answers a second", lines, dict(zip(lines, COLOURS, strict=False)))


def _latency(run: Run) -> Panel:
    bins = [
        percentiles([one.seconds for one in bin_]) if bin_ else [None] * len(PERCENTILES)
        for bin_ in binned(run, run.history.attempts, lambda one: one.ended)
    ]
    names = [f"{percent}%" for percent in PERCENTILES]
    lines: dict[str, Sequence[float | None]] = dict(
        zip(names, zip(*bins, strict=True), strict=True)
    )
    return Panel("seconds until an answer", lines, dict(zip(names, COLOURS[::2], strict=True)))


def _memory(run: Run, which: str) -> Panel:
    roles = sorted({role for sample in run.samples for role in sample.megabytes})
    shown = [role for role in roles if (role in STORES) == (which == "stores")]
    bins = binned(run, run.samples, lambda sample: sample.at)
    lines = {
        role: [
            max(
                (sample.megabytes[role] for sample in bin_ if role in sample.megabytes),
                default=None,
            )
            for bin_ in bins
        ]
        for role in shown
    }
    title = f"megabytes a process: {which}"
    return Panel(title, lines, dict(zip(shown, reversed(COLOURS), strict=False)))


def binned(
    run: Measured, things: Iterable[T], moment: Callable[[T], float], count: int = BINS
) -> list[list[T]]:
    """Group things into bins of the run's time."""
    bins: list[list[T]] = [[] for _ in range(count)]
    for thing in things:
        place = int((moment(thing) - run.began) / run.seconds * count)
        if 0 <= place < count:
            bins[place].append(thing)
    return bins


def _panel(panel: Panel, top: float, seconds: float) -> str:
    bottom = top + HEIGHT
    frame = f"M{LEFT} {top}V{bottom}H{LEFT + WIDTH}"
    return "\n".join(
        [
            _text(LEFT, top - 8, panel.title, "#555"),
            f'<path d="{frame}" fill="none" stroke="#999"/>',
            _text(8, top + 10, _short(panel.most), "#555"),
            _text(8, bottom, "0", "#555"),
            _text(LEFT, bottom + 16, "0 s", "#555"),
            _text(LEFT + WIDTH - 24, bottom + 16, f"{seconds:.0f} s", "#555"),
            *_lines(panel, top),
            *(
                _text(LEFT + WIDTH + 12, top + 14 + 20 * number, name, panel.colours[name])
                for number, name in enumerate(panel.lines)
            ),
        ]
    )


def _lines(panel: Panel, top: float) -> Iterator[str]:
    for name, values in panel.lines.items():
        points = [
            f"{LEFT + (number + 0.5) * WIDTH / len(values):.1f},"
            f"{top + HEIGHT * (1 - value / panel.most):.1f}"
            for number, value in enumerate(values)
            if value is not None
        ]
        colour = panel.colours[name]
        yield (
            f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}"'
            ' stroke-width="2"/>'
        )


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.1f}"


def _text(left: float, base: float, words: str, colour: str) -> str:
    return f'<text x="{left:.0f}" y="{base:.0f}" fill="{colour}">{escape(words)}</text>'
