"""Tests the customer's page against a running service, from signup to exit."""

import re
from urllib.parse import urlsplit

import httpx
import jwt
import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.stage import Stage
from tests.e2e.callers import Customer, Operator
from tests.e2e.processes import Service
from tests.unit.tools.fakes import serving, url_of
from tools.local.http_message import HttpRequest, HttpResponse

SHOP = "http://127.0.0.1:9/shop"
PAGE = {"text": "Fresh bread.\nEvery morning.", "colour": "#0b6e4f", "enter_url": SHOP}
AT_ONCE = {"rate": {"count": 100, "per": "second"}, "offer_seconds": 600, "pass_seconds": 600}


def test_a_customer_goes_from_joining_to_the_exit(
    browser_page: Page,
    operator: Operator,
    others: Customer,
    service: Service,
    http: httpx.Client,
) -> None:
    """The position on the page is correct after every poll, and the shop's entrance accepts the
    pass (promises P1, P2 and P4).
    """
    config = {"name": "Corner Bakery", "page": PAGE}
    assert operator.put(config).status_code == 201
    ahead = [others.joined(f"early-{number}") for number in range(5)]
    page = browser_page

    page.goto(f"/w/{operator.waitlist_id}")
    expect(page.get_by_text("5 people are waiting.")).to_be_visible()
    page.get_by_role("button", name="Join the line").click()
    expect(page.get_by_role("heading", name="You are in line")).to_be_focused()
    expect(page.get_by_text("5 people ahead of you")).to_be_visible()
    expect(page).to_have_title("(6) Corner Bakery")
    assert progress(page) == 0

    for entry in ahead[:4]:
        assert others.leave(entry).status_code == 204
    expect(page.get_by_text("1 person ahead of you")).to_be_visible()
    expect(page).to_have_title("(2) Corner Bakery")
    assert progress(page) == 0.8

    assert operator.put({**config, "admission": AT_ONCE}).status_code == 200
    expect(page.get_by_role("heading", name="It is your turn")).to_be_visible()
    expect(page).to_have_title("It is your turn: Corner Bakery")
    expect(page.get_by_role("timer")).to_have_text(re.compile(r"^(10|[0-9]):[0-9]{2}$"))

    def shop(route: Route) -> None:
        route.fulfill(content_type="text/html", body="<h1>The shop</h1>")

    page.route(f"{SHOP}**", shop)
    page.get_by_role("button", name="Enter now").click()
    page.wait_for_url(f"{SHOP}**")
    name, _, shown = urlsplit(page.url).fragment.partition("=")
    assert name == "pass"
    keys = jwt.PyJWKClient(f"{service.url}/.well-known/jwks.json")
    claims = jwt.decode(
        shown,
        keys.get_signing_key_from_jwt(shown).key,
        algorithms=["RS256"],
        audience=operator.waitlist_id,
        issuer=service.url,
    )
    assert operator.stats()["inside"] >= 1

    page.go_back()
    expect(page.get_by_role("heading", name="You are in")).to_be_visible()
    page.get_by_role("button", name="I am finished").click()
    page.get_by_role("dialog").get_by_role("button", name="I am finished").click()
    expect(page.get_by_role("heading", name="Goodbye")).to_be_visible()
    person = operator.call("GET", f"/entries/{claims['sub']}").json()
    assert (person["status"], person["exited_at"] is not None) == ("admitted", True)


@pytest.mark.parametrize("status", [302, 303, 307])
@pytest.mark.parametrize(("fragment", "arrives"), [("", True), ("#", False)])
def test_a_redirect_keeps_the_pass_unless_it_has_a_fragment(
    stage: Stage, status: int, fragment: str, *, arrives: bool
) -> None:
    """The customer's page opens the shop with the admission pass in the URL's fragment. If the shop
    answers with a redirect, the pass gets lost only if the new URL has its own fragment.
    """

    def shop(_request: HttpRequest) -> HttpResponse:
        return HttpResponse(200, (("content-type", "text/html"),), b"<h1>The shop</h1>")

    with serving(shop) as elsewhere:

        def door(_request: HttpRequest) -> HttpResponse:
            return HttpResponse(status, (("location", f"{url_of(elsewhere)}/{fragment}"),), b"")

        with serving(door) as entrance:
            stage.configure(page={"enter_url": f"{url_of(entrance)}/enter"})
            stage.offer()
            stage.press("Enter now")
            stage.page.wait_for_url(f"{url_of(elsewhere)}/**")
            assert ("#pass=ey" in stage.page.url) == arrives


def progress(page: Page) -> float:
    return round(float(page.get_by_role("progressbar").evaluate("bar => bar.value")), 3)
