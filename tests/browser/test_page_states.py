"""Tests each state of the page: its text, its accessibility, and its layout on every screen
size.
"""

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import Axe
from tests.browser.conftest import PATIENCE_MS
from tests.browser.stage import FIELDS, POLICY, STATES, TERMS, Stage
from tests.browser.test_page_story import SHOP

SIZES = [(320, 568), (390, 844), (844, 390), (1280, 800), (3840, 2160)]


@pytest.mark.parametrize("name", STATES)
def test_each_state_is_accessible_in_light_and_dark_and_fits_every_screen(
    stage: Stage, axe: Axe, name: str
) -> None:
    STATES[name](stage)
    page = stage.page
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert axe.violations(page) == []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        assert measure_sideways_scroll(page) == 0, (width, height)
        assert find_cut_off(page) == [], (width, height)


DRESSED = {
    "logo_url": "https://example.com/logo.svg",
    "header_url": "https://example.com/header.svg",
    "font": "serif",
    "privacy_url": "https://example.com/privacy",
    "imprint_url": "https://example.com/imprint",
}
LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="80"><path d="M0 0h200v80z"/></svg>'
)
SVG = {"content_type": "image/svg+xml"}
# Returns the font size of every visible element that contains text.
TYPE_SIZES = """() => [...new Set(
  [...document.querySelector('waitlist-position').shadowRoot.querySelectorAll('.panel *')]
    .filter((node) => node.checkVisibility() && node.firstChild?.nodeType === Node.TEXT_NODE)
    .map((node) => getComputedStyle(node).fontSize),
)]"""


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ar"])
def test_waiting_fits_a_phone_without_scrolling(stage: Stage, axe: Axe, language: str) -> None:
    """Everything that a waiting customer needs fits on a small phone.

    The test tries every language, with a waitlist that uses every feature of the page. Rarely used
    buttons are in the menu.
    """
    page = stage.page
    page.set_viewport_size({"width": 360, "height": 740})
    text = "Fresh bread and cakes every morning, from seven o'clock on, also on Sundays."
    stage.configure(
        page={"text": text, "fields": [FIELDS[1]], **DRESSED},
        admission=POLICY,
        rest={"max_days": 10, "times": 2},
        messages={"kinds": ["verify", "offered"]},
        call_numbers={"prefix": "A"},
    )
    for name in ("early", "earlier"):
        stage.others.joined(name)
    page.route("https://example.com/*.svg", lambda route: route.fulfill(body=LOGO, **SVG))
    stage.open(f"?lang={language}")
    page.locator("waitlist-position input").fill("ada.lovelace@example.com")
    page.locator("waitlist-position button.main").click()
    expect(page.locator("waitlist-position .number")).to_have_text(re.compile("[3٣]"))
    expect(page.locator("waitlist-position .alert button.main")).to_be_visible()
    expect(page.locator("waitlist-position .rests")).to_be_visible()
    expect(page.locator("waitlist-position .call-number")).to_have_text("A003")
    stage.others.joined("late")
    expect(page.locator("waitlist-position .others span")).to_have_count(2)
    assert measure_scroll(page) == 0
    assert page.locator("waitlist-position button.main").count() == 1
    assert page.locator("waitlist-position .foot > *").count() == 3
    assert page.locator("waitlist-position .logo").evaluate("logo => logo.clientHeight") == 40
    assert len(page.evaluate(TYPE_SIZES)) <= 4
    more = page.locator("waitlist-position [aria-expanded]")
    more.focus()
    page.keyboard.press("Enter")
    expect(page.locator("waitlist-position .menu button")).to_have_count(3)
    expect(page.locator("waitlist-position .about")).to_have_text(text)
    assert axe.violations(page) == []
    assert find_cut_off(page) == []
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(more).to_be_focused()
    expect(more).to_have_attribute("aria-expanded", "false")
    # At 200% zoom, only half as many pixels fit on the screen.
    page.set_viewport_size({"width": 320, "height": 370})
    assert (measure_sideways_scroll(page), find_cut_off(page)) == (0, [])


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ar"])
def test_a_place_of_a_link_fits_a_phone_with_a_long_notice(stage: Stage, language: str) -> None:
    page = stage.page
    page.set_viewport_size({"width": 360, "height": 740})
    stage.configure(
        page={"text": "Fresh bread and cakes every morning.", "fields": [FIELDS[1]]},
        messages={"kinds": ["called"]},
        rest={"max_days": 10, "times": 2},
        call_numbers={"prefix": "A"},
    )
    notice = "The doctor is late. Please stay near the entrance of the practice and listen for us."
    assert stage.operator.call("PUT", "/notice", json={"text": notice}).is_success
    stage.others.joined("early")
    entry = stage.others.sign_up("ada", profile={"email": "ada@example.com"}).json()
    stage.open(f"?lang={language}#t={entry['entry_id']}.{entry['entry_token']}")
    expect(page.locator("waitlist-position .number")).to_have_text(re.compile("[2٢]"))
    expect(page.locator("waitlist-position .linked")).to_be_visible()
    expect(page.locator("waitlist-position .news")).to_contain_text("The doctor is late.")
    assert count_lines(page.locator("waitlist-position .news")) == 3
    assert measure_scroll(page) == 0


