"""Tests for the class `History`, which records requests and their responses. It decides whether
there is an order of the requests that explains all responses.
"""

from tests.reliability.model import requests
from tests.reliability.model.history import History
from tests.reliability.model.outcomes import Outcome
from tests.support import model
from tests.support.model import Waitlist

DONE = Outcome(verdict="done")
SILENT = Outcome(verdict="silent")
REFUSED = Outcome(verdict="refused", code="entry_not_found")


def waiting(position: int, total: int) -> Outcome:
    return Outcome(verdict="done", status="waiting", position=position, total=total)


def given(*names: str) -> Outcome:
    return Outcome(verdict="done", given=tuple((name, "token") for name in names))


def line_of(*names: str) -> Waitlist:
    line = Waitlist()
    for name in names:
        line = model.joined(line, name, "key")
    return line


def send_one_after_the_other(*sent: tuple[requests.Request, Outcome]) -> History:
    history = History()
    for request, answer in sent:
        history.note(request, answer, history.now())
    return history


def send_at_once(*sent: tuple[requests.Request, Outcome]) -> History:
    history = History()
    began = history.now()
    for request, answer in sent:
        history.note(request, answer, began)
    return history


def test_an_answered_request_has_taken_effect() -> None:
    history = send_one_after_the_other((requests.sign_up("c", "k"), waiting(3, 3)))
    assert {tuple(end.of("waiting")) for end in history.ends(line_of("a", "b"))} == {
        ("a", "b", "c")
    }


def test_an_unanswered_request_may_have_taken_effect() -> None:
    history = send_one_after_the_other((requests.leave("a"), SILENT))
    assert {tuple(end.of("waiting")) for end in history.ends(line_of("a", "b"))} == {
        ("a", "b"),
        ("b",),
    }


def test_a_false_position_is_not_explained() -> None:
    history = send_one_after_the_other((requests.sign_up("c", "k"), waiting(2, 3)))
    assert history.ends(line_of("a", "b")) == set()


def test_no_entry_is_given_to_two_claimers() -> None:
    history = send_at_once(
        (requests.claim(1, "one"), given("a")),
        (requests.claim(1, "other"), given("a")),
    )
    assert history.ends(line_of("a", "b")) == set()


def test_two_claimers_at_once_share_the_head_of_the_queue() -> None:
    history = send_at_once(
        (requests.claim(1, "one"), given("b")),
        (requests.claim(1, "other"), given("a")),
    )
    assert len(history.ends(line_of("a", "b"))) == 1


def test_the_claim_answered_first_comes_first() -> None:
    late = send_one_after_the_other(
        (requests.claim(1, "one"), given("b")),
        (requests.claim(1, "other"), given("a")),
    )
    assert late.ends(line_of("a", "b")) == set()


def test_the_repeat_of_a_signup_changes_nothing() -> None:
    request = requests.sign_up("b", "k")
    history = send_one_after_the_other(
        (request, SILENT), (request, waiting(2, 2)), (request, waiting(2, 2))
    )
    assert {end.signed_up for end in history.ends(line_of("a"))} == {2}


def test_a_refusal_without_a_reason_is_not_explained() -> None:
    history = send_one_after_the_other((requests.bump("a", "k", to="front"), REFUSED))
    assert history.ends(line_of("a", "b")) == set()
