"""Tests the operator's console in Chromium.

The console runs in its own process and uses the local service.
"""

import json
import re
import secrets
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Dialog, Locator, Page, Route, ViewportSize, expect

from tests.browser.axe import Axe
from tests.browser.conftest import PATIENCE_MS, NewContext
from tests.browser.qr import read_code
from tests.e2e.callers import Customer, Operator
from tests.e2e.processes import Service, running_service, wait_until
from tests.unit.cli.typed import Typed, clean_environment, write_program
from tools.local.operator import local_operator
from tools.local.ports import reserved_port
from waitlist_cli.client.ids import entry_id_of

# This program stands in for the browser. It writes the URL that it should open to a file.
OPENED = """
import os, sys
from pathlib import Path
Path({path!r} + ".part").write_text(sys.argv[1])
os.replace({path!r} + ".part", {path!r})
"""
DESKTOP: ViewportSize = {"width": 1280, "height": 900}
# The tests use long timeouts, because the page polls less often on a busy machine.
expect.set_options(timeout=PATIENCE_MS)


NewAddress = Callable[[], str]


@contextmanager
def running_console(url: str, *options: str) -> Iterator[NewAddress]:
    words = ("--json", "console", "--no-browser", *options)
    process = Typed(url).start(*words, stdin=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdin is not None
    stdin, stdout = process.stdin, process.stdout
    stdout.readline()

    def new_address() -> str:
        stdin.write("\n")
        stdin.flush()
        return str(json.loads(stdout.readline())["url"])

    try:
        yield new_address
    finally:
        process.terminate()
        process.communicate(timeout=30)


@pytest.fixture(scope="session")
def new_address(service: Service) -> Iterator[NewAddress]:
    # The console delays actions that cannot be reversed, so that the operator can still undo them.
    # In these tests, the delay is only one second.
    with running_console(service.url, "--undo-seconds", "1") as address:
        yield address


@dataclass
class Console:
    """A browser tab with the console open, and a waitlist that no other test uses."""

    page: Page
    origin: str
    operator: Operator
    others: Customer

    @property
    def list_path(self) -> str:
        return f"/lists/{self.operator.waitlist_id}"

    def person_path(self, name: str) -> str:
        return f"{self.list_path}/people/{entry_id_of(self.operator.waitlist_id, name)}"

    def go(self, path: str) -> None:
        self.page.goto(self.origin + path)

    def sign_up(self, *names: str, **more: Any) -> None:
        path = f"/v1/waitlists/{self.operator.waitlist_id}/entries"
        for name in names:
            answer = self.others.http.post(path, json={"customer_id": name, **more})
            assert answer.status_code == 201, answer.text

    def line(self) -> list[str]:
        return self.operator.line()

    def do(self, button: str, *, asks_again: str = "", **fields: str) -> None:
        # The page reacts to clicks only after it has loaded.
        self.page.wait_for_load_state()
        self.page.get_by_role("button", name=f"{button}…", exact=True).click()
        dialog = self.page.get_by_role("dialog")
        for label, value in fields.items():
            field = dialog.get_by_label(label.replace("_", " "), exact=True)
            if value == "choose":
                field.check()
            else:
                field.fill(value)
        dialog.locator("button[type=submit]").click()
        if asks_again:
            # A screen reader reads the focused text.
            expect(dialog.locator(".consequence")).to_be_focused()
            expect(dialog.locator(".consequence")).to_contain_text(asks_again)
            dialog.locator("button[type=submit]").click()
        expect(dialog).to_be_hidden()

    def serve(self) -> None:
        self.page.get_by_role("button", name="Serve the next").click()

    def claim_of(self, name: str) -> Locator:
        return self.page.get_by_role("region", name=name, exact=True)

    @property
    def notice(self) -> Locator:
        return self.page.locator(".notice").last

    @property
    def state(self) -> Locator:
        return self.page.locator("h1 .state")


@pytest.fixture
def console(
    new_context: NewContext, new_address: NewAddress, operator: Operator, others: Customer
) -> Console:
    config = {"name": "Bakery", "segments": [["language"]]}
    assert operator.put(config).status_code == 201
    return open_console(new_context, new_address, operator, others)


def open_console(
    new_context: NewContext,
    new_address: NewAddress,
    operator: Operator,
    others: Customer,
    **options: Any,
) -> Console:
    page = new_context(**{"viewport": DESKTOP, **options}).new_page()
    url = new_address()
    page.goto(url)
    origin = url.partition("/?")[0]
    page.wait_for_url(f"{origin}/")
    return Console(page, origin, operator, others)


def test_the_token_disappears_from_the_address_and_strangers_see_nothing(
    console: Console, new_context: NewContext
) -> None:
    assert "token" not in console.page.url
    expect(console.page.get_by_role("heading", name="Lists")).to_be_visible()
    stranger = new_context().new_page()
    answer = stranger.goto(console.origin)
    assert answer is not None
    assert answer.status == 401


@dataclass
class Neighbour:
    """Another user's web server on the same computer. It records the headers of each request."""

    port: int
    seen: list[str] = field(default_factory=list)


@pytest.fixture
def neighbour() -> Iterator[Neighbour]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.seen.append(str(self.headers))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found = Neighbour(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield found
        server.shutdown()
        thread.join()


def test_a_server_on_another_port_does_not_get_the_session_cookie(
    console: Console, neighbour: Neighbour
) -> None:
    page = console.page
    [session] = [cookie["value"] for cookie in page.context.cookies() if "value" in cookie]
    for host in ("127.0.0.1", "localhost", "other.localhost"):
        page.evaluate("address => { location = address }", f"http://{host}:{neighbour.port}/")
        page.wait_for_url(f"http://{host}:{neighbour.port}/")
        page.goto(console.origin)
        expect(page.get_by_role("heading", name="Lists")).to_be_visible()
    assert len([headers for headers in neighbour.seen if "text/html" in headers]) == 3
    assert session not in "".join(neighbour.seen)
    assert httpx.URL(console.origin).host not in "".join(neighbour.seen)


def test_the_file_in_the_private_folder_opens_the_console(
    service: Service, chromium: Browser, tmp_path: Path
) -> None:
    program = write_program(tmp_path / "browser", OPENED.format(path=str(tmp_path / "opened")))
    environ = clean_environment(TMPDIR=str(tmp_path), BROWSER=program)
    process = Typed(service.url).start("console", env=environ)
    try:
        wait_until(lambda: (tmp_path / "opened").exists())
        page = chromium.new_page(viewport=DESKTOP)
        page.goto((tmp_path / "opened").read_text())
        page.wait_for_url("http://*.localhost:*/")
        expect(page.get_by_role("heading", name="Lists")).to_be_visible()
        page.context.close()
    finally:
        process.terminate()
        process.communicate(timeout=30)


def test_numbers_update_without_a_reload(console: Console) -> None:
    """P1"""
    console.sign_up("ada")
    console.go(console.list_path)
    waiting = console.page.locator(".numbers .first dd")
    expect(waiting).to_have_text("1")
    console.page.evaluate("window.marked = true")
    console.sign_up("bob")
    expect(waiting).to_have_text("2")
    expect(console.page.get_by_role("link", name="bob")).to_be_visible()
    assert console.page.evaluate("window.marked")


def test_a_waitlist_can_be_created_changed_and_deleted(console: Console) -> None:
    page, waitlist_id = console.page, f"new-{secrets.token_hex(4)}"
    console.go("/")
    page.get_by_role("link", name="New list").click()
    page.wait_for_url("**/new")
    field = page.get_by_label("Id", exact=True)
    mark = "label => getComputedStyle(label, '::after').content"
    assert "*" in page.locator("label", has_text="Name").first.evaluate(mark)
    page.get_by_label("Name", exact=True).fill("Café Zoé (2)")
    expect(field).to_have_value("cafe-zoe-2")
    field.fill("Not an id")
    page.get_by_label("Name", exact=True).fill("Café Zoé")
    page.get_by_role("button", name="Create").click()
    expect(field).to_be_focused()
    expect(field).to_have_accessible_description(re.compile("is not a waitlist id"))
    field.fill(waitlist_id)
    attempts = page.get_by_label("Attempts")
    expect(attempts).to_be_hidden()
    page.get_by_text("Advanced").click()
    attempts.fill("")
    page.get_by_text("Advanced").click()
    page.get_by_role("button", name="Create").click()
    expect(attempts).to_be_focused()
    expect(attempts).to_have_accessible_description(re.compile("Enter a whole number"))
    attempts.fill("5")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Café Zoé")
    page.get_by_role("link", name="Settings").click()
    page.wait_for_url("**/settings")
    # When somebody leaves a page, the browser asks for confirmation only if they have pressed a key
    # or a button on that page.
    page.get_by_label("Capacity").press("7")
    page.once("dialog", lambda dialog: dialog.dismiss())
    with page.expect_event("dialog") as asked:
        page.evaluate("setTimeout(() => location.assign('/'))")
    assert asked.value.type == "beforeunload"
    page.get_by_role("button", name="Save").click()
    expect(console.notice).to_contain_text("The settings were saved.")
    expect(page.get_by_label("Capacity")).to_have_value("7")
    page.get_by_role("button", name="Delete the list…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("deleted for good")
    dialog.get_by_label(f"Type {waitlist_id} to confirm").fill("something else")
    dialog.get_by_role("button", name="Delete for good").click()
    expected = re.compile(f"type its id: {waitlist_id}")
    expect(dialog.get_by_label(f"Type {waitlist_id}")).to_have_accessible_description(expected)
    dialog.get_by_label(f"Type {waitlist_id} to confirm").fill(waitlist_id)
    dialog.get_by_role("button", name="Delete for good").click()
    expect(console.notice).to_contain_text(f"{waitlist_id} is deleted.")


def test_the_console_asks_before_an_undo_of_settings_loses_typed_text(console: Console) -> None:
    page = console.page
    console.go(f"{console.list_path}/settings")
    page.get_by_label("Capacity").fill("7")
    page.get_by_role("button", name="Save").click()
    expect(console.notice).to_contain_text("The settings were saved.")
    page.wait_for_load_state()
    name = page.get_by_label("Name", exact=True)
    name.fill("Café")
    page.once("dialog", lambda dialog: dialog.dismiss())
    with page.expect_event("dialog") as asked:
        page.get_by_role("button", name="Undo").click()
    assert "what you have typed on this page is lost" in asked.value.message
    expect(name).to_have_value("Café")
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Undo").click()
    expect(console.notice).to_contain_text("The former settings are restored.")
    expect(page.get_by_label("Capacity")).to_have_value("")
    expect(name).to_have_value("Bakery")


def test_a_new_counter_proposes_the_country_of_its_time_zone(console: Console) -> None:
    """When an operator chooses a time zone, the form suggests its country for local phone numbers,
    but does not overwrite a country that the operator has typed.
    """
    page = console.page
    console.go("/new?like=counter")
    country = page.get_by_label("Country of mobile numbers")
    for zone, proposed in (("Asia/Calcutta", "IN"), ("UTC", ""), ("Europe/Berlin", "DE")):
        page.get_by_label("Time zone").select_option(zone)
        expect(country).to_have_value(proposed)
    name = f"Praxis Dr. Weiß {secrets.token_hex(4)}"
    page.get_by_label("Name", exact=True).fill(name)
    expect(page.get_by_label("Id", exact=True)).to_have_value(re.compile("praxis-dr-weiss-"))
    page.get_by_role("button", name="Create").click()
    page.get_by_role("button", name="Add…", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Your name").fill("Zoë")
    dialog.get_by_label("Mobile number").fill("0151 23456789")
    dialog.get_by_label("Reason for your visit").fill("Prescription")
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(console.notice).to_contain_text("Zoë has joined.")
    expect(console.notice).not_to_contain_text("no messages")
    console.go("/new?like=counter")
    country.fill("AT")
    page.get_by_label("Time zone").select_option("Europe/Paris")
    expect(country).to_have_value("AT")


def test_a_template_that_is_chosen_later_keeps_what_was_typed(console: Console) -> None:
    page = console.page
    questions: list[str] = []

    def answer(question: Dialog) -> None:
        questions.append(question.type)
        question.accept()

    page.on("dialog", answer)
    console.go("/new")
    name, own = page.get_by_label("Name", exact=True), page.get_by_label("Id", exact=True)
    name.press_sequentially("Café")
    expect(own).to_have_value("cafe")
    page.get_by_role("link", name="Counter").click()
    page.wait_for_url("**/new?like=counter*")
    expect(name).to_have_value("Café")
    expect(own).to_have_value("cafe")
    # Choosing a different template keeps what the operator has typed.
    page.get_by_role("link", name="Something else").click()
    page.wait_for_url(lambda url: "counter" not in url)
    expect(name).to_have_value("Café")
    expect(own).to_have_value("cafe")
    page.get_by_role("link", name="Counter").click()
    page.wait_for_url("**/new?like=counter*")
    # The console keeps suggesting an id until the operator types one.
    name.fill("Café Zoé")
    expect(own).to_have_value("cafe-zoe")
    own.fill("zoe")
    page.locator("form.inline").get_by_role("button", name="Copy").click()
    page.wait_for_url(lambda url: "counter" not in url)
    expect(name).to_have_value("Café Zoé")
    name.fill("Café Eve")
    expect(own).to_have_value("zoe")
    assert questions == []


def test_a_list_without_a_usual_language_proposes_the_language_of_its_country(
    console: Console, operator: Operator
) -> None:
    """When an operator chooses a time zone, the form suggests a language for messages, but does not
    overwrite a language that the operator has chosen.
    """
    page = console.page
    console.go("/new?like=counter")
    zone, language = page.get_by_label("Time zone"), page.get_by_label("Usual language of messages")
    # Japanese is not one of the service's languages, so the form suggests the browser's language.
    for name, proposed in (("Europe/Berlin", "de"), ("Asia/Tokyo", "en"), ("Africa/Cairo", "ar")):
        zone.select_option(name)
        expect(language).to_have_value(proposed)
    language.select_option("fr")
    zone.select_option("Europe/Madrid")
    expect(language).to_have_value("fr")
    assert operator.put({"name": "Bakery", "timezone": "Europe/Berlin"}).is_success
    console.go(f"/lists/{operator.waitlist_id}/messages")
    expect(page.get_by_label("Usual language")).to_have_value("de")
    messages = {"kinds": ["called"], "language": "fr"}
    settings = {"name": "Bakery", "timezone": "Europe/Berlin", "messages": messages}
    assert operator.put(settings).is_success
    console.go(f"/lists/{operator.waitlist_id}/messages")
    expect(page.get_by_label("Usual language")).to_have_value("fr")


@pytest.mark.parametrize("is_refused", [False, True])
def test_the_page_shows_the_result_of_an_action_whose_dialog_was_closed(
    console: Console, is_refused: bool
) -> None:
    """If the operator closes a dialog while its request is running, the page still shows the result
    when it arrives.

    Closing the dialog with Escape does not cancel the request.
    """
    console.sign_up("ada")
    page = console.page
    held: list[Route] = []
    page.route("**/bump", lambda route: hold(route, held))
    console.go(console.person_path("ada"))
    page.wait_for_load_state()
    page.get_by_role("button", name="Move…", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Front of their priority").check()
    with page.expect_request(lambda request: request.method == "POST"):
        dialog.get_by_role("button", name="Move", exact=True).click()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    if is_refused:
        held[0].fulfill(status=409, content_type="text/html", body="<p>It is gone.</p>")
        expect(page.get_by_text("It is gone.")).to_be_visible()
    else:
        held[0].continue_()
        expect(console.notice).to_contain_text("is now at position 1")
    expect(dialog).to_be_hidden()


def hold(route: Route, held: list[Route]) -> None:
    if route.request.method == "POST":
        held.append(route)
    else:
        route.continue_()


def test_a_waitlist_can_be_paused_and_closed(console: Console) -> None:
    console.go(console.list_path)
    expect(console.state).to_have_text("open")
    console.do("Pause")
    expect(console.state).to_have_text("paused")
    console.do("Resume")
    expect(console.state).to_have_text("open")
    console.do("Close")
    expect(console.state).to_have_text("closed")
    console.do("Open")
    expect(console.state).to_have_text("open")


def test_the_focus_returns_to_its_place_after_each_dialog(console: Console) -> None:
    """When a dialog closes, keyboard focus returns to where it was, even if the button that opened
    the dialog has changed or disappeared.
    """
    console.sign_up("ada", "bob")
    focused = "document.activeElement.textContent.trim()"
    console.go(console.list_path)
    for button, then in (("Pause", "Resume…"), ("Resume", "Pause…"), ("Close", "Open…")):
        console.do(button)
        expect(console.page.get_by_role("button", name=then, exact=True)).to_be_focused()
    console.go(console.person_path("bob"))
    console.do("Move")
    expect(console.page.locator(".place")).to_have_text("1 of 2")
    assert console.page.evaluate(focused) == "Move…"
    console.do("Remove")
    expect(console.state).to_have_text("left")
    assert console.page.evaluate("document.activeElement.closest('.actions') !== null")


def act_on_ticked(console: Console, button: str) -> None:
    page = console.page
    console.go(f"{console.list_path}/people")
    page.wait_for_load_state()
    page.get_by_label("Tick ada", exact=True).check()
    console.do(button)
    # The new table has arrived once the person is no longer ticked.
    expect(page.get_by_role("button", name=f"{button}…", exact=True)).to_be_disabled()


def save(console: Console, tab: str, button: str) -> None:
    console.go(f"{console.list_path}/{tab}")
    console.page.wait_for_load_state()
    console.page.get_by_role("button", name=button, exact=True).click()
    expect(console.notice).to_contain_text("saved")


def find(console: Console) -> None:
    console.go(f"{console.list_path}/people")
    console.page.wait_for_load_state()
    console.page.get_by_label("Find").fill("ad")
    console.page.keyboard.press("Enter")
    expect(console.page.get_by_text("Searched 2 people, in every status.")).to_be_visible()


def serve_one(console: Console) -> None:
    console.go(f"{console.list_path}/serve")
    console.page.wait_for_load_state()
    console.serve()
    expect(console.claim_of("ada")).to_be_visible()


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda console: act_on_ticked(console, "Hold back"), id="hold back"),
        pytest.param(lambda console: act_on_ticked(console, "Move"), id="move"),
        pytest.param(lambda console: save(console, "settings", "Save"), id="settings"),
        pytest.param(lambda console: save(console, "page", "Save the page"), id="page"),
        pytest.param(lambda console: save(console, "messages", "Save the messages"), id="messages"),
        pytest.param(find, id="find"),
        pytest.param(serve_one, id="serve"),
    ],
)
def test_the_focus_is_never_lost_after_an_action(
    console: Console, act: Callable[[Console], None]
) -> None:
    console.sign_up("ada", "bob")
    act(console)
    # Browsers take the focus away from a disabled button only when they draw the next frame.
    frames = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    console.page.wait_for_load_state()
    console.page.evaluate(frames)
    assert console.page.evaluate("document.activeElement !== document.body")


def test_the_focus_never_moves_to_the_button_of_another_person(console: Console) -> None:
    """When a person disappears from the page, focus does not move to the next person's button.
    Otherwise, pressing Enter a second time would act on the wrong person.
    """
    console.sign_up("ada", "bob")
    page, press = console.page, console.page.keyboard.press
    serve_one(console)
    console.serve()
    expect(console.claim_of("bob")).to_be_visible()
    console.claim_of("ada").get_by_role("button", name="Admit…").focus()
    press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Admit", exact=True).press("Enter")
    expect(console.claim_of("ada")).to_have_count(0)
    expect(console.notice).to_be_focused()
    console.claim_of("bob").get_by_role("button", name="Set aside…").focus()
    path = f"/entries/{entry_id_of(console.operator.waitlist_id, 'bob')}/remove"
    assert console.operator.call("POST", path, json={}).status_code == 204
    expect(page.get_by_text("The claim on bob has ended.")).to_be_visible()
    expect(page.locator(":focus")).to_contain_text("The claim on bob has ended.")


def test_two_adjacent_numbers_are_separated(console: Console) -> None:
    """Adjacent numbers have a visible separator, so nobody reads them as one number."""
    console.sign_up(*(f"person-{number}" for number in range(3)))
    console.operator.call(
        "POST",
        "/entries/" + entry_id_of(console.operator.waitlist_id, "person-0") + "/ready",
        json={"ready": False},
    )
    console.go("/")
    row = console.page.locator(f"#list-{console.operator.waitlist_id}")
    expect(row.locator("[data-label=Waiting]")).to_have_text(
        "3 (1 not ready)", use_inner_text=False
    )


def test_a_person_can_be_moved_edited_removed_and_erased(console: Console) -> None:
    console.sign_up("ada", "bob", "cyd")
    console.go(f"{console.list_path}/people")
    console.page.get_by_role("link", name="cyd").click()
    place = console.page.locator(".place")
    expect(place).to_have_text("3 of 3")
    console.do("Move", Front_of_their_priority="choose", Reason="by phone")
    expect(console.notice).to_contain_text("is now at position 1")
    expect(place).to_have_text("1 of 3")
    expect(console.page.locator(".why")).to_contain_text("by phone")
    console.do("Move", Another_priority="choose", Places_or_priority="7")
    expect(console.page.locator(".why")).to_contain_text("Priority 7")
    console.do("Edit", Name="Cyd", Telephone_number="0151 23")
    expect(console.page.locator(".facts").last).to_contain_text("0151 23")
    console.page.get_by_role("button", name="Copy the customer id").click()
    expect(console.page.locator("#trouble")).to_have_text("Copied.")
    console.do("Remove", Reason="asked")
    expect(console.state).to_have_text("left")
    console.page.get_by_role("button", name="Erase…", exact=True).click()
    dialog = console.page.get_by_role("dialog")
    dialog.locator("button[type=submit]").click()
    sure = dialog.get_by_label("I want to erase all data of Cyd.")
    expect(sure).to_be_focused()
    sure.check()
    dialog.locator("button[type=submit]").click()
    expect(console.notice).to_contain_text("erased")
    assert console.line() == ["ada", "bob"]


def test_a_removal_is_undone_with_the_keyboard(console: Console) -> None:
    console.sign_up("ada", profile={"name": "Zoë"})
    console.sign_up("bob")
    console.go(console.person_path("ada"))
    expect(console.page.get_by_role("heading", level=1)).to_contain_text("Zoë")
    console.do("Remove", Reason="a mistake")
    expect(console.notice).to_contain_text("Zoë is removed from the list.")
    undo = console.page.get_by_role("button", name="Undo")
    undo.focus()
    console.page.keyboard.press("Enter")
    expect(console.notice).to_contain_text("Undone: Zoë is back at position 1.")
    expect(console.notice).to_be_focused()
    expect(console.state).to_have_text("waiting")
    console.page.get_by_role("button", name="Dismiss").focus()
    console.page.keyboard.press("Enter")
    expect(console.page.get_by_role("main")).to_be_focused()


def test_claims_can_end_in_four_ways(console: Console) -> None:
    console.sign_up("ada", "bob", "cyd")
    console.go(console.list_path)
    console.do("Claim", How_many="3", Lease_in_seconds="900")
    expect(console.notice).to_contain_text("3 people claimed.")
    console.go(console.person_path("ada"))
    console.do("Extend")
    console.do("Admit")
    expect(console.state).to_have_text("admitted")
    console.go(console.person_path("bob"))
    console.do("Release", End_of_the_queue="choose")
    expect(console.state).to_have_text("waiting")
    console.go(console.person_path("cyd"))
    console.do("Set aside", Reason="blurred")
    expect(console.page.locator(".why")).to_contain_text("blurred")
    console.go(f"{console.list_path}/people?status=parked")
    console.page.get_by_role("link", name="cyd").click()
    console.page.wait_for_url(f"**{console.person_path('cyd')}")
    console.do("Return")
    expect(console.state).to_have_text("waiting")
    assert sorted(console.line()) == ["bob", "cyd"]


def test_people_can_be_served_at_a_counter(console: Console) -> None:
    console.sign_up("ada", profile={"name": "Ada L."})
    console.sign_up("bob", "cyd")
    page = console.page
    console.go(f"{console.list_path}/serve")
    expect(page.get_by_text("This console has not claimed anyone")).to_be_visible()
    page.get_by_text("Who, and for how long").click()
    page.get_by_label("How many").fill("0")
    console.serve()
    expect(page.locator(".wrong")).to_contain_text("Enter a number from 1 to 100.")
    expect(page.get_by_label("How many")).to_be_focused()
    page.get_by_label("How many").fill("1")
    page.get_by_label("Lease in seconds").fill("900")
    console.serve()
    expect(page.locator(".wrong")).to_have_count(0)
    ada = console.claim_of("Ada L.")
    expect(ada).to_contain_text(re.compile("Claimed for another 1[0-5] min"))
    expect(ada).to_contain_text("Ada L.")
    console.serve()
    bob = console.claim_of("bob")
    expect(bob).to_contain_text(re.compile("Claimed for another 1[0-5] min"))
    page.reload()
    expect(ada).to_be_visible()
    assert page.url.endswith("/serve")
    assert page.evaluate("localStorage.length + sessionStorage.length") == 0
    second = replace(console, page=page.context.new_page())
    second.go(f"{console.list_path}/serve")
    second.claim_of("Ada L.").get_by_role("button", name="Admit…").click()
    dialog = second.page.get_by_role("dialog")
    expect(dialog).to_contain_text("Admit Ada L.?")
    dialog.get_by_role("button", name="Admit", exact=True).click()
    expect(second.claim_of("Ada L.")).to_have_count(0)
    page.bring_to_front()
    expect(ada).to_have_count(0)
    path = f"/entries/{entry_id_of(console.operator.waitlist_id, 'bob')}/remove"
    assert console.operator.call("POST", path, json={}).status_code == 204
    expect(page.locator("main")).to_contain_text("The claim on bob has ended.")
    page.get_by_role("button", name="Dismiss", exact=True).and_(page.locator("main button")).click()
    expect(page.locator("main")).not_to_contain_text("The claim on bob")
    console.serve()
    cyd = console.claim_of("cyd")
    cyd.get_by_role("button", name="Set aside…").click()
    page.get_by_role("dialog").get_by_label("Reason").fill("no papers")
    page.get_by_role("dialog").get_by_role("button", name="Set aside", exact=True).click()
    expect(cyd).to_have_count(0)
    console.serve()
    expect(console.notice).to_contain_text("There is no one to claim.")
    expect(page.get_by_text("No one is waiting, and")).to_be_visible()
    console.go(f"{console.list_path}/people?status=parked")
    expect(page.get_by_role("link", name="cyd")).to_be_visible()
    assert [console.operator.stats()[name] for name in ("admitted", "parked")] == [1, 1]


def test_a_policy_can_be_previewed_and_saved_and_admits_people(console: Console) -> None:
    console.sign_up("ada", "bob")
    console.go(f"{console.list_path}/policy")
    preview = console.page.locator("#preview")
    expect(preview).to_contain_text("Operators admit or claim people")
    console.page.get_by_label("The list itself, by the limits below").check()
    console.page.get_by_label("Rate", exact=True).fill("500")
    expect(preview).to_contain_text("500 a minute")
    expect(preview.get_by_role("row", name=re.compile("^10,000"))).to_contain_text("20 min")
    console.page.get_by_label("Schedule").fill("soon")
    expect(preview.get_by_role("alert")).to_contain_text("Schedule 'soon'")
    console.page.get_by_label("Schedule").fill("")
    console.page.get_by_label("At most inside").fill("1")
    console.page.get_by_label("Are admitted at once, without an offer").check()
    expect(preview).to_contain_text("at most 1 inside")
    assert console.operator.call("GET").json()["admission"] is None
    console.page.get_by_role("button", name="Save the policy").click()
    expect(console.notice).to_contain_text("saved")
    console.go(console.list_path)
    console.do("Admit", How_many="1", asks_again="Up to 1 person is admitted now.")
    console.go(f"{console.list_path}/people?status=inside")
    console.page.get_by_role("link", name=re.compile("ada|bob")).first.click()
    console.do("Let out", Reason="home")
    expect(console.page.locator(".why")).to_contain_text("exited at")


def test_a_launch_can_be_set_by_keyboard_in_the_time_zone_of_the_browser_or_the_list(
    new_context: NewContext,
    new_address: NewAddress,
    operator: Operator,
    others: Customer,
) -> None:
    assert operator.put({"name": "Bakery"}).status_code == 201
    zone = {"timezone_id": "America/New_York", "locale": "en-US"}
    console = open_console(new_context, new_address, operator, others, **zone)
    page = console.page
    console.go(f"{console.list_path}/policy")
    tab_to(page, "a launch")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Time zone")).to_have_value("America/New_York")
    expect(page.locator("#preview")).to_contain_text("Begins: choose a date and time.")
    page.get_by_label("Begins").focus()
    page.keyboard.type("12012999")
    page.keyboard.press("Tab")
    page.keyboard.type("0900AM")
    page.get_by_label("People at the start").focus()
    page.keyboard.type("500")
    page.keyboard.press("Tab")
    page.keyboard.type("50")
    page.get_by_label("At most inside").focus()
    page.keyboard.type("200")
    begins = "2999-12-01T09:00:00-05:00"
    shown = "09:00:00 on Sun 1 Dec 2999 (America/New_York)"
    expect(page.locator("#preview")).to_contain_text(f"500 at {shown}, at most 200 inside")
    page.keyboard.press("Enter")
    expect(console.notice).to_contain_text("saved")
    saved = operator.call("GET").json()["admission"]
    assert (saved["schedule"][0]["at"], saved["rate"]["from"]) == (begins, begins)
    console.go(f"{console.list_path}/policy/launch")
    expect(page.get_by_label("Time zone")).to_have_value("America/New_York")
    expect(page.get_by_label("Begins")).to_have_value("2999-12-01T09:00")
    opening = {"opens_at": "2999-12-01T14:00:17Z", "timezone": "America/New_York"}
    assert operator.put({"name": "Bakery", **opening}).is_success
    console.go(f"{console.list_path}/settings")
    expect(page.get_by_label("Time zone")).to_have_value("America/New_York")
    expect(page.get_by_label("Opens")).to_have_value("2999-12-01T09:00:17")
    page.get_by_label("Opens").fill("2999-12-01T09:15")
    page.get_by_label("Closes").fill("2999-12-01T10:30")
    page.get_by_role("button", name="Save").click()
    expect(console.notice).to_contain_text("The settings were saved.")
    saved = operator.call("GET").json()
    times = ("2999-12-01T14:15:00.000Z", "2999-12-01T15:30:00.000Z")
    assert (saved["opens_at"], saved["closes_at"]) == times


def test_a_person_can_be_added_and_found_and_get_a_token(console: Console) -> None:
    console.sign_up("ada-1", "ada-2")
    console.go(console.list_path)
    console.page.wait_for_load_state()
    console.page.get_by_role("button", name="Add…", exact=True).click()
    dialog = console.page.get_by_role("dialog")
    dialog.get_by_text("More", exact=True).click()
    dialog.get_by_label("Language").fill("es")
    dialog.get_by_label("Customer id").fill("eve")
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(dialog.locator(".notice")).to_contain_text("eve has joined.")
    console.go(console.person_path("eve"))
    console.do("Token")
    expect(console.notice).to_contain_text("which is a secret")
    console.go(f"{console.list_path}/people")
    console.page.get_by_label("Find").fill("ADA-")
    console.page.keyboard.press("Enter")
    expect(console.page.get_by_role("heading", name="2 found")).to_be_visible()
    console.go(f"{console.list_path}/segments")
    expect(console.page.get_by_role("row", name="language=es")).to_contain_text("1")


def test_a_second_search_replaces_a_search_that_is_still_being_sent(console: Console) -> None:
    console.sign_up("ada-1", "bob-1", "bob-2")
    console.go(f"{console.list_path}/people")
    page = console.page
    # The first search gets no response.
    page.route("**/people", lambda _: None, times=1)
    page.wait_for_load_state()
    page.get_by_label("Find").fill("ada-")
    with page.expect_request(lambda request: request.method == "POST"):
        page.keyboard.press("Enter")
    page.get_by_label("Find").fill("bob-")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="2 found")).to_be_visible()
    expect(page.get_by_label("Find")).to_have_value("bob-")


