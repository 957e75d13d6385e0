"""Checks that two workers never had a claim on the same entry at the same time, and that nobody
claimed an entry after its customer was admitted (promise P4).
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from tests.reliability.load.history import ENDS, TAKES, History, Operation
from tests.support.problem import Problem


@dataclass(frozen=True)
class Hold:
    """A claim on an entry, or an offer to its customer.

    `began` and `ended` say when the request began and ended. The claim or offer started at some
    moment in between.
    """

    person: str
    token: str
    began: float
    ended: float


def claim_problems(history: History, lease_seconds: float) -> Iterator[Problem]:
    holds, acts = _holds(history), _acts(history)
    owners: dict[str, str] = {}
    for person, own in holds.items():
        for hold in own:
            if owners.setdefault(hold.token, person) != person:
                yield Problem("held twice", f"{person} and {owners[hold.token]} share a token")
            if any(act.is_done and act.ended < hold.began for act in acts[person, "complete"]):
                yield Problem("admitted twice", f"{person} was claimed after being admitted")
        done = [*acts[person, "complete"], *acts[person, "release"]]
        for first, second in pairwise(own):
            # If two claims run at the same time, the one that was sent later may get the entry
            # first.
            both_ended = max(first.ended, second.ended)
            is_soon = both_ended < first.began + lease_seconds
            was_ended = any(first.began <= act.began < both_ended for act in done)
            if is_soon and not was_ended:
                yield Problem("held twice", f"two workers had claimed {person} at the same time")


def _holds(history: History) -> dict[str, list[Hold]]:
    found: dict[str, list[Hold]] = defaultdict(list)
    for claim in history.of(*TAKES):
        for name, token in claim.taken:
            found[name].append(Hold(name, token, claim.began, claim.ended))
    for own in found.values():
        own.sort(key=lambda hold: hold.began)
    return found


def _acts(history: History) -> dict[tuple[str, str], list[Operation]]:
    found: dict[tuple[str, str], list[Operation]] = defaultdict(list)
    for operation in history.of("complete", "enter", "release"):
        if operation.outcome != "refused":
            kind = ENDS.get(operation.kind, operation.kind)
            found[operation.person, kind].append(operation)
    return found
