"""Every response has the headers that make browsers protect customers."""

from typing import Any

import pytest

from tests.support.people import People
from tests.support.routes import ROUTES, path_of
from waitlist_api.entries.signup import Signups
from waitlist_api.errors import NotReady
from waitlist_api.http.api import as_lambda_response
from waitlist_api.http.errors import problem
from waitlist_api.http.json_body import MAX_BODY_BYTES


def assert_protected(headers: dict[str, str]) -> None:
    found = {name.lower(): value for name, value in headers.items()}
    assert found["x-content-type-options"] == "nosniff"
    assert found["strict-transport-security"] == "max-age=31536000"
    assert "cache-control" in found
    # API Gateway adds the CORS headers, which depend on the calling page.
    assert "Origin" in found["vary"]


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("is_known", [True, False], ids=["known list", "unknown list"])
def test_each_route_has_the_protective_headers(people: People, route: str, is_known: bool) -> None:
    """This test covers all routes, including the customer page's routes, which are not in the
    OpenAPI document.
    """
    if not is_known:
        people.delete_waitlist()
    method, path = route.split()[0], path_of(route, people.id_of("ada"))
    answer = people.world.request(method, path, body={}, operator="/admin/" in path)
    assert_protected(answer.headers)
    if "/entries" in route or "/admin/" in route:
        # The response can contain personal data, so no cache may store it.
        assert answer.headers["cache-control"] == "no-store"


REFUSED: dict[str, dict[str, Any]] = {
    "no JSON": {"raw_body": "{"},
    "another type": {"raw_body": "{}", "headers": {"content-type": "text/plain"}},
    "too large": {"raw_body": "x" * (MAX_BODY_BYTES + 1)},
    "a wrong field": {"body": {"customer_id": 5}},
    "another site": {"body": {}, "headers": {"sec-fetch-site": "cross-site"}},
}


@pytest.mark.parametrize("sent", REFUSED)
def test_a_refused_request_has_the_protective_headers(people: People, sent: str) -> None:
    answer = people.world.request("POST", f"{people.path}/entries", **REFUSED[sent])
    assert 400 <= answer.status < 500
    assert_protected(answer.headers)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/nothing", 404),
        ("PATCH", "/v1/health", 404),
        ("GET", "/w/nowhere", 404),
        ("GET", "/assets/latest/nothing.js", 404),
        ("GET", "/v1/admin/waitlists", 401),
    ],
)
def test_a_response_with_status_401_or_404_has_the_protective_headers(
    people: People, method: str, path: str, status: int
) -> None:
    answer = people.world.request(method, path)
    assert answer.status == status
    assert_protected(answer.headers)


def test_a_304_response_has_the_protective_headers(people: People) -> None:
    etag = people.world.request("GET", "/w/bakery").headers["etag"]
    answer = people.world.request("GET", "/w/bakery", headers={"if-none-match": etag})
    assert answer.status == 304
    assert_protected(answer.headers)


def test_an_internal_error_has_the_protective_headers(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(Signups, "sign_up", broken)
    answer = people.sign_up("dan")
    assert answer.status == 500
    assert_protected(answer.headers)
    assert_protected(as_lambda_response(problem(NotReady()))["headers"])
