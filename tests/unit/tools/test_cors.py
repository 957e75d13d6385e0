from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from tests.support.plain_http import plain_client
from tests.unit.tools.fakes import FakeFunction, serving, url_of
from tests.unit.tools.test_jwt_authorizer import authorizer
from tools.local.cors import CorsRules
from tools.local.local_gateway import LocalGateway
from tools.local.routes import Routes
from tools.local.table import read_template

PAGE = "https://app.example.com"
ALLOW = "access-control-allow-origin"


@contextmanager
def client(public: FakeFunction, *origins: str) -> Iterator[httpx.Client]:
    routes = Routes.from_template(read_template())
    gateway = LocalGateway(public, {}, routes, jwt_authorizer=authorizer())
    rules = CorsRules.from_template(read_template(), origins)
    with serving(gateway, cors=rules) as server, plain_client(url_of(server)) as http:
        yield http


def fake() -> FakeFunction:
    return FakeFunction(lambda _: {"statusCode": 200})


def preflight(http: httpx.Client, path: str, origin: str, method: str = "POST") -> httpx.Response:
    headers = {"Origin": origin, "Access-Control-Request-Method": method}
    return http.options(path, headers=headers)


def split_header(header: str) -> set[str]:
    return {one.strip() for one in header.split(",")}


@pytest.mark.parametrize(
    "path", ["/v1/admin/waitlists/bakery", "/v1/waitlists/bakery/entries/me", "/v1/health", "/no"]
)
def test_a_preflight_is_answered_without_credentials_and_without_the_function(path: str) -> None:
    public = fake()
    with client(public, PAGE) as http:
        response = preflight(http, path, PAGE, "PUT")
    headers = response.headers
    assert (response.status_code, headers[ALLOW]) == (204, PAGE)
    assert "PUT" in split_header(headers["access-control-allow-methods"])
    assert {"authorization", "x-correlation-id"} <= split_header(
        headers["access-control-allow-headers"]
    )
    assert headers["access-control-max-age"] == "3600"
    assert public.events == []


def test_the_page_may_read_every_response_including_refusals() -> None:
    with client(fake(), PAGE) as http:
        for path, status in (("/v1/health", 200), ("/v1/waitlists/bakery/entries/me", 401)):
            response = http.get(path, headers={"origin": PAGE})
            assert (response.status_code, response.headers[ALLOW]) == (status, PAGE)
            assert "retry-after" in split_header(response.headers["access-control-expose-headers"])


def test_another_origin_gets_no_permission() -> None:
    """P5"""
    with client(fake(), PAGE) as http:
        for origin in ("https://other.example.com", "null", PAGE + ".evil.com"):
            response = preflight(http, "/v1/health", origin)
            assert response.status_code == 204
            assert not [name for name in response.headers if name.startswith("access-control")]
            assert ALLOW not in http.get("/v1/health", headers={"origin": origin}).headers
