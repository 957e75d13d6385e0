"""After an action that can be undone, the console shows a notice with the button *Undo*."""

import re

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.console.opened import Opened
from waitlist_cli.client.ids import entry_id_of
from waitlist_cli.operations.action import ListAction, PersonAction
from waitlist_cli.operations.every_action import LIST_ACTIONS, PERSON_ACTIONS

CHANGES = ["hold-back", "remove", "ban", "bump", "admit", "edit"]
STORED = ("status", "position", "priority", "not_ready", "banned_at", "profile", "attributes")
FORM = {"where": "front", "profile.name": "Bob", "attributes.language": "fr"}


def undo_path(console: Opened, path: str, **form: str) -> str | None:
    """Submit a dialog.

    Return the path of the button *Undo* in the notice, or None if there is no such button.
    """
    response = console.send(path, **form)
    assert response.status_code == 200, response.text
    found = re.search(r'hx-post="([^"]+/undo/\d+)"', response.text)
    return found[1] if found else None


def stored(bakery: Bakery, name: str) -> dict[str, object]:
    person = bakery.typed.json("show", bakery.waitlist_id, "--customer", name)
    return {field: person[field] for field in STORED}


@pytest.mark.parametrize("action", CHANGES)
def test_an_action_on_a_person_can_be_undone(console: Opened, bakery: Bakery, action: str) -> None:
    bakery.sign_up("ada")
    bakery.sign_up("bob", profile={"name": "Bóbby"}, attributes={"language": "de"})
    before = stored(bakery, "bob")
    person = f"/lists/{bakery.waitlist_id}/people/{entry_id_of(bakery.waitlist_id, 'bob')}"
    undo = undo_path(console, f"{person}/{action}", **FORM)
    assert stored(bakery, "bob") != before
    assert undo is not None
    assert console.submit(undo).startswith("Undone. ")
    assert stored(bakery, "bob") == before
    assert "was undone before" in console.submit_refused(undo)


def test_a_person_who_was_moved_before_cannot_be_moved_back(
    console: Opened, bakery: Bakery
) -> None:
    bakery.sign_up("ada", "bob", "cyd")
    person = f"/lists/{bakery.waitlist_id}/people/{entry_id_of(bakery.waitlist_id, 'cyd')}"
    assert undo_path(console, f"{person}/bump", where="places", number="1") is not None
    assert undo_path(console, f"{person}/bump", where="front") is None


def test_a_dialog_that_is_sent_twice_is_undone_as_if_it_was_sent_once(
    console: Opened, bakery: Bakery
) -> None:
    bakery.sign_up("ada", "bob", "cyd")
    person = f"/lists/{bakery.waitlist_id}/people/{entry_id_of(bakery.waitlist_id, 'cyd')}"
    form = {"where": "front", "key": "7c0b1f52-5b0e-4f33-9e6e-0a6c1c1f5f44"}
    undo_path(console, f"{person}/bump", **form)
    again = undo_path(console, f"{person}/bump", **form)
    assert again is not None
    console.submit(again)
    assert bakery.line() == ["ada", "bob", "cyd"]


@pytest.mark.parametrize(("action", "setting"), [("pause", "paused"), ("close", "open")])
def test_an_action_on_a_list_can_be_undone(
    console: Opened, bakery: Bakery, action: str, setting: str
) -> None:
    before = bakery.typed.json("show", bakery.waitlist_id)[setting]
    undo = undo_path(console, f"/lists/{bakery.waitlist_id}/do/{action}")
    assert bakery.typed.json("show", bakery.waitlist_id)[setting] != before
    assert undo is not None
    console.submit(undo)
    assert bakery.typed.json("show", bakery.waitlist_id)[setting] == before


def test_offers_to_several_people_are_taken_back_at_once(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob", "cyd")
    undo = undo_path(console, f"/lists/{bakery.waitlist_id}/do/admit", count="2")
    assert bakery.line() == ["cyd"]
    assert undo is not None
    assert console.submit(undo) == "Undone for 2 people."
    assert bakery.line() == ["ada", "bob", "cyd"]


def test_each_action_either_has_an_inverse_or_says_that_it_cannot_be_undone() -> None:
    actions: tuple[PersonAction | ListAction, ...] = (*PERSON_ACTIONS, *LIST_ACTIONS)
    assert [
        action.name for action in actions if (action.inverse is None) != action.cannot_be_undone
    ] == []


def test_the_dialog_says_whether_an_action_can_be_undone(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada")
    base = f"/lists/{bakery.waitlist_id}"
    person = f"{base}/people/{entry_id_of(bakery.waitlist_id, 'ada')}"
    words = "This cannot be undone."
    for path in (f"{person}/link", f"{person}/erase", f"{base}/do/invite", f"{base}/do/delete"):
        assert words in console.text(path)
    for path in (f"{person}/remove", f"{person}/admit", f"{base}/do/pause"):
        assert words not in console.text(path)
    assert words in console.submit_again(f"{person}/erase")
