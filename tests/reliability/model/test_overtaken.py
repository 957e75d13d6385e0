"""Cases in which other requests arrive between the steps of a request.

A case belongs here if it needs three or more requests, or if `make test` must try every order of
two requests.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement
from typing import Any

import pytest

from tests.reliability.model.client import Row
from tests.reliability.model.history import History
from tests.reliability.model.outcomes import outcome_of
from tests.reliability.model.recovery import Judge, recorded_outcome, retried
from tests.reliability.model.requests import (
    Request,
    bring,
    bump,
    claim,
    complete,
    cut_off,
    edit,
    erase,
    extend,
    forget,
    leave,
    limit_to,
    look_after,
    park,
    redrive,
    release,
    sign_up,
)
from tests.reliability.model.requests.environment import lose_and_rebuild
from tests.reliability.model.scenarios import SIGNUP
from tests.reliability.model.singles import steps_of
from tests.reliability.model.testbed import Testbed
from tests.support.faults import Call, Fault, Wire, before
from tests.support.problem import Problem
from waitlist_queue import keys

NEXT = "next-claim"
next_claim = claim(1, NEXT, newest=True)
next_complete = complete("b", NEXT)


def deliver_twice_around(action: Callable[[], object]) -> Fault:
    def fault(call: Call) -> Any:
        call.make()
        action()
        return call.make()

    return fault


@dataclass(frozen=True)
class Overtaken:
    """A request during which other requests are sent.

    If `is_repeated` is true, the AWS SDK makes the request's first call twice, and the other
    requests are sent between these two calls.
    """

    name: str
    scenario: str
    request: Request
    others: tuple[Request, ...]
    is_repeated: bool = False

    def __str__(self) -> str:
        return self.name


ROWS = (
    Overtaken("release, claim, complete", "held", release("b"), (next_claim, next_complete)),
    Overtaken("redrive, claim, complete", "parked", redrive("b"), (next_claim, next_complete)),
    Overtaken(
        "release, bump, leave", "held", release("b"), (bump("b", "x", to="back"), leave("b"))
    ),
    Overtaken("park, redrive", "held", park("b"), (redrive("b"),)),
    Overtaken("complete, rejoin", "admitted", complete("b"), (sign_up("b", "again"),)),
    Overtaken(
        "complete again, rejoin", "admitted, reconciled", complete("b"), (sign_up("b", "again"),)
    ),
    Overtaken("rejoin, leave", "inside, full", sign_up("b", "again"), (leave("b"),)),
    Overtaken("rejoin, erase", "inside, full", sign_up("b", "again"), (erase("b"),)),
    Overtaken(
        "refused rejoin, leave",
        "inside, full",
        sign_up("b", "again"),
        (limit_to(2), leave("b")),
    ),
    Overtaken("complete of a lost hold", "hold forgotten", complete("b"), ()),
    Overtaken("complete, leave", "held", complete("b"), (leave("b"),)),
    Overtaken("leave, complete", "held", leave("b"), (complete("b"),)),
    Overtaken("extend, release, claim", "held", extend("b"), (release("b"), next_claim)),
    Overtaken("claim, erase", "waiting", claim(3, NEXT), (erase("b"),)),
    Overtaken("bump, claim", "over, noticed", bump("b", "x", to="back"), (next_claim,)),
    Overtaken(
        "expiry, claim, complete", "over, noticed", look_after(), (next_claim, next_complete)
    ),
    Overtaken("repeated release, claim", "held", release("b"), (next_claim,), is_repeated=True),
    Overtaken("repeated redrive", "worn out, noticed", redrive("b"), (), is_repeated=True),
    Overtaken(
        "release again, claim, complete",
        "release unrecorded",
        release("b", to="back"),
        (next_claim, next_complete),
    ),
    Overtaken("release again, leave", "release unrecorded", release("b", to="back"), (leave("b"),)),
    Overtaken(
        "redrive again, claim, complete",
        "redrive unrecorded",
        redrive("b", to="back"),
        (next_claim, next_complete),
    ),
    Overtaken("redrive again, leave", "redrive unrecorded", redrive("b", to="back"), (leave("b"),)),
    # Redis forgets an ended signup after 15 minutes, which have passed in this case.
    Overtaken(
        "late signup, next stay",
        "absent",
        sign_up("b", SIGNUP),
        (
            leave("b", by="operator"),
            lose_and_rebuild(),
            forget("b", keys.tombstones),
            sign_up("b", "again"),
        ),
    ),
    Overtaken(
        "late signup, next intent",
        "absent",
        sign_up("b", SIGNUP),
        (leave("b", by="operator"), cut_off(sign_up("b", "again"), step=1)),
    ),
    Overtaken(
        "late move, next stay",
        "waiting",
        bump("b", "x", to="front"),
        (leave("b"), cut_off(sign_up("b", "again"), step=1)),
    ),
    Overtaken(
        "late move, imported again",
        "waiting",
        bump("b", "x", to="front"),
        (leave("b"), cut_off(bring("x", Row("b")), step=4)),
    ),
    Overtaken(
        "late move, newer move, erase",
        "waiting",
        bump("b", "x", to="front"),
        (bump("b", "y", to="back"), erase("b")),
    ),
    Overtaken(
        "edit, leave, rejoin", "waiting", edit("b", "x"), (leave("b"), sign_up("b", "again"))
    ),
)


def placements(testbed: Testbed, row: Overtaken) -> Iterator[tuple[int, ...]]:
    """For each of the other requests, choose the step before which it is sent. Yield every
    combination of such steps.
    """
    steps = range(len(steps_of(testbed, row.request, testbed.snapshot_of(row.scenario))))
    if row.is_repeated:
        yield (0,) * len(row.others)
    else:
        yield from combinations_with_replacement(steps, len(row.others))


def problems(
    testbed: Testbed, judge: Judge, row: Overtaken, placement: tuple[int, ...]
) -> list[Problem]:
    snapshot = testbed.snapshot_of(row.scenario)
    testbed.begin(snapshot)
    history = History(snapshot.unanswered)
    wire = Wire()
    client = testbed.client(wire)

    def send_others(step: int) -> None:
        for other, at in zip(row.others, placement, strict=True):
            if at == step and other.unanswered:
                testbed.send_elsewhere(other.send)
                history.leave_unanswered(other.unanswered)
            elif at == step:
                recorded_outcome(history, other, partial(testbed.send_elsewhere, other.send))

    fault = deliver_twice_around if row.is_repeated else before
    for step in {0, *placement}:
        wire.also(step, fault(partial(send_others, step)))
    answer = recorded_outcome(
        history, row.request, lambda: outcome_of(lambda: row.request.send(client))
    )
    if not answer.is_final:
        answer = retried(testbed, history, row.request)
    if not answer.is_final:
        return [Problem("stuck", f"the last answer is {answer}")]
    return judge.verdict(history)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_single_order_explains_an_overtaken_request(testbed: Testbed, row: Overtaken) -> None:
    """Other requests arrive between the steps of a request. A single order of the requests must
    explain all responses, both stores and the history (promises P1, P2, P3, P4, P6 and P8).
    """
    judge = Judge(testbed, testbed.snapshot_of(row.scenario))
    wrong = {
        placement: found
        for placement in placements(testbed, row)
        if (found := problems(testbed, judge, row, placement))
    }
    assert not wrong, "\n".join(f"{where}: {[*map(str, what)]}" for where, what in wrong.items())