def test_the_page_of_a_search_loads_once_and_its_buttons_need_a_ticked_person(
    console: Console,
) -> None:
    console.sign_up("ada-1", "ada-2")
    console.go(f"{console.list_path}/people")
    page, loads = console.page, []
    page.on("framenavigated", lambda frame: loads.append(frame.url))
    page.get_by_label("Find").fill("ADA-")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="2 found")).to_be_visible()
    expect(page.get_by_text("Searched 2 people")).to_be_visible()
    hold_back = page.get_by_role("button", name="Hold back…")
    expect(hold_back).to_be_disabled()
    page.get_by_label("Tick ada-1").check()
    expect(hold_back).to_be_enabled()
    console.do("Hold back")
    expect(page.get_by_label("Tick ada-1")).not_to_be_checked()
    expect(page.locator("[data-bulk]:enabled")).to_have_count(0)
    assert [url.partition("/found/")[1] for url in loads] == ["/found/"]


def test_a_customer_scans_the_link_from_the_console(console: Console, axe: Axe) -> None:
    console.sign_up("ada")
    console.go(console.person_path("ada"))
    console.do("Link")
    expect(console.notice).to_contain_text("The link, which is a secret")
    code = console.page.get_by_role("img", name="QR code of the link")
    assert read_code(console.page, code) == console.notice.locator("code").text_content()
    assert axe.violations(console.page) == []


