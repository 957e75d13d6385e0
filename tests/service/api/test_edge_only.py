"""Tests for the `EdgeOnly` parameter. If it is on, customers' requests must come through
CloudFront, which sends a secret key. Operators' requests need no key.
"""

import json
from typing import Any

import pytest
from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from tests.service.api.conftest import new_list
from tests.service.api.refusing import nothing_changes, refused
from tests.support.people import People
from tests.support.routes import OF_CUSTOMERS, OF_OPERATORS, path_of
from tests.support.world import SECRET
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.errors import EdgeOnly
from waitlist_api.http.api import Api
from waitlist_api.http.edge import HEADER

CURRENT, PREVIOUS = "c" * 64, "p" * 64
EDGE = "https://d111111abcdef8.cloudfront.net"


@pytest.fixture
def guarded() -> People:
    return guarded_list()


@pytest.fixture(scope="module")
def closed() -> People:
    """A waitlist that tests must not change, because they share it."""
    return guarded_list()


def guarded_list() -> People:
    people = new_list()
    people.all_sign_up("ada")
    tokens, logger = EntryTokens(SECRET), Logger(service="test", level="CRITICAL")
    people.world.api = Api(people.world.services.container, tokens, logger, (), (CURRENT, PREVIOUS))
    people.world.stage_variables = {"edge_url": EDGE}
    return people


@pytest.mark.parametrize("route", OF_CUSTOMERS)
@pytest.mark.parametrize("given", [None, "", "x" * 64, CURRENT[:-1], f"{CURRENT}, {PREVIOUS}"])
def test_a_customers_request_without_the_key_is_refused(
    closed: People, route: str, given: str | None
) -> None:
    """Without the key, the service refuses the request before it reads anything, even if the
    customer's token is valid (promise P5).
    """
    headers = {} if given is None else {HEADER: given}
    with nothing_changes(closed.world):
        answer = closed.world.request(
            route.split()[0],
            path_of(route, closed.id_of("ada")),
            token=closed.token_of("ada"),
            headers=headers,
        )
    problem = refused(answer, 403, EdgeOnly.code)
    assert EDGE in problem["detail"]
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("key", [CURRENT, PREVIOUS])
def test_each_key_of_a_rotation_lets_the_edge_in(guarded: People, key: str) -> None:
    """While CloudFront's key is being replaced, the service accepts both the old and the new key
    (promise P5).
    """
    for path in ("/v1/waitlists/bakery", "/w/bakery", "/assets/latest/page.js"):
        assert guarded.world.request("GET", path, headers={HEADER: key}).status == 200
    answer = guarded.world.request(
        "GET", guarded.entry("ada"), token=guarded.token_of("ada"), headers={HEADER: key}
    )
    assert (answer.status, answer.json["position"]) == (200, 1)


@pytest.mark.parametrize("route", OF_OPERATORS)
def test_operators_call_the_api_itself(guarded: People, route: str) -> None:
    method, path = route.split()[0], path_of(route, guarded.id_of("ada"))
    answer = guarded.world.request(method, path, raw_body="[", operator=True)
    assert answer.status < 500
    assert "edge_only" not in answer.text


def test_an_operators_path_without_iam_is_no_way_around(guarded: People) -> None:
    """P5"""
    answer = guarded.world.request("GET", "/v1/admin/waitlists/bakery")
    refused(answer, 401, "unauthorized")


def test_without_edge_only_no_key_is_needed() -> None:
    assert new_list().world.request("GET", "/v1/waitlists/bakery").status == 200


def test_the_key_goes_no_further_than_the_check(
    guarded: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service removes the key from a request after checking it, so that later code cannot log
    it by mistake (promise P5).
    """
    resolve_unwatched = APIGatewayHttpResolver.resolve
    resolved: list[str] = []

    def resolve(resolver: APIGatewayHttpResolver, sent: dict[str, Any], context: Any) -> Any:
        resolved.append(json.dumps(sent))
        return resolve_unwatched(resolver, sent, context)

    monkeypatch.setattr(APIGatewayHttpResolver, "resolve", resolve)
    headers = {HEADER: CURRENT, "if-none-match": "other"}
    assert guarded.world.request("GET", "/w/bakery", headers=headers).status == 200
    (seen,) = resolved
    assert CURRENT not in seen
    assert "if-none-match" in seen
