"""Tests the console's *Counter* page.

There, an operator calls people to a desk, ends their calls, and can undo the last decision.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.console.opened import Opened, api_of, opened, readable
from tests.unit.cli.console.test_people import ask, person
from waitlist_cli.client.ids import entry_id_of
from waitlist_cli.console import decisions

ROOM = "Room 2"


@dataclass
class Counter:
    """A waitlist's *Counter* page. `due` contains the decisions that an operator can still undo."""

    console: Opened
    bakery: Bakery
    room: str = ROOM
    due: list[Callable[[], None]] = field(default_factory=list)

    @property
    def path(self) -> str:
        return f"/lists/{self.bakery.waitlist_id}/counter"

    @property
    def text(self) -> str:
        return self.console.text(self.path)

    @property
    def key(self) -> str:
        found = re.search(r'name="key" id="next-key" value="([^"]+)"', self.console.page(self.path))
        assert found
        return found[1]

    @property
    def called(self) -> list[str]:
        page = self.console.page(self.path)
        return [readable(one) for one in re.findall(r'<h2 class="called-name".*?</h2>', page)]

    def call_next(self, key: str | None = None) -> str:
        sent = self.console.send(self.path, room=self.room, key=key or self.key)
        assert sent.status_code == 200, sent.text
        return readable(sent.text)

    def call_id(self, name: str) -> str:
        """Return the call id that the page's buttons send for this person."""
        entry_id = entry_id_of(self.bakery.waitlist_id, name)
        form = rf'action="{self.path}/{entry_id}/arrived".*?name="call" value="([^"]+)"'
        found = re.search(form, self.console.page(self.path))
        return found[1] if found else ""

    def press(self, name: str, button: str, call_id: str | None = None) -> str:
        sent = self.send(name, button, self.call_id(name) if call_id is None else call_id)
        assert sent.status_code == 200, sent.text
        return readable(sent.text)

    def send(self, name: str, button: str, call_id: str) -> httpx.Response:
        entry_id = entry_id_of(self.bakery.waitlist_id, name)
        return self.console.send(f"{self.path}/{entry_id}/{button}", call=call_id)

    def wait(self) -> None:
        while self.due:
            self.due.pop(0)()


@pytest.fixture
def due(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], None]]:
    functions: list[Callable[[], None]] = []
    monkeypatch.setattr(decisions, "call_later", lambda _, function: functions.append(function))
    return functions


@pytest.fixture
def console(service_url: str) -> Iterator[Opened]:
    with opened(api_of(service_url), undo_seconds=10) as one:
        yield one


@pytest.fixture
def counter(console: Opened, bakery: Bakery, due: list[Callable[[], None]]) -> Counter:
    return Counter(console, bakery, due=due)


@pytest.fixture
def other_desk(
    service_url: str, bakery: Bakery, due: list[Callable[[], None]]
) -> Iterator[Counter]:
    with opened(api_of(service_url), undo_seconds=10) as console:
        yield Counter(console, bakery, "Room 3", due)


def test_the_next_person_is_called_to_the_desk(counter: Counter) -> None:
    counter.bakery.sign_up("ada", "bob")
    assert "No one is called to this desk." in counter.text
    assert "ada has been called to Room 2." in counter.call_next()
    assert counter.called == ["ada"]
    (shown,) = [counter.bakery.typed.json("show", counter.bakery.waitlist_id, "--customer", "ada")]
    assert shown["call"]["to"] == ROOM
    assert counter.bakery.status("bob") == "waiting"


def test_the_browser_remembers_the_desk(counter: Counter) -> None:
    counter.room = "Schalter Ä; 2"
    counter.bakery.sign_up("ada")
    counter.call_next()
    assert 'value="Schalter Ä; 2"' in counter.console.page(counter.path)


@pytest.mark.parametrize(
    ("room", "says"),
    [("", "Enter the name of this desk"), ("a" * 300, "may have at most 60 characters")],
)
def test_a_desk_without_a_usable_name_calls_nobody(counter: Counter, room: str, says: str) -> None:
    """If a desk's name is not valid, the console shows the error at the field and puts the focus
    there.
    """
    counter.bakery.sign_up("ada")
    sent = counter.console.send(counter.path, room=room, key=counter.key)
    assert says in readable(sent.text)
    assert 'aria-invalid="true" aria-describedby="room-problem"' in sent.text
    assert 'data-focus="room"' in sent.text
    assert counter.bakery.status("ada") == "waiting"


def test_pressing_call_next_twice_calls_one_person(counter: Counter) -> None:
    counter.bakery.sign_up("ada", "bob")
    key = counter.key
    counter.call_next(key)
    assert "ada has been called to Room 2." in counter.call_next(key)
    assert counter.called == ["ada"]
    counter.call_next()
    assert sorted(counter.called) == ["ada", "bob"]
    assert "No one can be called now." in counter.call_next()


