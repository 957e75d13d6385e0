import pytest

from tests.unit.tools.fakes import FakeFunction
from tests.unit.tools.test_jwt_authorizer import authorizer
from tools.local.cors import Cors, CorsRules
from tools.local.front import Front
from tools.local.http_message import HttpRequest, HttpResponse
from tools.local.routes import Routes
from tools.local.table import read_template

PAGE = "https://app.example.com"
ALLOW = "access-control-allow-origin"


def app(public: FakeFunction, *origins: str) -> Cors:
    """The front with every authorizer there is, behind the rules."""
    routes = Routes.from_template(read_template())
    front = Front(public, lambda _: HttpResponse(500), routes, jwt_authorizer=authorizer())
    return Cors(front, CorsRules.from_template(read_template(), origins))


def fake() -> FakeFunction:
    return FakeFunction(lambda _: {"statusCode": 200})


def preflight(path: str, origin: str, method: str = "POST") -> HttpRequest:
    headers = (("Origin", origin), ("Access-Control-Request-Method", method))
    return HttpRequest("OPTIONS", path, headers)


@pytest.mark.parametrize(
    "path", ["/v1/admin/waitlists/bakery", "/v1/waitlists/bakery/entries/me", "/v1/health", "/no"]
)
def test_a_preflight_is_answered_without_credentials_and_without_the_function(path: str) -> None:
    public = fake()
    response = app(public, PAGE)(preflight(path, PAGE, "PUT"))
    headers = dict(response.headers)
    assert (response.status, headers[ALLOW]) == (204, PAGE)
    assert "PUT" in headers["access-control-allow-methods"].split(",")
    assert {"authorization", "x-correlation-id"} <= set(
        headers["access-control-allow-headers"].split(",")
    )
    assert headers["access-control-max-age"] == "3600"
    assert public.events == []


def test_an_answer_may_be_read_by_the_page_also_a_refusal() -> None:
    whole = app(fake(), PAGE)
    for path, status in (("/v1/health", 200), ("/v1/waitlists/bakery/entries/me", 401)):
        response = whole(HttpRequest("GET", path, (("origin", PAGE),)))
        headers = dict(response.headers)
        assert (response.status, headers[ALLOW]) == (status, PAGE)
        assert "retry-after" in headers["access-control-expose-headers"]


def test_another_origin_is_told_nothing() -> None:
    """P5"""
    whole = app(fake(), PAGE)
    for origin in ("https://other.example.com", "null", PAGE + ".evil.com"):
        assert whole(preflight("/v1/health", origin)).headers == ()
        response = whole(HttpRequest("GET", "/v1/health", (("origin", origin),)))
        assert ALLOW not in dict(response.headers)


def test_any_origin_may_be_allowed() -> None:
    response = app(fake(), "*")(preflight("/v1/health", "https://anything.example.com"))
    assert dict(response.headers)[ALLOW] == "*"


def test_a_request_of_no_page_is_answered_as_ever() -> None:
    public = fake()
    assert dict(app(public, PAGE)(HttpRequest("GET", "/v1/health")).headers).get(ALLOW) is None
    assert app(public, PAGE)(HttpRequest("OPTIONS", "/v1/health")).status == 200
    assert len(public.events) == 2
