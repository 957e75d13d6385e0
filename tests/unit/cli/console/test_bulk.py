"""Tests the console's actions on all people who are ticked in a table."""

import re

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.console.opened import Opened
from waitlist_cli.client.ids import entry_id_of
from waitlist_cli.operations.every_action import PERSON_ACTIONS


def send(console: Opened, bakery: Bakery, action: str, *names: str, **form: str) -> str:
    entries = [entry_id_of(bakery.waitlist_id, name) for name in names]
    headers = {"HX-Request": "true", "Origin": console.origin}
    path = f"/lists/{bakery.waitlist_id}/bulk/{action}"
    return console.browser.post(path, data={"entry": entries, **form}, headers=headers).text


def undo(console: Opened, html: str) -> str:
    path = re.search(r'hx-post="([^"]+/undo/[0-9]+)"', html)
    assert path
    return console.submit(path[1])


def test_three_people_are_moved_in_the_order_of_the_queue(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob", "cyd", "dan", "eve")
    answered = send(console, bakery, "bump", "eve", "bob", "dan", where="front")
    assert "bob, dan and eve: moved." in answered
    assert bakery.line() == ["bob", "dan", "eve", "ada", "cyd"]
    assert undo(console, answered) == (
        "Undone: bob is now at position 2, with priority 0. "
        "dan is now at position 4, with priority 0. "
        "eve is now at position 5, with priority 0."
    )
    assert bakery.line() == ["ada", "bob", "cyd", "dan", "eve"]
    send(console, bakery, "bump", "cyd", "ada", where="back")
    assert bakery.line() == ["bob", "dan", "eve", "ada", "cyd"]


def test_a_bulk_action_that_is_sent_twice_has_a_single_effect(
    console: Opened, bakery: Bakery
) -> None:
    bakery.sign_up("ada", "bob", "cyd", "dan")
    form = {"where": "places", "number": "1", "key": "7c0b1f52-5b0e-4f33-9e6e-0a6c1c1f5f46"}
    for _ in range(2):
        send(console, bakery, "bump", "cyd", "dan", **form)
    assert bakery.line() == ["ada", "cyd", "dan", "bob"]


def test_people_are_held_back_removed_and_brought_back_together(
    console: Opened, bakery: Bakery
) -> None:
    bakery.sign_up("ada", "bob", "cyd")
    assert "ada and cyd: held back." in send(console, bakery, "hold-back", "ada", "cyd")
    held = bakery.typed.json("show", bakery.waitlist_id, "--customer", "cyd")
    assert held["not_ready"] == ["held_back"]
    removed = send(console, bakery, "remove", "ada", "bob", reason="moved away")
    assert bakery.line() == ["cyd"]
    undo(console, removed)
    assert bakery.line() == ["ada", "bob", "cyd"]


def test_a_bulk_action_names_the_people_for_whom_it_was_refused(
    console: Opened, bakery: Bakery
) -> None:
    bakery.sign_up("ada", profile={"name": "Zoë"})
    bakery.sign_up("bob")
    bakery.typed.run("remove", bakery.waitlist_id, "--customer", "ada")
    answered = send(console, bakery, "bump", "ada", "bob", where="back")
    assert "bob: moved. Refused for 1. Zoë: " in answered
    assert "Zoë: " in send(console, bakery, "bump", "ada", where="back")
    assert "Tick 1 to 200 people" in send(console, bakery, "bump", where="back")


def test_the_dialog_of_a_bulk_action_shows_the_names(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada", profile={"name": "Zoë"})
    bakery.sign_up("bob")
    entries = [entry_id_of(bakery.waitlist_id, name) for name in ("bob", "ada")]
    path = f"/lists/{bakery.waitlist_id}/bulk"
    shown = console.text(f"{path}/remove?entry={entries[0]}&entry={entries[1]}")
    assert re.search(
        "Remove 2 people from the list\\? These people lose their place,.* Zoë bob", shown
    )
    assert console.browser.get(f"{path}/erase?entry={entries[0]}").status_code == 422


def test_the_table_offers_the_bulk_actions_of_its_people(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada")
    page = console.page(f"/lists/{bakery.waitlist_id}/people")
    offered = re.findall('id="bulk-([a-z-]+)"', page)
    assert offered == ["bump", "admit", "hold-back", "remove", "message"]
    on_people = {action.name for action in PERSON_ACTIONS if action.bulk}
    assert on_people >= set(offered) - {"message"}
