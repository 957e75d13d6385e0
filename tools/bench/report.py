"""Print the benchmark results as a table, or convert them to JSON."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from tools.bench.targets import Row

STYLES = {"met": "green", "missed": "bold red", "-": "dim"}


def show(console: Console, rows: Sequence[Row]) -> None:
    table = Table(title="Measurements compared with their baselines")
    for heading in ("operation", "compared with"):
        table.add_column(heading)
    for heading in ("ours", "baseline", "ratio", "quartiles", "target"):
        table.add_column(heading, justify="right")
    table.add_column("verdict")
    for row in rows:
        table.add_row(
            row.name,
            row.beside,
            row.ours,
            row.baseline,
            f"{row.ratio:.3f}",
            "" if row.spread is None else f"{row.spread[0]:.2f}-{row.spread[1]:.2f}",
            "" if row.target is None else str(row.target),
            f"[{STYLES[row.verdict]}]{row.verdict}[/]",
        )
    console.print(table)
    missed = [row.name for row in rows if row.verdict == "missed"]
    if missed:
        console.print(f"[bold red]Missed targets ({len(missed)}):[/] " + "; ".join(missed))
    else:
        console.print("[green]All targets are met.[/]")


def as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [
        {
            "name": row.name,
            "beside": row.beside,
            "ours": row.ours,
            "baseline": row.baseline,
            "ratio": round(row.ratio, 3),
            "quartiles": None if row.spread is None else [round(edge, 3) for edge in row.spread],
            "target": None if row.target is None else str(row.target),
            "verdict": row.verdict,
        }
        for row in rows
    ]
