"""Tests of the page that a local run serves at `/`."""

import json
from typing import Any

import pytest

from tests.unit.tools.fakes import FakeFunction
from tests.unit.tools.test_local_gateway import gateway
from tools.local.http_message import HttpRequest

HERE = (("Host", "127.0.0.1:8080"),)
LISTS = [{"waitlist_id": "bakery", "name": "<b>Bakery</b>"}, {"waitlist_id": "beta", "name": "B"}]


def load_page(
    lists: list[dict[str, str]], status: int = 200, headers: Any = HERE
) -> tuple[int, str]:
    answer = {"statusCode": status, "headers": {}, "body": json.dumps({"waitlists": lists})}
    response = gateway(FakeFunction(lambda _: answer))(HttpRequest("GET", "/", headers))
    return response.status, response.body.decode()


def test_the_page_shows_the_lists_the_documents_and_the_console_command() -> None:
    status, html = load_page(LISTS)
    assert status == 200
    for part in ('href="/w/bakery"', 'href="/w/beta"', 'href="/docs"', "waitlist --local console"):
        assert part in html
    assert "&lt;b&gt;Bakery&lt;/b&gt;" in html
    assert "PORT=" not in html


def test_without_lists_the_page_says_how_to_create_a_list() -> None:
    _, html = load_page([], headers=(("Host", "localhost:9000"),))
    assert "PORT=9000 .venv/bin/waitlist --local create bakery --name Bakery" in html


def test_the_page_opens_even_if_the_service_does_not_answer() -> None:
    status, html = load_page([], 503)
    assert (status, "Reload the page" in html) == (200, True)


@pytest.mark.parametrize(
    "request_",
    [
        HttpRequest("GET", "/", (("Host", "evil.example"),)),
        HttpRequest("POST", "/", HERE),
        HttpRequest("GET", "/v1", HERE),
    ],
)
def test_other_requests_go_to_the_service(request_: HttpRequest) -> None:
    """The start page answers only GET requests to / whose Host header names this computer, so no
    page on a different site can read it.
    """
    answer = {"statusCode": 404, "headers": {}, "body": json.dumps({"code": "no_such_route"})}
    function = FakeFunction(lambda _: answer)
    assert gateway(function)(request_).status == 404
    assert [event["routeKey"] for event in function.events] == ["$default"]
