"""Tests that everybody can use the page: with a keyboard, with a screen reader, in every language
and in every colour.

Code in a text is never executed.
"""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.axe import Axe
from tests.browser.conftest import NewContext
from tests.browser.stage import FIELDS, NAME, POLICY, TERMS, Stage, changing
from tests.browser.test_page_states import find_cut_off, measure_sideways_scroll
from tests.browser.test_page_story import SHOP

SCRIPT = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
LANGUAGES = {
    "en": ("Join the line", "1 person ahead of you", "I am ready again"),
    "de": ("Anstellen", "1 Person vor Ihnen", "Ich bin wieder bereit"),
    "fr": ("Rejoindre la file", "1 personne devant vous", "Je suis de nouveau prêt"),
    "es": ("Unirse a la fila", "1 persona delante", "Vuelvo a estar disponible"),
    "ar": ("الانضمام إلى القائمة", "شخص واحد أمامك", "أنا جاهز من جديد"),
}


def test_the_whole_story_works_by_keyboard(stage: Stage) -> None:
    stage.configure(page={"fields": FIELDS, "enter_url": SHOP}, admission=POLICY)
    stage.page.route(f"{SHOP}**", lambda route: route.fulfill(body="in"))
    stage.open()
    expect(stage.page.get_by_label("Your name")).to_be_visible()
    press = stage.page.keyboard.press
    press("Tab")
    expect(stage.page.get_by_label("Your name")).to_be_focused()
    stage.page.keyboard.type("Ada")
    press("Enter")
    expect(stage.page.get_by_role("heading", name="You are in line")).to_be_focused()
    tab_to_button(stage.page, "Leave the line")
    press("Enter")
    expect(stage.page.get_by_role("dialog")).to_be_visible()
    press("Escape")
    expect(stage.page.get_by_role("dialog")).to_have_count(0)
    expect(stage.page.get_by_role("button", name="Leave the line")).to_be_focused()
    stage.admit()
    expect(stage.page.get_by_role("heading", name="It is your turn")).to_be_focused()
    tab_to_button(stage.page, "Enter now")
    press("Space")
    stage.page.wait_for_url(f"{SHOP}#pass=*")


def test_the_consent_and_the_source_of_the_customer_are_stored(
    stage: Stage, new_context: NewContext
) -> None:
    """The service stores the consent text that the customer saw, and where the signup came from.

    The checkbox starts unchecked (promise P5).
    """
    names = ("utm_source", "utm_term")
    hidden = [{"name": name, "label": name, "type": "hidden"} for name in names]
    texts = {
        "ar": {"join": "هيا بنا", "name": "مخبز", "text": "خبز طازج"},
        "en": {"count": {"one": "{n} soul waits", "other": "{n} souls wait"}},
    }
    page_of = {"text": "Fresh bread.", "fields": [*FIELDS[:1], TERMS, *hidden], "texts": texts}
    stage.configure(page={"text": "Fresh bread."})
    stage.others.joined("early")
    stage.configure(page=page_of)
    stage.open()
    expect(stage.page.get_by_text("1 soul waits")).to_be_visible()
    page = new_context(locale="ar").new_page()
    page.goto(f"/w/{stage.operator.waitlist_id}?utm_source=news%0A{'x' * 300}&utm_campaign=x")
    page.get_by_role("textbox").fill("آدا")
    box, join = page.get_by_role("checkbox"), page.get_by_role("button", name="هيا بنا")
    expect(page.get_by_role("heading", name="مخبز")).to_be_visible()
    expect(page.get_by_text("خبز طازج")).to_be_visible()
    link = page.get_by_role("link", name="الشروط")
    expect(link).to_have_attribute("href", "https://example.com/ar")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    expect(box).not_to_be_checked()
    join.click()
    expect(box).to_be_focused()
    expect(box).to_have_accessible_description("هذه الإجابة مطلوبة.")
    page.keyboard.press("Space")
    join.click()
    expect(page.get_by_role("heading", name="أنت في القائمة")).to_be_visible()
    entries = stage.operator.call("GET", "/entries?status=waiting").json()["entries"]
    entry = stage.operator.call("GET", f"/entries/{entries[1]['entry_id']}").json()
    agreed = {"text": TERMS["label"]["ar"], "version": "2026-11"}
    source = f"news {'x' * 195}"
    assert entry["profile"] == {"name": "آدا", "terms": agreed, "utm_source": source}