@pytest.mark.parametrize("tab", ["", "/counter", "/people", "/serve"])
def test_a_page_says_since_when_it_is_not_current(console: Console, axe: Axe, tab: str) -> None:
    console.go(console.list_path + tab)
    page = console.page
    gone = {"status": 503, "headers": {"HX-Retarget": "#trouble", "HX-Reswap": "innerHTML"}}
    page.route(page.url, lambda route: route.fulfill(**gone, body="<p>No answer.</p>"))
    page.wait_for_load_state()
    page.evaluate("htmx.trigger(document.body, 'refresh')")
    warning = page.get_by_text("This page has not been current since")
    expect(warning).to_be_visible()
    assert axe.violations(page) == []
    page.unroute(page.url)
    page.evaluate("htmx.trigger(document.body, 'refresh')")
    expect(warning).to_be_hidden()


def test_long_names_leave_room_for_the_button_undo(console: Console) -> None:
    name = "a" * 200
    console.sign_up(name)
    console.page.set_viewport_size({"width": 360, "height": 740})
    console.go(console.person_path(name))
    console.do("Remove")
    undo = console.page.get_by_role("button", name="Undo: ").bounding_box()
    assert undo is not None
    assert undo["width"] > undo["height"]


def test_three_people_are_found_ticked_and_moved_with_the_keyboard(
    new_context: NewContext,
    new_address: NewAddress,
    operator: Operator,
    others: Customer,
    axe: Axe,
) -> None:
    assert operator.put({"name": "Bakery"}).status_code in (200, 201)
    console = open_console(new_context, new_address, operator, others, bypass_csp=True)
    for name in ("Ada", "Bob", "Zoë One", "Dan", "Zoë Two", "Zoë Three"):
        console.sign_up(name.replace(" ", "-").replace("ë", "e"), profile={"name": name})
    console.go(f"{console.list_path}/people")
    page, press = console.page, console.page.keyboard.press
    people = page.locator("table.people tbody th[scope=row] a")
    page.wait_for_load_state()
    sort = page.get_by_role("button", name="Person", exact=True)
    sort.focus()
    press("Enter")
    press("Enter")
    names = ["Zoë Two", "Zoë Three", "Zoë One", "Dan", "Bob", "Ada"]
    expect(people).to_have_text(names)
    expect(sort).to_be_focused()
    page.get_by_label("Filter").fill("zoe")
    expect(page.locator("table.people tbody tr:visible")).to_have_count(3)
    page.get_by_label("Tick all people of this table").focus()
    press("Space")
    expect(page.locator("#ticked")).to_have_text("3 ticked")
    assert axe.violations(page) == [], "a table with ticked people"
    page.get_by_role("button", name="Move…", exact=True).focus()
    press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("listitem")).to_have_text(["Zoë One", "Zoë Two", "Zoë Three"])
    assert axe.violations(page) == [], "the dialog for three people"
    dialog.get_by_role("button", name="Move", exact=True).focus()
    press("Enter")
    expect(console.notice).to_contain_text("Zoë One, Zoë Two and Zoë Three: moved.")
    expect(dialog).to_be_hidden()
    assert operator.line()[:3] == ["Zoe-One", "Zoe-Two", "Zoe-Three"]
    page.get_by_role("button", name="Undo").click()
    expect(console.notice).to_contain_text("Undone: Zoë ")
    assert operator.line()[:3] == ["Ada", "Bob", "Zoe-One"]


