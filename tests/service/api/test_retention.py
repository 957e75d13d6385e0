"""Tests that the data of customers who have left or were admitted is deleted after the number of
days that an operator has set (promise P8).
"""

from typing import Any

import pytest

from tests.service.api.refusing import refused
from tests.support.admissions import Admissions
from tests.support.dynamodb import TABLE
from tests.support.faults import Wire
from tests.support.stores import empty_redis
from tests.support.tables import items_of, new_table
from tests.support.world import RedisClock, World
from tools.local.dynamodb.memory_table import MemoryTable
from waitlist_api.records.leaves import Leave
from waitlist_api.records.retention import Retention
from waitlist_api.records.table import Table
from waitlist_shared.limits import MAX_TICKET

DAY = 24 * 3600
DAYS = 30


@pytest.fixture
def people() -> Admissions:
    clock = RedisClock.standing()
    people = Admissions(World.on(new_table(), empty_redis(), redis_clock=clock))
    assert people.configure(retention_days=DAYS).status == 201
    return people


def items(people: Admissions, name: str) -> list[dict[str, Any]]:
    pk = f"ENTRY#{people.waitlist_id}#{people.id_of(name)}"
    return [one for one in people.world.dynamodb.scan()["Items"] if one["pk"]["S"] == pk]


def expiries(people: Admissions, name: str) -> set[int | None]:
    """Return when each of an entry's items expires.

    None stands for an item that never expires.
    """
    found = [item.get("expires_at", {}).get("N") for item in items(people, name)]
    assert found
    return {None if one is None else int(one) for one in found}


def expiry(people: Admissions, days: int = DAYS) -> int:
    return people.world.clock.millis // 1000 + days * DAY


def expire(people: Admissions) -> None:
    """Delete all expired items, as DynamoDB does."""
    table = people.world.dynamodb
    now_seconds = people.world.clock.millis // 1000
    for item in items_of(table):
        if int(item.get("expires_at", {"N": "9" * 12})["N"]) <= now_seconds:
            table.delete_item(TableName=TABLE, Key={name: item[name] for name in ("pk", "sk")})


def test_a_customer_who_leaves_expires_with_the_whole_history(people: Admissions) -> None:
    people.all_sign_up("ada", "bob")
    people.bump("ada", key="b", places=1)
    people.bump("ada", to="back")
    assert expiries(people, "ada") == {None}
    expected = expiry(people)
    people.leave("ada")
    assert len(items(people, "ada")) == 5
    assert expiries(people, "ada") == {expected}
    assert expiries(people, "bob") == {None}
    assert people.person("ada").json["expires_at"] is not None
    assert people.person("bob").json["expires_at"] is None


@pytest.mark.parametrize("how", ["complete", "at once", "remove"])
def test_an_admitted_or_removed_entry_expires_too(people: Admissions, how: str) -> None:
    people.all_sign_up("ada")
    people.bump("ada", to="front")
    if how == "at once":
        assert people.claimed(complete=True) == ["ada"]
    elif how == "complete":
        people.claimed()
        assert people.complete("ada").status == 200
    else:
        assert people.remove("ada").status == 204
    assert expiries(people, "ada") == {expiry(people)}


def test_an_end_that_was_cut_off_expires_when_maintenance_finishes_it(people: Admissions) -> None:
    """A customer's request to leave crashes after its first step. Once maintenance has completed
    the request, the entry gets an expiry date (promise P3).
    """
    people.all_sign_up("ada")
    key = (people.waitlist_id, people.id_of("ada"))
    people.world.services.leaves.begin(*key, Leave(by="customer"))
    assert expiries(people, "ada") == {None}
    people.world.maintain()
    assert people.status("ada") == "left"
    assert expiries(people, "ada") == {expiry(people)}


def test_without_retention_days_nothing_expires(people: Admissions) -> None:
    people.configure()
    people.all_sign_up("ada", "bob")
    people.leave("ada")
    people.claimed(complete=True)
    assert expiries(people, "ada") == expiries(people, "bob") == {None}


def test_a_changed_setting_holds_for_entries_that_end_afterwards(people: Admissions) -> None:
    people.all_sign_up("ada", "bob")
    people.leave("ada")
    before = expiry(people)
    people.configure(retention_days=1)
    people.leave("bob")
    assert expiries(people, "ada") == {before}
    assert expiries(people, "bob") == {expiry(people, days=1)}


