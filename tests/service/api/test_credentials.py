"""Tests for requests without the right credentials, which return nothing and change nothing
(promise P5).
"""

from typing import Any

import pytest

from tests.service.api.refusing import nothing_changes, refused
from tests.support.people import People
from tests.support.routes import OF_OPERATORS, path_of
from waitlist_api.auth.credentials import EntryTokens


@pytest.mark.parametrize("route", OF_OPERATORS)
def test_an_unsigned_admin_call_is_unauthorized(stocked: People, route: str) -> None:
    """The request has a valid body, and only its signature is missing (promise P5)."""
    method, path = route.split()[0], path_of(route, stocked.id_of("cyd"))
    body = None if method in ("GET", "DELETE") else {"reason": "asked by phone"}
    with nothing_changes(stocked.world):
        refused(stocked.world.request(method, path, body=body), 401, "unauthorized")
        token = stocked.token_of("cyd")
        answer = stocked.world.request(method, path, body=body, token=token)
        refused(answer, 401, "unauthorized")


@pytest.mark.parametrize("route", OF_OPERATORS)
def test_a_stranger_does_not_learn_what_else_is_wrong(stocked: People, route: str) -> None:
    """The service checks the credentials before it looks at the body or at stored data (promise
    P5).
    """
    for wrong in ("not-an-id", stocked.id_of("nobody")):
        answer = stocked.world.request(
            route.split()[0],
            path_of(route, wrong),
            raw_body="[" * 100_000,
            headers={"content-type": "text/plain"},
            query="limit=0",
        )
        refused(answer, 401, "unauthorized")


@pytest.mark.parametrize("path", ["/v1/admin", "/v1/admin/", "/v1/admin/nothing"])
def test_an_unknown_admin_path_is_not_found(stocked: People, path: str) -> None:
    """P5"""
    for operator in (False, True):
        refused(stocked.world.request("GET", path, operator=operator), 404, "not_found")


def token_with(stocked: People, **parts: str) -> str:
    key_id, mac = stocked.token_of("ada").split(".")
    return f"{parts.get('key_id', key_id)}.{parts.get('mac', mac)}"


def look(people: People, name: str, authorization: str, method: str = "GET") -> Any:
    headers = {"authorization": authorization}
    return people.world.request(method, people.entry(name), headers=headers)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer ", "Bearer nonsense", "Bearer a.b", "Bearer ☕", "Basic YWRhOg=="],
    ids=ascii,
)
def test_a_malformed_token_is_unauthorized(
    stocked: People, method: str, authorization: str
) -> None:
    """P5"""
    with nothing_changes(stocked.world):
        refused(look(stocked, "ada", authorization, method), 401, "unauthorized")
        refused(stocked.world.request(method, stocked.entry("ada")), 401, "unauthorized")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_token_that_is_cut_or_dressed_up_is_unauthorized(stocked: People, method: str) -> None:
    """P5"""
    token = stocked.token_of("ada")
    with nothing_changes(stocked.world):
        for wrong in (token[:-1], token + "A", token + "=", token.replace(".", ""), f'"{token}"'):
            refused(look(stocked, "ada", f"Bearer {wrong}", method), 401, "unauthorized")
        refused(look(stocked, "ada", token, method), 401, "unauthorized")
        refused(look(stocked, "ada", f"Basic {token}", method), 401, "unauthorized")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_token_of_something_else_is_forbidden(stocked: People, method: str) -> None:
    """A request with another person's or another waitlist's token, or with a forged signature, is
    refused (promise P5).
    """
    ada = stocked.id_of("ada")
    other_secret = EntryTokens("another-secret-of-32-characters-or-more")
    wrong = [
        stocked.token_of("bob"),
        People(stocked.world, "florist").token_of("ada"),
        other_secret.issue(stocked.waitlist_id, ada, stocked.stay_of("ada")),
        token_with(stocked, mac="A" * 43),
        token_with(stocked, key_id="0" * 8),
    ]
    with nothing_changes(stocked.world):
        for token in wrong:
            refused(look(stocked, "ada", f"Bearer {token}", method), 403, "forbidden")


def test_a_wrong_token_does_not_show_that_a_customer_is_on_the_list(
    stocked: People,
) -> None:
    """P8"""
    token = stocked.token_of("bob")
    there = look(stocked, "ada", f"Bearer {token}")
    not_there = look(stocked, "nobody", f"Bearer {token}")
    assert (there.status, there.text) == (not_there.status, not_there.text)


def test_the_scheme_may_be_written_in_any_case(stocked: People) -> None:
    token = stocked.token_of("ada")
    assert look(stocked, "ada", f"bearer {token}").status == 200
    assert look(stocked, "ada", f"BEARER  {token}").status == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/waitlists/nothing"),
        ("GET", "/v1/admin/waitlists/nothing"),
        ("DELETE", "/v1/admin/waitlists/nothing"),
        ("GET", "/v1/admin/waitlists/nothing/stats"),
        ("GET", "/v1/admin/waitlists/nothing/entries"),
    ],
)
def test_an_unknown_waitlist_is_not_found(stocked: People, method: str, path: str) -> None:
    """P5"""
    with nothing_changes(stocked.world):
        refused(stocked.world.request(method, path, operator=True), 404, "waitlist_not_found")


def test_a_customer_of_an_unknown_waitlist_finds_nothing(stocked: People) -> None:
    """P5"""
    nowhere = People(stocked.world, "nothing")
    with nothing_changes(stocked.world):
        refused(nowhere.sign_up("ada"), 404, "waitlist_not_found")
        refused(nowhere.poll("ada"), 404, "waitlist_not_found")
        refused(nowhere.leave("ada"), 404, "entry_not_found")
        refused(nowhere.bump("ada", to="front"), 404, "waitlist_not_found")


def test_an_unknown_entry_is_not_found(stocked: People) -> None:
    """P5"""
    with nothing_changes(stocked.world):
        refused(stocked.poll("nobody"), 404, "entry_not_found")
        refused(stocked.leave("nobody"), 404, "entry_not_found")
        refused(stocked.person("nobody"), 404, "entry_not_found")
        refused(stocked.bump("nobody", to="front"), 404, "entry_not_found")
        assert stocked.erase("nobody").status == 204
