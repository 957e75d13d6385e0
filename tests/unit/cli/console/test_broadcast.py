"""Tests the console's dialog for sending a message to some or all people."""

import re
from typing import Any

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.console.opened import Opened, readable

WORDS = {"subject": "We close early", "text": "We close <at> 5 pm."}


@pytest.fixture
def people(bakery: Bakery) -> list[dict[str, Any]]:
    """Sign up three people. Ada and Bob have an email address, but Cyd has none and cannot be
    reached.
    """
    bakery.typed.run("edit", bakery.waitlist_id, "--messages", "left")
    found = []
    for name in ("ada", "bob"):
        found += bakery.sign_up(name, profile={"email": f"{name}@example.com"})
    return [*found, *bakery.sign_up("cyd")]


def messaged(bakery: Bakery, person: dict[str, Any]) -> int:
    history = bakery.typed.json("history", bakery.waitlist_id, person["entry_id"])["history"]
    return [event["event"] for event in history].count("messaged")


def entered(html: str) -> dict[str, str]:
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', html))


def test_the_dialog_first_shows_who_would_get_it(
    console: Opened, bakery: Bakery, people: list[dict[str, Any]]
) -> None:
    path = f"/lists/{bakery.waitlist_id}/do/message"
    assert f'hx-get="{path}"' in console.page(f"/lists/{bakery.waitlist_id}")
    first = console.text(path)
    assert (
        "The next step shows how many people get the message. Nothing is sent before that." in first
    )
    assert ("Count the people" in first, "Send the message" in first) == (True, False)
    second = console.send(path, **WORDS, key="dialog-0123456789")
    assert second.headers["HX-Retarget"] == "#dialog-body"
    text = readable(second.text)
    assert "2 people would get the message: 2 by email and 0 by SMS." in text
    assert "1 person cannot be reached (1 no address)." in text
    assert [messaged(bakery, one) for one in people] == [0, 0, 0]
    values = entered(second.text)
    assert (values["text"], values["sure"]) == ("We close &lt;at&gt; 5 pm.", "yes")
    for _ in range(2):
        sent = console.submit(path, **{**values, **WORDS, "key": "dialog-0123456789"})
        assert "2 people get the message" in sent
    assert [messaged(bakery, one) for one in people] == [1, 1, 0]


def test_the_texts_in_other_languages_are_folded(console: Opened, bakery: Bakery) -> None:
    path = f"/lists/{bakery.waitlist_id}/do/message"
    assert "Other languages" not in console.text(path)
    bakery.typed.run("edit", bakery.waitlist_id, "--messages", "left", "--messages-language", "de")
    bakery.typed.run("notice", bakery.waitlist_id, "--text-en", "Late", "--text-de", "Zu spät")
    html = console.page(path)
    names = ("status", "subject_de", "text_de", "subject_en", "text_en", "filter")
    assert re.findall(r'name="(status|\w+_de|\w+_en|filter)"', html) == [*names]
    folded = re.search(r'<details class="more">(.*?)</details>', html, re.DOTALL)
    assert folded
    assert re.findall(r'name="(\w+)"', folded[1]) == ["subject_en", "text_en"]
    assert html.count("A link to the person&#39;s place is added at the end.") == 1
    assert "One NAME=VALUE per line, such as language=de." in html
    # The notice already has a text in English.
    assert '<details class="more" open>' in console.page(f"/lists/{bakery.waitlist_id}/do/notice")


def test_ticked_people_get_it(
    console: Opened, bakery: Bakery, people: list[dict[str, Any]]
) -> None:
    path = f"/lists/{bakery.waitlist_id}/do/message"
    table = console.page(f"/lists/{bakery.waitlist_id}/people")
    assert re.search(rf'id="bulk-message" data-bulk disabled hx-get="{path}"', table)
    bob = people[1]["entry_id"]
    dialog = console.page(f"{path}?entry={bob}")
    assert "bob@example.com" in dialog
    assert 'name="status"' not in dialog
    second = console.send(path, **WORDS, entry=bob)
    assert "1 person would get the message: 1 by email and 0 by SMS." in readable(second.text)
    assert f'name="entry" value="{bob}"' in second.text
    console.submit(path, **WORDS, entry=bob, sure="yes")
    assert [messaged(bakery, one) for one in people] == [0, 1, 0]


def test_a_message_to_nobody_and_a_message_without_a_text_are_refused(
    console: Opened, bakery: Bakery, people: list[dict[str, Any]]
) -> None:
    path = f"/lists/{bakery.waitlist_id}/do/message"
    refused = console.submit_refused(path, **WORDS, entry=people[2]["entry_id"])
    assert "0 people would get the message." in refused
    assert "1 person cannot be reached (1 no address)." in refused
    assert "Enter the text of the message." in console.submit_refused(path, text=" ")


def test_the_dialog_asks_for_a_text_in_each_language_of_the_list(
    console: Opened, bakery: Bakery
) -> None:
    path = f"/lists/{bakery.waitlist_id}/do/message"
    bakery.typed.run("edit", bakery.waitlist_id, "--messages", "left", "--messages-language", "de")
    assert 'name="text"' in console.page(path)
    bakery.typed.run("notice", bakery.waitlist_id, "--text-en", "Late", "--text-de", "Zu spät")
    dialog = console.page(path)
    assert re.findall(r'name="(text\w*)"', dialog) == ["text_de", "text_en"]
    assert 'data-field="text_de"' in console.send(path).text