@pytest.mark.parametrize("language", ["en", "fr", "ar"])
def test_a_long_number_does_not_break(stage: Stage, language: str) -> None:
    """A long number stays on one line.

    If it wrapped, its first line could be read as a smaller number.
    """
    page = stage.page
    page.set_viewport_size({"width": 320, "height": 568})
    number = page.locator("waitlist-position .number")
    in_hours = datetime.now(UTC) + timedelta(hours=23)
    stage.configure(opens_at=in_hours.isoformat().replace("+00:00", "Z"))
    stage.open(f"?lang={language}")
    expect(number).to_have_text(re.compile(r"^..:..:..$"))
    assert count_lines(number) == 1
    stage.configure(opens_at=None)
    page.reload()
    entry = re.compile(r"/entries/[a-z2-7]{26}$")
    far = {"position": 8_888_888, "total": 8_888_888}
    page.route(entry, lambda route: route.fulfill(json={**route.fetch().json(), **far}))
    page.locator("waitlist-position form button.main").click()
    expect(number).to_have_text(re.compile(r"^.(\D...){2}$"))
    assert (count_lines(number), measure_sideways_scroll(page), find_cut_off(page)) == (1, 0, [])


def test_people_without_a_pass_still_continue_to_the_entrance(stage: Stage) -> None:
    page = stage.page
    page.route(f"{SHOP}**", lambda route: route.fulfill(content_type="text/html", body="Shop"))
    stage.join(page={"enter_url": SHOP})
    stage.admit()
    stage.press("Enter now")
    page.wait_for_url(SHOP)
    page.go_back()
    stage.shows("You have been let in")
    stage.press("Continue")
    page.wait_for_url(SHOP)


def count_lines(text: Locator) -> int:
    height = "(node) => node.clientHeight / parseFloat(getComputedStyle(node).lineHeight)"
    return round(float(text.evaluate(height)))


def measure_scroll(page: Page) -> int:
    root = "document.documentElement"
    return int(page.evaluate(f"() => {root}.scrollHeight - {root}.clientHeight"))


def measure_sideways_scroll(page: Page) -> int:
    root = "document.documentElement"
    return int(page.evaluate(f"() => {root}.scrollWidth - {root}.clientWidth"))


def test_a_long_word_fits_the_dialog_on_a_narrow_phone(stage: Stage) -> None:
    stage.page.set_viewport_size({"width": 320, "height": 568})
    label = "Donaudampfschifffahrtsgesellschaftskapitän"
    stage.configure(page={"fields": [{"name": "name", "label": label}]})
    stage.open()
    stage.page.get_by_label(label).fill("Ada")
    stage.press("Join the line")
    stage.press("Change my details")
    dialog = stage.page.get_by_role("dialog", name="Your details")
    expect(dialog.get_by_label(label)).to_be_visible()
    assert dialog.evaluate("box => box.scrollWidth - box.clientWidth") == 0


