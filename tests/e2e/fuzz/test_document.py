"""Tests that the service does what its OpenAPI document says, and nothing that the document leaves
out.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.fuzz.campaign import ACCOUNTS, GUESTS, Campaign, Stack, campaign_of

EACH_VALUE = "--phases=examples,coverage,stateful"
# Customers with accounts send the same bodies and parameters as guests. The test for guests tries
# all values, so this test tries only some of them.
SOME_VALUES = "--phases=examples,fuzzing,stateful"


@pytest.fixture(scope="module")
def guests() -> Iterator[Campaign]:
    with campaign_of(GUESTS) as campaign:
        yield campaign


def test_answers_to_guests_and_operators_match_the_document(guests: Campaign) -> None:
    outcome = guests.run_briefly(EACH_VALUE)
    assert outcome.is_clean, outcome.report


def test_answers_to_customers_of_an_issuer_match_the_document(accounts: Campaign) -> None:
    outcome = accounts.run_briefly(SOME_VALUES)
    assert outcome.is_clean, outcome.report


def test_the_two_kinds_of_stack_differ_only_in_customer_routes() -> None:
    def routes(stack: Stack) -> dict[str, Any]:
        document = json.loads(stack.document.read_text(encoding="utf-8"))
        return {
            f"{method} {path}": operation
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        }

    guests, accounts = routes(GUESTS), routes(ACCOUNTS)
    assert guests.keys() == accounts.keys()
    differing = {route for route in guests if guests[route] != accounts[route]}
    assert {guests[route]["tags"][0] for route in differing} == {"customer"}