def test_a_customer_can_change_their_details_by_keyboard(stage: Stage) -> None:
    """A customer can change their details with the keyboard.

    If the change is refused, the details stay the same. The stored consent never changes (promise
    P5).
    """
    changing(stage)
    dialog, press = stage.page.get_by_role("dialog", name="Your details"), stage.page.keyboard.press
    name, status = dialog.get_by_label("Your name"), dialog.get_by_role("status")
    expect(name).to_be_focused()
    expect(name).to_have_value("Ada")
    expect(dialog.get_by_role("checkbox")).to_be_checked()
    name.fill("Ada Lovelace")
    dialog.get_by_label("Email").fill("ada@nowhere")
    press("Enter")
    expect(status).to_have_text("This was not saved. Please check what you have entered.")
    dialog.get_by_label("Email").fill("ada@example.com")
    press("Enter")
    expect(status).to_have_text("Your details are saved.")
    agreed = {"text": TERMS["label"]["en"], "version": "2026-11"}
    kept = {"name": "Ada Lovelace", "email": "ada@example.com", "terms": agreed}
    profile = stage.operator.call("GET", f"/entries/{stage.entry_id}").json()["profile"]
    assert profile == kept
    press("Escape")
    expect(dialog).to_have_count(0)
    stage.press("Change my details")
    expect(name).to_have_value("Ada Lovelace")
    dialog.get_by_label("Email").fill("")
    dialog.get_by_role("button", name="Save").click()
    expect(status).to_have_text("Your details are saved.")
    profile = stage.operator.call("GET", f"/entries/{stage.entry_id}").json()["profile"]
    assert profile == {key: value for key, value in kept.items() if key != "email"}
    stage.shows("You are in line")


def test_a_change_keeps_the_answers_that_the_form_cannot_show(stage: Stage) -> None:
    """An operator may store an answer that is not an option, and a customer may agree in a language
    and change their details in another one.
    """
    branch = {"name": "city", "label": "Branch", "type": "select", "options": ["Mitte", "Nord"]}
    terms = {"name": "terms", "label": {"en": "I agree", "de": "Ja"}, "type": "checkbox"}
    stage.configure(page={"fields": [{"name": "name", "label": "Your name"}, branch, terms]})
    stage.open("?lang=de")
    stage.page.get_by_label("Your name").fill("Ada")
    stage.page.get_by_role("checkbox").check()
    stage.press("Anstellen")
    stage.shows("Sie stehen an")
    path = f"/entries/{stage.entry_id}"
    stored = {"city": "Old Town", "terms": {"text": "Ja"}}
    assert stage.operator.call("PATCH", path, json={"profile": stored}).is_success
    stage.open("?lang=en")
    stage.shows(NAME)
    stage.press("Change my details")
    dialog = stage.page.get_by_role("dialog", name="Your details")
    dialog.get_by_label("Your name").fill("Ada Lovelace")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("status")).to_have_text("Your details are saved.")
    profile = stage.operator.call("GET", path).json()["profile"]
    assert profile == {"name": "Ada Lovelace", **stored}