def test_two_people_are_added_in_a_row_with_the_keyboard(
    new_context: NewContext,
    new_address: NewAddress,
    operator: Operator,
    others: Customer,
    axe: Axe,
) -> None:
    questions = [
        {"name": "name", "label": "Your name", "required": True},
        {"name": "phone", "label": "Phone", "type": "tel"},
        {"name": "reason", "label": "What is it about?"},
    ]
    settings = {"name": "Clinic", "page": {"fields": questions}}
    settings |= {"identity": {"field": "phone", "region": "DE"}}
    assert operator.put(settings).status_code == 201
    console = open_console(new_context, new_address, operator, others, bypass_csp=True)
    console.go(console.list_path)
    page, press = console.page, console.page.keyboard.press
    page.wait_for_load_state()
    page.get_by_role("button", name="Add…", exact=True).focus()
    press("Enter")
    dialog = page.get_by_role("dialog")
    name, phone = dialog.get_by_label("Your name"), dialog.get_by_label("Phone")
    expect(name).to_be_focused()
    page.keyboard.type("Zoë Müller")
    press("Tab")
    page.keyboard.type("0151 x")
    press("Tab")
    page.keyboard.type("A painful knee")
    press("Enter")
    expect(phone).to_be_focused()
    expect(phone).to_have_attribute("aria-invalid", "true")
    expect(dialog.locator(".wrong")).to_contain_text("This answer must be")
    assert axe.violations(page) == [], "an error at its field"
    press("Control+A")
    page.keyboard.type("0151 23456789")
    press("Enter")
    expect(dialog.locator(".outcome")).to_contain_text("Zoë Müller has joined. Position: 1.")
    expect(dialog.locator(".wrong")).to_have_count(0)
    expect(name).to_be_focused()
    expect(name).to_have_value("")
    assert axe.violations(page) == [], "the dialog after a person was added"
    page.keyboard.type("Bob")
    press("Enter")
    expect(dialog.locator(".outcome")).to_contain_text("Bob has joined. Position: 2.")
    dialog.get_by_role("button", name="Undo").focus()
    press("Enter")
    expect(dialog.locator(".notice")).to_contain_text("Undone: Bob is no longer on the list.")
    expect(dialog.locator(".notice")).to_be_focused()
    press("Escape")
    expect(page.get_by_role("link", name="Zoë Müller")).to_be_visible()
    expect(page.get_by_role("link", name="Bob")).to_have_count(0)


