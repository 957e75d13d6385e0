"""Tests that customers who are identified by an email address find the same place in the queue on
their phone, through the link in an email, and on their laptop.
"""

import json
from dataclasses import replace
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.axe import Axe
from tests.browser.conftest import NewContext
from tests.browser.qr import read_code
from tests.browser.stage import FIELDS, PHONE, Stage, press
from tests.e2e.callers import Operator

DESKTOP = {"width": 1280, "height": 800}


def test_a_place_can_move_from_the_phone_by_email_to_the_laptop(
    new_context: NewContext, operator: Operator, http: httpx.Client, axe: Axe
) -> None:
    """A customer who joined on a phone can continue on a laptop with the link in an email.

    Opening the link does not verify the address, because mail programs open links, too. The
    customer must press a button (promise P5).
    """
    rules = {"field": "email", "verify": "before_offer"}
    assert operator.put({"name": "Bakery", "identity": rules}).status_code == 201
    phone, laptop = new_context().new_page(), new_context(viewport=DESKTOP).new_page()
    path = f"/w/{operator.waitlist_id}"

    def mailed() -> list[str]:
        texts = [mail["text"] for mail in http.get("/_local/mailbox.json").json()["messages"]]
        return [word for text in texts for word in text.split() if f"{path}#" in word]

    phone.goto(path)
    phone.get_by_label("Email address").fill("Ada@Example.com")
    assert axe.violations(phone) == []
    phone.get_by_role("button", name="Join the line").click()
    expect(phone.get_by_role("heading", name="Check your messages")).to_be_visible()
    assert axe.violations(phone) == []

    (link,) = mailed()
    assert http.get(link.partition("#")[0]).status_code == 200
    laptop.goto(link)
    expect(laptop.get_by_role("heading", name="Confirm your place")).to_be_visible()
    assert urlsplit(laptop.url).fragment == ""
    assert axe.violations(laptop) == []
    assert operator.call("GET", "/stats").json()["not_ready"] == 1
    laptop.get_by_role("button", name="Keep my place").click()
    expect(laptop.get_by_role("heading", name="You are in line")).to_be_visible()
    assert operator.call("GET", "/stats").json()["not_ready"] == 0
    laptop.reload()
    expect(laptop.get_by_role("heading", name="You are in line")).to_be_visible()

    # The phone's camera scans the QR code on the laptop's screen.
    press(laptop, "Open on another device")
    code = laptop.get_by_role("img", name="QR code with the link to your place")
    expect(code).to_be_visible()
    assert axe.violations(laptop) == []
    seen = read_code(new_context().new_page(), code)
    assert seen == laptop.get_by_role("textbox", name="The link").input_value()
    phone.goto(seen)
    expect(phone.get_by_role("heading", name="You are in line")).to_be_visible()
    assert urlsplit(phone.url).fragment == ""
    laptop.get_by_role("button", name="Copy the link").focus()
    laptop.keyboard.press("Enter")
    expect(laptop.get_by_role("dialog").get_by_role("status")).to_contain_text("The link is ")
    laptop.get_by_role("button", name="Close").click()
    expect(laptop.get_by_role("dialog")).to_have_count(0)

    # A customer whose browser has lost their place can have the link sent again. The response is
    # the same for every address, so it does not reveal who is on the waitlist.
    press(phone, "Forget me here")
    phone.get_by_role("button", name="Forget me", exact=True).click()
    for address in ("nobody@example.com", "ada@example.com"):
        phone.get_by_role("button", name="Send me the link to my place").click()
        phone.get_by_role("dialog").get_by_label("Email address").fill(address)
        assert axe.violations(phone) == []
        phone.get_by_role("button", name="Send", exact=True).click()
        expect(phone.get_by_text("If this address has a place here")).to_be_visible()
        phone.get_by_role("button", name="Wrong address?").click()
    assert operator.call("GET", "/stats").json()["waiting"] == 1


