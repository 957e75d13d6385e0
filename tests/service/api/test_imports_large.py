"""Tests that every import within the documented limits succeeds. The in-memory table refuses the
same requests as DynamoDB, such as items that are too large.
"""

import json
from typing import Any

from tests.service.api.conftest import new_list
from tests.support.people import People

ROWS = 100
LETTER = "ж"
NOTE = {"note": LETTER * 4000}
ATTRIBUTES = {f"a{number}": [f"{value}{LETTER * 61}" for value in range(4)] for number in range(14)}


def rows(**fields: Any) -> list[dict[str, Any]]:
    return [{"customer_id": f"guest-{number}", **fields} for number in range(ROWS)]


def body_of(imported: list[dict[str, Any]], **options: str) -> str:
    return json.dumps({"entries": imported, **options}, ensure_ascii=False)


def joined(people: People, imported: list[dict[str, Any]], **options: str) -> int:
    path = f"{people.admin_path}/import"
    answer = people.world.request(
        "POST", path, raw_body=body_of(imported, **options), operator=True
    )
    assert answer.status == 200, answer.text
    return int(answer.json["joined"])


def test_a_hundred_rows_of_15_kb_join(people: People) -> None:
    imported = rows(profile=NOTE, attributes=ATTRIBUTES)
    assert 1_400_000 < len(body_of(imported).encode()) < 2 * 1024 * 1024
    assert joined(people, imported) == ROWS
    one = people.person("guest-99").json
    assert (one["profile"], one["attributes"]) == (NOTE, ATTRIBUTES)


def test_a_hundred_rows_rejoin() -> None:
    """While a customer rejoins, the record contains both the old and the new profile. Even then, it
    is not too large for DynamoDB.
    """
    people = new_list()
    imported = rows(profile={"note": NOTE["note"][1:]}, attributes={**ATTRIBUTES, "a0": "other"})
    assert joined(people, imported) == ROWS
    for row in imported:
        assert people.leave(row["customer_id"]).status == 204
    imported = rows(profile=NOTE, attributes=ATTRIBUTES)
    assert joined(people, imported, ended="rejoin") == ROWS
    assert people.stats().json["waiting"] == ROWS