@pytest.mark.parametrize(
    ("button", "label", "status"),
    [
        ("arrived", "Arrived", "admitted"),
        ("no-show", "No-show", "left"),
        ("skip", "Skip", "waiting"),
    ],
)
def test_a_call_ends_when_it_can_no_longer_be_undone(
    counter: Counter, button: str, label: str, status: str
) -> None:
    counter.bakery.sign_up("ada")
    counter.call_next()
    assert f"{label}: ada. This happens in 10 s." in counter.press("ada", button)
    assert (counter.called, counter.bakery.status("ada")) == ([], "offered")
    counter.wait()
    assert (counter.called, counter.bakery.status("ada")) == ([], status)


@pytest.mark.parametrize("button", ["arrived", "no-show", "skip"])
def test_an_undone_decision_has_no_effect(counter: Counter, button: str) -> None:
    counter.bakery.sign_up("ada")
    counter.call_next()
    counter.press("ada", button)
    assert "Undone: ada is still called." in counter.press("ada", "undo")
    counter.wait()
    assert (counter.called, counter.bakery.status("ada")) == (["ada"], "offered")
    assert "no longer be undone" in counter.press("ada", "undo")


def test_a_person_who_was_called_by_mistake_can_be_called_next(counter: Counter) -> None:
    counter.bakery.sign_up("ada", "bob")
    counter.call_next()
    assert "ada is waiting again." in counter.press("ada", "put-back")
    assert (counter.called, counter.bakery.status("ada")) == ([], "waiting")
    counter.call_next()
    assert counter.called == ["ada"]


def test_a_person_who_was_put_back_by_mistake_is_called_again(counter: Counter) -> None:
    counter.bakery.sign_up("ada", "bob")
    counter.call_next()
    counter.press("ada", "put-back")
    assert "Put back: ada" in counter.text
    assert "Undone: ada is called again." in counter.press("ada", "undo")
    assert counter.called == ["ada"]
    assert "no longer be undone" in counter.press("ada", "undo")
    counter.press("ada", "arrived")
    counter.wait()
    assert counter.bakery.status("ada") == "admitted"


@pytest.mark.parametrize("button", ["arrived", "no-show", "skip", "put-back"])
def test_a_button_of_an_earlier_call_does_not_end_the_next_call(
    counter: Counter, button: str
) -> None:
    """A second browser tab or a repeated request can still contain the buttons of a call that has
    ended.
    """
    counter.bakery.sign_up("ada")
    counter.call_next()
    earlier = counter.call_id("ada")
    counter.press("ada", "put-back")
    ended = "This call has already ended."
    assert ended in readable(counter.send("ada", button, earlier).text)
    counter.call_next()
    assert ended in readable(counter.send("ada", button, earlier).text)
    counter.wait()
    assert (counter.called, counter.bakery.status("ada")) == (["ada"], "offered")


@pytest.mark.parametrize("button", ["arrived", "no-show", "skip"])
def test_a_waiting_decision_does_not_end_a_later_call(counter: Counter, button: str) -> None:
    counter.bakery.sign_up("ada")
    counter.call_next()
    counter.press("ada", button)
    for command in ("remove", "reinstate"):
        counter.bakery.typed.run(command, counter.bakery.waitlist_id, "--customer", "ada")
    counter.call_next()
    counter.wait()
    assert (counter.called, counter.bakery.status("ada")) == (["ada"], "offered")


@pytest.mark.parametrize("button", ["arrived", "no-show", "skip"])
def test_a_waiting_decision_makes_room_for_the_next_call(counter: Counter, button: str) -> None:
    """The waitlist allows one claim at a time."""
    counter.bakery.typed.run("edit", counter.bakery.waitlist_id, "--max-claims", "1")
    counter.bakery.sign_up("ada", "bob")
    counter.call_next()
    counter.press("ada", button)
    counter.call_next()
    assert counter.called == ["bob"]


def test_a_person_who_was_put_back_on_a_paused_list_is_called_next(counter: Counter) -> None:
    counter.bakery.sign_up("ada", "bob")
    counter.call_next()
    counter.bakery.typed.run("pause", counter.bakery.waitlist_id)
    assert "Put back: ada. This happens in 10 s." in counter.press("ada", "put-back")
    counter.bakery.typed.run("resume", counter.bakery.waitlist_id)
    counter.call_next()
    assert counter.called == ["ada"]
    assert counter.bakery.status("bob") == "waiting"


def test_only_the_last_decision_about_a_person_can_be_undone(counter: Counter) -> None:
    counter.bakery.sign_up("bob", "ada")
    ada = person(counter.console, counter.bakery, "ada")
    ada.do("bump", where="front")
    counter.call_next()
    counter.press("ada", "put-back")
    # The service cannot reverse a person's second move, so this move waits ten seconds.
    assert "This happens in 10 s." in ada.do("bump", where="front")
    assert counter.console.page(counter.path).count(">Undo<") == 1


