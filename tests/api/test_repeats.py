"""P2: who repeats gets the same; who only knows a customer's id gets nothing."""

import pytest

from tests.api.refusing import nothing_changes, refused
from tests.support.people import People


def test_a_repeat_with_the_same_key_gets_the_same_answer(people: People) -> None:
    """P2: the token included."""
    people.all_sign_up("ada")
    first = people.sign_up("bob", key="k")
    with nothing_changes(people.world):
        again = people.sign_up("bob", key="k", profile={"changed": True})
    assert (first.status, again.status) == (201, 200)
    assert again.json == first.json
    assert people.person("bob").json["profile"] == {}


def test_a_repeat_tells_the_place_as_it_is_now(people: People) -> None:
    """P2 P6"""
    people.all_sign_up("ada", "bob")
    people.leave("ada")
    assert people.sign_up("bob", key="signup-bob").json["position"] == 1


@pytest.mark.parametrize("key", [None, "another", "SIGNUP-ADA"])
def test_a_stranger_who_knows_the_id_gets_no_place_and_no_token(
    people: People, key: str | None
) -> None:
    """P5 P8"""
    people.all_sign_up("ada")
    with nothing_changes(people.world):
        answer = people.sign_up("ada", key=key)
        refused(answer, 409, "already_on_list")
    assert people.token_of("ada") not in answer.text


def test_a_signup_without_a_key_cannot_be_repeated_without_one(people: People) -> None:
    """P8: no key is not the same as the same key."""
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


def test_whoever_shows_the_entrys_token_gets_the_place_again(people: People) -> None:
    """P2"""
    people.all_sign_up("ada", "bob")
    answer = repeat_with_token(people, "bob", people.token_of("bob"))
    assert getattr(answer, "status", None) == 200
    with nothing_changes(people.world):
        stranger = repeat_with_token(people, "bob", people.token_of("ada"))
        assert getattr(stranger, "code", None) == "already_on_list"


def test_a_late_copy_of_a_signup_does_not_bring_back_whoever_left(people: People) -> None:
    """P2"""
    people.all_sign_up("ada", "bob")
    people.leave("ada")
    with nothing_changes(people.world):
        late = people.sign_up("ada", key="signup-ada")
    assert (late.status, late.json["status"], late.json["position"]) == (200, "left", None)


def test_a_bump_with_the_same_key_moves_once(people: People) -> None:
    """P2"""
    people.all_sign_up("ada", "bob", "cyd", "dan")
    first = people.bump("dan", key="k", places=1)
    again = people.bump("dan", key="k", places=1)
    assert first.json == again.json
    assert people.order() == ["ada", "bob", "dan", "cyd"]
    assert people.events("dan") == ["joined", "bumped"]
    assert people.bump("dan", key="k2", places=1).json["position"] == 2


def test_the_same_key_moves_two_people_once_each(people: People) -> None:
    """P2: a key speaks of one entry."""
    people.all_sign_up("ada", "bob", "cyd")
    people.bump("cyd", key="k", places=1)
    assert people.bump("bob", key="k", places=1).json["position"] == 2
    assert people.order() == ["ada", "bob", "cyd"]


def test_a_bump_without_a_key_is_a_new_wish_each_time(people: People) -> None:
    people.all_sign_up("ada", "bob")
    for _ in range(2):
        assert people.bump("bob", to="front").json["position"] == 1
    assert people.events("bob") == ["joined", "bumped", "bumped"]


def test_whoever_left_cannot_be_bumped(people: People) -> None:
    """P5"""
    people.all_sign_up("ada", "bob")
    people.leave("ada")
    with nothing_changes(people.world):
        refused(people.bump("ada", to="front"), 409, "not_waiting")