def test_a_refused_number_is_marked_at_its_field(stage: Stage, axe: Axe) -> None:
    fields = [
        {"name": "name", "label": "Your name"},
        {"name": "phone", "label": "Phone", "type": "tel"},
    ]
    stage.configure(page={"fields": fields})
    stage.open()
    page = stage.page
    page.get_by_label("Your name").fill("Zoë")
    page.get_by_label("Phone").fill("0151 abc")
    stage.press("Join the line")
    phone = page.get_by_label("Phone")
    what = (
        "Check the telephone number. If it is correct, add the country code, as in +49 30 901820."
    )
    expect(phone).to_be_focused()
    expect(phone).to_have_attribute("aria-invalid", "true")
    expect(phone).to_have_accessible_description(what)
    expect(phone).to_have_value("0151 abc")
    expect(page.get_by_label("Your name")).to_have_value("Zoë")
    assert axe.violations(page) == []
    phone.fill("0151 23456789")
    expect(page.get_by_text(what)).to_be_hidden()
    stage.press("Join the line")
    stage.shows("You are in line")
    stage.press("Change my details")
    page.get_by_role("dialog").get_by_label("Phone").fill("letters")
    stage.confirm("Save")
    expect(page.get_by_role("dialog").get_by_label("Phone")).to_be_focused()
    expect(page.get_by_role("dialog").get_by_text(what)).to_be_visible()


def test_the_page_says_that_a_long_answer_is_cut_off(stage: Stage) -> None:
    stage.configure(page={"fields": [{"name": "name", "label": "Your name"}]})
    stage.open()
    name = stage.page.get_by_label("Your name")
    name.fill("x" * 300)
    expect(name).to_have_value("x" * 200)
    cut = "This answer can have at most 200 characters. Further text is cut off."
    expect(stage.page.get_by_text(cut)).to_be_visible()
    name.fill("Zoë")
    expect(stage.page.get_by_text(cut)).to_be_hidden()


def test_a_double_click_on_save_shows_no_refusal(stage: Stage) -> None:
    changing(stage)
    held: list[Route] = []
    stage.page.route(re.compile(r"/entries/[a-z2-7]{26}$"), lambda route: held.append(route))
    dialog = stage.page.get_by_role("dialog", name="Your details")
    dialog.get_by_label("Your name").fill("Ada Lovelace")
    with stage.page.expect_request(lambda request: request.method == "PATCH"):
        dialog.get_by_role("button", name="Save").dblclick()
    expect(dialog.get_by_role("status")).to_have_text("")
    for route in held:
        route.continue_()
    expect(dialog.get_by_role("status")).to_have_text("Your details are saved.")


def test_a_customer_can_switch_messages_off_if_the_form_has_no_fields(stage: Stage) -> None:
    stage.join(messages={"kinds": ["joined"]})
    stage.press("Change my details")
    dialog = stage.page.get_by_role("dialog", name="Your details")
    box = dialog.get_by_label("Send me messages about my place")
    expect(box).to_be_checked()
    box.uncheck()
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("status")).to_have_text("Your details are saved.")
    assert stage.operator.call("GET", f"/entries/{stage.entry_id}").json()["messages_off"]
    stage.page.keyboard.press("Escape")
    stage.press("Change my details")
    expect(box).not_to_be_checked()


def tab_to_button(page: Page, button: str) -> None:
    """Each press of Tab must move the focus to an element with a visible outline."""
    for _ in range(12):
        page.keyboard.press("Tab")
        outline = page.evaluate(
            """() => {
              const focused = document.querySelector('waitlist-position').shadowRoot.activeElement;
              return focused && [focused.textContent, getComputedStyle(focused).outlineStyle];
            }"""
        )
        if outline is None:
            continue
        assert outline[1] == "solid", outline
        if outline[0] == button:
            return
    raise AssertionError(f"Tab does not reach {button}")


