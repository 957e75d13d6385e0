"""Tests of the `import` command against a fake service that stores people in the order in which
they arrive.
"""

import csv
import json
import signal
from pathlib import Path

import pytest

from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.interrupting import run_interrupted
from tests.unit.cli.people_files import customers, write_csv, write_customer_file
from tests.unit.cli.typed import Typed
from waitlist_cli.client.retries import RetryPolicy
from waitlist_cli.imports import records, run
from waitlist_cli.imports.records import REJECTION_COLUMNS


def test_people_join_in_the_order_of_the_file(fake: FakeService, tmp_path: Path) -> None:
    """P1"""
    names = customers(1203)
    shown = Typed(fake.url).json("import", "bakery", write_customer_file(tmp_path / "p.csv", names))
    assert (shown["rows"], shown["joined"], shown["whole"]) == (1203, 1203, True)
    assert (fake.line(), fake.imports) == (names, 3)
    assert fake.people["c00007"]["profile"] == {"name": "Name of c00007"}


def test_refused_rows_are_written_to_a_file_and_the_others_are_imported(
    fake: FakeService, tmp_path: Path
) -> None:
    """P5"""
    rows = [["ada", "1"], ["b b", "2"], ["", "3"], ["cyd", "4", "5"], ["dan", "6"]]
    path = write_csv(tmp_path / "p.csv", [["customer_id", "note"], *rows])
    result = Typed(fake.url)("import", "bakery", path)
    assert result.exit_code == 1
    assert fake.line() == ["ada", "dan"]
    assert "2 joined, 0 already on the list, 3 refused" in result.stdout
    refused = list(csv.reader((tmp_path / "p.refused.csv").read_text("utf-8-sig").splitlines()))
    assert refused == [
        ["customer_id", "note", *REJECTION_COLUMNS],
        ["b b", "2", "2", "invalid_request", "Not valid; customer_id: no spaces", "", ""],
        ["", "3", "3", "unusable_row", "no customer id in customer_id", "", ""],
        # If a row has more cells than there are columns, the extra cells are kept as well.
        [
            "cyd",
            "4",
            "4",
            "unusable_row",
            "The row has 3 fields, but the header has 2",
            "cyd,4,5",
            "",
        ],
    ]


def test_the_most_common_reasons_for_refusals_are_printed(
    fake: FakeService, tmp_path: Path
) -> None:
    rows = [["a a"], ["b b"], ["ada", "x"], ["bob"]]
    path = write_csv(tmp_path / "p.csv", [["customer_id"], *rows])
    first = "Not valid; customer_id: no spaces"
    second = "The row has 2 fields, but the header has 1"
    lines = Typed(fake.url)("import", "bakery", path).stdout.splitlines()
    assert lines[1:3] == [f"  2 refused: {first}", f"  1 refused: {second}"]
    shown = json.loads(Typed(fake.url)("--json", "import", "bakery", path).stdout)
    expected = [{"reason": first, "rows": 2}, {"reason": second, "rows": 1}]
    assert shown["reasons"] == expected


def test_a_corrected_file_of_refused_rows_can_be_imported(
    fake: FakeService, tmp_path: Path
) -> None:
    path = write_csv(tmp_path / "p.csv", [["customer_id", "note"], ["b b", "x"]])
    Typed(fake.url)("import", "bakery", path)
    refused = tmp_path / "p.refused.csv"
    refused.write_text(refused.read_text("utf-8").replace("b b", "bob"), "utf-8")
    Typed(fake.url).run("import", "bakery", str(refused))
    assert fake.people["bob"] == {"customer_id": "bob", "profile": {"note": "x"}}


GERMAN = """E-Mail;Straße;Größe
ada@example.com;Ahornstraße;3
b b@example.com;Ulmenstraße;=1
"""


