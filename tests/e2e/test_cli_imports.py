"""Tests `waitlist import` with a running service.

The command adds exactly the people in the file, in the file's order.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.processes import Service, wait_until
from tests.unit.cli.conftest import Bakery, new_bakery
from tests.unit.cli.people_files import (
    assign_shuffled_times,
    customers,
    sort_by_time,
    write_customer_file,
    write_timed_file,
)
from tests.unit.cli.typed import Typed

# A request can contain at most 500 people, so this import needs two requests.
COUNT = 520


@pytest.fixture
def bakery(service: Service) -> Bakery:
    return new_bakery(Typed(service.url))


def count_waiting(bakery: Bakery) -> int:
    return int(bakery.typed.json("stats", bakery.waitlist_id)["waiting"])


@contextmanager
def running_import(bakery: Bakery, path: str, *words: str) -> Iterator["subprocess.Popen[str]"]:
    """Starts an import that never receives its last row, so the command keeps running."""
    *rows, _ = Path(path).read_text("utf-8").splitlines(keepends=True)
    words = ("import", bakery.waitlist_id, "-", "--format", "csv", *words)
    process = bakery.typed.start("--json", *words, stdin=subprocess.PIPE)
    with process:
        try:
            assert process.stdin
            process.stdin.writelines(rows)
            process.stdin.flush()
            yield process
        finally:
            process.kill()


def test_imported_people_get_the_places_of_their_original_signup_times(
    bakery: Bakery, tmp_path: Path
) -> None:
    """Imported people get the place that matches their original signup time, even among people who
    are already on the waitlist (promise P1).

    People with the same signup time keep the order of the file.
    """
    bakery.sign_up("today")
    people = assign_shuffled_times(customers(COUNT))
    path = write_timed_file(tmp_path / "p.csv", people)
    bakery.typed.run("import", bakery.waitlist_id, path, "--keep-time", "applied")
    assert bakery.line() == [*sort_by_time(people), "today"]
    first, moment = min(people, key=lambda person: person[1])
    shown = bakery.typed.json("show", bakery.waitlist_id, "--customer", first)
    assert shown["joined_at"] == moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.mark.parametrize("keep_time", [False, True])
def test_an_import_that_was_killed_can_be_run_again(
    bakery: Bakery, tmp_path: Path, keep_time: bool
) -> None:
    """P2 P3"""
    names = customers(COUNT)
    people = assign_shuffled_times(names)
    path = write_timed_file(tmp_path / "p.csv", people)
    words = ["--keep-time", "applied"] if keep_time else []
    with running_import(bakery, path, *words) as process:
        wait_until(lambda: count_waiting(bakery) >= 300)
        process.kill()
    summary = bakery.typed.json("import", bakery.waitlist_id, path, *words)
    assert summary["joined"] + summary["already"] == COUNT
    # The last request of the killed import may still be running, so the exact number is not known.
    assert summary["already"] > 0
    assert bakery.line() == (sort_by_time(people) if keep_time else names)
    stats = bakery.typed.json("stats", bakery.waitlist_id)
    assert (stats["waiting"], stats["signed_up"]) == (COUNT, COUNT)


def test_a_full_waitlist_refuses_the_rows_beyond_its_capacity(
    bakery: Bakery, tmp_path: Path
) -> None:
    bakery.typed.run("edit", bakery.waitlist_id, "--capacity", "2")
    path = write_customer_file(tmp_path / "p.csv", customers(3))
    assert bakery.typed("import", bakery.waitlist_id, path).exit_code == 1
    assert "waitlist_full" in (tmp_path / "p.refused.csv").read_text("utf-8")
    assert bakery.line() == customers(2)
