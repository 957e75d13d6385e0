"""Tests for customers who are asked whether they still want to wait.

If they do not answer in time, Redis ends their wait.
"""

from typing import Any

import pytest

from tests.support.line import Line, accepted

PEOPLE = ["ann", "bob", "eve"]


def asked(line: Line, *names: str, **settings: Any) -> Line:
    line.init(**settings)
    line.all_sign_up(PEOPLE)
    for name in names:
        assert line.ask(name, version=1)["outcome"] == "tagged"
    return line


def state(line: Line, name: str) -> str:
    return str(accepted(line.position(name))["outcome"])


def test_an_entry_that_is_asked_waits_as_before(line: Line) -> None:
    """P1, P6"""
    asked(line, "ann")
    found = accepted(line.position("ann"))
    assert (found["position"], found["not_ready"]) == (1, [])
    assert found["confirm_by_millis"] == line.clock.millis + 60_000
    assert list(line.claimed()) == ["ann"]


@pytest.mark.parametrize(("action", "after"), [("park", "parked"), ("leave", "no_show")])
def test_silence_takes_an_entry_off_the_queue(line: Line, action: str, after: str) -> None:
    asked(line, "ann")
    line.clock.advance(seconds=60, micros=-1000)
    assert line.end_wait("ann", action)["outcome"] == "kept", "by Redis' clock it is too early"
    line.clock.advance(micros=1000)
    assert line.end_wait("ann", action)["outcome"] == "ended"
    assert state(line, "ann") == after
    assert line.order() == ["bob", "eve"]
    (place,) = [one for one in line.expire(min_age_seconds=0)["places"] if one["state"] == after]
    assert [one["verb"][:10] for one in place["decisions"]] == ["unanswered"]


def test_silence_moves_an_entry_to_the_end(line: Line) -> None:
    asked(line, "ann")
    line.clock.advance(seconds=60)
    ticket = line.position("ann")["ticket"]
    assert line.end_wait("ann", "to_back")["outcome"] == "ended"
    found = accepted(line.position("ann"))
    assert (line.order(), found["ticket"]) == (["bob", "eve", "ann"], ticket)
    assert found["confirm_by_millis"] == 0


def test_a_late_message_ends_no_other_wait(line: Line) -> None:
    """A customer did not answer a question in time. A late message about this does not end their
    wait if they have signed up again or been asked again since (promise P8).
    """
    asked(line, "ann", "bob")
    line.clock.advance(seconds=60)
    found = line.position("ann")
    late = {name: found[name] for name in ("ticket", "confirm_by_millis")}
    assert line.end_wait("ann")["outcome"] == "ended"
    assert line.end_wait("ann", **late)["outcome"] == "kept"
    line.redrive("ann")
    assert line.end_wait("ann", **late)["outcome"] == "kept"
    line.ask("ann", version=2)
    line.clock.advance(seconds=60)
    assert line.end_wait("ann", **late)["outcome"] == "kept", "another question"
    found = line.position("bob")
    late = {name: found[name] for name in ("ticket", "confirm_by_millis")}
    line.leave("bob")
    line.signup("bob", stay=2)
    assert line.end_wait("bob", **late)["outcome"] == "kept", "another stay"


def test_a_wait_does_not_end_by_settings_that_have_changed_since(line: Line) -> None:
    """A message based on old settings does not end a customer's wait, because the current settings
    may no longer ask customers anything (promise P2).
    """
    asked(line, "ann")
    line.clock.advance(seconds=60)
    line.init(version=2)
    assert line.end_wait("ann", settings_version=1)["outcome"] == "kept"
    assert line.end_wait("ann", settings_version=2)["outcome"] == "ended"


@pytest.mark.parametrize("meanwhile", ["answered", "held", "resting"])
def test_an_entry_that_no_longer_waits_to_be_taken_is_kept(line: Line, meanwhile: str) -> None:
    asked(line, "ann")
    late = {name: line.position("ann")[name] for name in ("ticket", "confirm_by_millis")}
    line.clock.advance(seconds=60)
    if meanwhile == "answered":
        line.readiness("ann", version=2)
    elif meanwhile == "held":
        line.claimed()
    else:
        line.ask("ann", version=2, seconds=0, held_back=0)
    before = state(line, "ann")
    assert line.end_wait("ann", **late)["outcome"] == "kept"
    assert state(line, "ann") == before


def test_a_list_on_which_no_customer_is_asked_is_as_before(line: Line) -> None:
    asked(line)
    assert line.end_wait("ann")["outcome"] == "kept"