@pytest.mark.parametrize(
    ("name", "content", "encoding", "options"),
    [
        ("p.csv", GERMAN, "cp1252", ["--delimiter", ";", "--encoding", "cp1252"]),
        ("p.csv", GERMAN, "cp1252", ["--delimiter", ";"]),
        ("p.csv", f"sep=;\n{GERMAN}", "utf-8", []),
        ("p.tsv", GERMAN.replace(";", "\t"), "utf-16", ["--encoding", "utf-16"]),
    ],
    ids=["cp1252", "an encoding that was found", "a line with the delimiter", "tabs and utf-16"],
)
def test_the_same_command_imports_the_refused_rows_after_they_are_corrected(
    fake: FakeService, tmp_path: Path, name: str, content: str, encoding: str, options: list[str]
) -> None:
    (tmp_path / name).write_text(content, encoding)
    refused = tmp_path / name.replace(".", ".refused.")
    words = ["import", "bakery", "--delimiter", ";", *options]
    result = Typed(fake.url)(*words, str(tmp_path / name))
    said = f"The refused rows and the reasons are in {refused}. Correct the rows"
    assert (result.exit_code, said in result.stdout) == (1, True)
    mended = refused.read_text(encoding).replace("b b@", "bob@")
    refused.write_text(mended, encoding)
    Typed(fake.url).run(*words, str(refused))
    profile = {"Straße": "Ulmenstraße", "Größe": "=1", "email": "bob@example.com"}
    assert fake.people["bob@example.com"] == {"customer_id": "bob@example.com", "profile": profile}


def test_refused_rows_are_read_in_the_same_way_as_their_file(
    fake: FakeService, tmp_path: Path
) -> None:
    """Refused rows are imported with the settings of the original import, because they may be
    ambiguous on their own.

    For example, 02/03/2026 can be 2 March or 3 February (promise P5).
    """
    rows = [["13/01/2026", "none", "ada@x.com"], ["14/01/2026", "none", "bob@x.com"]]
    rows.append(["02/03/2026", "dan@x.com", "cyd@x.com", "a cell too many"])
    path = write_csv(tmp_path / "p.csv", [["applied", "friend", "contact"], *rows])
    words = ["import", "bakery", "--keep-time", "applied"]
    assert Typed(fake.url)(*words, path).exit_code == 1
    refused = tmp_path / "p.refused.csv"
    # One row has a cell too many, which the command has written to an extra column.
    result = Typed(fake.url)(*words, str(refused))
    assert result.exit_code == 0
    assert "Times are read in the format %d/%m/%Y (--time-format)." in result.stderr
    assert fake.people["cyd@x.com"]["joined_at"] == "2026-03-02T00:00:00Z"
    assert fake.people["cyd@x.com"]["profile"] == {"email": "cyd@x.com", "friend": "dan@x.com"}


def test_json_lines_are_read_and_bad_lines_are_refused(fake: FakeService, tmp_path: Path) -> None:
    lines = [
        '{"customer_id": "ada", "profile": {"party": 2}, "attributes": {"a": ["b", "c"]}}',
        "",
        "{broken",
        '["bob"]',
        '{"customer_id": "n", "x": NaN}',
        '{"customer_id": "s", "x": "\\ud800"}',
        '{"customer_id": "t", "customer_id": "u"}',
        '{"customer_id": "cyd"}',
    ]
    path = tmp_path / "p.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    result = Typed(fake.url)("import", "bakery", str(path))
    assert result.exit_code == 1
    assert fake.line() == ["ada", "cyd"]
    assert fake.people["ada"]["attributes"] == {"a": ["b", "c"]}
    written = (tmp_path / "p.refused.jsonl").read_text("utf-8").splitlines()
    refused = [json.loads(line) for line in written]
    assert [one["refused_row"] for one in refused] == [2, 3, 4, 5, 6]
    assert refused[0]["refused_line"] == "{broken"
    assert "not a JSON object" in refused[1]["refused_reason"]