def test_the_page_says_how_the_customer_is_told(
    new_context: NewContext, stage: Stage, axe: Axe
) -> None:
    """The page says where messages go.

    A page that was opened with a link asks the service for the address, but shows only its
    beginning, because other people may see the screen.
    """
    page = stage.page
    stage.configure(page={"fields": [FIELDS[1]]}, messages={"kinds": ["verify", "offered"]})
    stage.open()
    page.get_by_label("Email").fill("ada.lovelace@example.com")
    stage.press("Join the line")
    told = page.locator("waitlist-position .told")
    mailed = "We will email you at \u2068{}\u2069 when it is your turn. Wrong address?"
    expect(told).to_have_text(mailed.format("a…@example.com"))
    expect(page.get_by_text("You can close this page. Your place is kept.")).to_be_visible()
    assert "lovelace" not in json.dumps(stage.kept)
    stage.press("Wrong address?")
    page.get_by_role("dialog").get_by_label("Email").fill("countess@example.org")
    stage.confirm("Save")
    stage.confirm("Close")
    expect(told).to_have_text(mailed.format("c…@example.org"))
    assert axe.violations(page) == []
    link = (
        f"/w/{stage.operator.waitlist_id}#t={stage.entry_id}.{stage.kept['entry']['entry_token']}"
    )
    phone = new_context().new_page()
    phone.goto(link)
    other = phone.locator("waitlist-position .told")
    expect(other).to_have_text(mailed.format("c…@example.org"))
    press(phone, "Change my details")
    phone.get_by_role("checkbox", name="Send me messages about my place").uncheck()
    phone.get_by_role("button", name="Save").click()
    expect(other).to_contain_text("You have turned off the messages about your place.")


def test_the_page_says_so_if_no_message_can_be_sent(stage: Stage, axe: Axe) -> None:
    """If a phone number has no country code, the page says that no message can be sent. Once the
    customer has corrected the number, the page says where the message goes.
    """
    page = stage.page
    stage.configure(
        page={"fields": [PHONE]}, messages={"kinds": ["called"], "sms_countries": ["AT", "DE"]}
    )
    stage.open()
    page.get_by_label("Mobile number").fill("0151 23456789")
    stage.press("Join the line")
    told = page.locator("waitlist-position .told")
    expect(told).to_contain_text("We cannot send you a message when it is your turn.")
    expect(page.get_by_text("Please come back before it is your turn.")).to_be_visible()
    assert axe.violations(page) == []
    stage.press("My number or address")
    page.get_by_role("dialog").get_by_label("Mobile number").fill("+49 151 23456789")
    stage.confirm("Save")
    expect(told).to_contain_text("We will text you at \u2068…789\u2069 when it is your turn.")


def test_the_message_with_the_link_can_be_requested_again(stage: Stage, axe: Axe) -> None:
    page = stage.page
    stage.configure(identity={"field": "email", "verify": "before_offer"})
    stage.open()
    page.get_by_label("Email address").fill("ada@example.com")
    with page.expect_request("**/entries") as first:
        stage.press("Join the line")
    stage.shows("Check your messages")
    expect(page.get_by_text("a…@example.com", exact=True)).to_be_visible()
    with page.expect_request("**/entries") as second:
        stage.press("Send again")
    expect(page.get_by_text("A new message is requested.")).to_be_visible()
    assert second.value.post_data_json == first.value.post_data_json
    keys = {asked.value.headers["idempotency-key"] for asked in (first, second)}
    assert len(keys) == 2, "a request with the same key would send nothing"
    assert axe.violations(page) == []
    stage.press("Wrong address?")
    expect(page.get_by_label("Email address")).to_have_value("ada@example.com")


