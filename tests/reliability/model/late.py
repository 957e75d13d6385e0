"""Model checker cases in which a message to Redis or DynamoDB arrives late.

By then, other requests, which are called a story, have changed the same entry. A late message is
either a message that got no answer in time, or a copy of a message that was answered.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from tests.reliability.model import operations
from tests.reliability.model.cases import EVERYTHING, STEP, OfOneOperation, Result, Sample
from tests.reliability.model.history import History
from tests.reliability.model.operations import Operation
from tests.reliability.model.outcomes import outcome_of
from tests.reliability.model.recovery import Judge, recorded_outcome, retried
from tests.reliability.model.requests import (
    Request,
    admit,
    bump,
    claim,
    enter,
    erase,
    leave,
    let_holds_end,
    maintain,
    park,
    redrive,
    run_policy,
    sign_up,
)
from tests.reliability.model.requests.request import NOTHING, Effect
from tests.reliability.model.scenarios import QUESTION
from tests.reliability.model.singles import GIVES_UP, RETRIES, steps_of
from tests.reliability.model.testbed import Snapshot, Testbed
from tests.support.faults import Call, Wire, lost
from tests.support.model import Waitlist
from tests.support.problem import Problem

FOLLOWS = "a copy follows"
LATE = "late after "
# The last word in the names of scenarios in which Redis has lost the entry. Late messages are not
# tested there.
FORGOTTEN = "forgotten"
# Operations on a claim, an offer or a parked entry. All other operations concern a signup.
OF_A_HOLD = ("complete", "release", "extend", "park", "redrive", "enter", "decline", "withdraw")
# Operations that ask customers whether they are still waiting, or answer this question. They are
# tested only in scenarios in which customers are asked.
OF_QUESTIONS = ("ask", "confirm", "end of questions")
# The operations whose messages the model checker delays.
CHECKED = (
    "exit",
    "decline",
    "decline at the place",
    "redrive",
    "redrive to the back",
    "enter",
    "signup",
    "bump to the front",
    "bump by places",
    "admit one",
    "invite",
    "claim",
    "claim one",
    "complete",
    "release to the back",
    "release with a delay",
    "extend",
    "park",
    "withdraw",
    "leave",
    "erase",
    "import",
    *OF_QUESTIONS,
)
# Operations on one or many customers that do not name a signup.
OF_A_CUSTOMER = ("signup", "rejoin", "import", "claim", "invite")
NEXT = "next"
HOWS = (GIVES_UP, RETRIES, FOLLOWS)
_again: tuple[Request, ...] = (
    leave("b"),
    sign_up("b", NEXT),
    bump("b", "to the front", to="front"),
)
# If two moves arrive late, an event in the history may belong to either of them, so the model
# expects no particular event.
_move = replace(bump("b", "to the front", to="front"), event="")
# Run maintenance before the claims end, as would happen in production.
_offered: tuple[Request, ...] = (maintain(), let_holds_end(), admit(5, NEXT))
_held: tuple[Request, ...] = (maintain(), let_holds_end(), claim(5, NEXT))
# For each story, the requests that are sent before the late message arrives. The late message must
# not undo the last request.
STORIES: dict[str, tuple[Request, ...]] = {
    "a minute": (maintain(),),
    "a leave": (leave("b"),),
    "an erasure": (erase("b"),),
    "another's leave": (leave("d"),),
    "a move": (_move,),
    "the next stay": (*_again, maintain()),
    "an offer": _offered,
    "the next stay's offer": (*_again, *_offered),
    "the next stay's admission": (*_again, *_offered, enter("b"), maintain()),
    "a hold": _held,
    "the next stay's hold": (*_again, *_held),
    "a parking": (redrive("b"), *_held, park("b", hold=NEXT)),
    "a recorded parking": (redrive("b"), *_held, park("b", hold=NEXT), maintain()),
}


# An import sends many messages. To save time, they are delayed only in these scenarios.
OF_IMPORTS = ("two absent", "two absent, Redis lost")


def is_searched(operation: Operation, scenario: str) -> bool:
    if operation.name == "import" and scenario not in OF_IMPORTS:
        return False
    if scenario.startswith(QUESTION) and operation.name not in OF_QUESTIONS:
        return False
    return operation.name in CHECKED and not scenario.endswith(FORGOTTEN)


@dataclass(frozen=True)
class Late(OfOneOperation):
    """A case in which a message arrives late. `how` says what the client does before the message
    arrives.
    """

    WORDS: ClassVar[dict[str, str]] = {"story": LATE, "step": STEP}

    story: str
    step: int
    how: str


def late_messages(
    testbed: Testbed, operation: Operation, scenario: str, sample: Sample = EVERYTHING
) -> Iterator[Result]:
    """A story is a series of requests that are sent before the late message arrives.

    In each story, each of the operation's messages arrives late once.
    """
    snapshot = testbed.snapshot_of(scenario)
    run = LateRun(testbed, operation, snapshot)
    for step, name in enumerate(steps_of(testbed, operation.request, snapshot)):
        if name != "Invoke":
            continue
        for how in HOWS:
            if operation.is_maintenance and how != FOLLOWS:
                # No client repeats a maintenance operation. The next maintenance run does the same
                # work.
                continue
            for story in STORIES:
                case = Late(operation.name, scenario, story, step, how)
                if sample.has(case):
                    yield Result(case, tuple(run.problems(case)), name)


def replay(testbed: Testbed, case: Late) -> Result:
    operation = operations.BY_NAME[case.operation]
    run = LateRun(testbed, operation, testbed.snapshot_of(case.scenario))
    return Result(case, tuple(run.problems(case)))


def _bound(operation: Operation, snapshot: Snapshot) -> Request:
    """Return a late message's request.

    It changes nothing if the signup, claim or offer that it was sent for has ended. A late
    invitation invites only customers who joined before it was sent.
    """
    request, there = operation.request, snapshot.line
    for cut_off in snapshot.unanswered:
        there, _ = cut_off.effect(there)
    if operation.name == "invite":
        return _of_earlier_signups(request, there)
    stay = there.stay("b")
    if stay is None or operation.is_maintenance or operation.name.startswith(OF_A_CUSTOMER):
        return request
    is_of_hold = operation.name.startswith(OF_A_HOLD) and operation.name != "decline and leave"

    def is_meant(line: Waitlist) -> bool:
        now = line.stay("b")
        if now is None or now.key != stay.key:
            return False
        return now.hold == stay.hold or not is_of_hold

    def effect(line: Waitlist) -> Effect:
        return request.effect(line) if is_meant(line) else (line, NOTHING)

    def early(line: Waitlist) -> Waitlist:
        return request.early(line) if is_meant(line) else line

    return replace(request, effect=effect, early=early)


def _of_earlier_signups(request: Request, there: Waitlist) -> Request:
    looked = request.look(there).looked

    def seen(line: Waitlist) -> Waitlist:
        return replace(line, looked=line.looked | looked)

    return replace(
        request,
        effect=lambda line: request.effect(seen(line)),
        parts=lambda line: request.parts(seen(line)),
        early=lambda line: request.early(seen(line)),
    )


class LateRun:
    def __init__(self, testbed: Testbed, operation: Operation, snapshot: Snapshot) -> None:
        self._testbed, self._snapshot = testbed, snapshot
        self._request = _bound(operation, snapshot)
        self._judge = Judge(testbed, snapshot)

    def problems(self, case: Late) -> list[Problem]:
        testbed, history = self._testbed, History(self._snapshot.unanswered)
        testbed.begin(self._snapshot)
        messages: list[Call] = []

        def meet(call: Call) -> object:
            messages.append(call)
            return call.make() if case.how == FOLLOWS else lost(call)

        wire = Wire()
        client = testbed.client(wire)
        wire.arm(case.step, meet)
        answer = recorded_outcome(
            history, self._request, lambda: outcome_of(lambda: self._request.send(client))
        )
        if case.how == RETRIES and not answer.is_final:
            answer = retried(testbed, history, self._request)
            if not answer.is_final:
                return [Problem("stuck", f"the last answer is {answer}")]
        for request in STORIES[case.story]:
            self._send(history, request)
        for message in messages:
            # The client has given up, so nothing reads this response.
            message.make()
        # Run the admission policy before maintenance. Otherwise, maintenance could repair a late
        # message's effect before the policy makes a wrong offer.
        self._send(history, run_policy())
        return self._judge.verdict(history)

    def _send(self, history: History, request: Request) -> None:
        recorded_outcome(history, request, lambda: self._testbed.send_elsewhere(request.send))
