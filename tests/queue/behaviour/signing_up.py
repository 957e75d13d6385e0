"""Tests for the `signup` operation.

Each signup gets one place if the waitlist's settings allow it.
"""

from tests.support.line import Line, accepted
from waitlist_queue import keys


def test_a_retried_signup_keeps_its_place(line: Line) -> None:
    """P2"""
    line.init()
    first, _ = line.all_sign_up(["ann", "bob"])
    again = line.signup("ann")
    assert again["outcome"] == "already"
    assert (again["rank"], again["ticket"]) == (first["rank"], first["ticket"])
    assert (again["position"], again["total"]) == (1, 2)
    assert line.stats()["counters"]["signed_up"] == 2


def test_a_signup_is_given_no_count_where_counts_are_hidden(line: Line) -> None:
    """If `hide_counts` is set, the response to a signup contains the position but no counts."""
    line.init()
    line.signup("ann")
    line.init(version=2, hide_counts=True)
    for outcome in ("joined", "already"):
        answer = line.signup("bob")
        assert (answer["outcome"], answer["position"], answer["total"]) == (outcome, 2, None)
    line.init(version=3, hide_counts=False)
    assert line.signup("bob")["total"] == 2


def test_a_repeat_after_a_move_returns_the_stays_ticket(line: Line) -> None:
    """P2"""
    line.init()
    _, bob = line.all_sign_up(["ann", "bob"])
    moved = line.bump("bob", to="front")
    again = line.signup("bob")
    assert (again["outcome"], again["position"]) == ("already", 1)
    assert (again["ticket"], again["rank"]) == (bob["ticket"], moved["rank"])


def test_a_list_is_never_over_its_capacity(line: Line) -> None:
    """A refused signup uses up no ticket number (promise P5)."""
    line.init(capacity=2)
    line.all_sign_up(["ann", "bob"])
    before = line.order(), line.stats()["last_stamp"]
    assert line.signup("eve")["code"] == "waitlist_full"
    assert (line.order(), line.stats()["last_stamp"]) == before
    line.leave("ann")
    assert line.signup("eve", 2)["outcome"] == "joined"
    assert line.signup("kim")["code"] == "waitlist_full"


def test_a_repeat_on_a_full_list_is_no_refusal(line: Line) -> None:
    """P2"""
    line.init(capacity=1)
    line.signup("ann")
    assert line.signup("ann")["outcome"] == "already"


def test_a_closed_list_takes_no_signup_but_repeats_earlier_ones(line: Line) -> None:
    """A customer who signed up before the waitlist closed can repeat the request and gets the same
    response (promise P2).
    """
    line.init()
    line.signup("ann")
    line.init(version=2, open=False)
    before = line.order()
    assert line.signup("bob")["code"] == "waitlist_closed"
    assert line.order() == before
    assert line.signup("ann")["outcome"] == "already"
    line.init(version=3, open=True)
    assert line.signup("bob", 2)["outcome"] == "joined"


def test_a_late_signup_of_an_ended_stay_is_refused(line: Line) -> None:
    """A late copy of a signup message changes nothing if the customer has left (promise P2)."""
    line.init()
    line.all_sign_up(["ann", "bob"])
    line.leave("ann")
    before = line.contents()
    assert line.signup("ann")["code"] == "gone"
    assert line.contents() == before


def test_a_signup_that_arrives_after_its_own_leave_is_refused(line: Line) -> None:
    """P2"""
    line.init()
    assert line.leave("ann")["outcome"] == "absent"
    assert line.signup("ann")["code"] == "gone"
    assert line.signup("ann", stay=2)["outcome"] == "joined"


def test_newer_settings_win_whenever_they_arrive(line: Line) -> None:
    """P2"""
    line.init(version=5, capacity=1)
    assert line.init(version=4, capacity=10)["outcome"] == "exists"
    line.signup("ann")
    assert line.signup("bob")["code"] == "waitlist_full"
    line.init(version=5, capacity=10)
    assert line.signup("bob", 2)["code"] == "waitlist_full"
    line.init(version=6)
    assert line.signup("bob", 3)["outcome"] == "joined"


