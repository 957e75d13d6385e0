"""Tests the counter page in Chromium.

Operators at one or two desks call people with the mouse or the keyboard.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.axe import Axe
from tests.browser.conftest import NewContext
from tests.browser.test_console import NewAddress, running_console
from tests.e2e.callers import Customer, Operator
from tests.e2e.processes import Service, wait_until

# Two minutes leave a test enough time to press Undo, even on a busy machine.
PATIENT = "120"
SMALL: ViewportSize = {"width": 1024, "height": 768}


@pytest.fixture(scope="module")
def addresses(service: Service) -> Iterator[list[NewAddress]]:
    """Return the addresses of two desks. At the second desk, the Undo button disappears after only
    one second, so that a test can wait for this.
    """
    with ExitStack() as running:
        yield [
            running.enter_context(running_console(service.url, "--undo-seconds", seconds))
            for seconds in (PATIENT, "1")
        ]


@pytest.fixture
def desk(
    new_context: NewContext, addresses: list[NewAddress], operator: Operator
) -> Callable[[int], Page]:
    settings = {"name": "Clinic", "messages": {"kinds": ["called"]}}
    assert operator.put(settings).status_code == 201

    def open_counter(number: int = 0) -> Page:
        page = new_context(viewport=SMALL, base_url=None).new_page()
        address = addresses[number]()
        origin = address.partition("/?")[0]
        page.goto(address)
        page.wait_for_url(f"{origin}/")
        page.goto(f"{origin}/lists/{operator.waitlist_id}/counter")
        return page

    return open_counter


def focused(page: Page) -> str:
    assert page.evaluate("document.activeElement !== document.body")
    return str(page.evaluate("document.activeElement.id"))


def status(operator: Operator, entry_id: str) -> str:
    return str(operator.call("GET", f"/entries/{entry_id}").json()["status"])


def test_a_person_is_called_and_marked_as_a_no_show_and_back(
    desk: Callable[[int], Page], operator: Operator, others: Customer, axe: Axe
) -> None:
    page, ada = desk(0), others.joined("ada")
    expect(page.get_by_text("Press Call next.")).to_be_visible()
    assert axe.violations(page) == []
    page.get_by_label("This desk").fill("Room 2")
    page.get_by_role("button", name="Call next").click()
    name = page.get_by_role("heading", name="ada", exact=True)
    expect(name).to_be_focused()
    expect(
        page.get_by_role("status").filter(has_text="ada has been called to Room 2.")
    ).to_be_visible()
    assert others.poll(ada).json()["call"]["to"] == "Room 2"
    assert axe.violations(page) == []
    page.get_by_role("button", name="No-show").click()
    undo = page.get_by_role("button", name="Undo No-show, ada")
    expect(undo).to_be_visible()
    expect(page.locator("#next")).to_be_focused()
    assert axe.violations(page) == []
    undo.click()
    expect(name).to_be_focused()
    assert status(operator, ada.entry_id) == "offered"


def test_a_no_show_leaves_when_it_can_no_longer_be_undone(
    desk: Callable[[int], Page], operator: Operator, others: Customer, axe: Axe
) -> None:
    page, ada = desk(1), others.joined("ada")
    page.get_by_label("This desk").fill("Room 2")
    page.get_by_role("button", name="Call next").click()
    page.get_by_role("button", name="No-show").click()
    expect(page.get_by_text("No one is waiting.")).to_be_visible()
    # The page hides the Undo button while the console sends the request.
    wait_until(lambda: status(operator, ada.entry_id) == "left")
    assert axe.violations(page) == []


def test_actions_on_the_page_of_a_person_are_undone_with_the_keyboard(
    desk: Callable[[int], Page], operator: Operator, others: Customer, axe: Axe
) -> None:
    page, ada, bob = desk(0), others.joined("ada"), others.joined("bob")
    page.get_by_label("This desk").fill("Room 2")
    page.get_by_role("button", name="Call next").click()
    page.get_by_role("link", name="Person's page").click()
    page.wait_for_load_state()
    page.get_by_role("button", name="Admit…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("You can undo this for 2 min.")
    assert axe.violations(page) == []
    dialog.get_by_role("button", name="Admit", exact=True).click()
    undo = page.get_by_role("button", name="Undo: Admit: ada. This happens in 2 min.")
    expect(undo).to_be_visible()
    assert axe.violations(page) == []
    undo.focus()
    page.keyboard.press("Enter")
    notice = page.locator(".notice").last
    expect(notice).to_contain_text("Undone: Nothing has changed for ada.")
    expect(notice).to_be_focused()
    assert status(operator, ada.entry_id) == "offered"
    page.goto(page.url.replace(ada.entry_id, bob.entry_id))
    act(page, "Hold back")
    expect(page.get_by_role("button", name="Undo: bob is held back")).to_be_visible()
    expect(page.get_by_role("button", name="Make ready…")).to_be_focused()
    act(page, "Make ready")
    expect(page.get_by_role("button", name="Undo: bob is no longer held back.")).to_be_visible()
    expect(page.get_by_role("button", name="Undo: bob is held back")).to_have_count(0)


def act(page: Page, button: str, text: str = "") -> None:
    page.wait_for_load_state()
    page.get_by_role("button", name=f"{button}…").click()
    dialog = page.get_by_role("dialog")
    if text:
        dialog.get_by_label("Text").fill(text)
    dialog.locator("button[type=submit]").click()
    expect(dialog).to_be_hidden()


def test_only_the_last_change_of_the_notice_can_be_undone(desk: Callable[[int], Page]) -> None:
    page = desk(0)
    act(page, "Notice", "We are late.")
    expect(page.locator("button.undo")).to_have_count(1)
    act(page, "End the notice")
    expect(page.locator("button.undo")).to_have_accessible_name(
        "Undo: The notice has ended. Customers no longer see it."
    )


def test_the_notice_is_shown_until_it_has_ended(desk: Callable[[int], Page]) -> None:
    page = desk(0)
    act(page, "Notice", "We are late.")
    page.get_by_role("button", name="End the notice…").click()
    end = page.get_by_role("dialog").get_by_role("button", name="End the notice", exact=True)
    expect(end).to_be_focused()
    expect(page.locator("#customers-notice")).to_have_count(1)


@pytest.mark.parametrize("key", ["Enter", "Tab", ""])
def test_the_browser_keeps_the_desk_however_the_field_is_left(
    desk: Callable[[int], Page], operator: Operator, others: Customer, key: str
) -> None:
    """An operator types the name of the desk and then leaves the field with a key or reloads the
    page. The browser remembers the name. Pressing Enter in this field does not call the next
    person.
    """
    page, ada = desk(0), others.joined("ada")
    room = page.get_by_label("This desk")
    room.press_sequentially("Schalter Ä; 2")
    if key:
        room.press(key)
        page.wait_for_event("response", lambda answer: answer.url.endswith("/counter"))
        expect(room).to_have_value("Schalter Ä; 2")
    page.reload()
    expect(room).to_have_value("Schalter Ä; 2")
    assert status(operator, ada.entry_id) == "waiting"
    page.goto(page.url.replace("/counter", f"/people/{ada.entry_id}"))
    page.get_by_role("button", name="Call…").click()
    expect(page.get_by_role("dialog").get_by_label("Call to")).to_have_value("Schalter Ä; 2")


def test_a_person_who_is_held_back_is_made_ready_at_the_counter(
    desk: Callable[[int], Page], operator: Operator, others: Customer, axe: Axe
) -> None:
    page, ada = desk(0), others.joined("ada")
    others.joined("bob")
    held = {"ready": False, "reason": "Lab result missing"}
    assert operator.call("POST", f"/entries/{ada.entry_id}/ready", json=held).is_success
    following = page.get_by_role("region", name="Next")
    expect(following).to_contain_text("Passed overada held back Lab result missing")
    assert axe.violations(page) == []
    page.get_by_role("button", name="Make ready… ada").press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Make ready").press("Enter")
    expect(following).not_to_contain_text("Passed over")
    expect(following.get_by_role("link")).to_have_text(["ada", "bob"])
    expect(following.get_by_role("link", name="ada")).to_be_focused()


def test_the_counter_works_by_keyboard_alone(
    desk: Callable[[int], Page], operator: Operator, others: Customer
) -> None:
    page = desk(0)
    entries = {name: others.joined(name) for name in ("ada", "bob", "cyd")}
    page.get_by_label("This desk").focus()
    page.keyboard.type("Room n")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="ada", exact=True)).to_be_focused()
    page.keyboard.press("c")
    expect(page.get_by_text("ada has been called to Room n again.")).to_be_visible()
    assert focused(page) == f"call-{entries['ada'].entry_id}"
    page.keyboard.press("s")
    expect(page.get_by_text("Skip: ada. This happens in 2 min.")).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_role("heading", name="ada", exact=True)).to_be_focused()
    page.keyboard.press("a")
    expect(page.get_by_text("Arrived: ada. This happens in 2 min.")).to_be_visible()
    assert focused(page) == "next"
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name="bob", exact=True)).to_be_focused()
    page.keyboard.press("b")
    expect(page.get_by_text("bob is waiting again.")).to_be_visible()
    assert status(operator, entries["bob"].entry_id) == "waiting"
    page.keyboard.press("u")
    expect(page.get_by_role("heading", name="bob", exact=True)).to_be_focused()
    expect(page.get_by_text("bob is called again.")).to_be_visible()
    page.keyboard.press("b")
    expect(page.get_by_text("bob is waiting again.")).to_be_visible()
    page.get_by_label("Keys press the buttons").uncheck()
    page.keyboard.press("n")
    page.get_by_label("Keys press the buttons").check()
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name="bob", exact=True)).to_be_focused()
    expect(page.get_by_role("button", name="Undo Arrived, ada")).to_be_visible()
    assert status(operator, entries["cyd"].entry_id) == "waiting"


def test_the_focus_never_moves_to_the_button_of_another_person(
    desk: Callable[[int], Page], operator: Operator, others: Customer
) -> None:
    page = desk(0)
    ada, _, cyd, _ = [others.joined(name) for name in ("ada", "bob", "cyd", "dan")]
    page.get_by_label("This desk").fill("Room 2")
    for name in ("ada", "bob"):
        page.get_by_role("button", name="Call next").click()
        expect(page.get_by_role("heading", name=name, exact=True)).to_be_focused()
    page.get_by_role("region", name="ada", exact=True).get_by_role("button", name="Skip").focus()
    assert operator.call("POST", f"/entries/{ada.entry_id}/remove", json={}).is_success
    expect(page.get_by_text("The call to ada has ended.")).to_be_visible()
    expect(page.locator(":focus")).to_contain_text("The call to ada has ended.")
    page.get_by_role("button", name="Dismiss").press("Enter")
    expect(page.get_by_text("The call to ada has ended.")).to_be_hidden()
    assert focused(page) == "main"
    page.get_by_role("link", name="cyd").focus()
    assert operator.call("POST", f"/entries/{cyd.entry_id}/remove", json={}).is_success
    expect(page.get_by_role("link", name="cyd")).to_have_count(0)
    assert focused(page) == "main"


def test_the_page_warns_before_a_call_ends(
    desk: Callable[[int], Page], operator: Operator, others: Customer, axe: Axe
) -> None:
    page = desk(0)
    others.joined("ada")
    settings = {"name": "Clinic", "lease_seconds": 50, "messages": {"kinds": ["called"]}}
    assert operator.put(settings).is_success
    page.get_by_label("This desk").fill("Room 2")
    page.get_by_role("button", name="Call next").click()
    ada = page.get_by_role("region", name="ada", exact=True)
    expect(ada).to_contain_text(re.compile(r" s ago\. Call ends at \d\d:\d\d:\d\d\."))
    # The longer a call may last, the earlier the page warns, so it now warns about this call.
    assert operator.put({**settings, "lease_seconds": 3600}).is_success
    expect(ada.get_by_role("alert")).to_have_text(re.compile(r"The call to ada ends soon, at"))
    assert axe.violations(page) == []
    ada.get_by_role("button", name="Extend… ada").press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Extend", exact=True).press("Enter")
    expect(ada.get_by_role("alert")).to_have_count(0)
    assert focused(page).startswith("extend-")


def test_two_desks_see_each_other(desk: Callable[[int], Page], others: Customer, axe: Axe) -> None:
    for name in ("ada", "bob"):
        others.joined(name)
    pages = [desk(number) for number in range(2)]
    for number, page in enumerate(pages):
        page.get_by_label("This desk").fill(f"Room {number}")
        page.get_by_role("button", name="Call next").click()
    expect(pages[0].get_by_role("heading", name="ada", exact=True)).to_be_visible()
    expect(pages[1].get_by_role("heading", name="bob", exact=True)).to_be_visible()
    expect(pages[0].get_by_role("region", name="At other desks")).to_contain_text("bob Room 1")
    expect(pages[1].get_by_role("region", name="At other desks")).to_contain_text("ada Room 0")
    assert axe.violations(pages[0]) == []


def test_errors_stand_at_their_field_and_typed_text_stays(desk: Callable[[int], Page]) -> None:
    page = desk(0)
    page.get_by_role("button", name="Call next").click()
    room = page.get_by_label("This desk")
    expect(room).to_be_focused()
    expect(room).to_have_accessible_description(re.compile("Enter the name of this desk"))
    page.evaluate("htmx.trigger(document.body, 'refresh')")
    for _refresh in range(2):
        page.evaluate("fetch(location.href).then((response) => response.text())")
    expect(room).to_have_accessible_description(re.compile("Enter the name of this desk"))
    room.fill("Room")
    for _refresh in range(2):
        page.wait_for_event("response", lambda answer: answer.url.endswith("/counter"))
    expect(room).to_have_value("Room")
    expect(room).to_be_focused()


def test_the_error_of_a_button_goes_when_the_service_answers_again(
    desk: Callable[[int], Page], others: Customer
) -> None:
    """If the service does not answer, the page says so only once."""
    page, ada = desk(0), others.joined("ada")
    page.get_by_label("This desk").fill("Room 2")
    page.get_by_role("button", name="Call next").click()
    expect(page.get_by_role("heading", name="ada", exact=True)).to_be_focused()
    error = '<div class="problem" role="alert" data-no-answer>The service does not answer.</div>'
    gone = {"HX-Retarget": "#trouble", "HX-Reswap": "innerHTML"}
    page.route("**/counter", lambda route: route.fulfill(status=503, headers=gone, body=error))
    page.route(f"**/{ada.entry_id}/arrived", lambda route: route.fulfill(status=503, body=error))
    page.get_by_role("button", name="Arrived").click()
    expect(page.locator("#counter-outcome")).to_have_text("The service does not answer.")
    expect(page.locator("#trouble > *")).to_have_count(1)
    expect(page.get_by_text("The service does not answer.").filter(visible=True)).to_have_count(1)
    page.unroute("**/counter")
    expect(page.locator("#counter-outcome")).to_be_empty()
    expect(page.locator("#trouble")).to_be_empty()


def test_a_long_notice_has_the_whole_width_of_a_phone(
    desk: Callable[[int], Page], operator: Operator
) -> None:
    page = desk(0)
    page.set_viewport_size({"width": 360, "height": 740})
    text = "The doctor is at an emergency. Please wait at home until we send you a message."
    assert operator.call("PUT", "/notice", json={"text": text}).is_success
    expect(page.locator("#customers-notice")).to_be_visible()
    share = page.locator("#customers-notice").evaluate(
        "whole => whole.firstElementChild.getBoundingClientRect().width / whole.clientWidth"
    )
    assert share > 0.85


def test_the_first_tab_reaches_the_link_to_the_content(desk: Callable[[int], Page]) -> None:
    page = desk(0)
    page.wait_for_load_state()
    for width in (1024, 360):
        page.set_viewport_size({"width": width, "height": 740})
        page.reload()
        expect(page.locator(".tabs [aria-current]")).to_be_in_viewport(ratio=1)
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()


def test_escape_asks_before_it_closes_a_dialog_with_typed_text(desk: Callable[[int], Page]) -> None:
    page = desk(0)
    page.get_by_role("button", name="Notice…").click()
    text = page.get_by_role("dialog").get_by_label("Text")
    text.fill("We are late.")
    page.once("dialog", lambda asked: asked.dismiss())
    with page.expect_event("dialog") as asked:
        page.keyboard.press("Escape")
    assert "what you have typed in it is lost" in asked.value.message
    expect(text).to_have_value("We are late.")
    page.once("dialog", lambda asked: asked.accept())
    page.keyboard.press("Escape")
    expect(text).to_have_count(0)
    page.get_by_role("button", name="Notice…").click()
    expect(text).to_have_value("")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_the_buttons_that_are_needed_next_are_in_view(
    desk: Callable[[int], Page], operator: Operator, others: Customer
) -> None:
    page = desk(0)
    for name in ("ada", "bob"):
        others.joined(name)
        page.get_by_label("This desk").fill("Room 2")
        page.get_by_role("button", name="Call next").click()
        expect(page.get_by_role("heading", name=name, exact=True)).to_be_focused()
    page.evaluate("scrollTo(0, 0)")
    bob = page.get_by_role("region", name="bob", exact=True)
    expect(bob.get_by_role("button", name="Put back")).to_be_in_viewport(ratio=1)
    assert operator.call("PUT", "/notice", json={"text": "We are late.\nSorry."}).is_success
    expect(page.get_by_text("Customers read:")).to_be_visible()
    # At 200% zoom, a window that is 1024 pixels wide shows a page that is 512 pixels wide.
    for width, height in ((1280, 900), (1024, 768), (640, 450), (512, 384), (360, 740)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0)")
        expect(page.get_by_role("button", name="Call next")).to_be_in_viewport(ratio=1)


def test_the_counter_does_not_warn_while_a_dialog_is_open(
    desk: Callable[[int], Page], others: Customer
) -> None:
    page, warning = desk(0), "This page has not been current since"
    page.clock.install()
    page.reload()
    page.get_by_role("button", name="Notice…").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.clock.run_for(60_000)
    expect(page.get_by_text(warning)).to_be_hidden()
    others.joined("ada")
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("link", name="ada")).to_be_visible()
    page.clock.run_for(1000)
    expect(page.get_by_text(warning)).to_be_hidden()


def test_the_next_people_are_numbered_in_order_after_one_is_made_ready(
    desk: Callable[[int], Page], operator: Operator, others: Customer
) -> None:
    page = desk(0)
    bob = [others.joined(name) for name in ("ada", "bob", "cyd", "dan")][1]
    following = page.get_by_role("region", name="Next")
    expect(following.get_by_role("link")).to_have_text(["ada", "bob", "cyd", "And 1 more"])
    held = {"ready": False, "reason": "Lab result missing"}
    assert operator.call("POST", f"/entries/{bob.entry_id}/ready", json=held).is_success
    page.get_by_role("button", name="Make ready… bob").click()
    page.get_by_role("dialog").get_by_role("button", name="Make ready").click()
    expect(following.get_by_role("link")).to_have_text(["ada", "bob", "cyd", "And 1 more"])
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    markers = [node["name"]["value"] for node in tree if node["role"]["value"] == "ListMarker"]
    assert [marker.strip() for marker in markers] == ["1.", "2.", "3."]
