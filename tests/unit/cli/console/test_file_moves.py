"""The console moves the people in an uploaded file.

Some tests use the real service, and others a fake one.
"""

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.console.files import drop, wait_for_report
from tests.unit.cli.console.opened import Opened, readable
from tests.unit.cli.fake_service import Answer, FakeService, answer, problem

WAITLIST: dict[str, Any] = {
    "waitlist_id": "bakery",
    "name": "Bakery",
    "timezone": "UTC",
    "rebuild": None,
}
MOVE = {"column": "id", "delimiter": ",", "where": "front", "number": "", "reason": "vip"}


def test_the_people_in_a_file_are_moved_to_the_front_in_its_order(
    console: Opened, bakery: Bakery
) -> None:
    bakery.sign_up("ada", "bob", "cyd", "dan")
    page = drop(console, bakery.waitlist_id, "vips.csv", "n;id\n1;dan\n2;eve\n3;bob\n", "move")
    html = console.page(page)
    assert '<option value="id" selected>id: dan · eve · bob</option>' in html
    assert "Move the people of 3 rows" in readable(html)
    assert bakery.line() == ["ada", "bob", "cyd", "dan"]
    assert console.send(page, **{**MOVE, "delimiter": ";"}).headers["HX-Redirect"] == page
    assert "Rows done 3 Moved 2 Refused 1" in wait_for_report(console, page)
    assert bakery.line() == ["dan", "bob", "ada", "cyd"]
    moved = bakery.typed.json("history", bakery.waitlist_id, "--customer", "dan")["history"][-1]
    assert (moved["event"], moved["reason"]) == ("bumped", "vip")
    refused = console.browser.get(f"{page}/refused").text.splitlines()
    names = "n;id;refused_row;refused_code;refused_reason;refused_line;refused_read_as"
    assert refused[0] == f"\ufeff{names}"
    assert refused[1].startswith('"2";"eve";"2";"entry_not_found";')
    assert page in console.page(f"/lists/{bakery.waitlist_id}/move")
    assert page not in console.page(f"/lists/{bakery.waitlist_id}/import")
    assert console.browser.get(page.replace("/move/", "/import/")).status_code == 404


def test_people_are_moved_to_a_priority_and_to_the_back(console: Opened, bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob", "cyd")
    lines = "\n".join(json.dumps({"customer_id": name}) for name in ("bob", "cyd"))
    for where, number, line in (
        ("priority", "9", ["bob", "cyd", "ada"]),
        ("back", "", ["ada", "bob", "cyd"]),
    ):
        page = drop(console, bakery.waitlist_id, "vips.jsonl", lines, "move")
        form = {**MOVE, "column": "customer_id", "where": where, "number": number}
        console.send(page, **form)
        assert "Moved 2 Refused 0" in wait_for_report(console, page)
        assert bakery.line() == line


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"where": "priority"}, "Priority: enter a number from 0 to 255."),
        ({"where": "priority", "number": "256"}, "Priority: enter a number from 0 to 255."),
        ({"where": "places", "number": "3"}, "Priority: enter a number from 0 to 255."),
        ({"column": "name"}, "no column 'name'"),
    ],
)
def test_an_invalid_move_is_refused_before_it_begins(
    scripted: Opened, fake: FakeService, form: dict[str, str], message: str
) -> None:
    fake.answers = {"GET": answer(200, WAITLIST)}
    page = drop(scripted, "bakery", "vips.csv", "id\nada\n", "move")
    assert message in scripted.submit_refused(page, **{**MOVE, **form})
    assert not [path for method, path, *_ in fake.requests if method == "POST"]


class Moves:
    """A fake service that answers requests for moving people.

    A test can delay an answer or replace it.
    """

    def __init__(self, fake: FakeService) -> None:
        self.fake = fake
        self.keys: list[str] = []
        self.on_call: Callable[[int], Answer | None] = lambda _: None

    def answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer:
        if method == "GET":
            return answer(200, WAITLIST)
        self.keys.append(headers["idempotency-key"])
        return self.on_call(len(self.keys)) or answer(200, {"position": 1})


@pytest.fixture
def moves(fake: FakeService, monkeypatch: pytest.MonkeyPatch) -> Moves:
    made = Moves(fake)
    monkeypatch.setattr(fake, "answer", made.answer)
    return made


def test_a_cancelled_move_can_be_continued(scripted: Opened, moves: Moves) -> None:
    reached, may_go_on = threading.Event(), threading.Event()

    def hold(calls: int) -> None:
        if calls == 2:
            reached.set()
            assert may_go_on.wait(60)

    moves.on_call = hold
    rows = "".join(f"c{number}\n" for number in range(5))
    page = drop(scripted, "bakery", "vips.csv", f"id\n{rows}", "move")
    scripted.send(page, **MOVE)
    assert reached.wait(60)
    assert "Moving" in scripted.text(page)
    another = drop(scripted, "bakery", "more.csv", "id\nada\n", "move")
    assert "Another file is being processed for this list" in scripted.submit_refused(
        another, **MOVE
    )
    scripted.submit(f"{page}/cancel")
    may_go_on.set()
    text = wait_for_report(scripted, page)
    assert "Rows done 2 Moved 2" in text
    assert "2 people have been moved. If you continue, the other people are moved too." in text
    scripted.send(page)
    assert "Rows done 5 Moved 5" in wait_for_report(scripted, page)
    assert len(set(moves.keys)) == 5


def test_a_row_without_an_answer_is_sent_again_with_the_same_key(
    scripted: Opened, moves: Moves
) -> None:
    """P2"""
    moves.on_call = lambda calls: (
        problem(403, "forbidden", "It is expired.") if calls == 2 else None
    )
    page = drop(scripted, "bakery", "vips.csv", "id\nada\nx,y\nbob\n", "move")
    scripted.send(page, **{**MOVE, "where": "back"})
    assert "It is expired. forbidden" in wait_for_report(scripted, page)
    scripted.send(page)
    text = wait_for_report(scripted, page)
    assert "Rows done 3 Moved 2 Refused 1" in text
    assert "2 fields, but the header has 1" in text
    first, lost, again = moves.keys
    assert (lost == again, first == lost) == (True, False)