DROP = """([name, text]) => {
  const files = new DataTransfer();
  files.items.add(new File([text], name));
  document.getElementById("drop").dispatchEvent(
    new DragEvent("drop", {dataTransfer: files, bubbles: true, cancelable: true}));
}"""


def test_a_dropped_file_is_imported_and_its_refused_rows_can_be_downloaded(
    console: Console,
) -> None:
    console.go(f"{console.list_path}/import")
    console.page.evaluate(DROP, ["people.xlsx", "PK"])
    expect(console.page.get_by_role("alert")).to_contain_text("Save a spreadsheet as CSV")
    rows = "id;tongue\nada;de\nbob;en\nnot an id;en\n"
    console.page.evaluate(DROP, ["people.csv", rows])
    expect(console.page.get_by_role("heading", name="people.csv")).to_be_visible()
    console.page.get_by_label("What tongue becomes").select_option("Attribute")
    console.page.get_by_role("button", name="Import into Bakery").click()
    expect(console.state).to_have_text("Done")
    expect(console.page.locator(".numbers")).to_contain_text("Refused1")
    with console.page.expect_download() as download:
        console.page.get_by_role("link", name="Download the refused rows").click()
    assert "not an id" in download.value.path().read_text("utf-8")
    assert console.line() == ["ada", "bob"]


