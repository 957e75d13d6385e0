"""A spreadsheet can safely open an exported CSV file. An export writes formulas as text, and an
import restores the original values.
"""

import csv
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.typed import Typed
from waitlist_cli.terminal.spreadsheets import neutralise, restore_cell

FORMULAS = [
    "=HYPERLINK(1)",
    "+49-30-1",
    "-2",
    "@SUM(1)",
    "\tcmd",
    "\rcmd",
    "\ncmd",
    "＝1",  # noqa: RUF001 (full-width, as are the next three)
    "＋1",  # noqa: RUF001
    "－1",  # noqa: RUF001
    "＠1",  # noqa: RUF001
    "'=1",
    "''@",
    # Spreadsheets keep only the first 15 digits of a number and replace the rest with zeros.
    "1234567890123456",
]
# Excel splits lines at semicolons in many countries, and LibreOffice splits at several characters.
# A value with such a character is then split into several cells, each of which could be a formula.
WITHIN = {
    "1;=2": "1;'=2",
    "a\t@SUM(1)": "a\t'@SUM(1)",
    "a,b\r\n-1": "a,b\r\n'-1",
    'a; "=2"': 'a; "\'=2"',
    '=1+2";=1+2': "'=1+2\";'=1+2",
    "=1+2'\" ;,=1+2": "'=1+2'\" ;,'=1+2",
    " =1": " '=1",
    "\n=1": "'\n'=1",
    '"=1"': '"\'=1"',
    "a;'=1": "a;''=1",
}
OTHERS = ["", "ada", "a=1", "'", "'ada", "it's", "5-7", "a - b", "123456789012345", "a;b", "1;2\n3"]


def person(**values: Any) -> Any:
    names = (
        "position",
        "status",
        "priority",
        "joined_at",
        "attempts",
        "offered_until",
        "claimed_until",
    )
    rest = dict.fromkeys((*names, "parked_at", "park_reason", "customer_id"))
    return {**rest, "entry_id": "a" * 26, "profile": {}, "attributes": {}, **values}


def read_cells(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("value", FORMULAS)
def test_a_formula_becomes_text(value: str) -> None:
    """P8"""
    assert neutralise(value) == f"'{value}"
    assert restore_cell(f"'{value}") == value


@pytest.mark.parametrize("value", WITHIN)
def test_a_formula_behind_another_separator_becomes_text(value: str) -> None:
    """P8"""
    assert neutralise(value) == WITHIN[value]
    assert restore_cell(WITHIN[value]) == value


@pytest.mark.parametrize("value", OTHERS)
def test_other_values_are_not_changed(value: str) -> None:
    assert neutralise(value) == value
    assert restore_cell(value) == value


@given(st.text(alphabet="'=+-@\t\r\n＝a1, ;\"", max_size=24) | st.text(max_size=6))  # noqa: RUF001
def test_every_value_is_restored(value: str) -> None:
    cell = neutralise(value)
    assert isinstance(cell, str)
    assert restore_cell(cell) == value


def test_an_export_contains_no_formulas(fake: FakeService, tmp_path: Path) -> None:
    """No cell of an export is a formula, even if a customer's id or another value starts with `=`
    (promise P8).
    """
    people = [person(customer_id=value, park_reason=value) for value in FORMULAS]
    fake.script = [answer(200, {"page": None}), answer(200, {"entries": people, "cursor": None})]
    path = tmp_path / "people.csv"
    Typed(fake.url).run("export", "bakery", "--output", str(path))
    assert [one["customer_id"] for one in read_cells(path)] == [f"'{value}" for value in FORMULAS]
    assert [one["park_reason"] for one in read_cells(path)] == [f"'{value}" for value in FORMULAS]
    header, *lines = path.read_bytes().split(b"\r\n")
    assert lines[0].startswith(b'"","aaa'), "each field is quoted, as other programs divide at ;"
    # Without a byte order mark, Excel would read the file in the usual encoding of the operator's
    # country.
    assert header.startswith(b"\xef\xbb\xbfposition,entry_id,")


def test_an_exported_file_is_imported_unchanged(bakery: Bakery, tmp_path: Path) -> None:
    """An export followed by an import changes no values, even if a value is a JSON document that
    contains a formula (promise P3).
    """
    ids = ["=1+1", "@ada", "-bob", "+cyd", "'=dan", "'eve", "fay"]
    bakery.sign_up(*ids, profile={"phone": "+49"}, attributes={"tag": "=x"})
    path = str(tmp_path / "people.csv")
    bakery.typed.run("export", bakery.waitlist_id, "--output", path)
    copy = f"{bakery.waitlist_id}-copy"
    bakery.typed.run("create", copy, "--name", "Copy")
    bakery.typed.run("import", copy, path, "--keep-time", "joined_at", "--others", "drop")
    shown = bakery.typed.json("head", copy)["entries"]
    assert [one["customer_id"] for one in shown] == ids
    assert {(one["profile"]["phone"], one["attributes"]["tag"]) for one in shown} == {("+49", "=x")}


def test_refused_rows_contain_no_formulas_and_are_imported_unchanged(
    fake: FakeService, tmp_path: Path
) -> None:
    """P8"""
    source = tmp_path / "p.csv"
    source.write_text("=name,customer_id\n@ada,\n=bob,b,more\n+cyd,cyd\n", "utf-8")
    assert Typed(fake.url)("import", "bakery", str(source)).exit_code == 1
    refused = read_cells(tmp_path / "p.refused.csv")
    assert [one["'=name"] for one in refused] == ["'@ada", "'=bob"]
    assert refused[1]["refused_line"] == "'=bob,b,more"
    assert fake.people["cyd"]["profile"] == {"=name": "+cyd"}
    Typed(fake.url).run("import", "bakery", str(tmp_path / "p.refused.csv"), "--customer", "=name")
    assert {"@ada", "=bob"} <= set(fake.people)


def test_the_file_of_tokens_contains_no_formulas(fake: FakeService, tmp_path: Path) -> None:
    """P8"""
    source, tokens = tmp_path / "p.csv", tmp_path / "tokens.csv"
    source.write_text("customer_id\n=ada\nbob\n", "utf-8")
    Typed(fake.url).run("import", "bakery", str(source), "--tokens", str(tokens))
    assert [one["customer_id"] for one in read_cells(tokens)] == ["'=ada", "bob"]
