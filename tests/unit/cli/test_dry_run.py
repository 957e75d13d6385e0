"""`waitlist import --dry-run` shows what an import would do and how it would read the columns."""

import json
from pathlib import Path

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.fake_service import FakeService
from tests.unit.cli.people_files import write_csv
from tests.unit.cli.typed import Typed
from waitlist_cli.imports.run import NO_ADDRESS

NAMES = [f"c{number:02}@example.com" for number in range(30)]


def test_the_first_and_last_ten_people_are_shown_in_the_new_order(
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
    assert "customer ids are read from the column Email Address (--customer)" in result.stderr
    assert "Times are read in the format %m/%d/%Y %H:%M:%S (--time-format)" in result.stderr
    # The only request is for the waitlist's time zone.
    assert {method for method, *_ in fake.requests} == {"GET"}


def test_priorities_come_first_and_people_without_a_time_last(
    fake: FakeService, tmp_path: Path
) -> None:
    rows = [["late", "", ""], ["early", "2025-01-01T00:00Z", ""], ["vip", "", "7"], ["end", "", ""]]
    path = write_csv(tmp_path / "p.csv", [["customer_id", "at", "p"], *rows])
    words = ("--keep-time", "at", "--priority", "p", "--dry-run")
    found = Typed(fake.url).json("import", "bakery", path, *words)
    assert [one["customer_id"] for one in found["first"]] == ["vip", "early", "late", "end"]
    assert found["last"] == []


def test_times_are_compared_across_formats_and_offsets(fake: FakeService, tmp_path: Path) -> None:
    """An import sorts people by when they joined, to the millisecond, even if the times have
    different formats and UTC offsets.

    People with equal times stay in the order of the file.
    """
    times = {
        "half": "2026-03-01T09:00:00.500Z",
        "whole": "2026-03-01T09:00:00Z",
        "offset": "2026-03-01T09:59:59+01:00",
        "later in the file": "2026-03-01T09:00:00.000900Z",
        "earlier within": "2026-03-01T09:00:00.000100Z",
    }
    path = write_csv(
        tmp_path / "p.csv",
        [
            ["name", "customer_id", "at"],
            *[[name, name.replace(" ", "-"), at] for name, at in times.items()],
        ],
    )
    found = Typed(fake.url).json("import", "bakery", path, "--keep-time", "at", "--dry-run")
    assert [one["customer_id"] for one in found["first"]] == [
        *("offset", "whole", "later-in-the-file", "earlier-within", "half"),
    ]


def test_a_dry_run_shows_the_order_that_the_import_creates(bakery: Bakery, tmp_path: Path) -> None:
    """P1"""
    moments = ["09:00:00.5", "09:00:00", "09:00:00.0009", "09:00:00.0001", "08:59:59.999", ""]
    rows = [
        [f"c{number}", f"2026-03-01T{at}Z" if at else "", str(number % 2)]
        for number, at in enumerate(moments)
    ]
    path = write_csv(tmp_path / "p.csv", [["customer_id", "at", "vip"], *rows])
    words = ("import", bakery.waitlist_id, path, "--keep-time", "at", "--priority", "vip")
    tried = bakery.typed.json(*words, "--dry-run")["first"]
    bakery.typed.run(*words)
    assert [one["customer_id"] for one in tried] == bakery.line()


def test_ambiguous_times_are_counted(fake: FakeService, tmp_path: Path) -> None:
    rows = [[f"c{number}", f"2026-10-25 0{number}:30"] for number in range(5)]
    path = write_csv(tmp_path / "p.csv", [["customer_id", "at"], *rows])
    words = ["import", "bakery", path, "--keep-time", "at", "--zone", "Europe/Berlin"]
    note = "Times that occur twice in Europe/Berlin: read as the earlier time"
    assert f"  1: {note}" in Typed(fake.url).run(*words, "--dry-run")
    assert f"  1: {note}" in Typed(fake.url).run(*words)
    assert Typed(fake.url).json(*words)["notes"] == [{"note": note, "rows": 1}]


def test_people_from_another_programs_file_can_get_messages(bakery: Bakery, tmp_path: Path) -> None:
    """In a file from another program, an import recognises the columns with email addresses and
    telephone numbers, so that people can receive messages. The report says how many people no
    message can reach.
    """
    numbers = ("--sms-countries", "DE", "--sms-number-types", "fixed_line")
    bakery.typed.run("edit", bakery.waitlist_id, "--messages", "offered", *numbers)
    rows = [["1", "ada@example.com", "+49 30 901820"], ["2", "", ""], ["3", "", "+49 30 901821"]]
    path = write_csv(tmp_path / "p.csv", [["id", "Email Address", "Mobile"], *rows])
    result = bakery.typed("import", bakery.waitlist_id, path)
    assert result.exit_code == 0
    assert (
        "The email addresses in the column Email Address are stored as profile.email"
        in result.stderr
    )
    assert "The telephone numbers in the column Mobile are stored as profile.phone" in result.stderr
    assert f"  1: {NO_ADDRESS}" in result.stdout
    people = bakery.typed.json("head", bakery.waitlist_id)["entries"]
    assert [one["profile"] for one in people] == [
        {"email": "ada@example.com", "phone": "+49 30 901820"},
        {},
        {"phone": "+49 30 901821"},
    ]
    told = write_csv(tmp_path / "q.csv", [["id", "Email Address"], ["4", "d@example.com"]])
    result = bakery.typed("import", bakery.waitlist_id, told, "--map", "Email Address=profile.mail")
    assert "go into" not in result.stderr
    assert f"  1: {NO_ADDRESS}" in result.stdout


def test_duplicates_and_refused_rows_are_reported(fake: FakeService, tmp_path: Path) -> None:
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
    for word in ("without spaces", "8,192 bytes", "party_size", "64 characters", "no customer id"):
        assert word in reasons
    assert fake.requests == []


def test_the_service_accepts_the_rows_that_a_dry_run_accepts(
    fake: FakeService, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "p.csv", [["Name", "E-Mail"], ["Ada", "a@example.com"]])
    assert Typed(fake.url).json("import", "bakery", path)["joined"] == 1
    assert fake.people["a@example.com"]["profile"] == {"Name": "Ada", "email": "a@example.com"}
