"""The command line reads files written by other programs.

It accepts the good rows and reports the bad ones.
"""

import csv
import errno
import io
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.unit.cli.fake_service import FakeService
from tests.unit.cli.typed import Typed


def write_file(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    return str(path)


def test_an_unclosed_quote_is_an_error_and_imports_no_row_after_it(
    fake: FakeService, tmp_path: Path
) -> None:
    """P5"""
    content = b'customer_id,name\nada,"A\nB"\nbob,"Bob\ncyd,C\ndan,D\n'
    result = Typed(fake.url)("import", "bakery", write_file(tmp_path / "p.csv", content))
    assert result.exit_code == 2
    assert "line 4: a quote in this row is never closed" in result.stderr
    assert "bob" not in fake.line()


@pytest.mark.parametrize(
    "content",
    ["customer_id,Straße\nada,x\n".encode("latin-1"), "customer_id,name\nada,Ü\n".encode("utf-16")],
    ids=["latin-1", "utf-16"],
)
def test_a_file_in_another_encoding_is_an_error_before_any_request(
    fake: FakeService, tmp_path: Path, content: bytes
) -> None:
    """P5"""
    path = write_file(tmp_path / "p.csv", content)
    result = Typed(fake.url)("import", "bakery", path, "--encoding", "utf-8")
    assert (result.exit_code, fake.requests) == (2, [])
    assert "is not in the encoding UTF-8. Choose another encoding" in result.stderr


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl"])
def test_a_file_without_the_byte_order_mark_of_its_encoding_is_an_error(
    fake: FakeService, tmp_path: Path, name: str
) -> None:
    """P5"""
    path = write_file(tmp_path / name, b"customer_id,name\nada,A\n")
    result = Typed(fake.url)("import", "bakery", path, "--encoding", "utf-16")
    assert (result.exit_code, fake.requests) == (2, [])
    assert (
        "is not in the encoding UTF-16 (Unicode text from Excel). Choose another encoding"
        in result.stderr
    )


@pytest.mark.parametrize(("delimiter", "option"), [(";", "';'"), ("\t", "tab"), ("|", "'|'")])
def test_another_delimiter_is_detected_and_suggested(
    fake: FakeService, tmp_path: Path, delimiter: str, option: str
) -> None:
    path = write_file(tmp_path / "p.csv", f"customer_id{delimiter}name\nada{delimiter}A\n".encode())
    result = Typed(fake.url)("import", "bakery", path)
    assert result.exit_code == 2
    assert f"--delimiter {option}" in result.stderr


@pytest.mark.parametrize("line", ["sep=;", "SEP=;\r", '"sep=;"', "\ufeffsep=;"])
def test_the_first_line_of_a_file_can_declare_its_delimiter(
    fake: FakeService, tmp_path: Path, line: str
) -> None:
    """A first line such as `sep=;`, which Excel also understands, says which character separates
    the columns.

    The `--delimiter` option overrides it.
    """
    content = f"{line}\ncustomer_id;name\nada;A, B\n".encode()
    path = write_file(tmp_path / "p.csv", content)
    Typed(fake.url).run("import", "bakery", path)
    assert fake.people["ada"]["profile"] == {"name": "A, B"}
    bad = write_file(tmp_path / "bad.csv", content + b'bob;"never closed\n')
    result = Typed(fake.url)("import", "bakery", bad)
    assert "line 4: a quote in this row is never closed" in result.stderr


def test_columns_without_a_name_may_be_empty(fake: FakeService, tmp_path: Path) -> None:
    """Spreadsheets may write columns without a name, in every row or only in a few.

    No value in such a column is lost silently.
    """
    content = b"customer_id,,name,,\nada,,A,,\nbob,,B\ncyd,,C,,,,\ndan,x,D,,\neve,,E,,,x\n"
    path = write_file(tmp_path / "p.csv", content)
    result = Typed(fake.url)("import", "bakery", path)
    assert {name: one["profile"] for name, one in fake.people.items()} == {
        "ada": {"name": "A"},
        "cyd": {"name": "C"},
    }
    assert "'x' is in column 2, which has no name" in result.stdout
    assert "3 fields, but the header has 5" in result.stdout
    text = (tmp_path / "p.refused.csv").read_text("utf-8-sig")
    refused = {one["customer_id"]: one["refused_line"] for one in csv.DictReader(text.splitlines())}
    assert refused == {"bob": "bob,,B", "dan": "dan,x,D,,", "eve": "eve,,E,,,x"}


def test_apostrophes_that_another_program_has_written_are_kept(
    fake: FakeService, tmp_path: Path
) -> None:
    """An import removes an apostrophe in front of a formula, because other programs write such
    apostrophes too.

    All other apostrophes stay.
    """
    path = write_file(
        tmp_path / "p.csv", b"customer_id,a,b\nada,'+49 1,\"x, '@home; '-\"\nb b,',\n"
    )
    assert Typed(fake.url)("import", "bakery", path).exit_code == 1
    assert fake.people["ada"]["profile"] == {"a": "+49 1", "b": "x, '@home; '-"}


def test_a_refused_row_keeps_its_extra_cells(fake: FakeService, tmp_path: Path) -> None:
    path = write_file(tmp_path / "p.csv", b'customer_id,name\nada,A,"more, even",\n')
    assert Typed(fake.url)("import", "bakery", path).exit_code == 1
    text = (tmp_path / "p.refused.csv").read_text("utf-8-sig")
    (refused,) = csv.DictReader(text.splitlines())
    assert refused["refused_line"] == 'ada,A,"more, even",'
    # The import writes refused rows to a file, with extra columns that explain the refusals. A
    # later import of this file ignores those columns.
    Typed(fake.url).run("import", "bakery", str(tmp_path / "p.refused.csv"))
    assert fake.people["ada"] == {"customer_id": "ada", "profile": {"name": "A"}}


class FullDisk(io.StringIO):
    """A text file that raises an error when it is written to or closed."""

    def flush(self) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def close(self) -> None:
        self.flush()


def test_the_error_about_a_full_disk_names_the_file(
    fake: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P5"""
    opening = "waitlist_cli.imports.rejected_rows.open_private"
    monkeypatch.setattr(opening, lambda *_given, **_more: FullDisk())
    path = write_file(tmp_path / "p.csv", b"customer_id,name\nada,A,too many\nbob,B\n")
    result = Typed(fake.url)("import", "bakery", path)
    assert result.exit_code == 2
    assert "p.refused.csv cannot be written: No space left on device" in result.stderr


def test_a_closed_standard_input_is_an_error(
    fake: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waitlist_cli.imports.records.sys", SimpleNamespace(stdin=None))
    result = Typed(fake.url)("import", "bakery", "-", "--format", "csv")
    assert (result.exit_code, "Standard input is closed" in result.stderr) == (2, True)


def test_a_bad_path_for_refused_rows_is_an_error(fake: FakeService, tmp_path: Path) -> None:
    path = write_file(tmp_path / "p.csv", b"customer_id\nada\n")
    result = Typed(fake.url)("import", "bakery", path, "--refused", str(tmp_path))
    assert (result.exit_code, fake.requests) == (2, [])
    assert str(tmp_path) in result.stderr