def test_only_the_row_that_is_not_utf_8_is_refused(fake: FakeService, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes("customer_id,name\nada,Zoë\n".encode() + b"bob,Zo\xeb\ncyd,x\n")
    assert Typed(fake.url)("import", "bakery", str(path)).exit_code == 1
    assert fake.line() == ["ada", "cyd"]
    assert fake.people["ada"]["profile"] == {"name": "Zoë"}
    assert (
        b'"bob","Zo\xeb","2","unusable_row","has bytes that are not in the encoding of the file"'
        in (tmp_path / "p.refused.csv").read_bytes()
    )


def test_standard_input_is_read(fake: FakeService, tmp_path: Path) -> None:
    words = ["import", "bakery", "-", "--format", "csv", "--refused", str(tmp_path / "r.csv")]
    shown = Typed(fake.url).json(*words, stdin="customer_id\nada\nbob\n")
    assert (shown["joined"], fake.line()) == (2, ["ada", "bob"])


@pytest.mark.parametrize(
    ("name", "content", "words", "advice"),
    [
        ("p.csv", "", [], "must name its columns"),
        ("p.csv", "a,a\n1,2\n", [], "columns with the same name: a"),
        ("p.csv", "name\n1\n", [], "--customer NAME"),
        ("p.txt", "customer_id\nada\n", [], "--format"),
        ("p.csv", "customer_id\nada\n", ["--delimiter", ";;"], "a single character"),
        ("p.csv", "customer_id\nada\n", ["--from-row", "0"], "--from-row"),
    ],
)
def test_an_invalid_file_sends_nothing(
    fake: FakeService, tmp_path: Path, name: str, content: str, words: list[str], advice: str
) -> None:
    """P5"""
    path = tmp_path / name
    path.write_text(content, "utf-8")
    result = Typed(fake.url)("import", "bakery", str(path), *words, NO_COLOR="1")
    assert (result.exit_code, fake.requests) == (2, [])
    assert advice in result.stderr


def test_a_missing_file_is_an_error(fake: FakeService, tmp_path: Path) -> None:
    result = Typed(fake.url)("import", "bakery", str(tmp_path / "none.csv"))
    assert (result.exit_code, "No such file" in result.stderr) == (2, True)


def test_an_unclosed_quote_does_not_read_the_whole_file_as_a_single_row(
    fake: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a quotation mark is never closed, the command names the line and stops early, without
    reading the whole file into memory (promise P9).
    """
    monkeypatch.setattr(records, "MOST_CHARACTERS", 2000)
    path = tmp_path / "p.csv"
    path.write_text('customer_id\nada\n"bob\n' + "cyd\n" * 1000, "utf-8")
    result = Typed(fake.url)("import", "bakery", str(path))
    assert result.exit_code == 2
    assert "line 503" in result.stderr


def test_a_line_that_is_too_long_is_refused_alone(
    fake: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P9"""
    monkeypatch.setattr(records, "MOST_CHARACTERS", 100)
    path = tmp_path / "p.jsonl"
    long = json.dumps({"customer_id": "bob", "x": "y" * 1000})
    path.write_text(f'{{"customer_id": "ada"}}\n{long}\n{{"customer_id": "cyd"}}\n', "utf-8")
    assert Typed(fake.url)("import", "bakery", str(path)).exit_code == 1
    assert fake.line() == ["ada", "cyd"]


def test_after_a_503_the_same_rows_are_sent_again(fake: FakeService, tmp_path: Path) -> None:
    """P2"""
    busy = answer(503, {"code": "rebuilding", "detail": "d"}, Retry_After="0")
    fake.script = [busy]
    path = write_customer_file(tmp_path / "p.csv", customers(3))
    assert Typed(fake.url).json("import", "bakery", path)["joined"] == 3
    assert fake.requests[0][3] == fake.requests[1][3]


def test_rows_whose_response_was_lost_are_counted_as_joined(
    fake: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a response is lost, the command sends the request a second time and counts its rows as
    joined (promise P2).
    """
    monkeypatch.setattr(run, "HASTY", RetryPolicy(tries=2))
    fake.lost_answers = 3
    names = [*customers(600), "c00001", "c00599"]
    path = write_customer_file(tmp_path / "p.csv", names)
    shown = Typed(fake.url).json("import", "bakery", path)
    assert (shown["joined"], shown["already"]) == (600, 2)
    again = Typed(fake.url).json("import", "bakery", path)
    assert (again["joined"], again["already"]) == (0, 602)


def test_calls_become_smaller_while_the_service_is_busy(
    fake: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the service is busy, an import sends smaller requests.

    One busy minute neither stops a long import nor changes its order (promises P1 and P3).
    """
    monkeypatch.setattr(run, "HASTY", RetryPolicy(tries=1))
    busy = answer(503, {"code": "record_unavailable", "detail": "d"}, Retry_After="0")
    fake.script = [busy] * 3
    shown = Typed(fake.url).json(
        "import", "bakery", write_customer_file(tmp_path / "p.csv", customers(1100))
    )
    assert (shown["joined"], fake.line()) == (1100, customers(1100))
    sizes = [len(json.loads(body)["entries"]) for _, _, _, body in fake.requests]
    assert sizes == [500, 250, 125, 62, 124, 248, 66, 500, 100]


def test_a_service_that_stays_unavailable_ends_the_import(
    fake: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P9"""
    for name in ("HASTY", "PATIENT"):
        monkeypatch.setattr(run, name, RetryPolicy(tries=1))
    busy = answer(503, {"code": "record_unavailable", "detail": "Later."}, Retry_After="0")
    fake.script = [busy] * 100
    result = Typed(fake.url)(
        "import", "bakery", write_customer_file(tmp_path / "p.csv", customers(1100))
    )
    assert (result.exit_code, "Later." in result.stderr) == (3, True)
    assert len(fake.requests) == 6


def test_an_import_can_start_at_a_row(fake: FakeService, tmp_path: Path) -> None:
    names = ["a a", *customers(20), "b b"]
    path = write_customer_file(tmp_path / "p.csv", names)
    (tmp_path / "p.refused.csv").write_text("as it was\n", "utf-8")
    shown = Typed(fake.url)("--json", "import", "bakery", path, "--from-row", "12")
    assert json.loads(shown.stdout)["rows"] == 11
    assert fake.line() == customers(20)[10:]
    kept = (tmp_path / "p.refused.csv").read_text("utf-8").splitlines()
    assert (kept[0], kept[1].split(",")[2]) == ("as it was", '"22"')


def test_ctrl_c_stops_after_the_current_call_and_shows_how_to_continue(
    fake: FakeService, tmp_path: Path
) -> None:
    path = write_customer_file(tmp_path / "p.csv", customers(1600))
    code, out, err = run_interrupted(fake, signal.SIGINT, "--json", "import", "bakery", path)
    shown = json.loads(out)
    assert (code, shown["rows"], shown["whole"]) == (130, 1000, False)
    assert "Stopping" in err
    assert "--from-row 1001" in err
    assert fake.line() == customers(1000)
    Typed(fake.url).run("import", "bakery", path, "--from-row", "1001")
    assert fake.line() == customers(1600)


def test_customer_ids_that_a_guest_has_signed_up_are_reported(
    fake: FakeService, tmp_path: Path
) -> None:
    names = customers(13)
    fake.people.update({name: {} for name in names})
    fake.guests.update(names[:12])
    path = write_customer_file(tmp_path / "p.csv", names)
    result = Typed(fake.url)("import", "bakery", path)
    assert result.exit_code == 0
    assert "12 customers have an entry that a guest signed up" in result.stderr
    assert "(rows 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)" in result.stderr
    assert "--on-list replace" in result.stderr
    shown = Typed(fake.url).json("import", "bakery", path)
    assert (shown["warnings"], shown["warned_rows"]) == (12, list(range(1, 11)))


def test_only_an_option_lets_an_import_replace_guests(fake: FakeService, tmp_path: Path) -> None:
    path = write_customer_file(tmp_path / "p.csv", ["ada"])
    Typed(fake.url).run("import", "bakery", path)
    Typed(fake.url).run("import", "bakery", path, "--on-list", "replace")
    sent = [json.loads(body) for _, _, _, body in fake.requests]
    assert [one.get("on_list") for one in sent] == [None, "replace"]
