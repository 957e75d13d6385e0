"""`waitlist import --dry-run`, and the columns that the command guesses."""

import json
from pathlib import Path

from tests.unit.cli.fake_service import FakeService
from tests.unit.cli.people_files import write_csv
from tests.unit.cli.typed import Typed

NAMES = [f"c{number:02}@example.com" for number in range(30)]


def test_the_first_and_last_ten_are_shown_in_their_new_order(
    fake: FakeService, tmp_path: Path
) -> None:
    rows = [[name, f"11/{30 - number}/2025 9:05:12"] for number, name in enumerate(NAMES)]
    path = write_csv(tmp_path / "p.csv", [["Email Address", "Timestamp"], *rows])
    words = ["import", "bakery", path, "--keep-time", "Timestamp", "--dry-run"]
    found = Typed(fake.url).json(*words)
    assert [one["customer_id"] for one in found["first"]] == NAMES[:-11:-1]
    assert [one["customer_id"] for one in found["last"]] == NAMES[9::-1]
    assert found["first"][0]["joined_at"] == "2025-11-01T09:05:12Z"
    result = Typed(fake.url)(*words)
    assert "Nothing was sent. 30 rows: 30 people, 0 duplicates, 0 refused." in result.stdout
    assert "customer ids are in the column Email Address (--customer)" in result.stderr
    assert "Times are read as %m/%d/%Y %H:%M:%S (--time-format)" in result.stderr
    assert fake.requests == []


def test_priorities_go_first_and_people_without_a_time_last(
    fake: FakeService, tmp_path: Path
) -> None:
    rows = [["late", "", ""], ["early", "2025-01-01T00:00Z", ""], ["vip", "", "7"], ["end", "", ""]]
    path = write_csv(tmp_path / "p.csv", [["customer_id", "at", "p"], *rows])
    words = ("--keep-time", "at", "--priority", "p", "--dry-run")
    found = Typed(fake.url).json("import", "bakery", path, *words)
    assert [one["customer_id"] for one in found["first"]] == ["vip", "early", "late", "end"]
    assert found["last"] == []


def test_duplicates_and_refusals_are_named(fake: FakeService, tmp_path: Path) -> None:
    lines = [
        {"customer_id": "ada"},
        {"customer_id": "ada", "profile": {"name": "again"}},
        {"customer_id": "a b"},
        {"customer_id": "bob", "profile": {"note": "x" * 9000}},
        {"customer_id": "cyd", "attributes": {"Party Size": "4"}},
        {"customer_id": "dan", "attributes": {"party": "x" * 65}},
        {"name": "eve"},
    ]
    path = tmp_path / "p.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    result = Typed(fake.url)("--json", "import", "bakery", str(path), "--dry-run")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["people"], found["refused"]) == (1, 1, 5)
    assert found["duplicate_rows"] == [{"row": 2, "former_row": 1, "customer_id": "ada"}]
    shown = Typed(fake.url)("import", "bakery", str(path), "--dry-run").stdout
    assert "Nothing was sent. 7 rows: 1 person, 1 duplicate, 5 refused." in shown
    reasons = " ".join(one["reason"] for one in found["reasons"])
    for word in ("without blanks", "8,192 bytes", "party_size", "64 letters", "no customer id"):
        assert word in reasons
    assert fake.requests == []


def test_the_service_accepts_the_rows_that_a_dry_run_accepts(
    fake: FakeService, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "p.csv", [["Name", "E-Mail"], ["Ada", "a@example.com"]])
    assert Typed(fake.url).json("import", "bakery", path)["joined"] == 1
    assert fake.people["a@example.com"]["profile"] == {"Name": "Ada"}
