"""Tests which responses and which queue orders the history accepts after an import."""

import pytest

from tests.reliability.model import requests
from tests.reliability.model.client import Row
from tests.reliability.model.history import History
from tests.reliability.model.outcomes import Outcome
from tests.support import model
from tests.support.model import Waitlist

FILE = requests.bring("a file", Row("d"), Row("a"), Row("b"))
SILENT = Outcome(verdict="silent")


def answered(*rows: str) -> Outcome:
    return Outcome(verdict="done", rows=rows)


def line_of(*names: str, capacity: int | None = None) -> Waitlist:
    line = Waitlist(capacity=capacity)
    for name in names:
        line = model.joined(line, name, "key")
    return line


def ends_of(
    line: Waitlist, *sent: tuple[requests.Request, Outcome], at_once: bool = False
) -> set[str]:
    history = History()
    began = history.now()
    for request, answer in sent:
        history.note(request, answer, began if at_once else history.now())
    return {"".join(end.of("waiting")) for end in history.ends(line)}


def test_rows_without_a_time_stand_at_the_end_in_their_order() -> None:
    assert ends_of(line_of("a", "c"), (FILE, answered("joined", "already", "joined"))) == {"acdb"}


def test_a_signup_stands_behind_the_rows_that_an_interrupted_import_has_added() -> None:
    signed_up = Outcome(verdict="done", status="waiting", position=3, total=3)
    sent = ((FILE, SILENT), (requests.sign_up("e", "k"), signed_up))
    # The signup may come before, during or after the import, so each of these orders of the queue
    # is possible.
    assert ends_of(line_of("a", "c"), *sent) == {"ace", "acde", "acdbe", "aced", "acedb"}


def test_after_a_repeat_the_order_is_the_order_of_the_file() -> None:
    sent = ((FILE, SILENT), (FILE.again(), answered("joined", "already", "joined")))
    assert ends_of(line_of("a", "c"), *sent) == {"acdb"}


@pytest.mark.parametrize(
    "answer",
    [
        answered("already", "already", "joined"),
        answered("joined", "joined", "joined"),
        answered("joined", "already", "waitlist_full"),
        answered("joined", "already"),
    ],
)
def test_a_false_answer_is_not_explained(answer: Outcome) -> None:
    assert not ends_of(line_of("a", "c"), (FILE, answer))


def test_a_row_without_room_is_refused_and_leaves_no_trace() -> None:
    line = line_of("a", "c", capacity=3)
    assert ends_of(line, (FILE, answered("joined", "already", "waitlist_full"))) == {"acd"}
