"""`python -m tools.bench.wait_chart`: writes docs/pictures/estimated-wait.svg, prints a table."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from statistics import quantiles
from typing import Self

from tools.bench.simulated_lists import DAY, HOUR, MINUTE, Look
from tools.bench.sizes import FULL
from tools.bench.wait import SCENARIOS, Verdict, looks_of, verdict_of

CHART = Path(__file__).parents[2] / "docs" / "pictures" / "estimated-wait.svg"
SIDE, GAP, LEFT, TOP, COLUMNS = 200, 60, 60, 70, 4
POINTS = 250
# Both axes of a panel are logarithmic, over the waits of its list alone.
SHORTEST = 10
MARKS = {
    "10 s": 10,
    "30 s": 30,
    "1 min": MINUTE,
    "2 min": 2 * MINUTE,
    "5 min": 5 * MINUTE,
    "10 min": 10 * MINUTE,
    "20 min": 20 * MINUTE,
    "40 min": 40 * MINUTE,
    "1 h": HOUR,
    "2 h": 2 * HOUR,
    "6 h": 6 * HOUR,
    "12 h": 12 * HOUR,
    "1 d": DAY,
    "2 d": 2 * DAY,
    "7 d": 7 * DAY,
    "14 d": 14 * DAY,
}
# Pixels between two marks, for their words.
APART = 42
# How much longer than the longest wait an axis is.
MARGIN = 1.2
# Far apart in lightness too, for readers who confuse red and green.
WITHIN, OUTSIDE = "#1f77b4", "#e8590c"
HEADINGS = (
    "list",
    "within low-high",
    "width",
    "unknown",
    "median error",
    "position ÷ last hour's rate",
    "last one served",
)


@dataclass(frozen=True)
class Axis:
    """The waits of one panel, in seconds."""

    shortest: float
    longest: float

    @classmethod
    def over(cls, waits: Sequence[float]) -> Self:
        """Return the axis of these waits; one in a hundred may lie beyond each end."""
        inner = quantiles(waits, n=100)
        shortest = max(SHORTEST, inner[0] / MARGIN)
        return cls(shortest, max(2 * shortest, inner[-1] * MARGIN))

    def along(self, seconds: float) -> float:
        """Return where a wait is, in pixels."""
        within = min(max(seconds, self.shortest), self.longest)
        return SIDE * math.log(within / self.shortest) / math.log(self.longest / self.shortest)

    def marks(self) -> Iterator[tuple[str, int]]:
        """Yield the waits to mark, with their words, as many as have room."""
        last = -float(APART)
        for words, seconds in MARKS.items():
            if self.shortest <= seconds <= self.longest and self.along(seconds) >= last + APART:
                last = self.along(seconds)
                yield words, seconds


def main() -> None:
    found = {one.name: looks_of(one, FULL.wait_runs) for one in SCENARIOS}
    CHART.write_text(picture(found), encoding="utf-8")
    print(f"| {' | '.join(HEADINGS)} |\n|---|{'--:|' * (len(HEADINGS) - 1)}")
    for name, looks in found.items():
        print(_line(name, verdict_of(looks)))


def _line(name: str, verdict: Verdict) -> str:
    errors = (verdict.error, verdict.by_last_hour, verdict.by_last_served)
    parts = (verdict.within, verdict.width, verdict.unknown / verdict.looks)
    cells = (name, *(f"{one:.0%}" for one in parts), *(f"{one:.1%}" for one in errors))
    return f"| {' | '.join(cells)} |"


def picture(found: dict[str, list[Look]]) -> str:
    """Return an SVG document: for each scenario the estimates over the real waits."""
    rows = math.ceil(len(found) / COLUMNS)
    width, height = LEFT + COLUMNS * (SIDE + GAP), TOP + rows * (SIDE + GAP)
    panels = [
        panel
        for number, (name, looks) in enumerate(found.items())
        for panel in _panel(name, looks, *divmod(number, COLUMNS))
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            ' font-family="sans-serif" font-size="12">',
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            _text(
                LEFT,
                20,
                "estimated wait (upwards) over the real wait (to the right)",
                "#222",
            ),
            _text(LEFT, 38, "blue: the real wait lay between low and high", WITHIN),
            _text(LEFT + 270, 38, "orange: it did not", OUTSIDE),
            *panels,
            "</svg>\n",
        ]
    )


def _panel(name: str, looks: Sequence[Look], row: int, column: int) -> Iterator[str]:
    left, top = LEFT + column * (SIDE + GAP), TOP + row * (SIDE + GAP)
    bottom = top + SIDE
    yield f'<rect x="{left}" y="{top}" width="{SIDE}" height="{SIDE}" fill="#f6f6f6"/>'
    yield _text(left, top - 6, name, "#222")
    known = [(one, one.estimate) for one in looks if one.estimate is not None]
    axis = Axis.over([wait for one, found in known for wait in (one.real, found.seconds)])
    for words, seconds in axis.marks():
        at = axis.along(seconds)
        yield (
            f'<path d="M{left + at:.0f} {top}V{bottom}M{left} {bottom - at:.0f}h{SIDE}"'
            ' stroke="#dddddd"/>'
        )
        yield _text(left + at, bottom + 14, words, "#555", "middle")
        yield _text(left - 6, bottom - at + 4, words, "#555", "end")
    yield f'<path d="M{left} {bottom}L{left + SIDE} {top}" stroke="#999999"/>'
    dots: dict[str, list[str]] = {WITHIN: [], OUTSIDE: []}
    for one, found in known[:: max(1, len(known) // POINTS)]:
        colour = WITHIN if found.low <= one.real <= found.high else OUTSIDE
        dots[colour].append(
            f"M{left + axis.along(one.real):.1f} {bottom - axis.along(found.seconds):.1f}h0"
        )
    for colour, some in dots.items():
        yield (
            f'<path d="{"".join(some)}" stroke="{colour}" stroke-opacity="0.6" stroke-width="4"'
            ' stroke-linecap="round"/>'
        )


def _text(at: float, base: float, words: str, colour: str, anchor: str = "start") -> str:
    place = f'x="{at:.0f}" y="{base:.0f}" text-anchor="{anchor}"'
    return f'<text {place} fill="{colour}">{escape(words)}</text>'


if __name__ == "__main__":
    main()
