"""Tests that an operator can export everything that the service has stored about a person."""

from typing import Any

import pytest

from tests.service.api.refusing import refused
from tests.support.admissions import Admissions
from tests.support.gateway import Answer
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import World

PROFILE: dict[str, Any] = {"name": "Ada Lovelace", "party": {"adults": 2, "children": [1.5, None]}}
ATTRIBUTES = {"language": ["English", "French"]}
# Fields that the service uses internally. They say nothing about the customer.
INTERNAL = {
    "waitlist_id",
    "entry_id",
    "join_id",
    "changes.revision",
    "joined.key",
    "joined.body",
    "rank",
    "ticket",
    "stamp",
    "hold.once_key",
    "hold.once_stamp",
    "changes.edited_stamp",
    "hold.token",
    "hold.end",
    "attributes_version",
}
TOLD_AS = {
    "joined.millis": "created_at",
    "updated_millis": "updated_at",
    "end.admitted_millis": "admitted_at",
    "end.left_millis": "left_at",
    "hold.until_millis": "claimed_until",
    "hold.parked_millis": "parked_at",
}


def names_in(record: dict[str, Any]) -> set[str]:
    """Return the names of all fields of a record.

    A nested field's name contains a dot, as in `hold.attempts`.
    """
    names = set()
    for name, value in record.items():
        names |= {f"{name}.{inner}" for inner in value} if isinstance(value, dict) else {name}
    return names


def name_in_export(name: str) -> str:
    return TOLD_AS.get(name, name.rpartition(".")[2])


@pytest.fixture
def people() -> Admissions:
    people = Admissions(World.on(new_table(), empty_redis()))
    assert people.configure(retention_days=30).status == 201
    return people


def page(people: Admissions, name: str, query: str = "") -> Answer:
    path, query = people.admin_entry(name), f"include=history{query}"
    return people.world.request("GET", path, operator=True, query=query)


def export(people: Admissions, name: str, limit: int = 100) -> dict[str, Any]:
    history: list[Any] = []
    cursor = ""
    while True:
        answer = page(people, name, f"&limit={limit}{cursor}")
        assert answer.status == 200, answer.text
        assert len(answer.json["history"]) <= limit
        history += answer.json["history"]
        if answer.json["cursor"] is None:
            return {**answer.json, "history": history}
        cursor = f"&cursor={answer.json['cursor']}"


def test_all_of_a_long_history_is_returned_oldest_first(people: Admissions) -> None:
    people.sign_up("ada", profile=PROFILE, attributes=ATTRIBUTES)
    for number in range(250):
        people.bump("ada", to="back", reason=f"move {number}")
    for limit in (100, 7):
        whole = export(people, "ada", limit)
        assert [event["event"] for event in whole["history"]] == ["joined"] + ["bumped"] * 250
        assert [event["reason"] for event in whole["history"][1:]] == [
            f"move {number}" for number in range(250)
        ]
    assert (whole["customer_id"], whole["profile"]) == ("ada", PROFILE)
    assert whole["attributes"] == ATTRIBUTES


def test_every_stay_is_exported(people: Admissions) -> None:
    people.all_sign_up("ada")
    people.leave("ada")
    people.sign_up("ada", key="again")
    people.claimed()
    people.complete("ada")
    whole = export(people, "ada", 2)
    events = [event["event"] for event in whole["history"]]
    assert events == ["joined", "left", "joined", "offered", "admitted"]
    assert whole["status"] == "admitted"
    assert whole["admitted_at"] is not None


def test_nothing_recorded_of_the_person_is_left_out(people: Admissions) -> None:
    """The export contains every field of the record except the fields in `INTERNAL`, which are not
    personal.
    """
    people.sign_up("ada", key="k", profile=PROFILE, attributes=ATTRIBUTES)
    people.edit("ada", attributes={"language": "French"})
    people.bump("ada", key="b", places=1)
    people.claimed()
    people.park("ada", reason="asked for time")
    parked = export(people, "ada")
    assert parked["by_guest"] is True
    for name in names_in(people.recorded("ada")) - INTERNAL:
        assert parked[name_in_export(name)] not in (None, ""), name
    people.redrive("ada")
    people.leave("ada")
    left = export(people, "ada")
    for name in names_in(people.recorded("ada")) - INTERNAL:
        assert left[name_in_export(name)] not in (None, ""), name


def test_a_short_look_has_the_newest_and_a_cursor_to_the_end(people: Admissions) -> None:
    people.all_sign_up("ada")
    assert people.person("ada").json["cursor"] is None
    assert page(people, "ada").json["history"] == people.person("ada").json["history"]


def test_a_wrong_cursor_is_named(people: Admissions) -> None:
    """P5"""
    people.all_sign_up("ada")
    for cursor in ("x", "IjUi", "NQ", "IjAwMDAwMDAwMDAwMDAwMDAjSk9JTkVEIg"):
        refused(page(people, "ada", f"&cursor={cursor}"), 422, "invalid_request", "query.cursor")
    path = people.admin_entry("ada")
    answer = people.world.request("GET", path, operator=True, query="include=everything")
    refused(answer, 422, "invalid_request", "query.include")


def test_an_erased_person_has_nothing_to_export(people: Admissions) -> None:
    """P8"""
    people.all_sign_up("ada")
    people.erase("ada")
    refused(page(people, "ada"), 404, "entry_not_found")
