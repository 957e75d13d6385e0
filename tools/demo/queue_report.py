"""The tables that the queue demo prints."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Move:
    name: str
    event: str
    before: int
    after: int


def print_head_of_queue(console: Console, entries: Sequence[dict[str, Any]]) -> None:
    table = Table(title="The head of the queue")
    table.add_column("Position", justify="right")
    table.add_column("Name")
    table.add_column("City")
    table.add_column("Party", justify="right")
    table.add_column("Priority", justify="right")
    for entry in entries:
        profile = entry["profile"]
        table.add_row(
            str(entry["position"]),
            str(profile["name"]),
            str(profile["city"]),
            profile["party_size"],
            str(entry["priority"]),
        )
    console.print(table)


def print_moves(console: Console, moves: Sequence[Move]) -> None:
    table = Table(title="Three people's positions")
    table.add_column("Name")
    table.add_column("What happened")
    table.add_column("Before", justify="right")
    table.add_column("After", justify="right")
    for move in moves:
        table.add_row(move.name, move.event, str(move.before), str(move.after))
    console.print(table)


def print_summary(
    console: Console, waitlist_id: str, stats: dict[str, Any], seconds: float
) -> None:
    signed_up = stats["signed_up"]
    console.print(
        f"{waitlist_id}: {signed_up:,} people signed up in {seconds:.1f} s "
        f"({signed_up / seconds:.0f} per second), {stats['left']:,} left, "
        f"{stats['waiting']:,} are waiting."
    )


def print_page(console: Console, url: str, waitlist_id: str) -> None:
    """Print the URL on one line, so that terminals recognise it as a link."""
    console.print(
        "From now on, ten customers per second get an offer. Join the queue in a browser:"
    )
    console.print(f"{url.rstrip('/')}/w/{waitlist_id}", soft_wrap=True)
