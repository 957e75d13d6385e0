"""Tests a device that several people share.

A customer who removes their place from the browser stays on the waitlist.
"""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import SHOP_ORIGIN
from tests.browser.stage import FIELDS, STATES, Stage
from tests.browser.test_element import element_html, embed
from tests.browser.test_page_network import ENTRIES, ENTRY, is_poll
from tests.browser.test_page_people import tab_to_button
from tests.browser.test_page_states import measure_sideways_scroll
from tests.e2e.processes import Service
from waitlist_api.http.page.files import FOLDER

FORGOTTEN = "This browser has forgotten you."


def read_storage(page: Page) -> list[Any]:
    return [text for text in page.evaluate("() => Object.values(localStorage)") if text != "{}"]


def forget(stage: Stage) -> None:
    stage.press("Forget me here")
    stage.confirm("Forget me")
    stage.notices(FORGOTTEN)


def status_of(stage: Stage, entry_id: str) -> str:
    return str(stage.operator.call("GET", f"/entries/{entry_id}").json()["status"])


def test_the_browser_forgets_the_customer_and_the_place_stays(stage: Stage) -> None:
    stage.configure(page={"fields": FIELDS})
    stage.open()
    stage.page.get_by_label("Your name").fill("Ada")
    stage.press("Join the line")
    stage.shows("You are in line")
    entry_id = stage.entry_id
    stage.press("Forget me here")
    expect(stage.page.get_by_text("You keep your place in the line")).to_be_visible()
    stage.confirm("Cancel")
    assert stage.entry_id == entry_id
    forget(stage)
    expect(stage.page.get_by_text("1 person is waiting.")).to_be_visible()
    expect(stage.page.get_by_label("Your name")).to_have_value("")
    assert read_storage(stage.page) == []
    assert status_of(stage, entry_id) == "waiting"
    stage.page.reload()
    stage.page.get_by_label("Your name").fill("Bob")
    stage.press("Join the line")
    expect(stage.page.get_by_text("1 person ahead of you")).to_be_visible()
    assert stage.entry_id != entry_id


def test_the_next_customer_on_the_device_is_a_different_customer(stage: Stage) -> None:
    """Once the browser has forgotten a customer, the next person on the device can join, even if
    each customer may join only once.
    """
    STATES["left"](stage)
    stage.configure(rejoin="never")
    before = stage.kept["customer"]
    stage.press("Forget me here")
    expect(
        stage.page.get_by_text("deletes everything that it has stored about you")
    ).to_be_visible()
    stage.confirm("Forget me")
    stage.press("Join the line")
    stage.shows("You are in line")
    assert stage.kept["customer"] != before


@pytest.mark.parametrize("state", ["offered", "called", "parked", "inside", "exited"])
def test_the_browser_can_forget_an_entry_in_every_state(stage: Stage, state: str) -> None:
    STATES[state](stage)
    entry_id = stage.entry_id
    before = status_of(stage, entry_id)
    forget(stage)
    assert read_storage(stage.page) == []
    assert status_of(stage, entry_id) == before


def test_other_tabs_forget_too(stage: Stage) -> None:
    stage.join()
    other = Stage(stage.page.context.new_page(), stage.operator, stage.others)
    other.open()
    other.press("Leave the line")
    other.shows("Leave the line?")
    forget(stage)
    other.notices(FORGOTTEN)
    expect(other.page.get_by_role("dialog")).to_have_count(0)
    expect(other.page.get_by_role("button", name="Join the line")).to_be_visible()
    assert read_storage(other.page) == []


def test_forgetting_works_by_keyboard_and_screen_reader(stage: Stage) -> None:
    stage.join()
    press = stage.page.keyboard.press
    tab_to_button(stage.page, "More")
    press("Enter")
    tab_to_button(stage.page, "Forget me here")
    press("Enter")
    dialog = stage.page.get_by_role("dialog", name="Forget me in this browser?")
    expect(dialog).to_be_visible()
    press("Escape")
    expect(stage.page.get_by_role("button", name="Forget me here")).to_be_focused()
    press("Enter")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    press("Tab")
    press("Enter")
    expect(stage.page.get_by_role("heading", name="Corner Bakery")).to_be_focused()
    expect(stage.page.locator("waitlist-position .unseen")).to_have_text(FORGOTTEN)


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ar"])
def test_forgetting_works_in_every_language(stage: Stage, language: str) -> None:
    stage.configure()
    stage.others.joined("early")
    stage.open(f"?lang={language}")
    expect(stage.page.locator("html")).to_have_attribute("lang", language)
    stage.page.locator("form button").click()
    expect(stage.page.locator("waitlist-position .keep")).to_be_visible()
    words = json.loads((FOLDER / f"{language}.json").read_text("utf-8"))
    stage.press(words["more"])
    stage.press(words["forget"])
    stage.page.set_viewport_size({"width": 320, "height": 568})
    assert measure_sideways_scroll(stage.page) == 0
    text = stage.page.get_by_role("dialog").inner_text()
    assert not re.search(r"undefined|\{", text), text
    stage.confirm(words["forget.yes"])
    expect(stage.page.locator("form")).to_be_visible()
    expect(stage.page.locator("waitlist-position .notice")).to_be_visible()
    assert read_storage(stage.page) == []


def test_a_late_answer_does_not_bring_the_entry_back(stage: Stage) -> None:
    stage.join()
    held: list[Route] = []
    stage.page.route(
        ENTRY, lambda route: held.append(route) if is_poll(route) else route.continue_()
    )
    stage.page.wait_for_event("request", lambda request: bool(ENTRY.search(request.url)))
    stage.page.evaluate("() => 0")  # Playwright has now handled the request.
    late = held[0].fetch()
    forget(stage)
    held[0].fulfill(response=late)
    stage.page.unroute(ENTRY)
    stage.press("Join the line")
    expect(stage.page.get_by_text("1 person ahead of you")).to_be_visible()


def test_a_forgotten_signup_is_not_retried(stage: Stage) -> None:
    """A customer asks the browser to forget a signup that has received no response. The page stops
    retrying the signup, and the next customer can sign up right away.
    """
    stage.configure()
    stage.open()
    held: list[Route] = []
    stage.page.route(ENTRIES, lambda route: route.continue_() if held else held.append(route))
    stage.press("Join the line")
    stage.shows("You are joining…")
    stage.page.evaluate("() => 0")  # Playwright has now handled the request.
    stage.press("Forget me here")
    expect(stage.page.get_by_text("If your request has arrived, you have a place")).to_be_visible()
    stage.confirm("Forget me")
    stage.notices(FORGOTTEN)
    assert read_storage(stage.page) == []
    stage.press("Join the line")
    stage.shows("You are in line")
    held[0].abort()
    assert stage.operator.stats()["signed_up"] == 1


def test_a_page_can_make_the_element_forget(stage: Stage, service: Service) -> None:
    stage.configure()
    embed(stage.page, element_html(service, stage.operator.waitlist_id))
    stage.press("Join the line")
    stage.shows("You are in line")
    stage.page.evaluate("() => document.querySelector('waitlist-position').forget()")
    stage.notices(FORGOTTEN)
    assert stage.page.url == f"{SHOP_ORIGIN}/"
    assert read_storage(stage.page) == []
