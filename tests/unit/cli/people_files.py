"""Files of people as operators have them."""

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


def file_of(path: Path, names: Sequence[str]) -> str:
    """Write a file with a customer in each row."""
    return write_csv(
        path, [["customer_id", "name"], *[[name, f"Name of {name}"] for name in names]]
    )


def shuffled_times(names: Sequence[str]) -> list[tuple[str, datetime]]:
    """Give each a time; the order of the times is not that of the names, and some are the same."""
    count = len(names)
    return [
        (name, BEGAN + timedelta(minutes=(number * 7919 % count) // 2))
        for number, name in enumerate(names)
    ]


def timed_file(path: Path, people: Sequence[tuple[str, datetime]]) -> str:
    rows = [[name, moment.isoformat()] for name, moment in people]
    return write_csv(path, [["customer_id", "applied"], *rows])


def by_time(people: Sequence[tuple[str, datetime]]) -> list[str]:
    """Return the line that these make: by time, those of one time in the order of the file."""
    return [name for name, _ in sorted(people, key=lambda person: person[1])]