def test_an_import_of_100_000_rows_can_be_cancelled(console: Console) -> None:
    rows = "customer_id\n" + "\n".join(f"c{number:06}" for number in range(100_000))
    console.go(f"{console.list_path}/import")
    console.page.evaluate(DROP, ["many.csv", rows])
    console.page.wait_for_url("**/import/*", wait_until="load")
    console.page.get_by_role("button", name="Import into Bakery").click()
    done = console.page.locator(".numbers .first dd")
    expect(done).not_to_have_text("0")
    console.page.get_by_role("button", name="Cancel").click()
    expect(console.state).to_have_text("Stopped")
    count = int(done.inner_text().replace(",", ""))
    assert 0 < count < 100_000
    assert console.operator.stats()["waiting"] == count
    expect(console.page.get_by_role("button", name="Continue")).to_be_visible()


def test_an_import_can_be_tried_before_it_is_sent(console: Console) -> None:
    page = console.page
    console.go(f"{console.list_path}/import")
    rows = "Timestamp,Email Address\n11/24/2025 9:05:12,ada@x.org\n11/23/2025 9:05:12,bob@x.org\n"
    page.evaluate(DROP, ["answers.csv", rows])
    page.get_by_role("button", name="Try it").click()
    trial = page.get_by_role("region", name="New order")
    expect(trial.get_by_role("row").nth(1)).to_contain_text("bob@x.org")
    expect(trial.get_by_role("row").nth(2)).to_contain_text("ada@x.org")
    page.get_by_label("What Email Address becomes").select_option("Profile")
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("alert")).to_contain_text("exactly one")
    assert console.line() == []


def test_the_people_in_a_dropped_file_can_be_moved(console: Console) -> None:
    console.sign_up("ada", "bob", "cyd")
    console.go(f"{console.list_path}/people")
    console.page.get_by_role("link", name="Move people from a file").click()
    console.page.wait_for_url("**/move", wait_until="load")
    console.page.evaluate(DROP, ["vips.csv", "id\ncyd\neve\nbob\n"])
    expect(console.page.get_by_role("heading", name="vips.csv")).to_be_visible()
    console.page.get_by_label("Another priority").check()
    console.page.get_by_label("Priority", exact=True).fill("300")
    send = console.page.get_by_role("button", name="Move the people of 3 rows")
    send.click()
    expect(console.page.get_by_role("alert")).to_contain_text("from 0 to 255")
    console.page.get_by_label("Front of their priority").check()
    send.click()
    expect(console.state).to_have_text("Done")
    expect(console.page.locator(".numbers")).to_contain_text("Refused1")
    expect(console.page.get_by_role("row", name="has no entry")).to_be_visible()
    with console.page.expect_download() as download:
        console.page.get_by_role("link", name="Download the refused rows").click()
    assert "eve" in download.value.path().read_text("utf-8")
    assert console.line() == ["cyd", "bob", "ada"]


def test_moves_from_a_file_can_be_cancelled_and_continued(console: Console) -> None:
    rows = [{"customer_id": f"c{number:03}"} for number in range(400)]
    assert console.operator.call("POST", "/import", json={"entries": rows}).status_code == 200
    console.go(f"{console.list_path}/move")
    names = "\n".join(row["customer_id"] for row in reversed(rows))
    console.page.evaluate(DROP, ["many.csv", f"customer_id\n{names}\n"])
    console.page.get_by_label("End of the queue, at priority 0").check()
    console.page.get_by_role("button", name="Move the people of 400 rows").click()
    done = console.page.locator(".numbers .first dd")
    expect(done).not_to_have_text("0")
    console.page.get_by_role("button", name="Cancel").click()
    expect(console.state).to_have_text("Stopped")
    assert 0 < int(done.inner_text()) < 400
    console.page.get_by_role("button", name="Continue").click()
    expect(console.state).to_have_text("Done")
    expect(done).to_have_text("400")
    assert console.line() == names.split()


def test_the_customer_page_can_be_edited_and_opened(console: Console) -> None:
    page = console.page
    console.go(f"{console.list_path}/page")
    page.get_by_label("Text").fill("Fresh bread.\nEvery day.")
    preview = page.frame_locator("#preview iframe")
    expect(preview.get_by_text("Every day.")).to_be_visible()
    expect(preview.get_by_text("Join the line")).to_be_visible()
    page.get_by_label("Colour").fill("green")
    page.get_by_role("button", name="Add a question").click()
    question = page.get_by_role("group", name="Question 1")
    expect(question.get_by_label("Question")).to_be_focused()
    page.keyboard.type("Branch")
    for label in ("Name", "Version", "Choices"):
        expect(question.get_by_label(label)).to_be_hidden()
    question.get_by_label("Answer").select_option("A choice")
    question.get_by_label("Choices").fill("Mitte\nNord")
    page.get_by_role("button", name="Add a question").click()
    second = page.get_by_role("group", name="Question 2")
    expect(second.get_by_label("Question")).to_be_focused()
    page.keyboard.type("Email")
    second.get_by_label("Answer").select_option("Email")
    second.get_by_label("Required").select_option("Yes")
    # The preview uses the same element as the customer's page, so the operator sees each question
    # exactly as customers do. Nobody can type into the preview.
    expect(preview.locator("waitlist-position")).to_contain_text("Branch")
    assert preview.locator("waitlist-position").get_attribute("inert") is not None
    page.get_by_label("Customer", exact=True).select_option("Called")
    page.get_by_label("Language", exact=True).select_option("Deutsch")
    expect(preview.locator("waitlist-position")).to_contain_text("Room 2")
    expect(preview.locator("waitlist-position")).not_to_contain_text("Branch")
    page.get_by_label("Customer", exact=True).select_option("Waiting")
    expect(preview.locator("waitlist-position")).to_contain_text("7")
    page.get_by_label("Customer", exact=True).select_option("Joining")
    expect(preview.locator("waitlist-position")).to_contain_text("Branch")
    second.get_by_role("button", name="Move up").click()
    expect(question.get_by_label("Question")).to_have_value("Email")
    expect(second.get_by_label("Choices")).to_have_value("Mitte\nNord")
    for group, answer, is_required in ((question, "email", "yes"), (second, "select", "no")):
        expect(group.get_by_label("Answer")).to_have_value(answer)
        expect(group.get_by_label("Required")).to_have_value(is_required)
    page.get_by_role("button", name="Save the page").click()
    expect(page.get_by_role("alert")).to_contain_text("The page was not saved")
    colour = page.get_by_role("textbox", name="Colour")
    expect(colour).to_have_accessible_description(re.compile("#rrggbb"))
    expect(colour).to_have_value("green")
    expect(colour).to_be_focused()
    colour.fill("#0b6e4f")
    expect(page.get_by_text("Your changes are not saved yet.")).to_be_visible()
    page.get_by_role("button", name="Save the page").click()
    expect(console.notice).to_contain_text("The page was saved.")
    expect(preview.locator("waitlist-position")).to_contain_text("Branch")
    expect(page.get_by_text("Your changes are not saved yet.")).to_be_hidden()
    question.get_by_text("For programs").click()
    expect(question.get_by_label("Name")).to_have_value("email")
    with page.expect_popup() as opened_page:
        page.get_by_role("link", name="Open the saved page").click()
    customers = opened_page.value
    expect(customers.get_by_text("Every day.")).to_be_visible()
    expect(customers.get_by_label("Branch").locator("option")).to_have_count(3)
    assert customers.url.endswith(f"/w/{console.operator.waitlist_id}")


