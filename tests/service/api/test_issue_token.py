"""Tests that operators can issue an entry token to a customer who was imported or has lost
theirs.
"""

import pytest
from aws_lambda_powertools import Logger

from tests.service.api.conftest import new_list
from tests.service.api.refusing import nothing_changes, refused
from tests.support.gateway import Answer
from tests.support.people import People
from tests.support.world import SECRET
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.http.api import Api

NEW_SECRET = "another-secret-of-32-characters-or-more"
DAY_SECONDS = 24 * 60 * 60


def issue(people: People, name: str) -> Answer:
    return people.world.request("POST", f"{people.admin_entry(name)}/token", operator=True)


def token_for(people: People, name: str) -> str:
    answer = issue(people, name)
    assert answer.status == 200, answer.text
    token: str = answer.json["entry_token"]
    return token


def look(people: People, name: str, token: str) -> Answer:
    return people.world.request("GET", people.entry(name), token=token)


def test_an_imported_customer_polls_and_leaves_with_an_issued_token(
    people: People,
) -> None:
    """P6"""
    people.bring("ada", "bob")
    token = token_for(people, "bob")
    looked = look(people, "bob", token)
    assert (looked.status, looked.json["position"], looked.json["entry_token"]) == (200, 2, None)
    assert people.world.request("DELETE", people.entry("bob"), token=token).status == 204
    assert people.order() == ["ada"]


def test_the_answer_is_the_entry_and_its_token_and_is_never_cached(people: People) -> None:
    people.bring("ada")
    answer = issue(people, "ada")
    assert answer.json == {
        "entry_id": people.id_of("ada"),
        "entry_token": people.token_of("ada"),
    }
    assert answer.headers["cache-control"] == "no-store"


def test_with_an_issued_token_a_signup_gets_the_place_that_is_there(people: People) -> None:
    """P2"""
    people.bring("ada")
    headers = {"authorization": f"Bearer {token_for(people, 'ada')}"}
    path, body = f"{people.path}/entries", {"customer_id": "ada"}
    answer = people.world.request("POST", path, body=body, headers=headers)
    assert (answer.status, answer.json["position"]) == (200, 1)
    assert people.events("ada") == ["joined"]


def test_issuing_changes_nothing_and_ends_no_earlier_token(people: People) -> None:
    """Issuing a second token leaves the earlier ones valid (promise P2)."""
    earlier = people.sign_up("ada").json["entry_token"]
    with nothing_changes(people.world):
        assert token_for(people, "ada") == token_for(people, "ada")
    assert look(people, "ada", earlier).status == 200


def test_a_token_is_issued_wherever_the_person_stands(people: People) -> None:
    """An issued token is valid whether the customer has an offer, was admitted or has left."""
    people.all_sign_up("ada", "bob", "cyd")
    claims = f"{people.admin_path}/claims"
    people.world.request("POST", claims, body={"complete": True}, operator=True)
    people.world.request("POST", claims, body={}, operator=True)
    people.leave("cyd")
    seen = [
        look(people, name, token_for(people, name)).json["status"] for name in ("ada", "bob", "cyd")
    ]
    assert seen == ["admitted", "offered", "left"]


def test_a_token_is_issued_while_the_order_is_lost(people: People) -> None:
    """P7"""
    people.bring("ada")
    people.world.redis.flushall()
    token = token_for(people, "ada")
    people.world.maintain()
    assert look(people, "ada", token).json["position"] == 1


def test_a_token_is_of_the_key_that_signs_now(people: People) -> None:
    people.bring("ada")
    rotated = f'{{"current": "{NEW_SECRET}", "previous": "{SECRET}"}}'
    world, logger = people.world, Logger(service="test", level="CRITICAL")
    world.api = Api(world.services.container, EntryTokens(rotated), logger)
    token = token_for(people, "ada")
    assert token == EntryTokens(NEW_SECRET).issue(
        people.waitlist_id, people.id_of("ada"), people.stay_of("ada")
    )
    assert look(people, "ada", token).json["entry_token"] is None


def test_an_unknown_entry_gets_no_token(people: People) -> None:
    """P5"""
    people.bring("ada")
    nowhere = People(people.world, "nothing")
    with nothing_changes(people.world):
        refused(issue(people, "nobody"), 404, "entry_not_found")
        refused(issue(nowhere, "ada"), 404, "waitlist_not_found")


@pytest.mark.parametrize("is_finished", [False, True], ids=["at once", "after maintenance"])
def test_an_erased_entry_gets_no_token(people: People, is_finished: bool) -> None:
    """P8"""
    people.bring("ada")
    people.erase("ada")
    if is_finished:
        people.world.maintain()
    refused(issue(people, "ada"), 404, "entry_not_found")


def test_an_expired_entry_gets_no_token() -> None:
    """No token can be issued for an expired entry, even if DynamoDB has not deleted its record yet
    (promise P8).
    """
    people = new_list(retention_days=1)
    people.bring("ada")
    people.leave("ada")
    assert issue(people, "ada").status == 200
    people.world.advance(DAY_SECONDS + 1)
    refused(issue(people, "ada"), 404, "entry_not_found")


def test_a_customer_may_not_issue_tokens(people: People) -> None:
    """Customers cannot issue tokens, not even with a valid token for the same entry (promise
    P5).
    """
    people.all_sign_up("ada", "bob")
    path = f"{people.admin_entry('ada')}/token"
    with nothing_changes(people.world):
        for proof in ({}, {"token": people.token_of("ada")}, {"subject": "ada"}):
            refused(people.world.request("POST", path, **proof), 401, "unauthorized")


@pytest.mark.parametrize("body", ["[" * 100, '{"customer_id": "bob"}', "null"], ids=ascii)
def test_an_issued_token_does_not_depend_on_the_body(people: People, body: str) -> None:
    """An issued token always belongs to the entry in the request's path, whatever the body contains
    (promise P5).
    """
    people.bring("ada", "bob")
    path = f"{people.admin_entry('ada')}/token"
    answer = people.world.request("POST", path, raw_body=body, operator=True)
    assert (answer.status, answer.json["entry_token"]) == (200, people.token_of("ada"))


def test_customers_with_accounts_get_no_issued_tokens(
    people: People,
) -> None:
    """If customers have accounts, no tokens can be issued, and the response does not reveal whether
    an entry exists (promise P5).
    """
    people.bring("ada")
    world = people.world
    world.api = Api(world.services.container, None, Logger(service="test", level="CRITICAL"))
    with nothing_changes(world):
        there, not_there = issue(people, "ada"), issue(people, "nobody")
        assert "issuer" in refused(there, 409, "no_entry_tokens")["detail"]
        assert there.text == not_there.text
