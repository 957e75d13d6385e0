"""Exports, against the real service."""

import csv
import io
import json
from pathlib import Path

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.typed import Typed


def test_an_export_has_everybody_in_serving_order(bakery: Bakery) -> None:
    """P1"""
    bakery.sign_up("ada", "bob", profile={"name": 'Zoë, "Z"'}, attributes={"language": "English"})
    bakery.typed.done("bump", bakery.waitlist_id, "--customer", "bob", "--front")
    lines = bakery.typed.done("export", bakery.waitlist_id, "--format", "jsonl").splitlines()
    people = [json.loads(line) for line in lines]
    assert [one["customer_id"] for one in people] == ["bob", "ada"]
    assert people[0]["profile"] == {"name": 'Zoë, "Z"'}
    text = bakery.typed.done("export", bakery.waitlist_id)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(one["position"], one["customer_id"]) for one in rows] == [("1", "bob"), ("2", "ada")]
    assert json.loads(rows[0]["profile"]) == {"name": 'Zoë, "Z"'}


def test_those_of_another_status_are_exported_to_a_file(bakery: Bakery, tmp_path: Path) -> None:
    bakery.sign_up("ada", "bob")
    bakery.typed.done("claim", bakery.waitlist_id)
    path = tmp_path / "offered.csv"
    words = ["export", bakery.waitlist_id, "--status", "offered", "--output", str(path)]
    assert bakery.typed.json(*words) == {"people": 1, "file": str(path)}
    rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    assert [(one["customer_id"], one["status"]) for one in rows] == [("ada", "offered")]


def test_pages_are_followed_to_their_end(fake: FakeService) -> None:
    def page(name: str, cursor: str | None) -> object:
        person = {"customer_id": name}
        return answer(200, {"entries": [person], "cursor": cursor})

    fake.script = [page("ada", "one"), page("bob", "two"), page("cyd", None)]  # type: ignore[list-item]
    lines = Typed(fake.url).done("export", "bakery", "--format", "jsonl").splitlines()
    assert [json.loads(line)["customer_id"] for line in lines] == ["ada", "bob", "cyd"]
    cursors = [path.partition("cursor=")[2] for _, path, _, _ in fake.requests]
    assert cursors == ["", "one", "two"]


def test_a_refused_export_leaves_the_file_as_it_was(fake: FakeService, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("as it was", "utf-8")
    assert Typed(fake.url)("export", "bakery", "--output", str(path)).exit_code == 1
    assert path.read_text("utf-8") == "as it was"
