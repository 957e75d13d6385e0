"""Reads the tables of a Markdown document.

Each row becomes a dictionary with the column headings as its keys.
"""

import re

from tests.rules.sources import ROOT

Row = dict[str, str]


def read_tables(path: str) -> list[list[Row]]:
    blocks = re.findall(r"(?:^\|.*\|$\n?)+", (ROOT / path).read_text(encoding="utf-8"), re.M)
    return [_rows(block.strip().splitlines()) for block in blocks]


def _rows(lines: list[str]) -> list[Row]:
    names, _, *rows = (_cells(line) for line in lines)
    return [dict(zip(names, cells, strict=True)) for cells in rows]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
