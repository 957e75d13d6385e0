"""Tests that a client can repeat a signup and get the same response. A stranger who knows the
customer id gets nothing (promise P2).
"""

import pytest

from tests.service.api.refusing import nothing_changes, refused
from tests.support.people import People

ANOTHER = "arn:aws:iam::123456789012:user/another"


def test_a_repeat_with_the_same_key_gets_the_same_answer(people: People) -> None:
    """P2"""
    people.all_sign_up("ada")
    first = people.sign_up("bob", key="k")
    with nothing_changes(people.world):
        again = people.sign_up("bob", key="k")
    assert (first.status, again.status) == (201, 200)
    assert again.json == first.json


@pytest.mark.parametrize(
    "body", [{"profile": {"name": "Eve"}}, {"attributes": {"language": "French"}}, {}], ids=str
)
@pytest.mark.parametrize("has_left", [False, True])
def test_a_key_with_another_body_is_refused(
    people: People, body: dict[str, object], has_left: bool
) -> None:
    """A second request with the same idempotency key but a different body is refused, even if the
    customer has left in the meantime (promise P5).
    """
    first = {"profile": {"name": "Bob", "age": 5}, "attributes": {"language": "Spanish"}}
    assert people.sign_up("bob", key="k", **first).status == 201
    if has_left:
        people.leave("bob")
    with nothing_changes(people.world):
        refused(people.sign_up("bob", key="k", **body), 422, "idempotency_key_reused")
        same = {"attributes": first["attributes"], "profile": {"age": 5, "name": "Bob"}}
        assert people.sign_up("bob", key="k", **same).status == 200


def test_a_repeat_is_one_also_after_an_operators_edit(people: People) -> None:
    """A repeated signup is compared with the first request, even if an operator has edited the
    entry in between (promise P2).
    """
    first = people.sign_up("bob", key="k", profile={"name": "Bob"})
    assert people.edit("bob", profile={"name": "Robert"}).status == 200
    again = people.sign_up("bob", key="k", profile={"name": "Bob"})
    assert (again.status, again.json["entry_token"]) == (200, first.json["entry_token"])


@pytest.mark.parametrize("key", ["first-try", "123456789012345", ""])
def test_a_key_that_can_be_guessed_is_refused(people: People, key: str) -> None:
    """Anyone who knows a signup's idempotency key can get the entry token, so the service refuses
    keys that are too short (promise P5).
    """
    body, path = {"customer_id": "ada"}, f"{people.path}/entries"
    headers = {"idempotency-key": key}
    with nothing_changes(people.world):
        answer = people.world.request("POST", path, body=body, headers=headers)
        refused(answer, 422, "invalid_request", "header.idempotency-key")
    headers = {"idempotency-key": "1234567890123456"}
    assert people.world.request("POST", path, body=body, headers=headers).status == 201


def test_a_repeat_returns_the_current_place(people: People) -> None:
    """P2 P6"""
    people.all_sign_up("ada", "bob")
    people.leave("ada")
    assert people.sign_up("bob", key="signup-bob").json["position"] == 1


@pytest.mark.parametrize("key", [None, "another", "SIGNUP-ADA"])
def test_a_stranger_with_the_id_gets_no_place_and_no_token(people: People, key: str | None) -> None:
    """P5 P8"""
    people.all_sign_up("ada")
    with nothing_changes(people.world):
        answer = people.sign_up("ada", key=key)
        refused(answer, 409, "already_on_list")
    assert people.token_of("ada") not in answer.text


def test_a_signup_without_a_key_cannot_be_repeated_without_one(people: People) -> None:
    """Two requests without a key count as different requests (promise P8)."""
    assert people.sign_up("ada").status == 201
    refused(people.sign_up("ada"), 409, "already_on_list")


def test_a_key_of_one_customer_opens_no_other(people: People) -> None:
    """P8"""
    people.sign_up("ada", key="same")
    assert people.sign_up("bob", key="same").json["position"] == 2
    florist = People(people.world, "florist")
    florist.configure()
    assert florist.sign_up("ada", key="other").status == 201
    refused(florist.sign_up("ada", key="same"), 409, "already_on_list")


def repeat_with_token(people: People, name: str, token: str) -> object:
    path = f"{people.path}/entries"
    return people.world.request("POST", path, body={"customer_id": name}, token=token)


