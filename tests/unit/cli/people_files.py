"""Writes files of people in the formats that operators use."""

import csv
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

BEGAN = datetime(2026, 3, 1, 9, tzinfo=UTC)


def customers(count: int) -> list[str]:
    return [f"c{number:05}" for number in range(count)]


def write_csv(path: Path, rows: Sequence[Sequence[object]]) -> str:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return str(path)


def write_customer_file(path: Path, names: Sequence[str]) -> str:
    return write_csv(
        path, [["customer_id", "name"], *[[name, f"Name of {name}"] for name in names]]
    )


def assign_shuffled_times(names: Sequence[str]) -> list[tuple[str, datetime]]:
    """The times do not follow the order of the names, and some of them are equal."""
    count = len(names)
    return [
        (name, BEGAN + timedelta(minutes=(number * 7919 % count) // 2))
        for number, name in enumerate(names)
    ]


def write_timed_file(path: Path, people: Sequence[tuple[str, datetime]]) -> str:
    rows = [[name, moment.isoformat()] for name, moment in people]
    return write_csv(path, [["customer_id", "applied"], *rows])


def sort_by_time(people: Sequence[tuple[str, datetime]]) -> list[str]:
    return [name for name, _ in sorted(people, key=lambda person: person[1])]
