"""Tests the public screen in Chromium.

It must show the numbers that are being called, and never an outdated one.
"""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.axe import Axe
from tests.browser.conftest import NewContext
from tests.browser.qr import read_code
from tests.browser.stage import NAME
from tests.e2e.callers import Customer, Operator

HD: ViewportSize = {"width": 1280, "height": 720}
FULL_HD: ViewportSize = {"width": 1920, "height": 1080}
PORTRAIT: ViewportSize = {"width": 1080, "height": 1920}
NUMBERS = {"prefix": "A", "restart": "daily"}
LONG = "Examination room 12, second floor, east wing, next to lift B"
SCROLLS = """() => {
  const { scrollHeight, scrollWidth } = document.documentElement;
  const panel = document.querySelector('waitlist-screen').shadowRoot.querySelector('.panel');
  const boxes = [...panel.querySelectorAll('li, .code, .wait, .news')];
  const isCut = boxes.some((each) => {
    const { bottom, right, left } = each.getBoundingClientRect();
    return bottom > innerHeight || right > innerWidth || left < 0;
  });
  const isHigh = scrollHeight > innerHeight || panel.scrollHeight > panel.clientHeight;
  return isCut || isHigh || scrollWidth > innerWidth;
}"""
ANIMATED = """() => {
  const { shadowRoot } = document.querySelector('waitlist-screen');
  return shadowRoot.getAnimations().map(({ animationName }) => animationName);
}"""

OpenScreen = Callable[..., Page]


@pytest.fixture
def screen(new_context: NewContext, operator: Operator) -> OpenScreen:
    def open_screen(
        query: str = "", context: dict[str, Any] | None = None, **settings: Any
    ) -> Page:
        configure(operator, **settings)
        opened = new_context(**{"viewport": HD, **(context or {})}).new_page()
        opened.clock.install()
        opened.goto(f"/w/{operator.waitlist_id}/screen{query}")
        return opened

    return open_screen


def configure(operator: Operator, **settings: Any) -> None:
    answer = operator.put({"name": NAME, "call_numbers": NUMBERS, **settings})
    assert answer.is_success, answer.text


def join(others: Customer, count: int) -> None:
    for number in range(count):
        others.joined(f"customer-{number}")


def call_next(operator: Operator, to: str = "Room 2", count: int = 1) -> list[dict[str, Any]]:
    answer = operator.call("POST", "/claims", json={"count": count, "call": {"to": to}})
    assert answer.is_success, answer.text
    claims: list[dict[str, Any]] = answer.json()["claims"]
    return claims


def numbers(page: Page) -> Any:
    return expect(page.locator(".called .number"))


@pytest.mark.parametrize("size", [HD, FULL_HD, PORTRAIT])
def test_a_full_screen_fits_without_scrolling(
    screen: OpenScreen, others: Customer, operator: Operator, axe: Axe, size: ViewportSize
) -> None:
    page = screen(context={"viewport": size})
    join(others, 15)
    for _ in range(6):
        call_next(operator, LONG)
    notice = {"text": "The doctor is late today. " * 8}
    assert operator.call("PUT", "/notice", json=notice).is_success
    page.reload()
    numbers(page).to_have_text(["A006", "A005", "A004", "A003", "A002", "A001"])
    expect(page.locator(".next li")).to_have_text([f"A{each:03d}" for each in range(7, 15)])
    expect(page.locator(".news")).to_contain_text("The doctor is late today.")
    expect(page.locator(".wait")).to_contain_text("9 people are waiting.")
    assert not page.evaluate(SCROLLS)
    assert axe.violations(page) == []


def test_a_call_appears_and_screen_readers_announce_it(
    screen: OpenScreen, others: Customer, operator: Operator, axe: Axe
) -> None:
    page = screen()
    expect(page.get_by_text("Nobody is called at the moment.")).to_be_visible()
    assert axe.violations(page) == []
    join(others, 2)
    (claim,) = call_next(operator)
    page.clock.fast_forward(5_000)
    numbers(page).to_have_text(["A001"])
    expect(page.locator(".called .to")).to_have_text(["Room 2"])
    expect(page.locator(".unseen")).to_have_text("A001: Room 2")
    assert page.evaluate(ANIMATED) == ["called"]

    path, body = f"/claims/{claim['entry_id']}", {"claim_token": claim["claim_token"]}
    assert operator.call("POST", f"{path}/call", json={**body, "to": "Room 3"}).is_success
    page.clock.fast_forward(5_000)
    expect(page.locator(".unseen")).to_have_text("A001: Room 3")
    assert operator.call("POST", f"{path}/complete", json=body).is_success
    page.clock.fast_forward(5_000)
    expect(page.get_by_text("Nobody is called at the moment.")).to_be_visible()


