"""Every outcome that a script's header declares, made to happen once."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.line import Answer, Line
from waitlist_queue.operations import SCRIPTS

LATER_EPOCH = "0000bbbb"


def warm(line: Line) -> Line:
    line.init()
    line.all_sign_up(["ann", "bob"])
    return line


def hydrating(line: Line) -> Line:
    line.init(state="hydrating")
    return line


def left(line: Line) -> Line:
    warm(line).leave("bob")
    return line


def with_settings(line: Line, **settings: Any) -> Line:
    line.init(**settings)
    line.signup("ann")
    return line


def restored(line: Line, rank: int = 1) -> Line:
    line.restore("eve", rank=rank, ticket=rank)
    return line


OUTCOMES: dict[tuple[str, str], Callable[[Line], Answer]] = {
    ("init", "created"): lambda line: line.init(),
    ("init", "exists"): lambda line: warm(line).init(),
    ("init", "warmed"): lambda line: hydrating(line).init(),
    ("init", "cold"): lambda line: line.init(only_if_known=True),
    ("signup", "joined"): lambda line: warm(line).signup("eve"),
    ("signup", "already"): lambda line: warm(line).signup("bob"),
    ("signup", "cold"): lambda line: line.signup("bob"),
    ("signup", "rebuilding"): lambda line: _rebuilding_with_capacity(line).signup("bob"),
    ("signup", "gone"): lambda line: left(line).signup("bob"),
    ("signup", "waitlist_closed"): lambda line: with_settings(line, open=False).signup("bob"),
    ("signup", "waitlist_full"): lambda line: with_settings(line, capacity=1).signup("bob"),
    ("leave", "left"): lambda line: warm(line).leave("bob"),
    ("leave", "absent"): lambda line: left(line).leave("bob"),
    ("leave", "cold"): lambda line: line.leave("bob"),
    ("drop", "dropped"): lambda line: warm(line).drop("bob"),
    ("drop", "absent"): lambda line: left(line).drop("bob"),
    ("drop", "cold"): lambda line: line.drop("bob"),
    ("bump", "moved"): lambda line: warm(line).bump("bob", to="front"),
    ("bump", "repeat"): lambda line: _bumped(line).bump("bob", once=1, to="front"),
    ("bump", "cold"): lambda line: line.bump("bob", to="front"),
    ("bump", "rebuilding"): lambda line: hydrating(line).bump("bob", to="front"),
    ("bump", "not_waiting"): lambda line: left(line).bump("bob", to="front"),
    ("bump", "no_room"): lambda line: restored(warm(line), rank=0).bump("bob", to="front"),
    ("position", "waiting"): lambda line: warm(line).position("bob"),
    ("position", "absent"): lambda line: left(line).position("bob"),
    ("position", "cold"): lambda line: line.position("bob"),
    ("position", "rebuilding"): lambda line: hydrating(line).position("bob"),
    ("page", "page"): lambda line: warm(line).page(),
    ("page", "cold"): lambda line: line.page(),
    ("page", "rebuilding"): lambda line: hydrating(line).page(),
    ("stats", "stats"): lambda line: warm(line).stats(),
    ("stats", "cold"): lambda line: line.stats(),
    ("restore", "restored"): lambda line: warm(line).restore("eve", rank=1, ticket=1),
    ("restore", "present"): lambda line: warm(line).restore("bob", rank=1, ticket=1),
    ("restore", "gone"): lambda line: left(line).restore("bob", rank=1, ticket=1),
    ("restore", "cold"): lambda line: line.restore("bob", rank=1, ticket=1),
    ("restore", "stale_epoch"): lambda line: hydrating(line).restore(
        "bob", rank=1, ticket=1, epoch=LATER_EPOCH
    ),
    ("purge", "purged"): lambda line: line.send("purge"),
}


def _rebuilding_with_capacity(line: Line) -> Line:
    line.init(state="hydrating", capacity=5)
    return line


def _bumped(line: Line) -> Line:
    warm(line).bump("bob", once=1, to="front")
    return line


@pytest.mark.parametrize(("verb", "outcome"), OUTCOMES)
def test_every_outcome_of_every_script_comes_about(line: Line, verb: str, outcome: str) -> None:
    answer = OUTCOMES[verb, outcome](line)
    assert outcome == (answer["outcome"] if answer["ok"] else answer["code"])


def test_no_outcome_is_left_untried() -> None:
    declared = {(name, word) for name, script in SCRIPTS.items() for word in script.outcomes}
    assert set(OUTCOMES) == declared