def find_cut_off(page: Page) -> list[str]:
    found = page.evaluate(
        """() => {
          const root = document.querySelector('waitlist-position').shadowRoot;
          const panel = root.querySelector('.panel').getBoundingClientRect();
          return [...root.querySelectorAll('.panel > *, .panel > * > *')]
            .filter((node) => !node.closest('dialog') && node.checkVisibility())
            .filter((node) => {
              const box = node.getBoundingClientRect();
              const isOut = box.left < panel.left - 1 || box.right > panel.right + 1;
              return isOut || node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0;
            })
            .map((node) => node.outerHTML);
        }"""
    )
    return list(found)


def test_the_accessibility_checks_find_violations(stage: Stage, axe: Axe) -> None:
    stage.configure()
    stage.open()
    stage.shows("Corner Bakery")
    stage.page.evaluate(
        """() => {
          const root = document.querySelector('waitlist-position').shadowRoot;
          const panel = root.querySelector('.panel');
          panel.append(document.createElement('button'));
          const wide = 'white-space: nowrap; color: #eee; width: 999px';
          panel.querySelector('h1').style.cssText = wide;
        }"""
    )
    found = "\n".join(axe.violations(stage.page))
    assert "button-name" in found
    assert "color-contrast" in found
    assert find_cut_off(stage.page) != []


def test_a_customer_who_declines_an_offer_goes_to_the_end(stage: Stage) -> None:
    stage.offer()
    for name in ("bob", "cyd"):
        stage.others.joined(name)
    stage.press("Not now")
    stage.confirm("Cancel")
    stage.shows("It is your turn")
    stage.press("Not now")
    stage.confirm("Go to the end")
    stage.shows("You are in line")
    expect(stage.page.get_by_text("2 people ahead of you")).to_be_visible()
    expect(stage.page.get_by_text("Your turn has passed")).to_be_hidden()


def test_the_page_says_whether_a_decline_costs_the_place(stage: Stage) -> None:
    """The page says how many more offers customers can decline before they lose their place."""
    stage.join(admission={**POLICY, "decline": {"to": "place", "pause_seconds": 0, "at_most": 2}})
    for effect in ("unless you have let 2 turns pass before", "You keep your place in line."):
        stage.admit()
        stage.shows("It is your turn")
        stage.press("Not now")
        expect(stage.page.get_by_role("dialog")).to_contain_text(effect)
        stage.confirm("Let it pass")
        stage.shows("You are in line")
    stage.admit()
    stage.shows("It is your turn")
    stage.press("Not now")
    stage.confirm("Go to the end")
    stage.shows("You are in line")


def test_the_page_says_until_when_people_are_let_in(stage: Stage) -> None:
    end = datetime.now(UTC) + timedelta(days=30)
    stage.configure(admission={**POLICY, "until": end.isoformat().replace("+00:00", "Z")})
    stage.open()
    text = stage.page.get_by_text(f"People are let in until {end:%A, %B} ")
    expect(text).to_be_visible()
    stage.press("Join the line")
    stage.shows("You are in line")
    expect(text).to_be_visible()


def test_a_customer_who_leaves_with_an_offer_declines_it(stage: Stage) -> None:
    stage.offer()
    entry_id = stage.entry_id
    stage.press("Leave the line")
    stage.confirm("Leave")
    stage.shows("You are not in the line")
    history = stage.operator.call("GET", f"/entries/{entry_id}").json()["history"]
    assert history[-1]["reason"] == "declined"


def test_an_offer_that_an_operator_withdraws_does_not_count_as_missed(stage: Stage) -> None:
    stage.offer()
    entry = f"/entries/{stage.entry_id}"
    assert stage.operator.call("POST", f"{entry}/withdraw", json={}).status_code == 200
    stage.shows("You are in line")
    stage.notices("took back your turn, or you let it pass on another device")
    stage.admit()
    stage.shows("It is your turn")
    assert stage.operator.call("POST", f"{entry}/remove", json={}).status_code == 204
    stage.shows("You are not in the line")
    stage.notices("You were removed from the line, or you left it on another device.")
    expect(stage.page.get_by_text("did not enter in time")).to_be_hidden()