def test_calls_from_before_the_screen_was_opened_are_not_announced(
    screen: OpenScreen, others: Customer, operator: Operator
) -> None:
    configure(operator)
    join(others, 1)
    call_next(operator)
    page = screen()
    numbers(page).to_have_text(["A001"])
    expect(page.locator(".unseen")).to_have_text("")
    assert page.evaluate(ANIMATED) == []


def test_nothing_moves_for_people_who_have_asked_for_no_motion(
    screen: OpenScreen, others: Customer, operator: Operator
) -> None:
    page = screen(context={"reduced_motion": "reduce"})
    expect(page.get_by_text("Nobody is called at the moment.")).to_be_visible()
    join(others, 1)
    call_next(operator)
    page.clock.fast_forward(5_000)
    numbers(page).to_have_text(["A001"])
    assert page.evaluate(ANIMATED) == []


@pytest.mark.parametrize("fault", ["offline", "error", "old answers"])
def test_a_screen_that_is_not_current_says_since_when_and_shows_no_numbers(
    screen: OpenScreen, others: Customer, operator: Operator, axe: Axe, fault: str
) -> None:
    page = screen()
    join(others, 2)
    call_next(operator)
    page.clock.fast_forward(5_000)
    numbers(page).to_have_text(["A001"])
    if fault == "offline":
        page.context.set_offline(True)
    elif fault == "error":
        page.route("**/v1/**", lambda route: route.fulfill(status=503, body=""))
    else:
        old = page.request.get(f"/v1/waitlists/{operator.waitlist_id}/screen").body()
        page.route("**/screen", lambda route: route.fulfill(body=old))
    for _ in range(10):
        page.clock.run_for(5_000)
    expect(page.get_by_role("heading", name="Not current since")).to_be_visible()
    expect(page.get_by_text("shows no old numbers")).to_be_visible()
    assert page.locator(".called .number, .next li").count() == 0
    assert axe.violations(page) == []
    page.context.set_offline(False)
    page.unroute_all()
    # The next poll comes within 5 seconds, and a poll that reads new numbers follows 4 seconds
    # later.
    page.clock.run_for(10_000)
    numbers(page).to_have_text(["A001"])


def test_the_code_leads_to_the_page_on_which_people_join(
    screen: OpenScreen, operator: Operator
) -> None:
    page = screen()
    link = read_code(page, page.get_by_role("img", name="QR code with the address"))
    assert link is not None
    assert link.endswith(f"/w/{operator.waitlist_id}")


def test_a_list_without_call_numbers_shows_the_wait_and_the_code(
    screen: OpenScreen, others: Customer, axe: Axe
) -> None:
    page = screen(call_numbers=None)
    join(others, 1)
    page.reload()
    expect(page.get_by_role("heading", name="Call numbers are off")).to_be_visible()
    expect(page.locator(".wait")).to_contain_text("1 person is waiting.")
    expect(page.get_by_role("img", name="QR code with the address")).to_be_visible()
    assert not page.evaluate(SCROLLS)
    assert axe.violations(page) == []


def test_a_closed_line_shows_no_code(screen: OpenScreen, axe: Axe) -> None:
    page = screen(open=False)
    expect(page.get_by_text("This line is closed")).to_be_visible()
    assert page.locator(".code").count() == 0
    assert axe.violations(page) == []


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ar"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_screen_speaks_the_language_of_its_address(
    screen: OpenScreen, others: Customer, operator: Operator, axe: Axe, language: str, scheme: str
) -> None:
    texts = {language: {"name": "Own name"}}
    context = {"color_scheme": scheme}
    configure(operator)
    join(others, 4)
    call_next(operator)
    page = screen(f"?lang={language}", context, page={"texts": texts})
    numbers(page).to_have_text(["A001"])
    expect(page.locator("html")).to_have_attribute("lang", language)
    expect(page.get_by_role("heading", name="Own name")).to_be_visible()
    assert not page.evaluate(SCROLLS)
    assert axe.violations(page) == []


def test_a_list_that_does_not_exist_says_so(new_context: NewContext, axe: Axe) -> None:
    page = new_context(viewport=HD).new_page()
    page.goto("/w/nowhere/screen")
    expect(page.get_by_role("heading", name="There is no line here")).to_be_visible()
    assert axe.violations(page) == []
