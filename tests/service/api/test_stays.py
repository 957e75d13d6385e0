"""Tests that an entry token is valid for one signup only. A customer who leaves and signs up again
gets a new token, and the old one is refused (promise P5).
"""

from collections.abc import Callable

import pytest
from aws_lambda_powertools import Logger

from tests.service.api.refusing import nothing_changes, refused
from tests.support.admissions import Admissions
from tests.support.gateway import Answer
from tests.support.people import People
from tests.support.world import SECRET
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.http.api import Api

NEW_SECRET = "another-secret-of-32-characters-or-more"
IMPORTED_AT = "2026-01-01T09:00:00Z"
SEGMENTS = [["language"]]
Story = Callable[[People], str]


def signup_token(people: People, name: str) -> str:
    """Sign a customer up, and return the entry token."""
    answer = people.sign_up(name)
    assert answer.status == 201, answer.text
    return str(answer.json["entry_token"])


def imported_token(people: People, **body: object) -> str:
    """Import Ada, and return her entry token."""
    row = {"customer_id": "ada", "joined_at": IMPORTED_AT}
    path = f"{people.admin_path}/import/tokens"
    content = {"entries": [row], **body}
    answer = people.world.request("POST", path, body=content, operator=True)
    (result,) = answer.json["results"]
    assert result["outcome"] == "joined", answer.text
    return str(result["entry_token"])


def call(people: People, method: str, token: str) -> Answer:
    return people.world.request(method, people.entry("ada"), token=token)


def after_leaving(people: People) -> str:
    token = signup_token(people, "ada")
    assert call(people, "DELETE", token).status == 204
    signup_token(people, "ada")
    return token


def after_an_erasure(people: People) -> str:
    token = signup_token(people, "ada")
    people.erase("ada")
    signup_token(people, "ada")
    return token


def after_an_erasure_that_is_finished(people: People) -> str:
    token = signup_token(people, "ada")
    people.erase("ada")
    people.world.maintain()
    signup_token(people, "ada")
    return token


def in_a_list_made_again(people: People) -> str:
    token = signup_token(people, "ada")
    people.delete_waitlist()
    people.world.maintain()
    assert people.configure(segments=SEGMENTS).status == 201
    signup_token(people, "ada")
    return token


def after_an_import(people: People) -> str:
    token = signup_token(people, "ada")
    people.erase("ada")
    imported_token(people)
    return token


def after_a_second_import_of_the_same_row(people: People) -> str:
    token = imported_token(people)
    people.erase("ada")
    imported_token(people)
    return token


def after_an_import_and_a_signup(people: People) -> str:
    token = imported_token(people)
    people.leave("ada")
    signup_token(people, "ada")
    return token


STORIES: list[Story] = [
    after_leaving,
    after_an_erasure,
    after_an_erasure_that_is_finished,
    in_a_list_made_again,
    after_an_import,
    after_a_second_import_of_the_same_row,
    after_an_import_and_a_signup,
]
each_story = pytest.mark.parametrize("story", STORIES, ids=lambda one: one.__name__)


@each_story
def test_a_token_of_an_earlier_stay_is_refused(people: People, story: Story) -> None:
    """P5"""
    people.configure(segments=SEGMENTS)
    token = story(people)
    with nothing_changes(people.world):
        refused(call(people, "GET", token), 403, "forbidden")
        refused(call(people, "DELETE", token), 403, "forbidden")
    path = people.entry("ada")
    answer = people.world.request("GET", path, token=token, query="segment=language")
    refused(answer, 403, "forbidden")
    assert people.order() == ["ada"]
    assert people.poll("ada").json["position"] == 1


@pytest.mark.parametrize("status", ["waiting", "offered", "admitted"])
def test_an_earlier_stays_token_neither_enters_nor_exits_nor_gets_the_pass(
    people: People, status: str
) -> None:
    """Somebody with the token of an earlier signup must not get the customer's pass, because
    whoever has a pass can enter (promise P5).
    """
    people = Admissions(people.world)
    people.configure(admission={"max_inside": 1})
    token = after_leaving(people)
    if status != "waiting":
        people.poll("ada")
    if status == "admitted":
        assert people.enter("ada").status == 200
    assert people.status("ada") == status
    path = people.entry("ada")
    with nothing_changes(people.world):
        refused(people.world.request("GET", f"{path}/pass", token=token), 403, "forbidden")
        for verb, body in (("enter", None), ("decline", {"to": "leave"}), ("exit", None)):
            answer = people.world.request("POST", f"{path}/{verb}", body=body, token=token)
            refused(answer, 403, "forbidden")


@each_story
def test_an_earlier_stays_token_gets_no_place_by_a_signup(people: People, story: Story) -> None:
    """P5"""
    token = story(people)
    path, body = f"{people.path}/entries", {"customer_id": "ada"}
    with nothing_changes(people.world):
        refused(people.world.request("POST", path, body=body, token=token), 409, "already_on_list")


def test_a_strangers_token_does_not_work_for_the_real_customers_signup(
    people: People,
) -> None:
    """A stranger signs up with a customer's id and then leaves. When the real customer signs up,
    the stranger's token no longer works (promise P5).
    """
    people.all_sign_up("bob")
    strangers = signup_token(people, "ada")
    assert call(people, "DELETE", strangers).status == 204
    victims = signup_token(people, "ada")
    assert victims != strangers
    refused(call(people, "GET", strangers), 403, "forbidden")
    refused(call(people, "DELETE", strangers), 403, "forbidden")
    assert people.order() == ["bob", "ada"]
    assert call(people, "GET", victims).json["position"] == 2
    assert call(people, "DELETE", victims).status == 204
    assert people.order() == ["bob"]


def test_a_token_stays_good_until_its_stay_is_followed_by_another(people: People) -> None:
    """A customer who has left or was admitted can still see the entry's status with their entry
    token (promise P6).
    """
    token = signup_token(people, "ada")
    people.bump("ada", priority=5)
    assert call(people, "GET", token).json["priority"] == 5
    call(people, "DELETE", token)
    assert call(people, "GET", token).json["status"] == "left"
    assert call(people, "DELETE", token).status == 204


@pytest.mark.parametrize("status", ["offered", "parked", "admitted"])
def test_a_token_also_works_outside_the_queue(people: People, status: str) -> None:
    """P6"""
    token = signup_token(people, "ada")
    claims = f"{people.admin_path}/claims"
    body = {"complete": status == "admitted"}
    answer = people.world.request("POST", claims, body=body, operator=True)
    if status == "parked":
        held = {"claim_token": answer.json["claims"][0]["claim_token"]}
        path = f"{claims}/{people.id_of('ada')}/park"
        assert people.world.request("POST", path, body=held, operator=True).status == 200
    assert call(people, "GET", token).json["status"] == status


def test_a_renewed_token_belongs_to_the_same_signup(people: People) -> None:
    """After the secret key for all tokens has been replaced, a token still belongs to one signup
    only (promise P5).
    """
    earlier = signup_token(people, "ada")
    call(people, "DELETE", earlier)
    now = signup_token(people, "ada")
    rotated = f'{{"current": "{NEW_SECRET}", "previous": "{SECRET}"}}'
    logger = Logger(service="test", level="CRITICAL")
    people.world.api = Api(people.world.services.container, EntryTokens(rotated), logger)
    refused(call(people, "GET", earlier), 403, "forbidden")
    renewed = call(people, "GET", now).json["entry_token"]
    assert renewed not in (None, now)
    assert call(people, "GET", renewed).json["entry_token"] is None