def test_a_new_address_must_be_confirmed_by_email(
    new_context: NewContext, operator: Operator, http: httpx.Client, axe: Axe
) -> None:
    """A customer who changes their email address must open the link sent to the new address.

    The page does not reveal whether somebody with that address is on the waitlist (promise P5).
    """
    page = {"fields": [{"name": "name", "label": "Your name"}]}
    settings = {"name": "Bakery", "identity": {"field": "email"}, "page": page}
    assert operator.put(settings).status_code == 201
    phone, laptop = new_context().new_page(), new_context(viewport=DESKTOP).new_page()
    path = f"/w/{operator.waitlist_id}"

    def joined(address: str) -> None:
        laptop.goto(path)
        laptop.get_by_label("Email address").fill(address)
        laptop.get_by_role("button", name="Join the line").click()
        expect(laptop.get_by_role("heading", name="You are in line")).to_be_visible()
        press(laptop, "Forget me here")
        laptop.get_by_role("button", name="Forget me", exact=True).click()

    def link_to(address: str) -> str:
        mails = http.get("/_local/mailbox.json").json()["messages"]
        texts = [mail["text"] for mail in mails if mail["to"] == address]
        links = [str(word) for text in texts for word in text.split() if f"{path}#" in word]
        return links[-1]

    joined("bob@example.com")
    phone.goto(path)
    phone.get_by_label("Email address").fill("ada@example.com")
    phone.get_by_role("button", name="Join the line").click()
    press(phone, "Change my details")
    dialog = phone.get_by_role("dialog", name="Your details")
    address, status = dialog.get_by_label("Email address"), dialog.get_by_role("status")
    expect(address).to_have_value("ada@example.com")
    for new in ("bob@example.com", "ada@example.org"):
        address.fill(new)
        dialog.get_by_role("button", name="Save").click()
        expect(status).to_contain_text(
            "To start using the new address, open the link that is sent to it"
        )
        assert axe.violations(phone) == []
        laptop.goto(link_to(new))
        laptop.get_by_role("button", name="Keep my place").click()
        if new == "bob@example.com":
            notice = laptop.locator("waitlist-position .notice")
            expect(notice).to_have_text("This address already has a place.")
        status.evaluate("(node) => (node.textContent = '')")
    expect(laptop.get_by_role("heading", name="You are in line")).to_be_visible()
    found = operator.call("POST", "/find", json={"email": "ada@example.org"}).json()
    assert (found["position"], found["profile"]) == (2, {"email": "ada@example.org"})
    phone.reload()
    press(phone, "Change my details")
    expect(address).to_have_value("ada@example.org")


def test_a_link_with_a_token_opens_its_place(
    new_context: NewContext, operator: Operator, http: httpx.Client
) -> None:
    assert operator.put({"name": "Bakery"}).status_code == 201
    body = {"customer_id": "ada"}
    entries = f"/v1/waitlists/{operator.waitlist_id}/entries"
    entry = http.post(entries, json=body).json()
    url = operator.call("POST", f"/entries/{entry['entry_id']}/link").json()["url"]
    page = new_context().new_page()
    page.goto(url)
    expect(page.get_by_role("heading", name="You are in line")).to_be_visible()
    assert urlsplit(page.url).fragment == ""
    page.goto(f"/w/{operator.waitlist_id}#v={'0' * 8}.{'A' * 80}")
    page.get_by_role("button", name="Keep my place").click()
    expect(page.locator(".notice")).to_contain_text("This link is no longer valid.")
    expect(page.get_by_role("heading", name="You are in line")).to_be_visible()


def test_the_link_of_a_stranger_does_not_replace_a_place(
    new_context: NewContext, stage: Stage, axe: Axe
) -> None:
    """If a customer opens somebody else's link, the page keeps the customer's own place and asks
    before it shows the other one.
    """
    stage.join()
    kept = stage.kept["entry"]
    link = f"{stage.page.url}#t={kept['entry_id']}.{kept['entry_token']}"
    own = replace(stage, page=new_context().new_page())
    own.open()
    own.press("Join the line")
    own.shows("You are in line")
    entry_id = own.entry_id

    own.page.goto(link)
    own.shows("Open another place?")
    expect(own.page.get_by_text("The link may open a different place")).to_be_visible()
    assert axe.violations(own.page) == []
    own.press("Not now")
    own.shows("You are in line")
    assert own.entry_id == entry_id

    own.page.goto(link)
    own.press("Open the place of the link")
    expect(own.page.get_by_text("You are next.")).to_be_visible()
    warning = own.page.get_by_text("A link has opened this place.")
    expect(warning).to_be_visible()
    assert axe.violations(own.page) == []
    own.page.reload()
    expect(warning).to_be_visible()
    own.press("Show the other place")
    expect(own.page.get_by_text("1 person ahead of you")).to_be_visible()
    expect(warning).to_have_count(0)
    assert own.entry_id == entry_id
    own.press("Show the other place")
    expect(warning).to_be_visible()

    # Leaving the queue with the other person's place does not remove the customer's own place from
    # the browser.
    own.press("Leave the line")
    own.confirm("Leave")
    own.shows("You are not in the line")
    own.press("Join again")
    own.press("Show the other place")
    own.shows("You are in line")
    assert own.entry_id == entry_id
    expect(own.page.get_by_role("button", name="Show the other place")).to_have_count(0)


