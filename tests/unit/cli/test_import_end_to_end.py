"""Files into the real service: exactly the file's people in exactly its order."""

import csv
import io
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import wait_until
from tests.unit.cli.conftest import Bakery
from tests.unit.cli.people_files import (
    by_time,
    customers,
    file_of,
    shuffled_times,
    timed_file,
    write_csv,
)
from waitlist_cli.ids import entry_id_of

COUNT = 1200


def waiting(bakery: Bakery) -> int:
    return int(bakery.typed.json("stats", bakery.waitlist_id)["waiting"])


@contextmanager
def under_way(bakery: Bakery, path: str, *words: str) -> Iterator["subprocess.Popen[str]"]:
    """Import all rows of a file but the last in a process of its own, which waits for that one."""
    *rows, _ = Path(path).read_text("utf-8").splitlines(keepends=True)
    words = ("import", bakery.waitlist_id, "-", "--format", "csv", *words)
    process = bakery.typed.process("--json", *words, stdin=subprocess.PIPE)
    with process:
        try:
            assert process.stdin
            process.stdin.writelines(rows)
            process.stdin.flush()
            yield process
        finally:
            process.kill()


def test_people_come_in_the_order_of_the_file(bakery: Bakery, tmp_path: Path) -> None:
    """P1"""
    path = file_of(tmp_path / "p.csv", customers(620))
    told = bakery.typed.json("import", bakery.waitlist_id, path)
    assert (told["joined"], told["refused"]) == (620, 0)
    assert bakery.line() == customers(620)
    person = bakery.typed.json("show", bakery.waitlist_id, "--customer", "c00007")
    assert person["profile"] == {"name": "Name of c00007"}
    assert [(event["event"], event["by"]) for event in person["history"]] == [
        ("joined", "arn:aws:iam::123456789012:user/local")
    ]


def test_people_stand_where_they_would_had_they_signed_up_then(
    bakery: Bakery, tmp_path: Path
) -> None:
    """P1: among those who are there already, and those of one time in the order of the file."""
    bakery.sign_up("today")
    people = shuffled_times(customers(620))
    path = timed_file(tmp_path / "p.csv", people)
    bakery.typed.done("import", bakery.waitlist_id, path, "--keep-time", "applied")
    assert bakery.line() == [*by_time(people), "today"]
    first, moment = min(people, key=lambda person: person[1])
    shown = bakery.typed.json("show", bakery.waitlist_id, "--customer", first)
    assert shown["joined_at"] == moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.mark.parametrize("keep_time", [False, True])
def test_killed_in_the_middle_and_run_again_it_is_the_files_line(
    bakery: Bakery, tmp_path: Path, keep_time: bool
) -> None:
    """P2 P3"""
    names = customers(COUNT)
    people = shuffled_times(names)
    path = timed_file(tmp_path / "p.csv", people)
    words = ["--keep-time", "applied"] if keep_time else []
    with under_way(bakery, path, *words) as process:
        wait_until(lambda: waiting(bakery) >= 600)
        process.kill()
    told = bakery.typed.json("import", bakery.waitlist_id, path, *words)
    assert told["joined"] + told["already"] == COUNT
    assert told["already"] >= 600
    assert bakery.line() == (by_time(people) if keep_time else names)
    stats = bakery.typed.json("stats", bakery.waitlist_id)
    assert (stats["waiting"], stats["signed_up"]) == (COUNT, COUNT)


def test_ctrl_c_and_going_on_at_the_row_that_it_names_makes_the_same_line(
    bakery: Bakery, tmp_path: Path
) -> None:
    """P2"""
    path = file_of(tmp_path / "p.csv", customers(COUNT))
    with under_way(bakery, path) as process:
        wait_until(lambda: waiting(bakery) >= 500)
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    told = json.loads(out)
    assert (process.returncode, told["whole"]) == (130, False)
    following = told["last_row"] + 1
    assert f"--from-row {following}" in err
    bakery.typed.done("import", bakery.waitlist_id, path, "--from-row", str(following))
    assert bakery.line() == customers(COUNT)


