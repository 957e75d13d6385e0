"""Tests customers who sign up a second time. The new signup may bring a different profile and
different attributes, and may be refused.
"""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.support.people import People
from waitlist_api.records.entry import record_key

FORMER: dict[str, Any] = {"profile": {"name": "Ann"}, "attributes": {"language": "English"}}
NEW: dict[str, Any] = {"profile": {"name": "Ann B."}, "attributes": {"language": "French"}}
SENT = {
    "the same": FORMER,
    "another profile": {**FORMER, "profile": NEW["profile"]},
    "other attributes": {**FORMER, "attributes": NEW["attributes"]},
    "other data": NEW,
    "nothing": {"profile": {}, "attributes": {}},
}


def item_of(people: People) -> dict[str, Any]:
    key = record_key(people.waitlist_id, people.id_of("ann"))
    item = people.world.services.entries.table.get(key)
    assert item is not None
    return item


@pytest.fixture
def left(people: People) -> People:
    assert people.sign_up("ann", **FORMER).status == 201
    assert people.leave("ann").status == 204
    return people


def unrevised(item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "changes": {**item["changes"], "revision": None}}


@pytest.mark.parametrize("sent", SENT)
def test_a_refused_signup_changes_nothing_of_the_former_stay(left: People, sent: str) -> None:
    """A second signup writes its profile to the record before it asks Redis for a place. If Redis
    refuses, the old profile is restored (promise P5).
    """
    before = item_of(left)
    left.configure(capacity=1)
    left.all_sign_up("bob")
    assert left.sign_up("ann", **SENT[sent]).code == "waitlist_full"
    assert unrevised(item_of(left)) == unrevised(before)
    person = left.person("ann").json
    assert (person["status"], person["profile"]) == ("left", FORMER["profile"])
    assert person["attributes"] == FORMER["attributes"]


@pytest.mark.parametrize("sent", SENT)
def test_a_signup_again_replaces_the_data_of_the_former_stay(left: People, sent: str) -> None:
    """After the second signup, nothing from the first one is left in the record (promise P8)."""
    assert left.sign_up("ann", **SENT[sent]).status == 201
    person = left.person("ann").json
    assert {name: person[name] for name in FORMER} == SENT[sent]
    assert "intent" not in item_of(left)


def test_leaving_during_a_second_signup_removes_the_data_of_the_first(left: People) -> None:
    """Ann is removed while her second signup is in progress. The service then deletes her first
    signup's data (promise P8).
    """
    services = left.world.services
    key = (left.waitlist_id, left.id_of("ann"))
    former = services.entries.get(*key)
    assert former is not None
    intent = replace(former, **NEW, status="joining", join_id="0000beef", ticket=None, rank=None)
    services.entries.begin_rejoin(intent, former)
    assert {"profile", "attributes"} <= set(item_of(left)["intent"]["former"])
    assert left.remove("ann").status in (200, 204)
    assert "intent" not in item_of(left)
    assert left.person("ann").json["profile"] == NEW["profile"]
