"""The groups of cases that fail today, each with its reason; a repair takes its group off the list.

A problem belongs to the first group that covers it. `example` is a case that must fail still: one
that does not is an error, so that the list shrinks as repairs land.
"""

from collections.abc import Callable
from dataclasses import dataclass

from proof import beginnings
from proof.cases import Result
from proof.oracle import Problem
from proof.pairs import Pair
from proof.singles import THE_END, Single

Covers = Callable[[Result, Problem], bool]
REBUILDS = ("Redis lost and rebuilt", "Redis lost, maintenance", "rebuilt from", "rebuilt through")
NEWCOMERS = ("signup", "rejoin")
LEAVERS = ("leave", "remove", "erase", *NEWCOMERS)
CLAIMS = ("claim", "dequeue")
LOOKERS = ("look", "bump")
HOLDERS = ("release", "extend", "park")


@dataclass(frozen=True)
class Known:
    """One group of failing cases with one cause."""

    name: str
    reason: str
    example: str
    covers: Covers


def _fault(result: Result) -> str:
    return result.case.fault if isinstance(result.case, Single) else ""


def _is_of(result: Result, *names: str) -> bool:
    return isinstance(result.case, Single) and result.case.operation.startswith(names)


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
        beginnings.is_cold(result.case.beginning)
        or "Redis" in _fault(result)
        or (_fault(result).startswith("rebuilt"))
    )


def _is_replica(result: Result) -> bool:
    is_behind = _fault(result).startswith("Redis") and _fault(result).endswith("behind")
    return is_behind or result.case.beginning.endswith("forgotten")


def _is_looked_at(result: Result) -> bool:
    """Whether somebody surely asks about a forgotten place, which brings it back."""
    return _is_pair(result, LOOKERS, ("",))


def _is_rebuilt_within(result: Result) -> bool:
    case = result.case
    is_within = isinstance(case, Single) and case.step > 0 and result.where != THE_END
    return is_within and _fault(result).startswith(REBUILDS)


KNOWN: tuple[Known, ...] = (
    Known(
        "counters after a loss",
        "Redis counts signups, leaves and admissions; after a loss the counts go on from those"
        " that maintenance last noted.",
        "leave / waiting / Redis lost / step 3 / gives up",
        lambda result, problem: problem.kind == "counter" and _has_lost_redis(result),
    ),
    Known(
        "an admission at once is cut off and not counted",
        "The record has the person admitted, the hold in Redis ends by time and is dropped: only"
        " `complete` counts an admission.",
        "dequeue / waiting / crash after / step 1 / gives up",
        lambda result, problem: (
            problem.kind == "counter"
            and (_is_of(result, "dequeue") or _is_pair(result, ("dequeue",), ("",)))
            and not _is_pair(result, ("dequeue",), LEAVERS)
        ),
    ),
    Known(
        "one who leaves while given out is not counted as having left",
        "A claim or a complete that comes between the intent to leave and Redis drops the place,"
        " or counts an admission that the record refuses.",
        "leave + complete / held / ABAAB",
        lambda result, problem: (
            problem.kind == "counter"
            and (
                _is_pair(result, LEAVERS, (*CLAIMS, "complete"))
                or result.case.beginning in ("leaving", "complete unrecorded")
            )
        ),
    ),
    Known(
        "answers of a lagging replica",
        "A replica took over that lacked acknowledged writes: positions and totals are told as"
        " it has them until somebody looks.",
        "signup / absent / Redis 2 behind / step 0 / gives up",
        lambda result, problem: problem.kind in ("answer", "position") and _is_replica(result),
    ),
    Known(
        "places of a lagging replica",
        "Maintenance sees an order that is warm and compares nothing: a lost place comes back"
        " when its customer looks, one that was given up goes when it is claimed.",
        "leave / waiting / Redis 3 behind / step 0 / gives up",
        lambda result, problem: (
            _is_replica(result) and (problem.kind == "counter" or not _is_looked_at(result))
        ),
    ),
    Known(
        "an expiry that Redis alone has noticed",
        "A bump records the place of somebody whose hold has ended, and not the attempt; where"
        " Redis is lost before maintenance records it, nobody knows of it.",
        "bump by places / over, noticed / Redis lost / step 1 / gives up",
        lambda result, _: (
            result.case.beginning.startswith("over, noticed") and _has_lost_redis(result)
        ),
    ),
    Known(
        "Redis lost and wholly rebuilt between a decision and its record",
        "The rebuild does not know the decision, so that its record holds from the next rebuild"
        " on.",
        "release to the back / held / Redis lost and rebuilt / step 1 / gives up",
        lambda result, _: _is_rebuilt_within(result),
    ),
    Known(
        "the index is behind during a whole rebuild",
        "Both passes read the index: whoever is not in it is not put back, whoever has left and"
        " changed more than 15 minutes ago is not taken out.",
        "leave / waiting since yesterday / rebuilt throughout from an index 2 behind / step 3"
        " / gives up",
        lambda result, _: _fault(result).startswith("rebuilt throughout"),
    ),
    Known(
        "the repeat of a claim is not known after a loss",
        "The key of a claim is in Redis alone.",
        "claim / waiting / time-out with effect, Redis lost / step 1 / retries",
        lambda result, problem: (
            problem.kind == "answer" and _is_of(result, *CLAIMS) and "Redis lost" in _fault(result)
        ),
    ),
    Known(
        "a claim without a key is sent twice by the SDK",
        "It has no key of its own as a bump has: the second delivery takes others, and those of"
        " the first are held for nobody.",
        "claim without a key / waiting / delivered twice / step 0 / gives up",
        lambda result, _problem: (
            _is_of(result, "claim without a key") and _fault(result) == "delivered twice"
        ),
    ),
    Known(
        "an extension is cut off before its record",
        "Redis holds for longer than the record says, and nothing tells maintenance.",
        "extend / held / crash after / step 0 / gives up",
        lambda result, problem: problem.kind == "hold" and _is_of(result, "extend"),
    ),
    Known(
        "the repeat of a claim does not know its later rounds",
        "The key stands for the first round: whoever was taken in place of one who is leaving is"
        " held until time is up, and not told of again.",
        "claim / leaving / crash before / step 8 / retries",
        lambda result, problem: (
            problem.kind in ("answer", "elsewhere", "record", "attempts")
            and result.case.beginning == "leaving"
            and (_is_of(result, "claim") or _is_pair(result, ("claim",), ("claim",)))
        ),
    ),
    Known(
        "a decision about a hold is overwritten by a rebuild",
        "Holds can be released, extended and parked while an order is rebuilt; the second pass"
        " puts them back as the record had them before.",
        "park + rebuild / held, Redis lost / BBBBBBBAAAABBBBBBBBBBBBBBBABBBBBB",
        lambda result, _: _is_pair(result, HOLDERS, ("rebuild",)),
    ),
)


def group_of(result: Result, problem: Problem) -> Known | None:
    """Return the known group of a problem, or None of one that is news."""
    for known in KNOWN:
        if known.covers(result, problem):
            return known
    return None