def test_a_repeated_signup_with_the_entrys_token_keeps_its_position(people: People) -> None:
    """P2"""
    people.all_sign_up("ada", "bob")
    answer = repeat_with_token(people, "bob", people.token_of("bob"))
    assert getattr(answer, "status", None) == 200
    with nothing_changes(people.world):
        stranger = repeat_with_token(people, "bob", people.token_of("ada"))
        assert getattr(stranger, "code", None) == "already_on_list"


def test_a_bump_with_the_same_key_moves_once(people: People) -> None:
    """P2"""
    people.all_sign_up("ada", "bob", "cyd", "dan")
    first = people.bump("dan", key="k", places=1)
    again = people.bump("dan", key="k", places=1)
    assert first.json == again.json
    assert first.json["moved"] == 1
    assert people.order() == ["ada", "bob", "dan", "cyd"]
    assert people.events("dan") == ["joined", "bumped"]
    assert people.bump("dan", key="k2", places=1).json["position"] == 2


@pytest.mark.parametrize(
    "other", [{"places": 2}, {"to": "front"}, {"places": 1, "reason": "another"}], ids=str
)
def test_a_bumps_key_with_another_body_is_refused(people: People, other: dict[str, object]) -> None:
    """P5"""
    people.all_sign_up("ada", "bob", "cyd", "dan")
    first = people.bump("dan", key="k", places=1)
    refused(people.bump("dan", key="k", **other), 422, "idempotency_key_reused")
    assert people.order() == ["ada", "bob", "dan", "cyd"]
    assert people.bump("dan", key="k", places=1).json == first.json


def test_a_bumps_key_belongs_to_the_operator_who_used_it(people: People) -> None:
    """If two operators happen to use the same key, both of their bumps take effect (promise P2)."""
    people.all_sign_up("ada", "bob", "cyd")
    path, body = f"{people.admin_entry('cyd')}/bump", {"places": 1}
    for arn, position in ((None, 2), (ANOTHER, 1), (ANOTHER, 1)):
        answer = people.world.request(
            "POST", path, body=body, key="k", operator=True, **({"arn": arn} if arn else {})
        )
        assert answer.json["position"] == position


def test_a_claims_key_belongs_to_the_operator_who_used_it(people: People) -> None:
    """If two operators happen to use the same key, the second one does not get the first one's
    claim tokens (promise P4).
    """
    people.all_sign_up("ada", "bob")
    path = f"{people.admin_path}/claims"
    first = people.world.request("POST", path, body={}, key="k", operator=True)
    second = people.world.request("POST", path, body={}, key="k", operator=True, arn=ANOTHER)
    held = [answer.json["claims"][0] for answer in (first, second)]
    assert [one["entry_id"] for one in held] == [people.id_of("ada"), people.id_of("bob")]
    assert held[0]["claim_token"] not in second.text
    again = people.world.request("POST", path, body={}, key="k", operator=True)
    assert again.json["claims"][0]["claim_token"] == held[0]["claim_token"]


@pytest.mark.parametrize("other", [{"count": 2}, {"complete": True}, {"order": "newest"}], ids=str)
def test_a_claims_key_with_another_body_is_refused(
    people: People, other: dict[str, object]
) -> None:
    """An operator reuses a claim's idempotency key for a different request. The service refuses the
    request, and claims and admits nobody (promise P5).
    """
    people.all_sign_up("ada", "bob")
    path = f"{people.admin_path}/claims"
    assert people.world.request("POST", path, body={}, key="k", operator=True).status == 200
    answer = people.world.request("POST", path, body=other, key="k", operator=True)
    refused(answer, 422, "idempotency_key_reused")
    assert people.order() == ["bob"]
    assert people.poll("ada").json["status"] == "offered"


def test_an_operators_name_stands_nowhere_in_redis(people: People) -> None:
    """Redis stores only a digest of the operator and the idempotency key (promise P8)."""
    people.all_sign_up("ada", "bob")
    path = f"{people.admin_path}/claims"
    people.bump("bob", key="k", places=1)
    people.world.request("POST", path, body={}, key="k", operator=True, arn=ANOTHER)
    assert "arn:aws" not in " ".join(map(str, people.world.redis.keys("*")))
