"""Groups of cases that are known to fail, each with the reason. A failing case belongs to the first
group that matches it. The `example` of each group must still fail, so that a change that repairs a
group must also remove the group from this list.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tests.reliability.model import scenarios
from tests.reliability.model.cases import Result
from tests.reliability.model.pairs import Pair
from tests.reliability.model.sequences import Sequence
from tests.reliability.model.singles import Single
from tests.support.problem import Problem

Covers = Callable[[Result, Problem], bool]
CLAIMS = ("claim", "dequeue")
ERASERS = ("erase",)
ENDERS = ("complete", "dequeue", "enter")
ENDS_OF_HOLDS = ("released", "parked", "redriven", "admitted", "withdrawn")
# If other entries have got the offers, a case reports problems of these kinds.
OFFERED_TO_OTHERS = ("elsewhere", "record", "history", "attempts")
# If maintenance records an operator's offer, the offer looks like an offer of the policy.
RECORDED_LATE = (*(f"{word} maintenance'" for word in ENDS_OF_HOLDS), "offered policy'")


@dataclass(frozen=True)
class KnownFailure:
    """A group of failing cases that have the same cause."""

    name: str
    reason: str
    example: str
    covers: Covers


def _fault(result: Result) -> str:
    """Return the name of the injected fault, or of the second fault if two faults were injected."""
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
    """Return whether a lost slot can explain the problem: the slot was used for an offer, and then
    went to a different entry or was lost.
    """
    if not result.case.scenario.startswith("slot of"):
        return False
    # A customer who does not accept an offer of this rate leaves the waitlist. If the slot goes to
    # another entry, another customer may leave instead.
    of_stays = ("lost", "revived") if "rate" in result.case.scenario else ()
    return problem.kind in (*OFFERED_TO_OTHERS, "slot", *of_stays)


def _recorded(problem: Problem) -> str:
    """Return the part of a problem text that says what is recorded in the history, without the part
    that says what was expected.
    """
    return problem.text.partition(", not ")[0]


KNOWN_FAILURES: tuple[KnownFailure, ...] = (
    KnownFailure(
        "a redrive after a parking that Redis alone has noticed",
        "If Redis is lost before the redrive, the record does not contain the parking yet, and"
        " still contains the last hold. The redrive is refused until this hold has expired again.",
        "redrive to the back / worn out, noticed / Redis lost / step 2 / gives up",
        lambda result, problem: (
            result.case.scenario.startswith("worn out, noticed")
            and _has_lost_redis(result)
            and problem.kind == "answer"
        ),
    ),
    KnownFailure(
        "answers while a place is lost and no other server has taken over",
        "Redis cannot detect that an entry is missing. Maintenance finds the loss within a minute.",
        "look + claim without a key / place forgotten / AABABBBB",
        lambda result, problem: (
            problem.kind in ("answer", "position") and result.case.scenario.endswith("forgotten")
        ),
    ),
    KnownFailure(
        "the capacity of an order that lacks entries, and no other server has taken over",
        "Redis compares the number of its entries with the capacity in its own copy of the"
        " settings. Until maintenance finds the loss, additional customers may sign up, one for"
        " each lost entry.",
        "signup / full / Redis, unseen, 1 behind / step 0 / gives up",
        lambda result, problem: (
            _is_unseen(result)
            and "full" in result.case.scenario + "full" * ("room for one" in result.case.scenario)
            and problem.kind in ("answer", "revived", "trace", "history")
        ),
    ),
    KnownFailure(
        "who is away, after a failover that the service cannot notice",
        "Only Redis knows who is away. If it loses the run that made a customer away, the customer "
        "is present and may get an offer. If it loses the poll that ended the absence, the "
        "customer is away until the next poll.",
        "poll / away / Redis, unseen, 1 behind / step 0 / gives up",
        lambda result, problem: (
            _is_unseen(result)
            and result.case.scenario.startswith("away")
            and problem.kind in (*OFFERED_TO_OTHERS, "readiness", "answer")
        ),
    ),
    KnownFailure(
        "settings that Redis has lost, and no other server has taken over",
        "Maintenance sends new settings to Redis again each minute. If a customer is admitted"
        " before that, the pass follows the old settings, or there is no pass.",
        "complete / held, policy / Redis, unseen, 1 behind / step 0 / gives up",
        lambda result, problem: (
            _is_unseen(result) and _is_of(result, "complete", "enter") and problem.kind == "inside"
        ),
    ),
    KnownFailure(
        "a run of the policy on an order that lacks changes, and no other server has taken over",
        "If Redis lacks changes, the policy and quotas make offers in the order that Redis has."
        " Lost offers and admissions no longer take room, so this room and the slots of these"
        " offers may be offered again. An offer that is restored from its record does not return"
        " its slot.",
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
        "Redis admits an entry whose erasure has begun, or ends its offer. The record then"
        " refuses the request, but the counter still includes the admission or the decline. If a"
        " slot paid for the admission, the slot is lost.",
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
        "Redis has an offer before the record has it, and the customer may accept or decline"
        " it. If Redis is lost before the offer is recorded, the history lacks the offer, and"
        " the other entries of the same run wait again at their places. If Redis is also rebuilt"
        " within the run, these entries get a second offer, and the history has both offers. In"
        " the same way, the slot of a withdrawn offer may go back to the entry that it was taken"
        " from. An invitation that continues at this time may have read the queue before, so it"
        " invites other entries, which stand behind these.",
        "enter / offered unrecorded / time-out with effect, Redis lost / step 5 / gives up",
        lambda result, problem: (
            (
                result.case.scenario.startswith(("offered unrecorded", "invitation unrecorded"))
                or _is_of(result, "admit run", "withdraw")
            )
            and _has_lost_redis(result)
            and (
                problem.kind in ("history", "elsewhere", "record", "attempts")
                or (_is_of(result, "withdraw") and problem.kind == "answer")
                # If the other entry does not accept its offer, which came from this rate, it leaves
                # the waitlist.
                or (result.case.scenario == "slot of a rate" and problem.kind == "revived")
            )
        ),
    ),
    KnownFailure(
        "a withdrawal while the order is rebuilt",
        "During a rebuild, Redis does not know the rest of the queue, so no other entry gets the"
        " slot at once. The next run offers the slot to the head of the queue. This may be the"
        " entry whose offer was withdrawn.",
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
        "The end of an offer is recorded by the next offer, or by maintenance within a minute."
        " If Redis is lost before that, the record still contains the first offer, and this offer"
        " ends a second time. The same happens if Redis is lost after the no-show is recorded and"
        " before the leave that follows is recorded.",
        "admit / offer over / time-out with effect, Redis lost / step 2 / retries",
        lambda result, problem: (
            result.case.scenario.startswith(("offer over", "no-show noticed"))
            and _has_lost_redis(result)
            and problem.kind in ("history", "elsewhere", "record", "attempts")
        ),
    ),
    KnownFailure(
        "a signup that is refused before the list opens, and Redis is lost",
        "Redis stores the refusal of the signup, and the request then deletes its intent. If"
        " Redis is lost between these two steps, and the list opens while the request pauses for"
        " more than a minute, maintenance completes the signup.",
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
        "Redis has moved the entry, but the record does not contain the move yet. If an operator"
        " reinstates the entry, it gets its recorded place, although a repeat of the move is"
        " answered with success.",
        "redrive to the back + reinstate / parked / ABBBAABBAABBABBBBBAA",
        lambda result, problem: (
            _is_pair(result, ("redrive to the back", "bump"), ("reinstate",))
            and result.case.scenario in ("parked", "leaving")
            and problem.kind in ("order", "history", "answer")
        ),
    ),
    KnownFailure(
        "the repeat of a claim is not known after a loss",
        "Only Redis stores the idempotency key of a claim and the tokens for a repeated claim. A"
        " rebuild leaves out some entries, such as entries that were admitted at once, so a"
        " repeated claim leaves them out too. A repeated admission by hand offers slots again. If"
        " it has `refill`, it starts another quota.",
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
        "Redis has ended the hold, but the request pauses for more than a minute before it"
        " records the end. Therefore, maintenance records the end, and the event lacks the"
        " operator and the reason.",
        "redrive to the back / parked / maintenance / step 2 / gives up",
        lambda result, problem: (
            problem.kind == "history"
            and not isinstance(result.case, Sequence)
            and any(event in _recorded(problem) for event in RECORDED_LATE)
        ),
    ),
)


def group_of(result: Result, problem: Problem) -> KnownFailure | None:
    """Return the known group of a problem, or None if the problem is unknown."""
    for known in KNOWN_FAILURES:
        if known.covers(result, problem):
            return known
    return None
