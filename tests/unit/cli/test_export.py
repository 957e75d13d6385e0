"""Tests of the `export` command against the real service."""

import csv
import io
import json
from pathlib import Path

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.test_spreadsheets import person
from tests.unit.cli.typed import Typed
from waitlist_cli.operations.export import ALWAYS, IF_ANY, IF_ASKED, MOST_FIELDS
from waitlist_cli.terminal.spreadsheets import UTF_8_MARK


def rows_of(text: str) -> list[dict[str, str]]:
    assert text.startswith(UTF_8_MARK)
    return list(csv.DictReader(io.StringIO(text.removeprefix(UTF_8_MARK))))


def test_an_export_contains_everyone_in_serving_order(bakery: Bakery) -> None:
    """P1"""
    bakery.sign_up("ada", "bob", profile={"name": 'Zoë, "Z"'}, attributes={"language": "English"})
    bakery.typed.run("bump", bakery.waitlist_id, "--customer", "bob", "--front")
    lines = bakery.typed.run("export", bakery.waitlist_id, "--format", "jsonl").splitlines()
    people = [json.loads(line) for line in lines]
    assert [one["customer_id"] for one in people] == ["bob", "ada"]
    assert people[0]["profile"] == {"name": 'Zoë, "Z"'}
    rows = rows_of(bakery.typed.run("export", bakery.waitlist_id))
    assert [(one["position"], one["customer_id"]) for one in rows] == [("1", "bob"), ("2", "ada")]
    assert rows[0]["profile.name"] == 'Zoë, "Z"'
    assert rows[0]["attributes.language"] == "English"
    assert (rows[0]["profile"], rows[0]["attributes"]) == ("", "")


def test_each_profile_field_and_each_attribute_has_a_column(bakery: Bakery) -> None:
    bakery.sign_up("ada", profile={"name": "Ada", "party": 4, "note": "=1"})
    bakery.sign_up("bob", profile={"email": "b@example.com"}, attributes={"language": ["a", "b"]})
    bakery.sign_up("cyd", attributes={"language": "x;y"})
    rows = rows_of(bakery.typed.run("export", bakery.waitlist_id))
    own = ["profile.name", "profile.party", "profile.note", "profile.email", "attributes.language"]
    assert list(rows[0])[-7:] == [*own, "profile", "attributes"]
    assert [rows[0][name] for name in own] == ["Ada", "4", "'=1", "", ""]
    # An export puts all values that are not text into the `profile` column, from which an import
    # restores them.
    assert json.loads(rows[0]["profile"]) == {"party": 4}
    assert [rows[1][name] for name in own[3:]] == ["b@example.com", "a;b"]
    assert (rows[2]["attributes.language"], rows[2]["attributes"]) == ("x;y", '{"language": "x;y"}')


def test_importing_an_export_keeps_all_fields(bakery: Bakery, tmp_path: Path) -> None:
    bakery.sign_up("ada", profile={"name": "Ada", "a.b": "c"}, attributes={"language": ["a", "b"]})
    bakery.sign_up("cyd", attributes={"language": "x;y"})
    path = str(tmp_path / "people.csv")
    bakery.typed.run("export", bakery.waitlist_id, "--output", path)
    before = bakery.typed.json("head", bakery.waitlist_id)["entries"]
    for name in ("ada", "cyd"):
        bakery.typed.run("erase", bakery.waitlist_id, "--customer", name, "--yes")
    bakery.typed.run("import", bakery.waitlist_id, path, "--others", "drop")
    after = bakery.typed.json("head", bakery.waitlist_id)["entries"]
    fields = [(one["customer_id"], one["profile"], one["attributes"]) for one in before]
    assert [(one["customer_id"], one["profile"], one["attributes"]) for one in after] == fields


