"""An import hands out the tokens by which its people then prove themselves, if it is asked to."""

from typing import Any

import pytest
from aws_lambda_powertools import Logger

from tests.service.api.refusing import nothing_changes, refused
from tests.support.gateway import Answer
from tests.support.people import People
from waitlist_api.http.api import Api
from waitlist_shared.limits import MAX_BATCH


def bring(people: People, *names: Any, entry_tokens: Any = True) -> Answer:
    """Import rows; what is no name stands for itself."""
    rows = [{"customer_id": one} if isinstance(one, str) else one for one in names]
    body = {"entries": rows, "entry_tokens": entry_tokens}
    path = f"{people.admin_path}/import"
    return people.world.request("POST", path, body=body, operator=True)


def tokens(answer: Answer) -> list[str | None]:
    assert answer.status == 200, answer.text
    return [one["entry_token"] for one in answer.json["results"]]


def test_an_import_returns_tokens_of_new_and_present_customers(people: People) -> None:
    """P6"""
    people.bring("ada")
    answer = bring(people, "ada", "bob", "cyd")
    assert tokens(answer) == [people.token_of(name) for name in ("ada", "bob", "cyd")]
    for position, token in enumerate(tokens(answer), 1):
        name = ("ada", "bob", "cyd")[position - 1]
        looked = people.world.request("GET", people.entry(name), token=token)
        assert (looked.status, looked.json["position"]) == (200, position)


def test_unless_it_is_asked_no_row_has_a_token(people: People) -> None:
    people.all_sign_up("ada")
    assert tokens(people.bring("ada", "bob")) == [None, None]
    assert tokens(bring(people, "ada", "bob", entry_tokens=False)) == [None, None]


def test_a_repeat_gives_the_tokens_again(people: People) -> None:
    """P2: a lost answer loses no token."""
    first = bring(people, "ada", "bob")
    with nothing_changes(people.world):
        assert tokens(bring(people, "ada", "bob")) == tokens(first)


def test_a_refused_row_has_none(people: People) -> None:
    """P5"""
    people.configure(capacity=1)
    answer = bring(people, "ada", "bob", 5, {"customer_id": "b d"})
    assert tokens(answer) == [people.token_of("ada"), None, None, None]


def test_a_customer_whose_stay_has_ended_has_none(people: People) -> None:
    people.all_sign_up("ada")
    people.leave("ada")
    assert tokens(bring(people, "ada")) == [None]


def test_a_customer_who_is_named_twice_has_one_token(people: People) -> None:
    assert tokens(bring(people, "ada", "ada")) == [people.token_of("ada")] * 2


def test_five_hundred_rows_have_their_tokens(people: People) -> None:
    """P9"""
    names = [f"person-{number}" for number in range(MAX_BATCH)]
    assert tokens(bring(people, *names)) == [people.token_of(name) for name in names]


@pytest.mark.parametrize("entry_tokens", [True, False])
def test_no_answer_of_an_import_is_kept_on_its_way(people: People, entry_tokens: bool) -> None:
    answer = bring(people, "ada", entry_tokens=entry_tokens)
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("wrong", ["true", 1, None, []], ids=repr)
def test_the_question_is_yes_or_no(stocked: People, wrong: Any) -> None:
    """P5"""
    with nothing_changes(stocked.world):
        answer = bring(stocked, "dan", entry_tokens=wrong)
        refused(answer, 422, "invalid_request", "body.entry_tokens")


def test_where_an_issuer_says_who_customers_are_the_question_refuses_the_import(
    people: People,
) -> None:
    """P5: a call that asks for tokens that do not exist imports no entry."""
    people.all_sign_up("ada")
    world = people.world
    world.api = Api(world.services, None, Logger(service="test", level="CRITICAL"))
    with nothing_changes(world):
        answer = bring(people, "bob")
        assert "issuer" in refused(answer, 409, "no_entry_tokens")["detail"]
    assert tokens(bring(people, "bob", entry_tokens=False)) == [None]
