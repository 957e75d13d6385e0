"""The console's pages show the waitlist's notice."""

import re
from typing import Any

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.console.opened import Opened

SCRIPT = "<script>alert(1)</script>"


def notice(bakery: Bakery) -> dict[str, Any] | None:
    found: dict[str, Any] | None = bakery.typed.json("show", bakery.waitlist_id)["notice"]
    return found


@pytest.mark.parametrize("page", ["", "/counter"])
def test_the_console_shows_sets_and_ends_a_notice(
    console: Opened, bakery: Bakery, page: str
) -> None:
    base = f"/lists/{bakery.waitlist_id}"
    assert f'hx-get="{base}/do/notice"' in console.page(f"{base}{page}")
    dialog = console.text(f"{base}/do/notice")
    assert "No message is sent to customers." in dialog
    assert "Time zone: UTC." in dialog
    shown = console.submit(f"{base}/do/notice", text=SCRIPT, until="2099-07-01T18:00")
    assert "Customers see the notice until 18:00:00 on Wed 1 Jul 2099 (UTC)" in shown
    assert notice(bakery) == {"text": SCRIPT, "until": "2099-07-01T18:00:00.000Z"}
    html = console.page(f"{base}{page}")
    assert SCRIPT not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert re.search(r"Until 1 Jul 2099 UTC\.", html)
    assert "The notice has ended." in console.submit(f"{base}/do/end-notice")
    assert "Customers read:" not in console.page(f"{base}{page}")


def test_the_dialog_asks_for_a_text_in_each_language_of_the_list(
    console: Opened, bakery: Bakery
) -> None:
    base = f"/lists/{bakery.waitlist_id}"
    bakery.typed.run("edit", bakery.waitlist_id, "--timezone", "Europe/Berlin")
    assert 'name="text"' in console.page(f"{base}/do/notice")
    bakery.typed.run("edit", bakery.waitlist_id, "--messages", "left", "--messages-language", "de")
    texts = ("--text-en", "Late", "--text-de", "Zu spät")
    bakery.typed.run("notice", bakery.waitlist_id, *texts, "--until", "2099-07-01T18:00")
    html = console.page(f"{base}/do/notice")
    assert 'name="text"' not in html
    assert 'name="text_fr"' not in html
    assert 'value="2099-07-01T18:00:00"' in html
    assert re.findall(r'name="(text\w*)"', html) == ["text_de", "text_en"]
    # The error is shown at the first field, and not repeated above it.
    assert re.search('data-field="text_de"[^>]* hidden>', console.send(f"{base}/do/notice").text)
    console.submit(f"{base}/do/notice", text_en="Very late", text_de="Viel zu spät", until="")
    assert notice(bakery) == {"text": {"en": "Very late", "de": "Viel zu spät"}, "until": None}


def test_the_operator_can_undo_a_change_of_the_notice(console: Opened, bakery: Bakery) -> None:
    path = f"/lists/{bakery.waitlist_id}/do/notice"
    undo = re.compile(rf"/lists/{bakery.waitlist_id}/undo/\d+")

    def undo_of(response_text: str) -> str:
        (found,) = undo.findall(response_text)[:1]
        return str(found)

    first = console.send(path, text="The oven is being repaired.")
    second = console.send(path, text="The oven is new.")
    console.submit(undo_of(second.text))
    assert notice(bakery) == {"text": "The oven is being repaired.", "until": None}
    console.submit(undo_of(first.text))
    assert notice(bakery) is None
    console.submit(path, text="Late")
    ended = console.send(path.replace("notice", "end-notice"))
    console.submit(undo_of(ended.text))
    assert notice(bakery) == {"text": "Late", "until": None}


def test_a_wrong_notice_is_refused_at_its_field(console: Opened, bakery: Bakery) -> None:
    path = f"/lists/{bakery.waitlist_id}/do/notice"
    refused = console.send(path, text="Late", until="2020-01-01T00:00")
    assert 'data-field="until" data-says="Choose a time in the future.' in refused.text
    assert "null" not in refused.text
    refused = console.send(path, text="x" * 501, until="")
    assert 'data-field="body.text"' in refused.text
    refused = console.send(path, text_en="Late", text_de="x" * 501, until="")
    assert 'data-field="body.text.de"' in refused.text
    assert notice(bakery) is None


def test_a_notice_of_several_lines_is_shown_in_lines(console: Opened, bakery: Bakery) -> None:
    base = f"/lists/{bakery.waitlist_id}"
    console.submit(f"{base}/do/notice", text="Please wear a mask.\r\nDr. Weiß")
    assert "Please wear a mask.\nDr. Weiß" in console.page(base)