def test_bad_rows_are_refused_alone_and_mended_ones_come_in(bakery: Bakery, tmp_path: Path) -> None:
    """P5"""
    rows = [
        ["customer_id", "language", "vip", "applied"],
        ["ada", "English", "0", "2026-03-01T09:00:00Z"],
        ["b b", "English", "0", "2026-03-01T09:00:00Z"],
        ["cyd", "English;Spanish", "256", "2026-03-01T09:00:00Z"],
        ["dan", "Spanish", "1", "2999-01-01T00:00:00Z"],
        ["eve", "Spanish", "1", "2019-12-31T23:59:59Z"],
        ["fay", "English;Spanish", "1", "2026-03-01T08:00:00Z"],
    ]
    path = write_csv(tmp_path / "p.csv", rows)
    words = ["--attribute", "language", "--priority", "vip", "--keep-time", "applied"]
    result = bakery.typed("import", bakery.waitlist_id, path, *words)
    assert result.exit_code == 1
    assert bakery.line() == ["fay", "ada"]
    # Shown as it was written, and two values, of which either finds her.
    assert "language=English;Spanish" in bakery.typed.done("head", bakery.waitlist_id)
    waiting_by = bakery.typed.json("segments", bakery.waitlist_id)["segments"]
    assert {"segment": {"language": "Spanish"}, "waiting": 1} in waiting_by
    refused = tmp_path / "p.refused.csv"
    reasons = list(csv.DictReader(refused.read_text("utf-8").splitlines()))
    assert [one["customer_id"] for one in reasons] == ["b b", "cyd", "dan", "eve"]
    assert all(one["refused_code"] == "invalid_request" for one in reasons)
    assert "2020" in reasons[3]["refused_reason"]
    mended = refused.read_text("utf-8").replace("b b", "bob").replace("256", "2")
    refused.write_text(mended.replace("2999", "2026").replace("2019", "2025"), "utf-8")
    bakery.typed.done("import", bakery.waitlist_id, str(refused), *words)
    assert bakery.line() == ["cyd", "eve", "dan", "fay", "ada", "bob"]


def test_a_full_waitlist_refuses_who_is_too_many(bakery: Bakery, tmp_path: Path) -> None:
    bakery.typed.done("edit", bakery.waitlist_id, "--capacity", "2")
    path = file_of(tmp_path / "p.csv", customers(3))
    assert bakery.typed("import", bakery.waitlist_id, path).exit_code == 1
    assert "waitlist_full" in (tmp_path / "p.refused.csv").read_text("utf-8")
    assert bakery.line() == customers(2)


def test_an_export_makes_the_same_line_elsewhere(bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob", "cyd", profile={"n": 1}, attributes={"language": ["a", "b"]})
    bakery.typed.done("bump", bakery.waitlist_id, "--customer", "cyd", "--priority", "3")
    other = f"{bakery.waitlist_id}-2"
    bakery.typed.done("create", other)
    words = ["--keep-time", "joined_at", "--priority", "priority", "--others", "drop"]
    for form in ("csv", "jsonl"):
        text = bakery.typed.done("export", bakery.waitlist_id, "--format", form)
        bakery.typed.done("import", other, "-", "--format", form, *words, stdin=text)
    copied = bakery.typed.json("head", other)["entries"]
    original = bakery.typed.json("head", bakery.waitlist_id)["entries"]
    same = ("customer_id", "position", "priority", "profile", "attributes", "joined_at")
    assert [[one[name] for name in same] for one in copied] == [
        [one[name] for name in same] for one in original
    ]


def test_one_person_is_signed_up_as_typed(bakery: Bakery) -> None:
    """P2"""
    words = ["signup", bakery.waitlist_id, "ada", "--set", "name=Ada", "--priority", "3"]
    told: dict[str, Any] = bakery.typed.json(*words)
    assert (told["outcome"], told["position"], told["priority"]) == ("joined", 1, 3)
    assert told["entry_id"] == entry_id_of(bakery.waitlist_id, "ada")
    assert bakery.typed.json(*words)["outcome"] == "already"
    bakery.typed.done("close", bakery.waitlist_id)
    early = ["--priority", "3", "--joined-at", "2026-03-01T09:00:00Z"]
    bakery.typed.done("signup", bakery.waitlist_id, "bob", *early)
    assert bakery.line() == ["bob", "ada"]


def test_a_file_flows_in_from_another_program(bakery: Bakery) -> None:
    """The whole way, as a shell would do it."""
    text = io.StringIO()
    csv.writer(text).writerows([["customer_id"], *[[name] for name in customers(30)]])
    process = bakery.typed.process(
        "import", bakery.waitlist_id, "-", "--format", "csv", stdin=subprocess.PIPE
    )
    out, err = process.communicate(text.getvalue(), timeout=60)
    assert process.returncode == 0, err
    assert "30 joined" in out
    assert bakery.line() == customers(30)