def test_a_person_whom_another_desk_has_called_is_not_called_back(
    counter: Counter, other_desk: Counter
) -> None:
    counter.bakery.sign_up("ada")
    counter.call_next()
    counter.press("ada", "put-back")
    other_desk.call_next()
    entry_id = entry_id_of(counter.bakery.waitlist_id, "ada")
    refused = counter.console.send(f"{counter.path}/{entry_id}/undo")
    assert "Somebody else has just called ada to Room 3." in readable(refused.text)
    assert other_desk.called == ["ada"]


def test_a_person_is_called_again(counter: Counter) -> None:
    counter.bakery.sign_up("ada")
    counter.call_next()
    assert "ada has been called to Room 2 again." in counter.press("ada", "call")
    history = counter.bakery.typed.json("history", counter.bakery.waitlist_id, "--customer", "ada")
    assert [event["event"] for event in history["history"]].count("called") == 2


def test_two_desks_call_different_people_and_see_each_other(
    counter: Counter, other_desk: Counter
) -> None:
    counter.bakery.sign_up("ada", "bob")
    counter.call_next()
    other_desk.call_next()
    assert (counter.called, other_desk.called) == (["ada"], ["bob"])
    assert "At other desks bob Room 3" in counter.text
    assert "At other desks ada Room 2" in other_desk.text


def test_a_decision_about_a_person_whom_another_desk_has_taken_changes_nothing(
    counter: Counter, other_desk: Counter
) -> None:
    counter.bakery.sign_up("ada")
    counter.call_next()
    token = counter.bakery.typed.json("show", counter.bakery.waitlist_id, "--customer", "ada")
    counter.press("ada", "no-show")
    removed = counter.bakery.typed("remove", counter.bakery.waitlist_id, "--customer", "ada")
    assert (token["status"], removed.exit_code) == ("offered", 0)
    counter.bakery.typed("reinstate", counter.bakery.waitlist_id, "--customer", "ada")
    other_desk.call_next()
    counter.wait()
    assert counter.bakery.status("ada") == "offered"
    assert "No-show: ada." in counter.text


def test_decisions_are_sent_when_the_console_ends(
    service_url: str, bakery: Bakery, due: list[Callable[[], None]]
) -> None:
    bakery.sign_up("ada")
    with opened(api_of(service_url), undo_seconds=10) as console:
        counter = Counter(console, bakery, due=due)
        counter.call_next()
        counter.press("ada", "arrived")
    assert bakery.status("ada") == "admitted"


def test_the_page_of_a_person_calls_to_the_desk_of_this_browser(counter: Counter) -> None:
    """The dialog for calling a person suggests the desk that was used last. The call lasts as long
    as a call from the *Counter* page.
    """
    counter.bakery.sign_up("ada", "bob", "cyd")
    counter.bakery.typed.run("edit", counter.bakery.waitlist_id, "--lease", "840")
    counter.call_next()
    cyd = person(counter.console, counter.bakery, "cyd")
    form = cyd.form("claim-person")
    assert (form["call_to"], form["lease_seconds"]) == (ROOM, "840")
    assert 'value="840" selected>14 min<' in counter.console.page(f"{cyd.path}/claim-person")
    assert (
        cyd.do("claim-person", **{**form, "call_to": "Room 7"}) == "cyd has been called to Room 7."
    )
    assert sorted(counter.called) == ["ada", "cyd"]
    assert person(counter.console, counter.bakery, "ada").form("call")["to"] == "Room 7"
    for name in ("ada", "cyd"):
        shown = counter.bakery.typed.json("show", counter.bakery.waitlist_id, "--customer", name)
        left = datetime.fromisoformat(shown["claimed_until"]) - datetime.now(UTC)
        assert timedelta(minutes=12) < left <= timedelta(minutes=14)


def test_people_who_are_passed_over_stand_beside_the_next_people(counter: Counter) -> None:
    """The page lists each waiting person once. People who cannot be called now are listed as passed
    over.
    """
    counter.bakery.sign_up("ada", "bob", "cyd")
    ada = person(counter.console, counter.bakery, "ada")
    ada.do("hold-back", reason="Lab result missing")
    assert "3 waiting, 1 of them passed over" in counter.text
    assert "Next bob cyd Passed over ada held back Lab result missing Make ready… ada" in (
        counter.text
    )
    assert f'hx-get="{ada.path}/ready"' in counter.console.page(counter.path)
    ada.do("ready")
    assert "Next ada bob cyd At other desks" in counter.text