def test_a_customer_can_let_others_pass_by_keyboard(stage: Stage) -> None:
    page, press = stage.page, stage.page.keyboard.press
    stage.join(rest={"max_days": 10, "times": 1})
    entry_id, status = stage.entry_id, page.locator("waitlist-position .resting")
    tab_to_button(page, "Let others pass")
    press("Enter")
    dialog = page.get_by_role("dialog", name="Let others pass?")
    expect(dialog.get_by_label("Until")).to_be_focused()
    expect(dialog).to_contain_text("At the latest:")
    expect(dialog).to_contain_text("You can do this once while you wait.")
    dialog.get_by_label("Until").fill("2999-01-01T09:00")
    dialog.get_by_role("button", name="Let others pass").click()
    expect(dialog.get_by_label("Until")).to_be_focused()
    described = re.compile("^Please check this answer. At the latest:")
    expect(dialog.get_by_label("Until")).to_have_accessible_description(described)
    tomorrow = datetime.now() + timedelta(days=1)  # noqa: DTZ005 (the field uses the clock of the device)
    dialog.get_by_label("Until").fill(f"{tomorrow:%Y-%m-%dT%H:%M}")
    tab_to_button(page, "Let others pass")
    press("Enter")
    expect(status).to_contain_text("You are letting others pass until")
    expect(status).to_have_attribute("role", "status")
    expect(page.get_by_role("button", name="I am ready again")).to_be_focused()
    until = stage.operator.call("GET", f"/entries/{entry_id}").json()["rest_until"]
    at = datetime.fromisoformat(until).astimezone().replace(tzinfo=None)
    assert f"{at:%Y-%m-%dT%H:%M}" == f"{tomorrow:%Y-%m-%dT%H:%M}"
    press("Space")
    expect(page.get_by_role("button", name="Let others pass")).to_be_focused()
    expect(status).to_have_text("You can do this 0 more times.")
    press("Space")
    dialog.get_by_role("button", name="Let others pass").click()
    expect(status).to_contain_text("as often as this line allows")
    stage.configure(rest=None)
    press("Space")
    dialog.get_by_role("button", name="Let others pass").click()
    expect(status).to_contain_text("You can no longer let others pass in this line")
    expect(page.get_by_role("button", name="Let others pass")).to_be_hidden()


def test_a_customer_sees_when_their_turn_can_come_again(stage: Stage) -> None:
    stage.join()
    entry_id = stage.entry_id
    stage.act("claims", "release", claim_token=stage.claim(), delay_seconds=3600)
    expect(stage.page.get_by_text("Your turn can come again from")).to_be_visible()
    until = stage.operator.call("GET", f"/entries/{entry_id}").json()["delayed_until"]
    assert (
        stage.page.evaluate("() => document.querySelector('waitlist-position').view.entry")[
            "delayed_until"
        ]
        == until
    )


def test_a_customer_can_confirm_by_keyboard_that_they_are_still_waiting(stage: Stage) -> None:
    loaded: list[str] = []
    stage.page.on("request", lambda request: loaded.append(request.url))
    stage.join(confirm={"every_days": 90})
    status = stage.page.locator("waitlist-position .asked")
    assert not [url for url in loaded if "asked" in url], "nobody has asked the customer yet"
    assert stage.operator.call("POST", "/confirm", json={}).json()["asked"] == 1
    expect(status).to_contain_text("Are you still waiting?")
    tab_to_button(stage.page, "I am still waiting")
    stage.page.keyboard.press("Enter")
    expect(status).to_contain_text("Your place is kept.")
    expect(status).to_be_focused()
    expect(stage.page.get_by_role("button", name="I am still waiting")).to_be_hidden()
    found = stage.operator.call("GET", f"/entries/{stage.entry_id}").json()
    assert (found["confirm_by"], found["confirmed_at"] is None) == (None, False)


def test_the_page_says_that_entries_which_are_not_ready_are_passed_over(stage: Stage) -> None:
    loaded: list[str] = []
    stage.page.on("request", lambda request: loaded.append(request.url))
    stage.configure()
    early = stage.others.joined("early")
    stage.join()
    expect(stage.page.get_by_text("1 person ahead of you")).to_be_visible()
    held = {"ready": False}
    path = f"/entries/{early.entry_id}/ready"
    assert not [url for url in loaded if "rest" in url], (
        "the waitlist does not need this module yet"
    )
    assert stage.operator.call("POST", path, json=held).status_code == 200
    expect(stage.page.get_by_text("You are next.")).to_be_visible()
    stage.act("entries", "ready", **held)
    expect(stage.page.get_by_text("the organizer is holding it back")).to_be_visible()
    expect(stage.page.get_by_text("0 can be let in at the moment")).to_be_visible()
    expect(stage.page.get_by_role("button", name="Let others pass")).to_be_hidden()