def test_the_page_says_that_a_link_has_opened_the_place(
    new_context: NewContext, stage: Stage
) -> None:
    """If the page shows a place that was opened with a link, it says so, because whoever sent the
    link can read what the customer enters.
    """
    stage.join()
    kept = stage.kept["entry"]
    page = new_context().new_page()
    page.goto(f"{stage.page.url}#t={kept['entry_id']}.{kept['entry_token']}")
    expect(page.get_by_text("A link has opened this place.")).to_be_visible()
    expect(page.get_by_role("button", name="Show the other place")).to_have_count(0)


def test_the_verification_code_of_someone_else_does_not_replace_a_place(
    new_context: NewContext, operator: Operator, http: httpx.Client
) -> None:
    rules = {"field": "email", "verify": "before_offer"}
    assert operator.put({"name": "Bakery", "identity": rules}).status_code == 201
    page = new_context().new_page()
    path = f"/w/{operator.waitlist_id}"
    opened: list[str] = []
    for name in ("ada", "eve"):
        body = {"profile": {"email": f"{name}@example.com"}}
        http.post(f"/v1/waitlists/{operator.waitlist_id}/entries", json=body)
        mails = http.get("/_local/mailbox.json").json()["messages"]
        texts = [mail["text"] for mail in mails if mail["to"] == body["profile"]["email"]]
        (link,) = [word for text in texts for word in text.split() if f"{path}#" in word]
        page.goto(link)
        expect(page.get_by_text("This browser already has a place")).to_have_count(len(opened))
        page.get_by_role("button", name="Keep my place").click()
        expect(page.get_by_role("heading", name="You are in line")).to_be_visible()
        kept = "Object.values(localStorage).map(JSON.parse).find((all) => all.entry).entry.entry_id"
        opened.append(page.evaluate(kept))
    expect(page.get_by_text("A link has opened this place.")).to_be_visible()
    page.get_by_role("button", name="Show the other place").click()
    expect(page.get_by_text("A link has opened this place.")).to_have_count(0)
    expect(page.get_by_role("heading", name="You are in line")).to_be_visible()
    assert page.evaluate(kept) == opened[0]


@pytest.mark.parametrize("length", [20, 40])
def test_a_truncated_link_does_not_replace_a_place(
    stage: Stage, new_context: NewContext, length: int
) -> None:
    """Opening an incomplete link does not replace the place that the browser has stored (promise
    P5).
    """
    stage.join()
    kept = stage.kept["entry"]
    proof = f"{kept['entry_id']}.{kept['entry_token']}"
    link = f"{stage.page.url}#t={proof[:length]}"
    own = replace(stage, page=new_context().new_page())
    own.open()
    own.press("Join the line")
    own.shows("You are in line")
    entry_id = own.entry_id
    own.page.goto(link)
    own.press("Open the place of the link")
    notice = own.page.locator("waitlist-position .notice")
    expect(notice).to_have_text("This link is no longer valid.")
    own.shows("You are in line")
    assert own.entry_id == entry_id
    own.page.goto(f"{stage.page.url}#t={proof}")
    own.shows("Open another place?")
    expect(notice).to_have_text("")
    own.press("Open the place of the link")
    expect(own.page.get_by_text("You are next.")).to_be_visible()
    assert own.entry_id == kept["entry_id"]
    stranger = replace(stage, page=new_context().new_page())
    stranger.page.goto(link)
    stranger.notices("This link is no longer valid.")
    expect(stranger.page.get_by_role("button", name="Join the line")).to_be_visible()