def test_the_page_of_a_person_calls_nobody_to_no_place(counter: Counter) -> None:
    counter.bakery.sign_up("ada")
    ada = person(counter.console, counter.bakery, "ada")
    refused = counter.console.send(f"{ada.path}/claim-person", call_to=" ", lease_seconds="1800")
    assert 'data-field="call_to"' in refused.text
    assert "Enter the place" in readable(refused.text)
    assert counter.bakery.status("ada") == "waiting"


def test_a_claimed_person_is_called_at_the_counter(counter: Counter) -> None:
    counter.bakery.sign_up("ada")
    base = f"/lists/{counter.bakery.waitlist_id}"
    counter.console.submit(f"{base}/serve", count="1")
    assert "Not called to a desk yet." in counter.text
    assert "Enter the name of this desk" in counter.press("ada", "call")
    path = f"{counter.path}/{entry_id_of(counter.bakery.waitlist_id, 'ada')}/call"
    assert "ada has been called to Room 2." in readable(counter.console.send(path, room=ROOM).text)
    shown = counter.bakery.typed.json("show", counter.bakery.waitlist_id, "--customer", "ada")
    assert shown["call"]["to"] == ROOM


def test_the_page_says_when_a_call_ends_and_warns_before(counter: Counter) -> None:
    counter.bakery.sign_up("ada")
    counter.call_next()
    ada = person(counter.console, counter.bakery, "ada")
    for seconds, says in (("120", "Call ends at"), ("20", "The call to ada ends soon, at")):
        ada.do("extend", lease_seconds=seconds)
        assert re.search(rf"{says} \d\d:\d\d:\d\d\.", counter.text)
        assert ('role="alert">The call' in counter.console.page(counter.path)) == (seconds == "20")


def test_receptionists_read_no_technical_words(counter: Counter) -> None:
    counter.bakery.sign_up("ada", "bob")
    ada, bob = (person(counter.console, counter.bakery, name) for name in ("ada", "bob"))
    base = f"/lists/{counter.bakery.waitlist_id}"
    texts = [counter.console.text(f"{bob.path}/claim-person"), counter.call_next(), ada.text]
    for dialog in ("complete", "call", "release", "extend", "park", "remove"):
        texts.append(counter.console.text(f"{ada.path}/{dialog}"))
    texts.append(ada.do("extend", lease_seconds="600"))
    call_id = counter.call_id("ada")
    texts += [ada.do("park", reason="has gone to the toilet"), counter.text]
    counter.wait()
    texts.append(readable(counter.send("ada", "arrived", call_id).text))
    texts.append(counter.console.submit_refused(f"{ada.path}/call", to=ROOM))
    texts += [ada.text, counter.console.text(f"{ada.path}/redrive")]
    texts += [
        counter.console.text(f"{base}{page}") for page in ("/people", "/people?status=parked")
    ]
    texts += [counter.console.text(f"{base}/do/{dialog}") for dialog in ("notice", "message")]
    texts.append(ada.do("redrive", parked_at=ada.form("redrive")["parked_at"]))
    assert [
        found
        for text in texts
        for found in re.findall(r"(?i).{0,20}\b(?:claim|lease|park)(?!_token).{0,9}", text)
    ] == []


@pytest.mark.parametrize("page", ["/counter", "/people"])
def test_people_are_added_at_the_counter_and_on_the_page_people(
    counter: Counter, page: str
) -> None:
    base = f"/lists/{counter.bakery.waitlist_id}"
    assert f'hx-get="{base}/do/add"' in counter.console.page(f"{base}{page}")


def test_the_next_people_lead_to_their_pages_and_back(counter: Counter) -> None:
    counter.bakery.sign_up("ada")
    ada = person(counter.console, counter.bakery, "ada")
    assert f'href="{ada.path}"><bdi>ada</bdi></a>' in counter.console.page(counter.path)
    assert f'href="{counter.path}"' in counter.console.page(ada.path)


def test_a_desk_learns_that_another_desk_has_just_called_the_person(
    counter: Counter, other_desk: Counter
) -> None:
    counter.bakery.sign_up("ada")
    other_desk.call_next()
    ada = person(counter.console, counter.bakery, "ada")
    refused = counter.console.submit_refused(f"{ada.path}/claim-person", call_to=ROOM)
    assert "Somebody else has just called ada to Room 3." in refused
    assert "not_waiting" not in refused


def test_the_counter_shows_the_answers_in_the_words_of_the_questions(counter: Counter) -> None:
    ask(counter.bakery, [{"name": "name", "label": "Name"}, {"name": "why", "label": "Reason"}])
    for name in ("ada", "bob"):
        counter.bakery.sign_up(name, profile={"name": name, "why": "A cake"})
        counter.call_next()
    assert counter.called == ["bob", "ada"]
    page = counter.console.page(counter.path)
    shown = [readable(one) for one in re.findall(r'<dl class="facts brief">.*?</dl>', page)]
    assert shown == ["Reason A cake", "Reason A cake"]