def test_a_repeat_of_one_who_is_held_is_no_later_than_the_hold(line: Line) -> None:
    """A customer repeats the signup after the entry was claimed. The response has a lower stamp
    (logical timestamp) than the claim, because the claim has not ended (promise P4).
    """
    line.init()
    line.signup("ann")
    claim = accepted(line.claim())
    again = accepted(line.signup("ann"))
    assert again["outcome"] == "already"
    assert again["stamp"] < claim["stamp"]


def test_a_refused_stay_has_ended(line: Line) -> None:
    """If a signup was refused because the waitlist was full, a late copy of the message adds no
    entry when there is room again (promise P2).
    """
    line.init(capacity=1)
    accepted(line.signup("ann"))
    assert line.signup("bob")["code"] == "waitlist_full"
    assert line.insert("cyd")["code"] == "waitlist_full"
    assert line.insert("cyd")["code"] == "waitlist_full", "a repeated signup gets the same response"
    line.leave("ann")
    assert line.signup("bob")["code"] == "gone"
    assert line.insert("cyd")["code"] == "gone"
    accepted(line.signup("bob", 2))


def test_a_stay_that_a_closed_list_refuses_has_ended(line: Line) -> None:
    """P2"""
    line.init(open=False)
    assert line.signup("ann")["code"] == "waitlist_closed"
    line.init(version=2, open=True)
    assert line.signup("ann")["code"] == "gone"


def test_signups_are_taken_from_the_opening_on_and_until_the_closing(line: Line) -> None:
    """Redis' clock decides to the millisecond whether a waitlist has opened or closed.

    A repeated signup succeeds even after the closing time (promise P2).
    """
    opens, closes = line.clock.millis + 10, line.clock.millis + 20
    line.init()
    accepted(line.signup("ann"))
    line.init(version=2, opens_millis=opens, closes_millis=closes)
    answers = {}
    for millis in (opens - 1, opens, closes - 1, closes):
        line.clock.micros = millis * 1000 + 999
        answer = line.signup(f"at {millis}")
        answers[millis] = answer.get("code") or answer["outcome"]
        assert line.signup("ann")["outcome"] == "already"
        accepted(line.insert(f"imported at {millis}"))
    assert list(answers.values()) == ["not_open_yet", "joined", "joined", "waitlist_closed"]
    line.clock.micros = opens * 1000
    assert line.signup(f"at {opens - 1}")["code"] == "gone", "a refused stay has ended"
    line.init(version=3, open=False, opens_millis=opens, closes_millis=closes)
    assert line.signup("bob")["code"] == "waitlist_closed"
    line.clock.micros = (opens - 1) * 1000
    assert line.signup("cyd")["code"] == "waitlist_closed", "the operator's decision comes first"


def test_a_list_without_times_has_nothing_of_them(line: Line) -> None:
    line.init()
    before = line.client.hgetall(keys.OF_WAITLIST["meta"](line.waitlist_id))
    line.init(version=2, opens_millis=line.clock.millis + 1)
    assert line.signup("ann")["code"] == "not_open_yet"
    line.init(version=3, closes_millis=line.clock.millis)
    assert line.signup("ann", 2)["code"] == "waitlist_closed"
    line.init(version=1)
    assert line.signup("ann", 3)["code"] == "waitlist_closed", "older settings change nothing"
    line.init(version=4)
    assert set(line.client.hgetall(keys.OF_WAITLIST["meta"](line.waitlist_id))) == set(before)
    accepted(line.signup("ann", 4))


def test_a_stay_is_ended_unless_it_has_a_place(line: Line) -> None:
    """If the public function refuses a signup, Redis ends this signup, unless it already has a
    place (promise P2).
    """
    line.init()
    accepted(line.signup("ann"))
    assert line.drop("ann", unless_placed=True)["outcome"] == "present"
    assert line.drop("bob", unless_placed=True)["outcome"] == "absent"
    assert line.signup("ann")["outcome"] == "already"
    assert line.signup("bob")["code"] == "gone"