def test_the_questions_of_the_list_become_columns_and_other_fields_are_kept(
    bakery: Bakery, tmp_path: Path
) -> None:
    """An export has a column for each of the waitlist's questions, in the order of the form.

    With `--all-columns`, every other field has a column too.
    """
    fields = tmp_path / "fields.json"
    questions = [
        {"name": "name", "label": "Name"},
        {"name": "size", "label": "Size", "kept_in": "attributes"},
    ]
    fields.write_text(json.dumps(questions), "utf-8")
    bakery.typed.run("page", bakery.waitlist_id, "--fields", str(fields))
    words = ("--set", "company=ACME", "--set", "name=Ada", "--attribute", "size=s")
    bakery.typed.run("signup", bakery.waitlist_id, "ada", *words)
    (row,) = rows_of(bakery.typed.run("export", bakery.waitlist_id))
    named = ["profile.name", "attributes.size", "attributes.language", "profile", "attributes"]
    assert list(row) == [*ALWAYS, "rank", *named]
    assert [row[name] for name in named] == ["Ada", "s", "", '{"company": "ACME"}', ""]
    (row,) = rows_of(bakery.typed.run("export", bakery.waitlist_id, "--all-columns"))
    assert list(row)[:-5] == [*ALWAYS, *IF_ANY, *IF_ASKED]
    assert [row["profile.company"], row["ready"], row["attempts"]] == ["ACME", "yes", "0"]


def test_everyone_is_exported_exactly_once(bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob", "cyd")
    for name in ("ada", "bob"):
        bakery.typed.run("remove", bakery.waitlist_id, "--customer", name)
    bakery.typed.run("remove", bakery.waitlist_id, "--customer", "bob", "--ban")
    bakery.typed.run("remove", bakery.waitlist_id, "--customer", "dan", "--ban")
    rows = rows_of(bakery.typed.run("export", bakery.waitlist_id, "--status", "all"))
    assert [(one["customer_id"], one["status"], bool(one["banned_at"])) for one in rows] == [
        ("cyd", "waiting", False),
        ("ada", "left", False),
        ("bob", "left", True),
        ("", "left", True),
    ]
    result = bakery.typed("export", bakery.waitlist_id, "--status", "all", "--since", "1h")
    assert (result.exit_code, "--status all exports everyone" in result.stderr) == (2, True)


def test_fields_beyond_the_limit_share_a_column(fake: FakeService) -> None:
    """Only a limited number of fields have a column of their own in an export. The rest share one
    column, because a guest could otherwise send so many different fields that no spreadsheet would
    open the file (promise P8).
    """
    common, rare = {"name": "x"}, {f"f{number}": "1" for number in range(300)}
    people = [person(profile={**common, **(rare if number == 2 else {})}) for number in range(3)]
    fake.script = [answer(200, {"page": None}), answer(200, {"entries": people, "cursor": None})]
    rows = rows_of(Typed(fake.url).run("export", "bakery"))
    own = [name for name in rows[0] if name.startswith("profile.")]
    assert (len(own), own[0]) == (MOST_FIELDS, "profile.name")
    assert len(json.loads(rows[2]["profile"])) == 301 - MOST_FIELDS


def test_people_of_another_status_are_exported_to_a_file(bakery: Bakery, tmp_path: Path) -> None:
    bakery.sign_up("ada", "bob")
    bakery.typed.run("claim", bakery.waitlist_id)
    path = tmp_path / "offered.csv"
    words = ["export", bakery.waitlist_id, "--status", "offered", "--output", str(path)]
    assert bakery.typed.json(*words) == {"people": 1, "file": str(path)}
    rows = rows_of(path.read_text("utf-8"))
    assert [(one["customer_id"], one["status"]) for one in rows] == [("ada", "offered")]


def test_an_export_reads_all_pages(fake: FakeService) -> None:
    def page(name: str, cursor: str | None) -> object:
        person = {"customer_id": name}
        return answer(200, {"entries": [person], "cursor": cursor})

    fake.script = [page("ada", "one"), page("bob", "two"), page("cyd", None)]  # type: ignore[list-item]
    lines = Typed(fake.url).run("export", "bakery", "--format", "jsonl").splitlines()
    assert [json.loads(line)["customer_id"] for line in lines] == ["ada", "bob", "cyd"]
    cursors = [path.partition("cursor=")[2] for _, path, _, _ in fake.requests]
    assert cursors == ["", "one", "two"]


def test_a_refused_export_does_not_change_the_file(fake: FakeService, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("as it was", "utf-8")
    assert Typed(fake.url)("export", "bakery", "--output", str(path)).exit_code == 1
    assert path.read_text("utf-8") == "as it was"
