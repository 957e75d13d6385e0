"""Draws the rows with a target as bars, in SVG; a mark shows the target."""

from collections.abc import Sequence
from html import escape

from tools.bench.targets import Row

WIDTH, LINE, TOP = 860, 30, 34
BARS_FROM, ONE = 390, 200  # where bars begin, and how long a ratio of 1 is
COLOURS = {"met": "#2e7d57", "missed": "#c0392b"}


def picture(rows: Sequence[Row]) -> str:
    """Return an SVG document."""
    judged = [row for row in rows if row.target]
    height = TOP + LINE * len(judged) + 10
    lines = [_line(row, TOP + LINE * number) for number, row in enumerate(judged)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
            ' font-family="sans-serif" font-size="13">',
            f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
            _text(BARS_FROM, 20, "our ratio to the baseline; the mark is the target", "#555"),
            *lines,
            "</svg>\n",
        ]
    )


def _line(row: Row, top: int) -> str:
    target = row.target.value if row.target else 0
    mark = BARS_FROM + ONE * target
    length = ONE * row.ratio
    colour = COLOURS[row.verdict]
    return "\n".join(
        [
            _text(10, top + 15, f"{row.name} / {row.beside}", "#222"),
            f'<rect x="{BARS_FROM}" y="{top + 2}" width="{length:.0f}" height="18"'
            f' fill="{colour}"/>',
            f'<path d="M{mark:.0f} {top - 2}v26" stroke="#111" stroke-width="2"/>',
            _text(max(BARS_FROM + length, mark) + 8, top + 15, _judged(row), "#222"),
        ]
    )


def _judged(row: Row) -> str:
    return f"{row.ratio:.2f} ({row.target}: {row.verdict})"


def _text(left: float, base: int, words: str, colour: str) -> str:
    return f'<text x="{left:.0f}" y="{base}" fill="{colour}">{escape(words)}</text>'