def test_rejoining_keeps_the_person_and_lets_the_former_stay_go(people: Admissions) -> None:
    people.all_sign_up("ada")
    people.leave("ada")
    former = expiry(people)
    people.world.advance(DAY)
    assert people.sign_up("ada", key="again").status == 201
    assert expiries(people, "ada") == {None, former}
    assert people.person("ada").json["expires_at"] is None
    people.world.advance(DAYS * DAY)
    expire(people)
    assert people.events("ada") == ["joined"]
    assert people.poll("ada").json["position"] == 1
    people.leave("ada")
    assert expiries(people, "ada") == {expiry(people)}


def test_a_refused_rejoin_leaves_the_former_stay_to_go_when_it_would_have(
    people: Admissions,
) -> None:
    people.all_sign_up("ada")
    people.leave("ada")
    former = expiry(people)
    people.configure(retention_days=DAYS, capacity=1)
    people.all_sign_up("bob")
    assert people.sign_up("ada", key="again").code == "waitlist_full"
    assert expiries(people, "ada") == {former}


def test_an_expired_entry_is_not_found_before_dynamodb_deletes_it(people: Admissions) -> None:
    """DynamoDB may delete an expired item days late. Until then, the service must not find it
    (promise P8).
    """
    people.configure(retention_days=DAYS, rejoin="never")
    people.all_sign_up("ada", "bob")
    people.leave("ada")
    people.claimed(complete=True)
    people.world.advance(DAYS * DAY - 1)
    assert people.poll("ada").json["status"] == "left"
    assert people.sign_up("ada").code == "already_left"
    people.world.maintain()
    assert items(people, "ada")
    for name in ("ada", "bob"):
        refused(people.poll(name), 404, "entry_not_found")
        refused(people.person(name), 404, "entry_not_found")
        refused(people.leave(name), 404, "entry_not_found")
        refused(people.remove(name), 404, "entry_not_found")
        path = people.admin_entry(name)
        answer = people.world.request("GET", path, operator=True, query="include=history")
        refused(answer, 404, "entry_not_found")


def test_an_expired_customer_joins_as_a_new_one(people: Admissions) -> None:
    """A customer whose data has expired can sign up like a new one, even on a waitlist that does
    not let anyone rejoin.
    """
    people.configure(retention_days=DAYS, rejoin="never")
    people.all_sign_up("ada")
    people.leave("ada")
    people.world.advance(DAYS * DAY)
    answer = people.sign_up("ada", key="signup-ada")
    assert (answer.status, answer.json["position"]) == (201, 1)
    assert people.events("ada") == ["joined"]
    assert people.person("ada").json["expires_at"] is None


def test_an_expired_and_deleted_customer_joins_as_a_new_one(people: Admissions) -> None:
    people.all_sign_up("ada", "bob")
    people.leave("ada")
    people.world.advance(DAYS * DAY)
    expire(people)
    assert items(people, "ada") == []
    people.world.maintain()
    assert people.sign_up("ada", key="signup-ada").json["position"] == 2


def test_setting_an_expiry_does_not_bring_back_an_erased_person(people: Admissions) -> None:
    """Maintenance sets an expiry date on a history that an erasure has just deleted. This must not
    recreate items in DynamoDB (promise P8).
    """
    people.all_sign_up("ada")
    people.leave("ada")
    people.erase("ada")
    key = (people.waitlist_id, people.id_of("ada"))
    cache = people.world.services.waitlist_cache
    retention = Retention(Table(people.world.dynamodb, TABLE), cache)
    retention.expire_history(key, MAX_TICKET, expiry(people))
    people.world.maintain()
    assert items(people, "ada") == []


@pytest.mark.parametrize("days", [0, -1, 3651, 1.5, "30"])
def test_days_are_whole_and_within_ten_years(people: Admissions, days: Any) -> None:
    """P5"""
    refused(people.configure(retention_days=days), 422, "invalid_request", "body.retention_days")


def test_a_list_that_keeps_everything_pays_nothing_for_it() -> None:
    """P9"""
    wire = Wire()
    people = Admissions(World.on(wire.client(MemoryTable()), empty_redis(), wire.client))
    people.configure()
    people.all_sign_up("ada")
    wire.disarm()
    people.leave("ada")
    assert wire.names == ["GetItem", "UpdateItem", "Invoke", "TransactWriteItems"]
