"""Tests what the customer's page shows when an operator calls the customer to a desk or a room."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.stage import Stage

SECONDS = 5


def test_a_called_customer_sees_the_room_and_gets_an_email(stage: Stage) -> None:
    stage.configure(
        messages={"kinds": ["called"]},
        page={"fields": [{"name": "email", "label": "Email", "type": "email"}]},
    )
    address = f"{stage.operator.waitlist_id}@example.com"
    stage.open()
    stage.page.get_by_label("Email").fill(address)
    stage.press("Join the line")
    stage.shows("You are in line")
    stage.claim(call={"to": "Room 2"})
    stage.shows("Come to Room 2")
    expect(stage.page.get_by_text("It is your turn.")).to_be_visible()
    expect(stage.page).to_have_title(re.compile("^Come to Room 2"))
    mails: list[dict[str, str]] = []
    for _ in range(100):
        sent = stage.operator.http.get("/_local/mailbox.json").json()["messages"]
        mails = [mail for mail in sent if mail["to"] == address]
        if mails:
            break
        stage.page.wait_for_timeout(100)
    assert [mail["subject"] for mail in mails] == ["Corner Bakery: please come to Room 2"]


def test_the_page_asks_often_enough_to_show_a_call_within_five_seconds(stage: Stage) -> None:
    stage.join()
    assert stage.kept["entry"]["poll_after_seconds"] * 1.1 < SECONDS
    stage.claim()
    stage.shows("You are about to be called")
    assert stage.kept["entry"]["poll_after_seconds"] * 1.1 < SECONDS


def test_a_second_call_is_announced_and_keeps_the_focus(stage: Stage) -> None:
    stage.join()
    token = stage.claim(call={"to": "Room 2"})
    stage.shows("Come to Room 2")
    stage.page.get_by_role("button", name="Leave the line", exact=True).focus()
    stage.act("claims", "call", claim_token=token, to="Desk <3>")
    stage.shows("Come to Desk <3>")
    live = stage.page.locator("waitlist-position [role=status][aria-live=polite]").last
    expect(live).to_have_text("Come to Desk <3>")
    active = "() => document.querySelector('waitlist-position').shadowRoot.activeElement?.tagName"
    assert stage.page.evaluate(active) == "H2"
    stage.act("claims", "release", claim_token=token)
    stage.shows("You are in line")


@pytest.mark.parametrize(
    ("language", "heading"),
    [("de", "Bitte zu Room 2"), ("fr", "Présentez-vous ici : Room 2"), ("ar", "توجه إلى Room 2")],
)
def test_a_call_is_in_the_language_of_the_customer(
    stage: Stage, language: str, heading: str
) -> None:
    stage.join()
    stage.claim(call={"to": "Room 2"})
    stage.open(f"?lang={language}")
    stage.shows(heading)