def test_charts_are_drawn_for_each_period(console: Console) -> None:
    console.sign_up("ada")
    console.go(console.list_path)
    charts = console.page.get_by_role("img", name=re.compile("^Chart of the last hour"))
    expect(charts).to_have_count(3)
    # These charts have legends of different lengths. In a narrow window, only some of them need two
    # lines.
    console.page.set_viewport_size({"width": 1060, "height": 800})
    tops = (
        "nodes => new Set(nodes.map((node) => Math.round(node.getBoundingClientRect().top))).size"
    )
    assert charts.evaluate_all(tops) == 1
    for period in ("Week", "Day"):
        console.page.get_by_role("button", name=period).click()
        label = re.compile(f"^Chart of the last {period.lower()}")
        expect(console.page.get_by_role("img", name=label)).to_have_count(3)
    canvas = console.page.locator("canvas").first
    colours = canvas.evaluate(
        "node => new Set(node.getContext('2d')"
        ".getImageData(0, 0, node.width, node.height).data).size"
    )
    assert colours > 3


def test_a_chart_of_events_shows_their_total_and_other_charts_the_latest_value(
    console: Console,
) -> None:
    now = int(time.time())
    columns = {
        "at": [now - 1800, now - 1200, now - 600],
        "joined": [2, None, 7],
        "admitted": [None, None, 4],
        "left": [0, None, 1200],
        "waiting": [2, None, 9],
        **{name: [0, None, 1] for name in ("offered", "inside", "parked")},
        **{name: [0, None, 0] for name in ("entered", "declined", "no_shows")},
    }
    console.page.route("**/charts?period=*", lambda route: route.fulfill(json=columns))
    console.go(console.list_path)
    captions = console.page.locator("#charts figcaption")
    expect(captions).to_have_text(
        [
            "Waiting9",
            "In and outjoined 9admitted 4left 1,200in the last hour",
            "Not in the queueoffered 1inside 1set aside 1",
        ]
    )
    chart = console.page.get_by_role("img", name="joined: 9 in total; admitted: 4 in total")
    expect(chart).to_be_visible()
    console.page.get_by_role("button", name="Day").click()
    expect(captions.nth(1)).to_contain_text("joined 9admitted 4left 1,200in the last day")


def test_a_move_without_its_number_shows_the_problem_at_the_number(console: Console) -> None:
    console.sign_up("ada")
    console.go(console.person_path("ada"))
    # The button reacts to clicks only after htmx has found it.
    console.page.locator("#do-bump[data-htmx-powered]").click()
    dialog = console.page.get_by_role("dialog")
    dialog.get_by_label("Forward by a number of places").check()
    dialog.locator("button[type=submit]").click()
    number = dialog.get_by_label("Places or priority")
    expect(number).to_be_focused()
    expect(number).to_have_accessible_description(re.compile("Enter a number"))


def pages_of(console: Console) -> list[str]:
    base = console.list_path
    return [
        "/",
        "/new",
        base,
        f"{base}/people",
        f"{base}/people?status=left",
        f"{base}/people?ready=false",
        f"{base}/people?only=unverified",
        f"{base}/people?only=asked",
        console.person_path("ada"),
        console.person_path("late"),
        f"{base}/policy",
        f"{base}/policy/launch",
        f"{base}/serve",
        f"{base}/page",
        f"{base}/messages",
        f"{base}/messages?language=ar",
        f"{base}/segments",
        f"{base}/invitations",
        f"{base}/do/invite",
        f"{base}/import",
        f"{base}/move",
        f"{base}/settings",
        "/lists/nowhere",
    ]


def fill_waitlist(console: Console) -> None:
    profile = {"name": "Zoé", "note": "x" * 1900, "right": "שלום <b>world</b>"}
    console.sign_up("ada", attributes={"language": "de"}, profile=profile)
    console.sign_up("a" * 256, "late")
    late = entry_id_of(console.operator.waitlist_id, "late")
    held = console.operator.call("POST", f"/entries/{late}/ready", json={"ready": False})
    assert held.status_code == 200
    questions = [{"name": "city", "label": "City", "type": "select", "options": ["Köln", "x" * 64]}]
    page = {"text": "y" * 500, "fields": questions}
    settings = {"name": "Bakery", "segments": [["language"]], "page": page}
    settings |= {"identity": {"field": "email", "verify": "before_offer"}}
    settings |= {"confirm": {"every_days": 30}}
    assert console.operator.put(settings).status_code == 200
    body = {"profile": {"email": f"{'x' * 60}@example.com"}}
    path = f"/v1/waitlists/{console.operator.waitlist_id}/entries"
    assert console.others.http.post(path, json=body).status_code == 202
    asked = console.operator.call("POST", "/confirm", json={})
    assert asked.json()["asked"] == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violations_on_any_page(
    new_context: NewContext,
    new_address: NewAddress,
    operator: Operator,
    others: Customer,
    axe: Axe,
    scheme: str,
) -> None:
    assert operator.put({"name": "Bakery", "segments": [["language"]]}).status_code == 201
    console = open_console(
        *(new_context, new_address, operator, others),
        color_scheme=scheme,
        bypass_csp=True,
        # While a button changes colour, its contrast can be too low for a moment.
        reduced_motion="reduce",
    )
    fill_waitlist(console)
    for path in pages_of(console):
        console.go(path)
        if path == console.list_path:
            expect(console.page.locator("canvas")).to_have_count(3)
        if path.endswith("/policy"):
            expect(console.page.locator("#preview h2").first).to_be_visible()
        assert axe.violations(console.page) == [], path
    console.go(console.person_path("ada"))
    console.do("Hold back")
    expect(console.page.get_by_role("button", name="Undo")).to_be_visible()
    assert axe.violations(console.page) == [], "the notice with the button Undo"
    for button in ("Move", "Make ready", "Edit", "Erase"):
        console.page.get_by_role("button", name=f"{button}…", exact=True).click()
        expect(console.page.get_by_role("dialog")).to_be_visible()
        assert axe.violations(console.page) == [], button
        console.page.keyboard.press("Escape")
        expect(console.page.get_by_role("dialog")).to_be_hidden()
    ada = entry_id_of(operator.waitlist_id, "ada")
    ready = console.operator.call("POST", f"/entries/{ada}/ready", json={"ready": True})
    assert ready.status_code == 200
    console.go(f"{console.list_path}/serve")
    console.page.get_by_text("Who, and for how long").click()
    console.page.get_by_label("How many").fill("2")
    console.serve()
    expect(console.claim_of("Zoé")).to_be_visible()
    long_id = entry_id_of(operator.waitlist_id, "a" * 256)
    gone = console.operator.call("POST", f"/entries/{long_id}/remove", json={})
    assert gone.status_code == 204
    expect(console.page.get_by_text("The lease ran out")).to_be_visible()
    assert axe.violations(console.page) == []
    console.go(f"{console.list_path}/page")
    console.page.get_by_label("Colour").fill("green")
    console.page.get_by_role("button", name="Save the page").click()
    expect(console.page.get_by_role("alert")).to_be_visible()
    assert axe.violations(console.page) == []
    console.go(f"{console.list_path}/move")
    console.page.evaluate(DROP, ["vips.csv", "customer_id\nada\neve\n"])
    console.page.get_by_label("Column with the customer ids").wait_for()
    assert axe.violations(console.page) == []
    console.page.get_by_role("button", name="Move the people").click()
    expect(console.state).to_have_text("Done")
    assert axe.violations(console.page) == []
    console.go(f"{console.list_path}/import")
    console.page.evaluate(DROP, ["people.csv", "mail\nada@example.com\nADA@example.com\nada\n"])
    console.page.get_by_role("button", name="Try it (nothing is written)").click()
    expect(console.page.get_by_text("Row 2:")).to_be_visible()
    assert axe.violations(console.page) == []