def test_the_page_says_that_an_offer_was_missed(stage: Stage) -> None:
    stage.join(admission={**POLICY_OF_SECONDS, "no_show": "to_back"})
    stage.admit()
    stage.shows("It is your turn")
    stage.shows("Your time has ended")
    expect(stage.page.get_by_role("button", name="Enter now")).to_have_count(0)
    # Maintenance, which runs once a minute, notices the missed offer.
    in_line = stage.page.get_by_role("heading", name="You are in line")
    expect(in_line).to_be_visible(timeout=2 * PATIENCE_MS)
    stage.notices("Your turn has passed")


POLICY_OF_SECONDS = {"offer_seconds": 10, "pass_seconds": 600}


def test_the_page_notices_by_itself_that_the_waitlist_opens(stage: Stage) -> None:
    stage.configure(open=False)
    stage.page.clock.install()
    stage.open()
    stage.shows("This line is closed")
    stage.configure(open=True)
    stage.page.clock.run_for(31_000)
    expect(stage.page.get_by_role("button", name="Join the line")).to_be_visible()


def test_the_form_keeps_its_input_when_the_waitlist_is_full(stage: Stage) -> None:
    stage.configure(capacity=1, page={"fields": [{"name": "name", "label": "Your name"}]})
    stage.open()
    stage.page.get_by_label("Your name").fill("Ada")
    entry = stage.others.joined("faster")
    stage.press("Join the line")
    stage.shows("This line is full")
    expect(stage.page.get_by_text("This was not accepted")).to_have_count(0)
    assert stage.others.leave(entry).status_code == 204
    stage.page.reload()
    expect(stage.page.get_by_role("button", name="Join the line")).to_be_visible()


def test_the_form_keeps_its_input_when_an_operator_changes_it(stage: Stage) -> None:
    """If an operator changes the form while a customer is filling it in, the page shows the new
    form and keeps the customer's answers.
    """
    stage.page.clock.install()
    fields = [*FIELDS, TERMS]
    stage.configure(page={"fields": fields})
    stage.open()
    stage.page.get_by_label("Your name").fill("Ada")
    stage.page.get_by_label("Branch").select_option("Nord")
    stage.page.get_by_role("checkbox").check()
    stage.configure(page={"fields": fields, "text": "We open at nine."})
    stage.page.clock.run_for(6_000)
    stage.page.evaluate("() => window.dispatchEvent(new Event('pageshow'))")
    expect(stage.page.get_by_text("We open at nine.")).to_be_visible()
    expect(stage.page.get_by_label("Your name")).to_have_value("Ada")
    expect(stage.page.get_by_label("Branch")).to_have_value("Nord")
    expect(stage.page.get_by_role("checkbox")).to_be_checked()


def test_the_page_shows_the_end_of_the_pass(stage: Stage) -> None:
    stage.enter()
    stage.page.clock.install()
    stage.page.reload()
    stage.shows("You are in")
    stage.page.clock.fast_forward(601_000)
    stage.shows("Your time has ended")


def test_an_admission_without_an_offer_has_a_pass(stage: Stage) -> None:
    """If an operator admits a customer without an offer, the customer's page still fetches the
    admission pass.
    """
    stage.join(page={"enter_url": SHOP}, admission={"acceptance": "automatic"})
    stage.admit()
    stage.shows("You are in")
    stage.page.route(f"{SHOP}**", lambda route: route.fulfill(body="in"))
    stage.press("Continue")
    stage.page.wait_for_url(f"{SHOP}#pass=*")


def test_a_customer_who_left_can_join_again_unless_the_waitlist_forbids_it(stage: Stage) -> None:
    stage.join(rejoin="after_leaving")
    for _ in range(2):
        stage.press("Leave the line")
        stage.confirm("Leave")
        stage.press("Join again")
        stage.configure(rejoin="after_leaving")
        stage.press("Join the line")
        stage.shows("You are in line")
    stage.configure(rejoin="never")
    stage.press("Leave the line")
    stage.confirm("Leave")
    stage.press("Join again")
    stage.press("Join the line")
    stage.notices("You have left this line")


def test_hidden_counts_stay_hidden(stage: Stage) -> None:
    stage.configure(hide_counts=True)
    for name in ("bob", "cyd"):
        stage.others.joined(name)
    stage.join()
    stage.others.joined("dee")
    expect(stage.page.get_by_text("2 people ahead of you")).to_be_visible()
    expect(stage.page.get_by_text("behind you")).to_have_count(0)
