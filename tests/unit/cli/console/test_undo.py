"""Tests that the console shows a notice with an *Undo* button after an action that can be
undone.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from html import unescape

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.console.opened import Opened, api_of, opened
from tests.unit.cli.console.test_settings import SETTINGS
from waitlist_cli.client.ids import entry_id_of
from waitlist_cli.console import decisions
from waitlist_cli.operations.action import ListAction
from waitlist_cli.operations.every_action import LIST_ACTIONS, PERSON_ACTIONS

CHANGES = ["hold-back", "remove", "ban", "bump", "admit", "edit"]
STORED = ("status", "position", "priority", "not_ready", "banned_at", "profile", "attributes")
FORM = {"where": "front", "profile.name": "Bob", "attributes.language": "fr"}


def undo_path(console: Opened, path: str, **form: str) -> str | None:
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
    assert console.submit(undo).startswith("Undone: ")
    assert stored(bakery, "bob") == before
    assert "has already been undone" in console.submit_refused(undo)


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


def save_settings(console: Opened, bakery: Bakery, **changes: str) -> str | None:
    """Save the settings, and return the path that the *Undo* button posts to."""
    path = f"/lists/{bakery.waitlist_id}/settings"
    found = re.search(r'name="seen" value="([^"]*)"', console.page(path))
    assert found
    saved = console.send(path, **{**SETTINGS, "seen": unescape(found[1]), **changes})
    page = console.page(saved.headers["HX-Redirect"])
    assert "The settings were saved." in page
    undo = re.search(r'hx-post="([^"]+/undo/\d+)"', page)
    return undo and undo[1]


def test_saved_settings_get_their_former_values_again(console: Opened, bakery: Bakery) -> None:
    """Undoing a change keeps any other settings that somebody has saved since."""
    waitlist_id = bakery.waitlist_id
    before = bakery.typed.json("show", waitlist_id)
    undo = save_settings(console, bakery, capacity="10", rest_max_days="30", rest_times="2")
    assert undo is not None
    bakery.typed.run("edit", waitlist_id, "--lease", "77")
    assert "The former settings are restored." in console.submit(undo)
    after = bakery.typed.json("show", waitlist_id)
    assert (after["capacity"], after["rest"]) == (before["capacity"], before["rest"])
    assert after["lease_seconds"] == 77
    assert "has already been undone" in console.submit_refused(undo)


def test_saved_settings_that_somebody_has_changed_again_are_not_undone(
    console: Opened, bakery: Bakery
) -> None:
    undo = save_settings(console, bakery, capacity="10", lease_seconds="60")
    assert undo is not None
    bakery.typed.run("edit", bakery.waitlist_id, "--capacity", "11")
    assert "Somebody has changed the same settings" in console.submit_refused(undo)
    after = bakery.typed.json("show", bakery.waitlist_id)
    assert (after["capacity"], after["lease_seconds"]) == (11, 60)


def test_settings_that_were_saved_without_a_change_have_no_undo(
    console: Opened, bakery: Bakery
) -> None:
    save_settings(console, bakery)
    assert save_settings(console, bakery) is None


def test_offers_to_several_people_are_taken_back_at_once(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob", "cyd")
    undo = undo_path(console, f"/lists/{bakery.waitlist_id}/do/admit", count="2")
    assert bakery.line() == ["cyd"]
    assert undo is not None
    said = "ada is back in the queue, at position 1. bob is back in the queue, at position 2."
    assert console.submit(undo) == f"Undone: {said}"
    assert bakery.line() == ["ada", "bob", "cyd"]


def test_each_action_can_be_undone_or_asks_twice() -> None:
    """Some actions cannot be reversed. The console must either delay such an action, so that it can
    be undone before it is sent, or ask the operator to confirm it. Showing a token or a link needs
    neither, because it changes nothing.
    """
    for action in PERSON_ACTIONS:
        assert action.inverse or action.can_wait or action.sure or action.reveals, action.name
    for one in LIST_ACTIONS:
        asks = one.ask_again is not ListAction.ask_again or one.is_deleting
        assert one.inverse or asks, one.name


def test_the_dialog_says_whether_an_action_can_be_undone(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada")
    base = f"/lists/{bakery.waitlist_id}"
    person = f"{base}/people/{entry_id_of(bakery.waitlist_id, 'ada')}"
    words = "This cannot be undone."
    for path in (f"{person}/link", f"{person}/erase", f"{base}/do/invite", f"{base}/do/delete"):
        assert words in console.text(path)
    for path in (f"{person}/remove", f"{person}/admit", f"{base}/do/pause"):
        assert words not in console.text(path)
    for path in (f"{person}/bump", f"{person}/hold-back", f"{base}/bulk/bump?entry={person[-26:]}"):
        assert "You can undo this for 1 min." in console.text(path)


@dataclass
class Desk:
    """A console whose delayed actions are sent when the test calls `wait`.

    An action that cannot be reversed is sent after a delay, so that it can be undone. Until then,
    it is in `due`.
    """

    console: Opened
    bakery: Bakery
    due: list[Callable[[], None]]

    def path(self, name: str, action: str = "") -> str:
        entry_id = entry_id_of(self.bakery.waitlist_id, name)
        return f"/lists/{self.bakery.waitlist_id}/people/{entry_id}/{action}"

    def claim(self, *names: str) -> None:
        self.bakery.sign_up(*names)
        self.console.submit(f"/lists/{self.bakery.waitlist_id}/serve", count=str(len(names)))

    def wait(self) -> None:
        while self.due:
            self.due.pop(0)()


@pytest.fixture
def desk(service_url: str, bakery: Bakery, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    due: list[Callable[[], None]] = []
    monkeypatch.setattr(decisions, "call_later", lambda _, function: due.append(function))
    with opened(api_of(service_url), undo_seconds=10) as console:
        yield Desk(console, bakery, due)


@pytest.mark.parametrize(
    ("action", "label", "form", "status"),
    [
        ("complete", "Admit", {}, "admitted"),
        ("park", "Set aside", {}, "parked"),
        ("remove", "Remove", {}, "left"),
        ("ban", "Ban", {}, "left"),
    ],
)
def test_an_action_that_has_no_inverse_is_sent_when_it_can_no_longer_be_undone(
    desk: Desk, action: str, label: str, form: dict[str, str], status: str
) -> None:
    desk.claim("ada")
    path = desk.path("ada", action)
    assert "You can undo this for 10 s." in desk.console.text(path)
    notice = f"{label}: ada. This happens in 10 s."
    undo = undo_path(desk.console, path, **form)
    assert undo is not None
    assert desk.console.submit(undo) == "Undone: Nothing has changed for ada."
    desk.wait()
    assert desk.bakery.status("ada") == "offered"
    assert desk.console.submit(path, **form) == notice
    assert "ada" not in desk.console.text(f"/lists/{desk.bakery.waitlist_id}/serve")
    desk.wait()
    assert desk.bakery.status("ada") == status


def test_a_console_that_is_interrupted_while_it_ends_names_the_actions_without_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(decisions, "call_later", lambda *_: None)
    waiting = decisions.Decisions()
    for name in ("ada", "bob"):
        waiting.add(decisions.Decision("bakery", name, name, "Admit", interrupt))
    with pytest.raises(KeyboardInterrupt):
        waiting.end()
    said = "The console was stopped before the service answered."
    assert waiting.unconfirmed() == [f"Admit: ada. {said}", f"Admit: bob. {said}"]


def test_the_dialog_promises_no_undo_of_a_call_to_the_same_desk(desk: Desk) -> None:
    desk.bakery.sign_up("ada")
    desk.console.submit(desk.path("ada", "claim-person"), call_to="Room 2", lease_seconds="600")
    assert "undo this" not in desk.console.text(desk.path("ada", "call"))
    assert undo_path(desk.console, desk.path("ada", "call"), to="Room 2") is None


@pytest.mark.parametrize("form", [{"to": "back"}, {"to": "place", "delay_seconds": "60"}])
def test_a_release_that_no_request_can_undo_is_sent_later(desk: Desk, form: dict[str, str]) -> None:
    desk.claim("ada")
    said = desk.console.submit(desk.path("ada", "release"), **form)
    assert said == "Release: ada. This happens in 10 s."
    assert desk.bakery.status("ada") == "offered"
    desk.wait()
    assert desk.bakery.status("ada") == "waiting"


def test_a_release_is_sent_at_once_and_undone_by_a_new_call(desk: Desk) -> None:
    desk.bakery.sign_up("ada")
    desk.console.submit(desk.path("ada", "claim-person"), call_to="Room 2", lease_seconds="600")
    undo = undo_path(desk.console, desk.path("ada", "release"), to="place")
    assert desk.bakery.status("ada") == "waiting"
    assert undo is not None
    assert desk.console.submit(undo) == "Undone: ada has been called to Room 2."
    # The console knows the token of the new claim.
    desk.console.submit(desk.path("ada", "extend"), lease_seconds="900")
    assert desk.bakery.status("ada") == "offered"


def test_an_action_that_was_sent_can_no_longer_be_undone(desk: Desk) -> None:
    desk.claim("ada")
    undo = undo_path(desk.console, desk.path("ada", "complete"))
    assert undo is not None
    desk.wait()
    assert "can no longer be undone" in desk.console.submit_refused(undo)
    assert desk.bakery.status("ada") == "admitted"


def test_a_dialog_that_is_sent_twice_can_still_be_undone(desk: Desk) -> None:
    desk.claim("ada")
    form = {"key": "7c0b1f52-5b0e-4f33-9e6e-0a6c1c1f5f48"}
    for _ in range(2):
        undo = undo_path(desk.console, desk.path("ada", "complete"), **form)
    assert undo is not None
    desk.console.submit(undo)
    desk.wait()
    assert desk.bakery.status("ada") == "offered"


def test_the_next_action_on_a_person_comes_after_the_action_that_waits(desk: Desk) -> None:
    desk.claim("ada")
    desk.console.submit(desk.path("ada", "release"), to="place")
    desk.console.submit(desk.path("ada", "hold-back"))
    assert stored(desk.bakery, "ada")["not_ready"] == ["held_back"]


def test_a_person_who_was_moved_before_is_moved_when_it_can_no_longer_be_undone(
    desk: Desk,
) -> None:
    desk.bakery.sign_up("ada", "bob", "cyd")
    desk.console.submit(desk.path("cyd", "bump"), where="places", number="1")
    assert desk.bakery.line() == ["ada", "cyd", "bob"]
    desk.console.submit(desk.path("cyd", "bump"), where="front")
    assert desk.bakery.line() == ["ada", "cyd", "bob"]
    desk.wait()
    assert desk.bakery.line() == ["cyd", "ada", "bob"]


def test_a_person_is_let_out_or_admitted_without_an_offer_when_it_can_no_longer_be_undone(
    desk: Desk,
) -> None:
    desk.bakery.sign_up("ada")
    desk.bakery.typed.run("policy", desk.bakery.waitlist_id, "--acceptance", "automatic")
    desk.console.submit(desk.path("ada", "admit"))
    assert desk.bakery.status("ada") == "waiting"
    desk.wait()
    assert desk.bakery.status("ada") == "admitted"
    desk.console.submit(desk.path("ada", "exit"))
    desk.wait()
    assert "exited at" in desk.console.text(desk.path("ada").removesuffix("/"))


def test_every_page_of_the_list_shows_an_action_that_failed_later(desk: Desk) -> None:
    desk.claim("ada")
    desk.console.submit(desk.path("ada", "complete"))
    desk.bakery.typed.run("remove", desk.bakery.waitlist_id, "--customer", "ada")
    desk.wait()
    base = f"/lists/{desk.bakery.waitlist_id}"
    for page in ("", "/people", "/counter"):
        assert "Admit: ada." in desk.console.text(f"{base}{page}")
    entry_id = entry_id_of(desk.bakery.waitlist_id, "ada")
    desk.console.submit(f"{base}/problems/{entry_id}/dismiss")
    assert "Admit: ada." not in desk.console.text(base)


def test_several_people_are_asked_about_twice_if_there_is_no_inverse(
    desk: Desk,
) -> None:
    desk.claim("ada", "bob")
    entries = [entry_id_of(desk.bakery.waitlist_id, name) for name in ("ada", "bob")]
    path = f"/lists/{desk.bakery.waitlist_id}/bulk/remove"
    headers = {"HX-Request": "true", "Origin": desk.console.origin}
    for sure, status in (("", "offered"), ("yes", "left")):
        form = {"entry": entries, "sure": sure}
        answered = desk.console.browser.post(path, data=form, headers=headers)
        assert [desk.bakery.status(name) for name in ("ada", "bob")] == [status, status]
        assert ("This cannot be undone for ada and bob." in answered.text) == (not sure)


def test_a_held_back_person_who_was_removed_is_held_back_again(
    console: Opened, bakery: Bakery
) -> None:
    bakery.sign_up("ada")
    path = f"/lists/{bakery.waitlist_id}/people/{entry_id_of(bakery.waitlist_id, 'ada')}"
    console.submit(f"{path}/hold-back", reason="late")
    before = stored(bakery, "ada")
    undo = undo_path(console, f"{path}/remove")
    assert undo is not None
    console.submit(undo)
    assert stored(bakery, "ada") == before


@pytest.mark.parametrize(
    ("action", "form", "said"),
    [
        ("call", {"to": "Room 3"}, "ada has been called to Room 2."),
        ("extend", {"lease_seconds": "3600"}, "ada's former deadline is restored."),
    ],
)
def test_a_claim_is_as_it_was_after_an_undo(
    desk: Desk, action: str, form: dict[str, str], said: str
) -> None:
    desk.bakery.sign_up("ada")
    desk.console.submit(desk.path("ada", "claim-person"), call_to="Room 2", lease_seconds="600")

    def claim() -> tuple[str, datetime]:
        person = desk.bakery.typed.json("show", desk.bakery.waitlist_id, "--customer", "ada")
        return person["call"]["to"], datetime.fromisoformat(person["claimed_until"])

    called_to, until = claim()
    undo = undo_path(desk.console, desk.path("ada", action), **form)
    assert undo is not None
    assert claim() > (called_to, until)
    extended = claim()[1]
    assert desk.console.submit(undo) == f"Undone: {said}"
    assert claim()[0] == called_to
    # A lease has a whole number of seconds.
    assert until - timedelta(seconds=1) <= claim()[1] <= extended


def test_a_quota_and_its_offers_are_taken_back_together(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob", "cyd")
    admit = f"/lists/{bakery.waitlist_id}/do/admit"
    undo = undo_path(console, admit, count="2", unused="refill")
    assert undo is not None
    console.submit(undo)
    assert bakery.line() == ["ada", "bob", "cyd"]
    assert bakery.typed.json("stats", bakery.waitlist_id)["quota"] == 0


def test_the_buttons_that_undo_different_actions_have_different_names(
    console: Opened, bakery: Bakery
) -> None:
    bakery.sign_up("ada", "bob")
    names = []
    for name in ("ada", "bob"):
        entry_id = entry_id_of(bakery.waitlist_id, name)
        sent = console.send(f"/lists/{bakery.waitlist_id}/people/{entry_id}/remove")
        names += re.findall(r'aria-label="(Undo[^"]*)"', sent.text)
    assert names == [
        f"Undo: {name} is removed from the list. The record is kept." for name in ("ada", "bob")
    ]


def test_the_notice_of_an_undo_says_what_is_there_again(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada", profile={"name": "Zoë"})
    path = f"/lists/{bakery.waitlist_id}/people/{entry_id_of(bakery.waitlist_id, 'ada')}"
    undo = undo_path(console, f"{path}/edit", **{"profile.name": "Zoe"})
    assert undo is not None
    assert console.submit(undo) == "Undone: Zoë's earlier answers are restored."
