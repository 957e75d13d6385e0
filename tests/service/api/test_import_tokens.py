"""Tests the route that imports people and returns their entry tokens."""

from typing import Any

from aws_lambda_powertools import Logger

from tests.service.api.refusing import nothing_changes, refused
from tests.support.gateway import Answer
from tests.support.people import People
from waitlist_api.http.api import Api
from waitlist_shared.limits import MAX_BATCH


def bring(people: People, *names: Any) -> Answer:
    """Import people and ask for their entry tokens.

    Each string in `names` becomes a row with only that customer id.
    """
    rows: list[Any] = [{"customer_id": one} if isinstance(one, str) else one for one in names]
    path = f"{people.admin_path}/import/tokens"
    return people.world.request("POST", path, body={"entries": rows}, operator=True)


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


def test_an_import_without_tokens_never_returns_a_token(people: People) -> None:
    """The ordinary import never returns a token, because an operator who may import people is not
    necessarily allowed to act for them (promise P5).
    """
    people.all_sign_up("ada")
    answer = people.bring("ada", "bob")
    assert (answer.json["already"], answer.json["joined"]) == (1, 1)
    for word in ("token", "link"):
        assert word not in answer.text


def test_a_trial_gives_no_tokens(people: People) -> None:
    tried = people.bring("ada", entry_tokens=True, dry_run=True)
    assert tokens(tried) == [None]


def test_a_repeated_import_returns_the_same_tokens(people: People) -> None:
    """An operator who lost the response can repeat the import and gets the same tokens (promise
    P2).
    """
    first = bring(people, "ada", "bob")
    with nothing_changes(people.world):
        assert tokens(bring(people, "ada", "bob")) == tokens(first)


def test_a_refused_row_gets_no_entry_token(people: People) -> None:
    """P5"""
    people.configure(capacity=1)
    answer = bring(people, "ada", "bob", 5, {"customer_id": "b d"})
    assert tokens(answer) == [people.token_of("ada"), None, None, None]


def test_a_customer_who_has_left_gets_no_entry_token(people: People) -> None:
    people.all_sign_up("ada")
    people.leave("ada")
    assert tokens(bring(people, "ada")) == [None]


def test_a_customer_who_is_named_twice_has_one_token(people: People) -> None:
    assert tokens(bring(people, "ada", "ada")) == [people.token_of("ada")] * 2


def test_five_hundred_rows_have_their_tokens(people: People) -> None:
    """P9"""
    names = [f"person-{number}" for number in range(MAX_BATCH)]
    assert tokens(bring(people, *names)) == [people.token_of(name) for name in names]


def test_no_answer_of_an_import_is_kept_on_its_way(people: People) -> None:
    for answer in (bring(people, "ada"), people.bring("ada")):
        assert answer.headers["cache-control"] == "no-store"


def test_an_import_that_asks_for_tokens_is_refused_if_customers_have_accounts(
    people: People,
) -> None:
    """Customers with accounts have no entry tokens, so the service refuses the whole request and
    imports nobody (promise P5).
    """
    people.all_sign_up("ada")
    world = people.world
    world.api = Api(world.services.container, None, Logger(service="test", level="CRITICAL"))
    with nothing_changes(world):
        answer = bring(people, "bob")
        assert "issuer" in refused(answer, 409, "no_entry_tokens")["detail"]
    assert people.bring("bob").json["joined"] == 1