@pytest.mark.parametrize("width", [320, 768, 1280, 3840])
def test_no_page_is_wider_than_the_screen(
    console: Console, width: int, new_context: NewContext
) -> None:
    fill_waitlist(console)
    console.page.set_viewport_size({"width": width, "height": 900})
    for path in pages_of(console):
        console.go(path)
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert console.page.evaluate(wide) == 0, path
    console.go(f"{console.list_path}/serve")
    console.page.get_by_text("Who, and for how long").click()
    console.page.get_by_label("How many").fill("2")
    console.serve()
    expect(console.claim_of("a" * 256)).to_be_visible()
    assert console.page.evaluate(wide) == 0


def tab_to(page: Page, name: str) -> None:
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()") == name:
            return
    raise AssertionError(f"Tab does not reach {name}")


def test_everything_can_be_reached_by_keyboard(console: Console) -> None:
    console.sign_up("ada", "bob")
    page = console.page
    console.go("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    console.go(f"{console.list_path}/people")
    tab_to(page, "bob")
    page.keyboard.press("Enter")
    expect(page.locator(".place")).to_have_text("2 of 2")
    tab_to(page, "Move…")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert page.evaluate("document.activeElement.textContent") == "Move…"
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    tab_to(page, "Move")
    page.keyboard.press("Enter")
    expect(page.locator(".place")).to_have_text("1 of 2")
    assert console.line() == ["bob", "ada"]
    tab_to(page, "Hold back…")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Hold bob back?")).to_be_visible()
    page.keyboard.type("papers missing")
    page.keyboard.press("Enter")
    expect(page.locator(".why")).to_contain_text("papers missing")
    tab_to(page, "Make ready…")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Make bob ready?")).to_be_visible()
    tab_to(page, "Make ready")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Hold back…")).to_be_visible()


def test_guests_can_be_identified_by_their_addresses_with_the_keyboard(console: Console) -> None:
    """An operator can use the keyboard alone to choose whether guests are identified by email
    address or by phone number.

    Searching for an email address ignores case.
    """
    page = console.page
    console.go(f"{console.list_path}/settings")
    group = page.get_by_role("group", name="How guests are identified")
    minutes = group.get_by_label("Minutes to verify the address")
    expect(minutes).to_be_hidden()
    group.get_by_label("A customer id").focus()
    page.keyboard.press("ArrowDown")
    expect(minutes).to_be_visible()
    expect(group.get_by_label("Refused email domains")).to_be_visible()
    expect(group.get_by_label("Country of numbers without a + sign")).to_be_hidden()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    minutes.fill("60")
    page.keyboard.press("Enter")
    expect(console.notice).to_contain_text("saved")
    path = f"/v1/waitlists/{console.operator.waitlist_id}/entries"
    body = {"profile": {"email": "Ada@Example.com"}}
    assert console.others.http.post(path, json=body).status_code == 202
    console.go(f"{console.list_path}/people")
    tab_to(page, "Not verified 1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Not verified")).to_have_attribute("aria-current", "page")
    expect(page.get_by_role("row")).to_have_count(2)
    page.get_by_role("searchbox", name="Find").focus()
    page.keyboard.type("ada+x@example.com")
    page.keyboard.press("Enter")
    expect(console.state.last).to_have_text("not verified")
    assert "ada" not in page.url
    page.wait_for_load_state()
    tab_to(page, "Mark verified…")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.type("passport")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Mark verified…")).to_be_hidden()


def test_hostile_texts_have_no_effect(console: Console) -> None:
    name = "<script>document.title='taken'</script>"
    attack = "<img src=x onerror=\"document.title='taken'\">"
    profile = {attack: attack + "\u202e" + "y" * 7000}
    question = {"name": "city", "label": attack, "type": "select", "options": [attack]}
    page = {"text": attack, "fields": [question]}
    settings = {"name": attack, "segments": [["language"]], "max_guest_bytes": 16_384}
    assert console.operator.put(settings).status_code == 200
    console.sign_up(name, profile=profile, attributes={"language": attack})
    # From here on, a signup may contain only the fields that the page asks for.
    assert console.operator.put({**settings, "page": page}).status_code == 200
    for path in (
        *pages_of(console)[2:5],
        console.person_path(name),
        f"{console.list_path}/segments",
        f"{console.list_path}/invitations",
        f"{console.list_path}/page",
    ):
        console.go(path)
        expect(console.page.locator("main")).to_contain_text("<")
        assert "taken" not in console.page.title().replace("='taken'", "")
        assert console.page.locator("main img, main script").count() == 0


def test_the_page_waits_for_a_service_that_restarts(
    new_context: NewContext, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """P9"""
    keep = str(tmp_path_factory.mktemp("kept"))
    with (
        reserved_port() as number,
        running_service(KEEP=keep, PORT=str(number)) as first,
        running_console(first.url) as new_address,
        client_of(first) as http,
    ):
        operator = Operator(http, local_operator(), f"kept-{secrets.token_hex(4)}")
        assert operator.put({"name": "Kept"}).status_code == 201
        others = Customer(http, operator.waitlist_id)
        console = open_console(new_context, new_address, operator, others)
        console.sign_up("ada")
        console.go(console.list_path)
        first.stop()
        trouble = console.page.locator("#trouble")
        expect(trouble).to_contain_text("This page continues by itself")
        expect(console.page.locator(".numbers .first dd")).to_have_text("1")
        # Restart the service only after this request has failed. Otherwise, the dialog could open,
        # and the page behind an open dialog is not updated.
        with console.page.expect_response(lambda answer: "/pause" in answer.url):
            console.page.get_by_role("button", name="Pause…").click()
        with running_service(KEEP=keep, PORT=str(number)):
            expect(trouble).to_be_empty()
            console.sign_up("bob")
            expect(console.page.locator(".numbers .first dd")).to_have_text("2")
        # The page would log an error if it were refreshed while the console shuts down.
        console.page.close()


def client_of(service: Service) -> httpx.Client:
    return httpx.Client(base_url=service.url, timeout=35, trust_env=False)


def test_the_page_says_that_the_console_has_ended(chromium: Browser, service: Service) -> None:
    with running_console(service.url) as new_address:
        # This page does not come from the usual fixture, because the browser logs an error when it
        # loses the server, and the fixture would then fail the test.
        page = chromium.new_page(viewport=DESKTOP)
        url = new_address()
        page.goto(url)
        page.wait_for_url(url.partition("?")[0])
    expect(page.locator("#trouble")).to_contain_text("start it again with `waitlist console`")
    page.context.close()


# The width and height of A4 paper in points (1/72 inch).
A4 = [595, 842]
LOGO = """<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30">
<rect width="90" height="30" fill="#0b6e4f"/></svg>"""


def test_the_poster_fits_one_sheet_and_its_code_leads_to_the_page(
    console: Console, axe: Axe
) -> None:
    page = console.page
    service = str(console.operator.http.base_url).rstrip("/")
    url = f"{service}/w/{console.operator.waitlist_id}"
    logo = "https://example.com/logo.svg"
    answer = console.operator.put({"name": "Bakery", "page": {"logo_url": logo}})
    assert answer.is_success, answer.text
    page.route(logo, lambda route: route.fulfill(body=LOGO, content_type="image/svg+xml"))
    console.go(console.list_path)
    with page.expect_response(logo) as loaded:
        page.get_by_role("link", name="Poster", exact=True).click()
    assert loaded.value.request.header_value("referer") is None
    poster = page.get_by_role("img", name=re.compile("The poster"))
    expect(poster).to_be_visible()
    assert axe.violations(page) == []
    assert read_code(page, poster) == url

    page.evaluate("() => { window.printed = 0; window.print = () => { window.printed++; }; }")
    page.get_by_role("button", name="Print", exact=True).click()
    assert page.evaluate("window.printed") == 1
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
    (box,) = re.findall(rb"/MediaBox\s*\[([^\]]*)\]", printed)
    assert [round(float(side)) for side in box.split()][2:] == A4

    for language in ("English", "French", "Spanish", "Arabic"):
        with page.expect_navigation():
            page.get_by_label(language, exact=True).uncheck()
        expect(page.get_by_label(language, exact=True)).not_to_be_checked()
        expect(page.get_by_label(language, exact=True)).to_be_focused()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download", exact=True).click()
    svg = download.value.path().read_text("utf-8")
    assert ("Hier anstellen" in svg, "Rejoignez" in svg, logo in svg) == (True, False, True)
