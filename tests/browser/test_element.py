"""Tests the `<waitlist-position>` element on another website's page, for guests and for customers
with accounts.
"""

import json
import re
import secrets
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SHOP_ORIGIN
from tests.browser.stage import POLICY, Stage
from tests.e2e.callers import Customer, Operator
from tests.e2e.processes import Service, running_service
from tests.rules.sources import ROOT
from tools.local.jwt_issuer import LocalIssuer
from tools.local.operator import local_operator

ISSUER, AUDIENCE = "https://issuer.example.com", "waitlist"
DOCUMENT = ROOT / "docs" / "app" / "customer-page.md"
API = "https://queue.example.com"


@pytest.fixture(scope="module")
def accounts() -> Iterator[Service]:
    environ = {"JWT_ISSUER": ISSUER, "JWT_AUDIENCE": AUDIENCE, "CORS_ORIGINS": SHOP_ORIGIN}
    with running_service(**environ) as service:
        yield service


@pytest.fixture
def accounts_stage(accounts: Service, browser_page: Page) -> Iterator[Stage]:
    with httpx.Client(base_url=accounts.url, timeout=35, trust_env=False) as http:
        operator = Operator(http, local_operator(), f"members-{secrets.token_hex(4)}")
        yield Stage(browser_page, operator, Customer(http, operator.waitlist_id))


def embed(page: Page, html: str, policy: str = "") -> None:
    headers = {"Content-Security-Policy": policy} if policy else {}

    def serve(route: Any) -> None:
        route.fulfill(content_type="text/html", headers=headers, body=html)

    # Chromium asks the user before a website may send requests to the user's own computer. The
    # service runs on this computer, so the test grants the permission in advance.
    page.context.grant_permissions(["local-network-access"], origin=SHOP_ORIGIN)
    page.route(f"{SHOP_ORIGIN}/", serve)
    page.goto(f"{SHOP_ORIGIN}/")


