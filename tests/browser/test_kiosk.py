"""Tests the kiosk page in Chromium.

People join on a shared tablet, where nobody sees another person's data.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, ViewportSize, expect

from tests.browser.axe import Axe
from tests.browser.conftest import NewContext
from tests.browser.qr import read_code
from tests.browser.stage import FIELDS, NAME, PHONE, TERMS
from tests.e2e.callers import Customer, Operator

TABLET: ViewportSize = {"width": 768, "height": 1024}
SMALL: ViewportSize = {"width": 1024, "height": 768}
LANDSCAPE: ViewportSize = {"width": 1280, "height": 800}
# The size of a page at 200% zoom on a tablet with 1024 by 768 pixels.
ZOOMED: ViewportSize = {"width": 512, "height": 384}
IDENTITY = {"field": "email"}
KEPT = "() => [localStorage.length, sessionStorage.length, location.hash, document.cookie]"
SCROLLS = "() => document.documentElement.scrollHeight > innerHeight"
FOCUSED = "() => document.querySelector('waitlist-kiosk').shadowRoot.activeElement?.tagName"

OpenKiosk = Callable[..., Page]


@pytest.fixture
def kiosk(new_context: NewContext, operator: Operator) -> OpenKiosk:
    def open_kiosk(
        page: dict[str, Any] | None = None, context: dict[str, Any] | None = None, **more: Any
    ) -> Page:
        answer = operator.put({"name": NAME, "page": page or {"fields": FIELDS}, **more})
        assert answer.is_success, answer.text
        opened = new_context(**{"viewport": TABLET, **(context or {})}).new_page()
        opened.clock.install()
        opened.goto(f"/w/{operator.waitlist_id}/kiosk")
        return opened

    return open_kiosk


def is_empty(page: Page) -> None:
    expect(page.get_by_role("button", name="Join the line")).to_be_visible()
    for name in ("Your name", "Email"):
        if page.get_by_label(name).count():
            expect(page.get_by_label(name)).to_have_value("")
    expect(page.get_by_role("button", name="Start again")).to_be_hidden()
    assert page.evaluate(KEPT) == [0, 0, "", ""]


def joins(page: Page, name: str = "Zoë") -> None:
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Join the line").click()
    expect(page.get_by_role("heading", name="You are in line")).to_be_focused()


UNTOLD = "We cannot send you a message when it is your turn."


def test_a_person_with_a_number_that_gets_no_sms_learns_it_at_once(
    kiosk: OpenKiosk, axe: Axe
) -> None:
    """If the settings name no country, the service cannot send messages to a phone number that has
    no country code. The kiosk says so.
    """
    page = kiosk(
        {"fields": [FIELDS[0], PHONE]}, {"viewport": SMALL}, messages={"kinds": ["called"]}
    )
    page.get_by_label("Mobile number").fill("0151 23456789")
    joins(page)
    expect(page.get_by_text(UNTOLD)).to_be_visible()
    assert not page.evaluate(SCROLLS)
    assert axe.violations(page) == []
    page.get_by_role("button", name="Done").click()
    page = kiosk(
        {"fields": [FIELDS[0], PHONE]}, messages={"kinds": ["called"], "sms_countries": ["DE"]}
    )
    page.get_by_label("Mobile number").fill("0151 23456780")
    with page.expect_response("**/entries/*"):
        joins(page)
    expect(page.get_by_text(UNTOLD)).to_be_hidden()


@pytest.mark.parametrize("size", [TABLET, LANDSCAPE])
def test_a_person_joins_and_takes_the_place_along_on_the_phone(
    kiosk: OpenKiosk, new_context: NewContext, operator: Operator, axe: Axe, size: ViewportSize
) -> None:
    page = kiosk({"fields": [*FIELDS, TERMS]}, {"viewport": size})
    page.get_by_label("Your name").fill("Zoë")
    page.get_by_role("checkbox").check()
    assert axe.violations(page) == []
    page.get_by_role("button", name="Join the line").click()
    expect(page.get_by_role("heading", name="You are in line")).to_be_focused()
    expect(page.locator(".number")).to_have_text("1")
    assert axe.violations(page) == []
    assert not page.evaluate(SCROLLS)
    link = read_code(page, page.get_by_role("img", name="QR code with the link"))
    assert link is not None
    phone = new_context().new_page()
    phone.goto(link)
    expect(phone.get_by_role("heading", name="You are in line")).to_be_visible()
    assert "#" not in phone.url
    (entry,) = operator.call("GET", "/entries").json()["entries"]
    assert entry["profile"]["name"] == "Zoë"


@pytest.mark.parametrize("locale", ["de-DE", "fr-FR", "ar"])
def test_a_page_that_is_zoomed_to_200_percent_does_not_scroll(
    kiosk: OpenKiosk, axe: Axe, locale: str
) -> None:
    page = kiosk(context={"viewport": ZOOMED, "locale": locale})
    expect(page.get_by_label("Your name")).to_be_visible()
    assert not page.evaluate(SCROLLS)
    page.get_by_label("Your name").fill("Zoë")
    expect(page.locator(".again")).to_be_visible()
    assert not page.evaluate(SCROLLS)
    page.locator(".main").click()
    expect(page.locator(".number")).to_be_visible()
    expect(page.locator(".clock")).not_to_be_empty()
    assert not page.evaluate(SCROLLS)
    assert axe.violations(page) == []


def test_the_page_is_cleared_for_the_next_person(kiosk: OpenKiosk) -> None:
    page = kiosk()
    joins(page)
    expect(page.get_by_role("timer")).to_contain_text("This screen clears in")
    page.get_by_role("button", name="Done").click()
    is_empty(page)
    assert page.evaluate(FOCUSED) == "H1"

    joins(page, "Bob")
    expect(page.locator(".number")).to_have_text("2")
    page.clock.fast_forward(20_000)
    page.get_by_role("button", name="More time").click()
    page.clock.fast_forward(20_000)
    expect(page.locator(".number")).to_be_visible()
    page.clock.fast_forward(31_000)
    is_empty(page)


def test_answers_of_a_person_who_has_gone_are_cleared(kiosk: OpenKiosk, axe: Axe) -> None:
    page = kiosk()
    page.get_by_label("Your name").fill("Zoë")
    page.clock.fast_forward(50_000)
    expect(page.get_by_role("timer")).to_contain_text("Are you still there?")
    assert axe.violations(page) == []
    page.get_by_label("Email").press("z")
    expect(page.locator(".clock")).to_be_hidden()
    page.clock.fast_forward(30_000)
    expect(page.get_by_label("Your name")).to_have_value("Zoë")
    page.clock.fast_forward(61_000)
    is_empty(page)
    page.get_by_label("Your name").fill("Zoë")
    page.get_by_role("button", name="Start again").click()
    is_empty(page)


@pytest.mark.parametrize("has_joined", [False, True])
def test_a_reload_and_the_back_button_show_an_empty_form(
    kiosk: OpenKiosk, has_joined: bool
) -> None:
    page = kiosk()
    if has_joined:
        joins(page)
    else:
        page.get_by_label("Your name").fill("Zoë")
    page.reload()
    is_empty(page)
    if has_joined:
        joins(page)
    else:
        page.get_by_label("Your name").fill("Zoë")
    page.goto("about:blank")
    page.go_back()
    is_empty(page)


def test_browsers_suggest_no_answers_of_other_people(kiosk: OpenKiosk) -> None:
    page = kiosk()
    for field in page.locator("form input, form select").all():
        expect(field).to_have_attribute("autocomplete", "off")


def test_an_answer_that_arrives_after_the_person_has_gone_is_not_shown(kiosk: OpenKiosk) -> None:
    page = kiosk()
    held: list[Route] = []
    page.route("**/entries", lambda route: held.append(route))
    page.get_by_label("Your name").fill("Zoë")
    with page.expect_request("**/entries"):
        page.get_by_role("button", name="Join the line").click()
    page.get_by_role("button", name="Start again").click()
    is_empty(page)
    page.get_by_label("Your name").fill("Bob")
    with page.expect_response("**/entries"):
        held.pop().continue_()
    page.unroute("**/entries")
    page.get_by_role("button", name="Join the line").click()
    expect(page.locator(".number")).to_have_text("2")


def test_a_lost_answer_keeps_the_form_and_the_same_person_joins_once(
    kiosk: OpenKiosk, operator: Operator, axe: Axe
) -> None:
    page = kiosk()

    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/entries", lose)
    page.get_by_label("Your name").fill("Zoë")
    page.get_by_role("button", name="Join the line").click()
    expect(
        page.get_by_role("status").filter(has_text="Your answers are still here.")
    ).to_be_visible()
    expect(page.get_by_label("Your name")).to_have_value("Zoë")
    assert axe.violations(page) == []
    page.unroute("**/entries")
    page.get_by_role("button", name="Join the line").click()
    expect(page.locator(".number")).to_have_text("1")
    assert len(operator.line()) == 1


def test_a_refused_answer_is_marked_at_its_field(kiosk: OpenKiosk, axe: Axe) -> None:
    page = kiosk({"fields": [*FIELDS, {"name": "phone", "label": "Phone", "type": "tel"}]})
    page.get_by_label("Your name").fill("Zoë")
    page.get_by_label("Phone").fill("letters")
    page.get_by_role("button", name="Join the line").click()
    phone = page.get_by_label("Phone")
    expect(phone).to_be_focused()
    expect(phone).to_have_attribute("aria-invalid", "true")
    what = (
        "Check the telephone number. If it is correct, add the country code, as in +49 30 901820."
    )
    expect(phone).to_have_accessible_description(what)
    assert axe.violations(page) == []
    phone.fill("0151 123")
    expect(page.get_by_text(what)).to_be_hidden()
    page.get_by_role("button", name="Join the line").click()
    expect(page.locator(".number")).to_have_text("1")


@pytest.mark.parametrize(
    ("language", "missing", "email"),
    [
        ("en", "This answer is required.", "Check this email address"),
        ("de", "Diese Angabe ist erforderlich.", "Prüfen Sie diese"),
        ("fr", "Cette réponse est obligatoire.", "Vérifiez cette adresse"),
        ("es", "Esta respuesta es obligatoria.", "Revise esta dirección"),
        ("ar", "هذه الإجابة مطلوبة.", "تحقق من عنوان"),
    ],
)
def test_a_form_that_is_not_filled_says_so_in_the_language_of_the_page(
    kiosk: OpenKiosk, operator: Operator, axe: Axe, language: str, missing: str, email: str
) -> None:
    """The form shows its own error texts, because the browser's texts would be in the browser's
    language.
    """
    page = kiosk({"fields": [*FIELDS, TERMS]})
    page.locator("select.language").select_option(language)
    name, address = page.locator("input[name=name]"), page.locator("input[name=email]")
    expect(page.locator("html")).to_have_attribute("lang", language)
    address.fill("ada")
    page.locator(".main").click()
    expect(name).to_be_focused()
    expect(name).to_have_accessible_description(missing)
    expect(address).to_have_accessible_description(re.compile(email))
    expect(page.get_by_role("checkbox")).to_have_accessible_description(missing)
    assert axe.violations(page) == []
    name.fill("Zoë")
    expect(name).to_have_accessible_description("")
    assert operator.line() == []


def test_nobody_learns_at_the_kiosk_who_is_on_the_list(
    kiosk: OpenKiosk, others: Customer, operator: Operator, axe: Axe
) -> None:
    page = kiosk({"fields": []}, identity=IDENTITY)
    answer = others.http.post(
        f"/v1/waitlists/{operator.waitlist_id}/entries",
        json={"profile": {"email": "ada@example.com"}},
    )
    assert answer.status_code == 201, answer.text
    page.get_by_label("Email").fill("ada@example.com")
    page.get_by_role("button", name="Join the line").click()
    expect(page.get_by_role("heading", name="Please ask at the desk")).to_be_focused()
    assert page.locator(".number, .code").count() == 0
    assert axe.violations(page) == []
    page.clock.fast_forward(31_000)
    is_empty(page)


def test_the_inbox_is_named_if_the_list_verifies_addresses(kiosk: OpenKiosk, axe: Axe) -> None:
    page = kiosk({"fields": []}, identity={**IDENTITY, "verify": "before_offer"})
    page.get_by_label("Email").fill("ada@example.com")
    page.get_by_role("button", name="Join the line").click()
    expect(page.get_by_role("heading", name="Please check your inbox")).to_be_focused()
    assert page.get_by_text("ada@example.com").count() == 0
    assert axe.violations(page) == []


def test_the_call_number_is_shown_instead_of_the_position(kiosk: OpenKiosk) -> None:
    page = kiosk()

    def with_number(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=json.dumps({**answer.json(), "call_number": "A042"}))

    page.route("**/entries", with_number)
    joins(page)
    expect(page.get_by_text("Your number")).to_be_visible()
    expect(page.locator(".number")).to_have_text("A042")


def test_the_language_of_a_person_ends_with_the_turn(kiosk: OpenKiosk) -> None:
    page = kiosk()
    page.get_by_label("Your name").fill("Zoë")
    page.get_by_label("Language").select_option("ar")
    expect(page.get_by_label("Your name")).to_have_value("Zoë")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    page.clock.fast_forward(61_000)
    expect(page.locator("html")).to_have_attribute("lang", "en")
    is_empty(page)


def test_answers_that_are_typed_while_a_language_is_loaded_stay(kiosk: OpenKiosk) -> None:
    page = kiosk()
    held: list[Route] = []
    page.route("**/ar.json", lambda route: held.append(route))
    with page.expect_request("**/ar.json"):
        page.get_by_label("Language").select_option("ar")
    page.get_by_label("Your name").fill("Zoë")
    held.pop().continue_()
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    expect(page.get_by_label("Your name")).to_have_value("Zoë")
    expect(page.get_by_label("Your name")).to_be_focused()

    page.route("**/en.json", lambda route: held.append(route))
    with page.expect_request("**/en.json"):
        page.locator(".again").click()
    page.get_by_label("Your name").fill("Bob")
    held.pop().continue_()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.get_by_label("Your name")).to_have_value("Bob")


def test_a_language_that_loads_slowly_does_not_reach_the_next_person(kiosk: OpenKiosk) -> None:
    page, held = kiosk(), list[Route]()
    page.get_by_label("Your name").fill("Zoë")
    page.route("**/ar.json", lambda route: held.append(route))
    with page.expect_request("**/ar.json"):
        page.get_by_label("Language").select_option("ar")
    page.locator(".again").click()
    with page.expect_response("**/kiosk-ar.json"):
        held.pop().continue_()
    page.get_by_label("Your name").fill("Bob")
    page.locator("button.main").click()
    expect(page.locator(".title")).to_have_text("You are in line")


def test_the_number_of_waiting_people_is_current(kiosk: OpenKiosk, others: Customer) -> None:
    page = kiosk()
    expect(page.locator(".count")).to_have_text(re.compile("No one is waiting"))
    joins(page)
    page.clock.pause_at(page.evaluate("Date.now() / 1000 + 1"))
    page.get_by_role("button", name="Done").dispatch_event("click")
    page.clock.run_for(100)
    expect(page.locator(".count")).to_have_text("1 person is waiting.")
    assert others.sign_up("customer-1", profile={"name": "Ada"}).is_success
    page.clock.run_for(5_000)
    expect(page.locator(".count")).to_have_text("2 people are waiting.")


def test_messages_are_in_the_language_that_the_person_has_chosen(
    kiosk: OpenKiosk, operator: Operator
) -> None:
    page = kiosk(messages={"kinds": ["joined"]})
    for language, join in (("de", "Anstellen"), ("", "Join the line")):
        if language:
            page.get_by_label("Language").select_option(language)
        expect(page.get_by_role("button", name=join)).to_be_visible()
        page.locator("input").first.fill("Zoë")
        page.get_by_role("button", name=join).click()
        expect(page.locator("[data-state=joined]")).to_be_visible()
        page.locator("button.main").click()
    assert languages_of(operator) == ["de", "en"]


def languages_of(operator: Operator) -> list[str]:
    """Return the language of each person on the waitlist, in the order of the queue."""
    people = operator.call("GET", "/entries").json()["entries"]
    details = (operator.call("GET", f"/entries/{person['entry_id']}") for person in people)
    return [answer.json()["language"] for answer in details]


def test_a_language_that_is_chosen_while_the_line_is_closed_ends_too(
    kiosk: OpenKiosk, operator: Operator
) -> None:
    page = kiosk(open=False)
    expect(page.get_by_role("heading", name="This line is closed")).to_be_visible()
    page.get_by_label("Language").select_option("ar")
    expect(page.locator("html")).to_have_attribute("lang", "ar")
    assert operator.put({"name": NAME, "page": {"fields": FIELDS}}).status_code == 200
    page.clock.fast_forward(31_000)
    expect(page.get_by_label("Your name")).to_be_visible()
    page.clock.fast_forward(31_000)
    expect(page.locator("html")).to_have_attribute("lang", "en")
    is_empty(page)


def test_a_line_that_is_closed_or_gone_says_so_and_continues_by_itself(
    kiosk: OpenKiosk, operator: Operator, axe: Axe
) -> None:
    page = kiosk(open=False)
    expect(page.get_by_role("heading", name="This line is closed")).to_be_visible()
    assert axe.violations(page) == []
    page.context.set_offline(True)
    page.clock.fast_forward(31_000)
    trouble = page.get_by_role("status").filter(has_text="No connection. Not current since")
    expect(trouble).to_be_visible()
    page.context.set_offline(False)
    assert operator.put({"name": NAME, "page": {"fields": FIELDS}}).status_code == 200
    page.clock.fast_forward(31_000)
    is_empty(page)


def test_the_kiosk_shows_the_notice_of_the_operators(kiosk: OpenKiosk, operator: Operator) -> None:
    page = kiosk()
    text = {"en": "The doctor is late.", "de": "Die Ärztin kommt später."}
    assert operator.call("PUT", "/notice", json={"text": text}).is_success
    page.clock.run_for(30_000)
    expect(page.get_by_text("The doctor is late.")).to_be_visible()
    page.get_by_label("Language").select_option("de")
    expect(page.get_by_text("Die Ärztin kommt später.")).to_be_visible()
    assert operator.call("PUT", "/notice", json={"text": None}).is_success
    page.clock.run_for(30_000)
    expect(page.get_by_text("Die Ärztin kommt später.")).to_be_hidden()