def test_screen_readers_announce_changes_but_not_every_poll(stage: Stage) -> None:
    stage.configure()
    early = [stage.others.joined(f"early-{number}") for number in range(30)]
    stage.page.clock.install()
    stage.join()
    stage.page.evaluate(
        """() => {
          window.said = [];
          const root = document.querySelector('waitlist-position').shadowRoot;
          const live = root.querySelector('.unseen');
          new MutationObserver(() => window.said.push(live.textContent)).observe(live, {
            childList: true, characterData: true, subtree: true,
          });
        }"""
    )
    for number, entry in enumerate(early[:9]):
        assert stage.others.leave(entry).status_code == 204
        stage.page.clock.run_for(5_000)
        expect(stage.page.get_by_text(f"{29 - number} people ahead of you")).to_be_visible()
    said = stage.page.evaluate("() => window.said")
    assert 1 <= len(said) <= 3, said
    assert all(re.fullmatch(r"Your position is \d+\.", text) for text in said)


def test_screen_readers_announce_why_something_has_changed(stage: Stage) -> None:
    said = stage.page.locator("waitlist-position .unseen")
    stage.offer()
    expect(said).to_have_text("It is your turn")
    stage.act("entries", "withdraw")
    taken = "The organizer took back your turn, or you let it pass on another device."
    expect(said).to_have_text(f"{taken} Your position is 1.")
    stage.act("entries", "remove")
    expect(said).to_have_text(re.compile(r"^You were removed .* You are not in the line$"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_is_complete_and_fits_on_the_screen(
    new_context: NewContext, stage: Stage, language: str
) -> None:
    stage.configure(rest={"max_days": 10, "times": 2})
    stage.others.joined("early")
    page = new_context(locale=f"{language}-{language.upper()}").new_page()
    button, ahead, ready = LANGUAGES[language]
    page.goto(f"/w/{stage.operator.waitlist_id}")
    page.get_by_role("button", name=button).click()
    expect(page.get_by_text(ahead)).to_be_visible()
    root = page.locator("html")
    expect(root).to_have_attribute("lang", language)
    expect(root).to_have_attribute("dir", "rtl" if language == "ar" else "ltr")
    page.set_viewport_size({"width": 320, "height": 568})
    page.locator(".rests").click()
    assert page.get_by_role("dialog").get_attribute("dir") == root.get_attribute("dir")
    page.get_by_role("dialog").locator("button.main").click()
    expect(page.get_by_role("button", name=ready)).to_be_visible()
    assert (measure_sideways_scroll(page), find_cut_off(page)) == (0, [])
    text = page.locator("waitlist-position").inner_text()
    assert not re.search(r"undefined|null|NaN|\{\w+\}", text), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_estimates_and_plurals_are_written_in_words(stage: Stage, axe: Axe, language: str) -> None:
    stage.configure()
    stage.open(f"?lang={language}")
    expect(stage.page.locator("html")).to_have_attribute("lang", language)
    said = stage.page.evaluate(
        """async (language) => {
          const links = [...document.querySelectorAll('link[rel=modulepreload]')];
          const { Words } = await import(links.find((one) => one.href.endsWith('/words.js')).href);
          const words = await Words.load(language);
          const counts = [0, 1, 2, 3, 11, 100, 1000000];
          const waits = [[5, 50], [10, 200], [300, 1500], [600, 610], [6e3, 2e4], [9e4, 3e5]];
          return {
            categories: new Intl.PluralRules(language).resolvedOptions().pluralCategories.sort(),
            forms: Object.keys(words.texts.ahead).sort(),
            said: [
              ...counts.map((n) => words.say('ahead', { n })),
              ...waits.map(([low, high]) => words.wait({ low, high })),
              words.clock(59), words.clock(3725), words.duration(60), words.duration(10),
            ],
          };
        }""",
        language,
    )
    assert said["forms"] == said["categories"]
    assert all(said["said"])
    assert not re.search(r"undefined|NaN|\{", " ".join(said["said"]))
    if language == "en":
        waits = said["said"][7:13]
        assert waits[0] == "less than a minute"
        assert waits[1] == "at most 4 minutes"
        assert re.fullmatch(r"5\W+25 minutes", waits[2])
        assert "11 minutes" in waits[3]
        assert "hours" in waits[4]
        assert "days" in waits[5]
        assert said["said"][13:] == ["0:59", "1:02:05", "1 minute", "10 seconds"]


def test_every_colour_is_visible_and_text_on_it_is_readable(stage: Stage) -> None:
    stage.configure()
    stage.open()
    stage.shows("Corner Bakery")
    worst = stage.page.evaluate(
        """async () => {
          const links = [...document.querySelectorAll('link[rel=modulepreload]')];
          const href = links.find((one) => one.href.endsWith('/colours.js')).href;
          const { contrast, visible } = await import(href);
          const steps = [0, 51, 102, 119, 128, 153, 204, 255];
          const hex = (value) => value.toString(16).padStart(2, '0');
          let worst = { seen: 21, read: 21 };
          for (const r of steps) for (const g of steps) for (const b of steps)
            for (const panel of ['#ffffff', '#1c1f26']) {
              const { fill, ink } = visible(`#${hex(r)}${hex(g)}${hex(b)}`, panel);
              worst = {
                seen: Math.min(worst.seen, contrast(fill, panel)),
                read: Math.min(worst.read, contrast(fill, ink)),
              };
            }
          return { ...worst, known: contrast('#777777', '#ffffff') };
        }"""
    )
    assert worst["seen"] >= 3
    assert worst["read"] >= 4.5
    assert round(worst["known"], 2) == 4.48, "this is the contrast that WCAG computes"


@pytest.mark.parametrize("colour", ["#ffff00", "#000000", "#ffffff", "#777777"])
def test_the_colour_of_a_waitlist_is_readable(stage: Stage, axe: Axe, colour: str) -> None:
    stage.configure(page={"colour": colour})
    stage.open()
    expect(stage.page.get_by_role("button", name="Join the line")).to_be_visible()
    for scheme in ("light", "dark"):
        stage.page.emulate_media(color_scheme=scheme)
        assert axe.violations(stage.page) == []


def test_a_logo_is_loaded_without_sending_the_address_of_the_page(stage: Stage) -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"/>'
    asked: list[str | None] = []

    def serve(route: Any) -> None:
        asked.append(route.request.header_value("referer"))
        route.fulfill(content_type="image/svg+xml", body=svg)

    stage.page.route("https://cdn.example.com/**", serve)
    stage.configure(page={"logo_url": "https://cdn.example.com/logo.svg"})
    stage.open()
    logo = stage.page.locator("img.logo")
    expect(logo).to_be_visible()
    assert logo.evaluate("img => img.naturalWidth") == 90
    assert asked == [None], "the request must not contain the address of the page"


def test_choices_are_shown_in_the_language_of_the_customer(
    new_context: NewContext, stage: Stage
) -> None:
    """The form shows the choices in the customer's language, and stores the same value in every
    language.
    """
    small = {"value": "s", "labels": {"en": "Small", "de": "Klein"}}
    size = {"name": "size", "label": "Size", "type": "select", "options": [small, "XL"]}
    assert stage.operator.put({"name": "Bakery", "page": {"fields": [size]}}).is_success
    page = new_context(locale="de-DE").new_page()
    page.goto(f"/w/{stage.operator.waitlist_id}")
    choices = page.get_by_role("combobox", name="Size")
    expect(choices.get_by_role("option")).to_have_text(["Bitte wählen", "Klein", "XL"])
    choices.select_option("Klein")
    page.get_by_role("button", name="Anstellen").click()
    expect(page.get_by_role("heading", name="Sie stehen an")).to_be_visible()
    (person,) = stage.operator.call("GET", "/entries").json()["entries"]
    assert person["profile"] == {"size": "s"}


def test_messages_are_in_the_language_that_the_customer_has_chosen(stage: Stage) -> None:
    stage.configure(messages={"kinds": ["joined"]})
    stage.open()
    stage.page.get_by_label("Language").select_option("de")
    stage.page.get_by_role("button", name="Anstellen").click()
    expect(stage.page.get_by_role("heading", name="Sie stehen an")).to_be_visible()
    (person,) = stage.operator.call("GET", "/entries").json()["entries"]
    details = stage.operator.call("GET", f"/entries/{person['entry_id']}").json()
    assert details["language"] == "de"


def test_messages_are_in_the_usual_language_if_the_page_lacks_that_of_the_browser(
    new_context: NewContext, stage: Stage
) -> None:
    stage.configure(messages={"kinds": ["joined"], "language": "de"})
    page = new_context(locale="it-IT").new_page()
    page.goto(f"/w/{stage.operator.waitlist_id}")
    page.get_by_role("button", name="Join the line").click()
    expect(page.get_by_role("heading", name="You are in line")).to_be_visible()
    (person,) = stage.operator.call("GET", "/entries").json()["entries"]
    details = stage.operator.call("GET", f"/entries/{person['entry_id']}").json()
    assert details["language"] is None


def test_hostile_text_is_shown_as_text(stage: Stage, axe: Axe) -> None:
    """Code that an operator or a customer has typed is shown as plain text (promise P5)."""
    fields = [
        {"name": "a", "label": SCRIPT[:100]},
        {"name": "b", "label": "B", "type": "select", "options": [SCRIPT[:64], "x"]},
    ]
    page = {"text": (SCRIPT + "\n") * 20, "fields": fields}
    answer = stage.operator.put({"name": (SCRIPT * 3)[:200], "page": page})
    assert answer.status_code == 201, answer.text
    stage.open()
    expect(stage.page.get_by_role("heading", level=1)).to_have_text((SCRIPT * 3)[:200])
    expect(stage.page).to_have_title((SCRIPT * 3)[:200])
    long = "\u0627\u202eabc" + "<b>" * 5_000
    stage.page.get_by_label("B", exact=False).last.select_option(SCRIPT[:64])
    stage.page.locator("input").fill(long)
    stage.page.locator("form button").click()
    stage.shows("You are in line")
    person = stage.operator.call("GET", f"/entries/{stage.entry_id}").json()
    assert person["profile"]["b"] == SCRIPT[:64]
    assert stage.page.evaluate("() => window.hacked") is None
    assert stage.page.locator("waitlist-position img").count() == 0
    for size in (320, 3840):
        stage.page.set_viewport_size({"width": size, "height": 800})
        assert measure_sideways_scroll(stage.page) == 0
    assert axe.violations(stage.page) == []


def test_markup_in_the_address_has_no_effect(browser_page: Page) -> None:
    """P5"""
    browser_page.goto("/w/a%3Cscript%3Ewindow.hacked=1%3C%2Fscript%3E?lang=%3Cb%3E")
    browser_page.goto("/w/a%3Cimg%20src=x%20onerror=window.hacked=1%3E?lang=%3Cb%3E")
    expect(browser_page.get_by_role("heading", name="There is no line here")).to_be_visible()
    assert browser_page.evaluate("() => window.hacked") is None


def test_a_customer_who_allows_alerts_is_alerted_about_the_offer(stage: Stage) -> None:
    stage.page.context.grant_permissions(["notifications"])
    stage.page.add_init_script(
        """
        window.alerts = [];
        window.Notification = class {
          static permission = 'default';
          static async requestPermission() { return (this.permission = 'granted'); }
          constructor(title, options) { window.alerts.push([title, options.body]); }
        };
        navigator.vibrate = (pattern) => window.alerts.push(pattern);
        """
    )
    stage.join(admission=POLICY)
    stage.press("Tell me when it is my turn")
    expect(stage.page.get_by_text("You will be notified while this page is open.")).to_be_visible()
    stage.admit()
    stage.shows("It is your turn")
    assert stage.page.evaluate("() => window.alerts") == [
        [200, 100, 200],
        ["It is your turn", "Corner Bakery"],
    ]


def test_a_customer_who_allows_no_alerts_gets_none(stage: Stage) -> None:
    stage.page.context.grant_permissions(["notifications"])
    stage.page.add_init_script(
        "window.alerts = []; navigator.vibrate = (pattern) => window.alerts.push(pattern);"
    )
    stage.offer()
    assert stage.page.evaluate("() => window.alerts") == []


def test_a_wrong_clock_of_the_phone_does_not_shorten_an_offer(stage: Stage) -> None:
    """An offer's countdown uses the service's clock, so it is correct even if the phone's clock is
    an hour behind.
    """
    stage.page.add_init_script(
        "const real = Date.now.bind(Date); Date.now = () => real() - 3_600_000;"
    )
    stage.offer()
    expect(stage.page.get_by_role("timer")).to_have_text(re.compile(r"^(10:00|9:[0-5]\d)$"))


def test_a_customer_can_choose_the_language_by_keyboard(stage: Stage, axe: Axe) -> None:
    """When a customer selects a different language, the form keeps keyboard focus and the
    customer's answers.

    The page remembers the language after a reload.
    """
    page, link = stage.page, {"privacy_url": "https://example.com/privacy"}
    stage.configure(page={"fields": FIELDS[:1], **link})
    stage.open()
    page.locator("waitlist-position input").fill("Ada")
    language = page.get_by_role("combobox", name="Language")
    language.focus()
    page.keyboard.type("Deu")
    join = page.get_by_role("button", name="Anstellen")
    expect(join).to_be_visible()
    expect(page.get_by_role("combobox", name="Sprache")).to_be_focused()
    expect(page.get_by_label("Your name")).to_have_value("Ada")
    privacy = page.get_by_role("link", name="Datenschutz")
    expect(privacy).to_have_attribute("href", link["privacy_url"])
    expect(privacy).to_have_attribute("rel", "noopener noreferrer")
    expect(page.get_by_role("link", name="Impressum")).to_have_count(0)
    page.get_by_role("combobox", name="Sprache").select_option("ar")
    expect(page.get_by_role("combobox", name="اللغة")).to_be_focused()
    join = page.get_by_role("button", name="الانضمام إلى القائمة")
    # The form's texts can arrive later than those of the page, and the page is then drawn again.
    expect(join).to_be_visible()
    assert axe.violations(page) == []
    page.reload()
    expect(join).to_be_visible()


def test_a_language_that_loads_slowly_does_not_replace_the_language_chosen_after_it(
    stage: Stage,
) -> None:
    page, held = stage.page, list[Route]()
    stage.configure(page={"fields": FIELDS[:1]})
    stage.open()
    page.route("**/form-de.json", lambda route: held.append(route))
    with page.expect_request("**/form-de.json"):
        page.get_by_role("combobox", name="Language").select_option("de")
    page.get_by_role("combobox", name="Sprache").select_option("fr")
    page.get_by_label("Your name").fill("Ada")
    with page.expect_response("**/form-de.json"):
        held.pop().continue_()
    page.locator("waitlist-position button.main").click()
    expect(page.locator("waitlist-position .number")).to_have_text("1")
    (entry,) = stage.operator.call("GET", "/entries").json()["entries"]
    assert entry["profile"] == {"name": "Ada"}


def test_a_double_click_opens_a_single_dialog(stage: Stage) -> None:
    """A double click opens a dialog only once, even if the second click comes while the dialog's
    code is loading.
    """
    held: list[Route] = []
    stage.join()
    stage.page.route("**/devices.js", lambda route: held.append(route))
    stage.press("More")
    button = stage.page.get_by_role("button", name="Open on another device")
    with stage.page.expect_request("**/devices.js"):
        button.dblclick()
    held[0].continue_()
    dialog = stage.page.get_by_role("dialog")
    expect(dialog).to_have_count(1)
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)
    expect(button).to_be_focused()


def test_the_page_has_less_motion_for_people_who_prefer_this(stage: Stage) -> None:
    stage.page.emulate_media(reduced_motion="reduce")
    stage.join()
    bar = "getComputedStyle(bar, '::-webkit-progress-value').transitionDuration"
    moving = stage.page.get_by_role("progressbar").evaluate(f"bar => {bar}")
    assert moving == "0s"