def read_example(service: Service, waitlist_id: str) -> str:
    (example,) = re.findall(r"```html\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    assert API in example
    return str(example.replace(API, service.url).replace('"sale"', f'"{waitlist_id}"'))


def element_html(service: Service, waitlist_id: str, more: str = "") -> str:
    source = f"{service.url}/assets/latest/waitlist-position.js"
    return (
        f'<!doctype html><html lang="en"><title>Shop</title>'
        f'<script type="module" src="{source}"></script>'
        f'<waitlist-position waitlist="{waitlist_id}" {more}></waitlist-position></html>'
    )


def test_the_documented_example_works(stage: Stage, service: Service) -> None:
    stage.configure(admission=POLICY)
    entered: list[str | None] = []

    def enter(route: Any) -> None:
        entered.append(route.request.header_value("authorization"))
        route.fulfill(body="in")

    stage.page.route(f"{SHOP_ORIGIN}/shop/enter", enter)
    embed(stage.page, read_example(service, stage.operator.waitlist_id))
    with stage.page.expect_console_message(lambda message: message.text == "waiting 1"):
        stage.press("Join the line")
    stage.admit()
    with stage.page.expect_response("**/shop/enter"):
        stage.press("Enter now")
    (shown,) = entered
    assert shown is not None
    assert shown.startswith("Bearer eyJ")
    stage.shows("You are in")
    assert stage.page.url == f"{SHOP_ORIGIN}/", "the page decides where to go"


def test_a_link_that_is_set_before_the_script_has_loaded_opens_its_place(
    stage: Stage, service: Service
) -> None:
    stage.configure()
    entry = stage.others.joined("ada")
    link = {"entry_id": entry.entry_id, "entry_token": entry.token}
    early = f"document.querySelector('waitlist-position').link = {json.dumps(link)};"
    html = element_html(service, stage.operator.waitlist_id)
    embed(stage.page, html.replace("</html>", f"<script>{early}</script></html>"))
    stage.shows("You are in line")


def test_a_change_is_reported_once(stage: Stage, service: Service) -> None:
    """The element sends one event for each change to the entry.

    If a poll finds the same position, the element sends no event, even if the number of people
    waiting has changed.
    """
    stage.configure()
    listening = """
      <script>
        window.changes = [];
        addEventListener('waitlist-change', ({ detail }) => changes.push(JSON.stringify(detail)));
      </script>
      <waitlist-position"""
    page = element_html(service, stage.operator.waitlist_id).replace(
        "<waitlist-position", listening
    )
    embed(stage.page, page)
    stage.press("Join the line")
    stage.shows("You are in line")
    for number, behind in enumerate(("1 person behind you", "2 people behind you")):
        stage.others.joined(f"late-{number}")
        expect(stage.page.get_by_text(behind)).to_be_visible()
    changes = stage.page.evaluate("() => changes.map(JSON.parse)")
    assert [change["state"] for change in changes] == ["loading", "join", "joining", "waiting"]


def test_a_strict_content_security_policy_needs_only_two_sources(
    stage: Stage, service: Service
) -> None:
    stage.configure()
    policy = f"default-src 'none'; script-src {service.url}; connect-src {service.url}"
    embed(stage.page, element_html(service, stage.operator.waitlist_id), policy)
    stage.press("Join the line")
    stage.shows("You are in line")
    panel = stage.page.locator("waitlist-position .panel")
    assert panel.evaluate("panel => getComputedStyle(panel).borderRadius") == "20px"


def test_styles_of_the_page_and_of_the_element_do_not_mix(stage: Stage, service: Service) -> None:
    stage.configure()
    styled = element_html(service, stage.operator.waitlist_id).replace(
        "<title>", "<style>button { display: none } h1 { color: red }</style><title>"
    )
    embed(stage.page, f"{styled}<h1>Shop</h1>")
    expect(stage.page.get_by_role("button", name="Join the line")).to_be_visible()


def test_a_page_can_style_the_documented_parts(stage: Stage, service: Service) -> None:
    fields = [
        {"name": "name", "label": "Name"},
        {"name": "city", "label": "City", "type": "select", "options": ["A"]},
    ]
    logo = f"{service.url}/assets/latest/icon.svg"
    (table,) = re.findall(r"\| part \|.*\n((?:\|.*\n)+)", DOCUMENT.read_text("utf-8"))
    documented = set(
        re.findall(r"`([\w-]+)`", "".join(line.split("|")[1] for line in table.split("\n")[1:-1]))
    )
    assert len(documented) > 10
    picture, link = logo.replace("http:", "https:"), "https://example.com/privacy"
    stage.configure(
        page={
            "text": "Fresh bread. " * 9,
            "logo_url": picture,
            "header_url": picture,
            "privacy_url": link,
            "fields": fields,
        },
        call_numbers={"prefix": "A"},
    )
    style = "<style>waitlist-position::part(main) { text-transform: uppercase }</style><title>"
    page = element_html(service, stage.operator.waitlist_id, "languages")
    embed(stage.page, page.replace("<title>", style))
    stage.page.get_by_label("Name").wait_for()
    main = stage.page.get_by_role("button", name="Join the line")
    assert main.evaluate("button => getComputedStyle(button).textTransform") == "uppercase"
    seen = find_parts(stage.page)
    main.click()
    stage.page.get_by_text("Your number is A001").wait_for()
    stage.press("Leave the line")
    seen |= find_parts(stage.page)
    # If customers must verify their address, the page tells them to check their email.
    stage.configure(identity={"field": "email", "verify": "before_offer"})
    stage.page.evaluate("localStorage.clear()")
    stage.page.reload()
    stage.page.get_by_label("Email address").fill("ada@example.com")
    main.click()
    stage.shows("Check your messages")
    assert documented - seen - find_parts(stage.page) == set()


def find_parts(page: Page) -> set[str]:
    found = page.evaluate(
        """() => {
          const root = document.querySelector('waitlist-position').shadowRoot;
          return [...root.querySelectorAll('[part]')].flatMap((node) => [...node.part]);
        }"""
    )
    return set(found)


def test_a_customer_with_an_account_sees_their_own_place(
    accounts_stage: Stage, accounts: Service
) -> None:
    """A website that knows its customers gives the element a token for the customer. The element
    sends this token to the service and stores nothing in the browser (promise P5).
    """
    stage = accounts_stage
    stage.configure(admission=POLICY)
    issuer = LocalIssuer(ISSUER, AUDIENCE)
    tokens = {name: issuer.token(name, int(time.time())) for name in ("ada", "bob")}
    embed(stage.page, element_html(accounts, stage.operator.waitlist_id, "account"))
    stage.shows("Please sign in to see your place")
    stage.page.evaluate(
        "token => { document.querySelector('waitlist-position').token = token; }", tokens["ada"]
    )
    stage.press("Join the line")
    stage.shows("You are in line")
    stage.page.reload()
    stage.shows("Please sign in to see your place")
    stage.page.evaluate(
        "token => { document.querySelector('waitlist-position').token = async () => token; }",
        tokens["ada"],
    )
    stage.shows("You are in line")
    assert stage.page.evaluate("() => localStorage.length") == 0
    expect(stage.page.get_by_role("button", name="Forget me here")).to_have_count(0)
    stage.page.evaluate(
        "token => { document.querySelector('waitlist-position').token = token; }", tokens["bob"]
    )
    expect(stage.page.get_by_role("button", name="Join the line")).to_be_visible()
    stage.admit()
    stage.page.evaluate(
        "token => { document.querySelector('waitlist-position').token = token; }", tokens["ada"]
    )
    stage.press("Enter now")
    stage.shows("You are in")
    stage.press("I am finished")
    stage.confirm("I am finished")
    stage.press("Join again")
    expect(stage.page.get_by_role("button", name="Join the line")).to_be_visible()


def test_the_element_asks_again_for_a_token_that_it_could_not_get(
    accounts_stage: Stage, accounts: Service
) -> None:
    """If the website cannot provide a token, for example because its server is down, the element
    asks it again later.
    """
    stage = accounts_stage
    stage.configure()
    token = LocalIssuer(ISSUER, AUDIENCE).token("ada", int(time.time()))
    embed(stage.page, element_html(accounts, stage.operator.waitlist_id, "account"))
    stage.page.evaluate(
        """token => {
          let isLost = true;
          window.restore = () => (isLost = false);
          document.querySelector('waitlist-position').token = async () => {
            if (isLost) throw new TypeError('Failed to fetch');
            return token;
          };
        }""",
        token,
    )
    expect(stage.page.get_by_text("No connection.")).to_be_visible()
    stage.page.evaluate("() => restore()")
    stage.press("Join the line")
    stage.shows("You are in line")


def test_the_page_of_a_waitlist_with_accounts_asks_to_sign_in(
    accounts_stage: Stage, accounts: Service
) -> None:
    accounts_stage.configure()
    accounts_stage.page.goto(f"{accounts.url}/w/{accounts_stage.operator.waitlist_id}")
    accounts_stage.press("Join the line")
    accounts_stage.shows("Please sign in to see your place")


def test_the_screen_shows_no_code_if_people_cannot_join_on_its_page(
    accounts_stage: Stage, accounts: Service
) -> None:
    page = accounts_stage.page
    accounts_stage.configure()
    page.goto(f"{accounts.url}/w/{accounts_stage.operator.waitlist_id}/screen")
    expect(page.locator(".wait")).not_to_be_empty()
    expect(page.locator(".code")).to_have_count(0)
