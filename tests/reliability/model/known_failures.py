"""Groups of model checker cases that are known to fail, each with the reason.

A failing case belongs to the first group that matches. Each group's `example` must still fail. If a
change to the service fixes it, the group must be removed.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tests.reliability.model import scenarios
from tests.reliability.model.cases import Result
from tests.reliability.model.late import FOLLOWS, Late
from tests.reliability.model.pairs import Pair
from tests.reliability.model.sequences import Sequence
from tests.reliability.model.singles import Single
from tests.support.problem import Problem

Covers = Callable[[Result, Problem], bool]
CLAIMS = ("claim", "dequeue")
ERASERS = ("erase",)
ENDERS = ("complete", "dequeue", "enter")
ENDS_OF_HOLDS = ("released", "parked", "redriven", "admitted", "withdrawn")
# The kinds of problems that a case reports if another entry got the offer.
OFFERED_TO_OTHERS = ("elsewhere", "record", "history", "attempts")
# An operator's offer that maintenance records looks like one made by the policy.
RECORDED_LATE = (*(f"{word} maintenance'" for word in ENDS_OF_HOLDS), "offered policy'")


@dataclass(frozen=True)
class KnownFailure:
    name: str
    reason: str
    example: str
    covers: Covers


def _fault(result: Result) -> str:
    if isinstance(result.case, Sequence):
        return result.case.second
    return result.case.fault if isinstance(result.case, Single) else ""


def _is_of(result: Result, *names: str) -> bool:
    case = result.case
    return isinstance(case, Single | Sequence) and case.operation.startswith(names)


def _is_pair(result: Result, some: tuple[str, ...], others: tuple[str, ...]) -> bool:
    case = result.case
    if not isinstance(case, Pair):
        return False
    one, other = case.first, case.second
    return (one.startswith(some) and other.startswith(others)) or (
        other.startswith(some) and one.startswith(others)
    )


def _has_lost_redis(result: Result) -> bool:
    return (
        scenarios.is_cold(result.case.scenario)
        or "Redis" in _fault(result)
        or (_fault(result).startswith("rebuilt"))
    )


def _is_unseen(result: Result) -> bool:
    return "unseen" in _fault(result)


def _is_of_a_slot(result: Result, problem: Problem) -> bool:
    """Each slot allows one offer.

    If an offer's slot is lost, another entry gets the offer, or nobody does.
    """
    if not result.case.scenario.startswith("slot of"):
        return False
    # With this rate, a customer who does not accept an offer leaves the waitlist. If another
    # customer gets the offer instead, that customer leaves.
    of_stays = ("lost", "revived") if "rate" in result.case.scenario else ()
    return problem.kind in (*OFFERED_TO_OTHERS, "slot", *of_stays)


def _recorded(problem: Problem) -> str:
    return problem.text.partition(", not ")[0]


KNOWN_FAILURES: tuple[KnownFailure, ...] = (
    KnownFailure(
        "a redrive after a parking that Redis alone has noticed",
        "An entry was parked because too many claims on it had expired, and Redis lost its "
        "data before DynamoDB recorded this. DynamoDB still has the last claim, so a redrive is "
        "refused.",
        "redrive to the back / worn out, noticed / Redis lost / step 2 / gives up",
        lambda result, problem: (
            result.case.scenario.startswith("worn out, noticed")
            and _has_lost_redis(result)
            and problem.kind == "answer"
        ),
    ),
    KnownFailure(
        "answers while a place is lost and no other server has taken over",
        "Redis itself cannot notice that it has lost an entry. Maintenance notices it within a "
        "minute.",
        "look + claim without a key / place forgotten / AABABBBB",
        lambda result, problem: (
            problem.kind in ("answer", "position") and result.case.scenario.endswith("forgotten")
        ),
    ),
    KnownFailure(
        "the capacity of an order that lacks entries, and no other server has taken over",
        "Redis compares the number of its entries with the capacity. For each entry that it has "
        "lost, one customer too many may sign up, until maintenance notices the loss.",
        "signup / full / Redis, unseen, 1 behind / step 0 / gives up",
        lambda result, problem: (
            _is_unseen(result)
            and "full" in result.case.scenario + "full" * ("room for one" in result.case.scenario)
            and problem.kind in ("answer", "revived", "trace", "history")
        ),
    ),
    KnownFailure(
        "who is away, after a failover that the service cannot notice",
        "Only Redis knows which customers are away. If it forgets that a customer is away, the "
        "customer may get an offer. If it forgets the poll with which a customer came back, the "
        "customer counts as away until the next poll.",
        "poll / away / Redis, unseen, 1 behind / step 0 / gives up",
        lambda result, problem: (
            _is_unseen(result)
            and result.case.scenario.startswith("away")
            and problem.kind in (*OFFERED_TO_OTHERS, "readiness", "answer")
        ),
    ),
    KnownFailure(
        "settings that Redis has lost, and no other server has taken over",
        "If Redis has lost new settings, maintenance sends them again within a minute. A "
        "customer who is admitted before that gets a pass under the old settings, or none.",
        "complete / held, policy / Redis, unseen, 1 behind / step 0 / gives up",
        lambda result, problem: (
            _is_unseen(result) and _is_of(result, "complete", "enter") and problem.kind == "inside"
        ),
    ),
    KnownFailure(
        "a run of the policy on an order that lacks changes, and no other server has taken over",
        "If Redis has forgotten offers and admissions, the policy offers their places again, "
        "in the order of the queue as Redis knows it.",
        "admit run / offered, full / Redis, unseen, 4 behind / step 0 / gives up",
        lambda result, problem: (
            _is_unseen(result)
            and (
                (
                    _is_of(result, "admit with refill")
                    and problem.kind in (*OFFERED_TO_OTHERS, "slot")
                )
                or ("full" in result.case.scenario and problem.kind in OFFERED_TO_OTHERS)
                or (
                    result.case.scenario.startswith("exit unfinished")
                    and problem.kind in (*OFFERED_TO_OTHERS, "inside")
                )
                or _is_of_a_slot(result, problem)
            )
        ),
    ),
    KnownFailure(
        "an admission or a decline that an erasure has overtaken is counted",
        "Redis admits an entry, or ends its offer, while the entry is being erased. DynamoDB "
        "refuses to record this, but Redis has already counted it.",
        "erase of one aside + complete / held / ABAAAAB",
        lambda result, problem: (
            _is_pair(result, ERASERS, (*ENDERS, "decline"))
            and (
                problem.kind == "counter"
                or (_is_pair(result, ERASERS, ENDERS) and _is_of_a_slot(result, problem))
            )
        ),
    ),
    KnownFailure(
        "an offer that is not recorded when Redis is lost",
        "Redis has an offer before the record does, and the customer may accept or decline it."
        " If Redis is lost before the offer is recorded, the offer is missing from the history,"
        " and the run's other entries return to their places in the queue. If Redis is also"
        " rebuilt within the run, these entries get a second offer, and the history has both"
        " offers. In the same way, a withdrawn offer's slot may go back to the entry that it was"
        " taken from. An invitation that continues at this time may have read the queue earlier,"
        " so it invites entries further back instead.",
        "enter / offered unrecorded / time-out with effect, Redis lost / step 5 / gives up",
        lambda result, problem: (
            (
                result.case.scenario.startswith(("offered unrecorded", "invitation unrecorded"))
                or _is_of(result, "admit run", "withdraw")
            )
            and _has_lost_redis(result)
            and (
                problem.kind in ("history", "elsewhere", "record", "attempts", "invitation")
                or (_is_of(result, "invite", "withdraw") and problem.kind == "answer")
                # With this rate, the other customer gets an offer and leaves the waitlist without
                # answering it.
                or (result.case.scenario == "slot of a rate" and problem.kind == "revived")
            )
        ),
    ),
    KnownFailure(
        "a withdrawal while the order is rebuilt",
        "If an offer is withdrawn during a rebuild, Redis does not know yet who is next. After the "
        "rebuild, the first entry gets an offer, even if it is the entry whose offer was "
        "withdrawn.",
        "withdraw + rebuild / offered, full, Redis lost"
        " / BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBAAABB",
        lambda result, problem: (
            _is_pair(result, ("withdraw",), ("rebuild",))
            and scenarios.is_cold(result.case.scenario)
            and problem.kind in ("history", "elsewhere", "record", "attempts")
        ),
    ),
    KnownFailure(
        "a no-show that Redis alone has noticed",
        "A customer misses an offer, and Redis loses its data before DynamoDB has recorded this. "
        "DynamoDB still has the offer, which then ends a second time.",
        "admit / offer over / time-out with effect, Redis lost / step 2 / retries",
        lambda result, problem: (
            result.case.scenario.startswith(("offer over", "no-show noticed"))
            and _has_lost_redis(result)
            and problem.kind in ("history", "elsewhere", "record", "attempts")
        ),
    ),
    KnownFailure(
        "a signup that is refused before the list opens, and Redis is lost",
        "Redis refuses a signup and then loses its data, and the request is interrupted. "
        "Maintenance does not know about the refusal, and completes the signup once the waitlist "
        "has opened.",
        "signup / opening / Redis lost, maintenance / step 2 / gives up",
        lambda result, problem: (
            _is_of(result, "signup")
            and result.case.scenario == "opening"
            and _has_lost_redis(result)
            and problem.kind in ("revived", "trace", "history", "counter")
        ),
    ),
    KnownFailure(
        "a move that a reinstatement overtakes",
        "An operator reinstates an entry before DynamoDB has recorded that the entry was moved. "
        "The entry gets the place that DynamoDB has recorded, and the move is lost.",
        "redrive to the back + reinstate / parked / ABBBAABBAABBABBBBBAA",
        lambda result, problem: (
            _is_pair(result, ("redrive to the back", "bump"), ("reinstate",))
            and result.case.scenario in ("parked", "leaving")
            and problem.kind in ("order", "history", "answer")
        ),
    ),
    KnownFailure(
        "the repeat of a claim is not known after a loss",
        "Only Redis stores the idempotency keys of claims and of operators' offers. Once Redis has "
        "lost them, a repeated request counts as a new one.",
        "claim / waiting / time-out with effect, Redis lost / step 2 / retries",
        lambda result, problem: (
            _has_lost_redis(result)
            and (
                (
                    problem.kind in (*OFFERED_TO_OTHERS, "answer", "lost", "inside", "question")
                    and (_is_of(result, *CLAIMS) or result.case.subject == "admit")
                )
                or (
                    problem.kind in (*OFFERED_TO_OTHERS, "answer", "slot")
                    and _is_of(result, "admit with refill")
                )
            )
        ),
    ),
    KnownFailure(
        "an end of a hold that maintenance records before its request does",
        "If a request is interrupted after it has ended a claim or an offer in Redis, maintenance "
        "records the end, but the event does not name the operator or the reason.",
        "redrive to the back / parked / maintenance / step 2 / gives up",
        lambda result, problem: (
            problem.kind == "history"
            and not isinstance(result.case, Sequence)
            and any(event in _recorded(problem) for event in RECORDED_LATE)
        ),
    ),
    KnownFailure(
        "a copy of a refused request to admit one person",
        "Redis refuses to admit a person because there is no room inside. A copy of this message "
        "arrives later, when there is room, and the person is admitted.",
        "admit one / away / late after another's leave / step 1 / a copy follows",
        lambda result, problem: (
            isinstance(result.case, Late)
            and (result.case.operation, result.case.how) == ("admit one", FOLLOWS)
            and problem.kind in (*OFFERED_TO_OTHERS, "readiness", "counter")
        ),
    ),
    KnownFailure(
        "an offer that two requests end at the same time",
        "A customer declines an offer and leaves, while the customer sends a second request to "
        "leave, or an operator withdraws the offer. The entry leaves in each case. The counts may "
        "name a different one of the two ends than the history.",
        "leave + decline and leave / invited / ABBAAABAAB",
        lambda result, problem: (
            _is_pair(result, ("decline and leave",), ("leave", "withdraw"))
            and problem.kind in ("history", "counter", "invitation")
        ),
    ),
)


def group_of(result: Result, problem: Problem) -> KnownFailure | None:
    for known in KNOWN_FAILURES:
        if known.covers(result, problem):
            return known
    return None
