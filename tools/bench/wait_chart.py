"""`python -m tools.bench.wait_chart`: writes docs/estimated-wait.svg, prints the page's table."""

import math
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from tools.bench.lines import DAY, HOUR, MINUTE, Look
from tools.bench.sizes import FULL
from tools.bench.wait import SCENARIOS, Verdict, looks_of, verdict_of

CHART = Path(__file__).parents[2] / "docs" / "estimated-wait.svg"
SIDE, GAP, LEFT, TOP, COLUMNS = 200, 60, 60, 70, 4
POINTS = 250
# Both axes are logarithmic.
SHORTEST, LONGEST = 10, 6 * DAY
MARKS = {"1 min": MINUTE, "10 min": 10 * MINUTE, "1 h": HOUR, "6 h": 6 * HOUR, "2 d": 2 * DAY}
WITHIN, OUTSIDE = "#2e7d57", "#c0392b"
HEADINGS = (
    "list",
    "within low-high",
    "width",
    "unknown",
    "median error",
    "position ÷ last hour's rate",
    "last one served",
)


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
            _text(LEFT, 20, "estimated wait (upwards) over the real wait; logarithmic", "#222"),
            _text(LEFT, 38, "green: the real wait lay between low and high", WITHIN),
            _text(LEFT + 270, 38, "red: it did not", OUTSIDE),
            *panels,
            "</svg>\n",
        ]
    )


def _panel(name: str, looks: Sequence[Look], row: int, column: int) -> Iterator[str]:
    left, top = LEFT + column * (SIDE + GAP), TOP + row * (SIDE + GAP)
    bottom = top + SIDE
    yield f'<rect x="{left}" y="{top}" width="{SIDE}" height="{SIDE}" fill="#f6f6f6"/>'
    yield _text(left, top - 6, name, "#222")
    for words, seconds in MARKS.items():
        at = _along(seconds)
        yield (
            f'<path d="M{left + at:.0f} {top}V{bottom}M{left} {bottom - at:.0f}h{SIDE}"'
            ' stroke="#dddddd"/>'
        )
        yield _text(left + at, bottom + 14, words, "#777", "middle")
        if column == 0:
            yield _text(left - 6, bottom - at + 4, words, "#777", "end")
    yield f'<path d="M{left} {bottom}L{left + SIDE} {top}" stroke="#999999"/>'
    known = [(one, one.estimate) for one in looks if one.estimate is not None]
    dots: dict[str, list[str]] = {WITHIN: [], OUTSIDE: []}
    for one, found in known[:: max(1, len(known) // POINTS)]:
        colour = WITHIN if found.low <= one.real <= found.high else OUTSIDE
        dots[colour].append(
            f"M{left + _along(one.real):.1f} {bottom - _along(found.seconds):.1f}h0"
        )
    for colour, some in dots.items():
        yield (
            f'<path d="{"".join(some)}" stroke="{colour}" stroke-opacity="0.7" stroke-width="3"'
            ' stroke-linecap="round"/>'
        )


def _along(seconds: float) -> float:
    """Return where a wait is on an axis, in pixels."""
    within = min(max(seconds, SHORTEST), LONGEST)
    return SIDE * math.log(within / SHORTEST) / math.log(LONGEST / SHORTEST)


def _text(at: float, base: float, words: str, colour: str, anchor: str = "start") -> str:
    place = f'x="{at:.0f}" y="{base:.0f}" text-anchor="{anchor}"'
    return f'<text {place} fill="{colour}">{escape(words)}</text>'


if __name__ == "__main__":
    main()
