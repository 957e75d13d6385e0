"""Works out from all clients' requests and responses when each customer may have been in
the queue.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tests.reliability.load.history import ENDS, TAKES, History, Operation


@dataclass(frozen=True)
class Window:
    """The time between a request and its response.

    The response must have been correct at some moment in between.
    """

    began: float
    ended: float


@dataclass(frozen=True)
class Absence:
    """A period when a customer was not in the queue.

    The exact times are unknown. The customer left the queue at some moment during `out` and came
    back at some moment during `back`.
    """

    out: Window
    back: Window = Window(math.inf, math.inf)


@dataclass
class CustomerHistory:
    signup: Operation
    absences: list[Absence] = field(default_factory=list)
    tiers: list[Operation] = field(default_factory=list)
    moved_at: float = math.inf

    @property
    def asked_at(self) -> float:
        return self.signup.began

    @property
    def acknowledged_at(self) -> float:
        return self.signup.ended if self.signup.is_done else math.inf

    def must_wait(self, window: Window) -> bool:
        return self.acknowledged_at <= window.began and all(
            one.out.began > window.ended or one.back.ended <= window.began for one in self.absences
        )

    def may_wait(self, window: Window) -> bool:
        return self.asked_at <= window.ended and not any(
            one.out.ended <= window.began and one.back.began > window.ended for one in self.absences
        )

    def priorities(self, window: Window) -> tuple[int, int]:
        known = [one for one in self.tiers if one.is_done and one.ended <= window.began]
        since = max((one.began for one in known), default=-math.inf)
        possible = [
            int(one.asked["priority"])
            for one in self.tiers
            if one.began <= window.ended and (not one.is_done or one.ended > since)
        ]
        possible += [] if known else [0]
        return min(possible), max(possible)

    def is_moved(self, window: Window) -> bool:
        return self.moved_at <= window.ended


def must_be_ahead(one: CustomerHistory, other: CustomerHistory, window: Window) -> bool:
    if one.is_moved(window) or other.is_moved(window):
        return False
    lowest, highest = one.priorities(window)[0], other.priorities(window)[1]
    return lowest > highest or (lowest == highest and one.acknowledged_at <= other.asked_at)


def may_be_ahead(one: CustomerHistory, other: CustomerHistory, window: Window) -> bool:
    if one.is_moved(window) or other.is_moved(window):
        return True
    highest, lowest = one.priorities(window)[1], other.priorities(window)[0]
    return highest > lowest or (highest == lowest and not other.acknowledged_at <= one.asked_at)


def histories_of(history: History, lease_seconds: float) -> dict[str, CustomerHistory]:
    histories = {
        one.person: CustomerHistory(one) for one in history.of("signup") if not _is_void(one)
    }
    releases = {one.asked["claim_token"]: one for one in history.of("release")}
    for claim in history.of(*TAKES):
        for name, absence in _absences(claim, releases, lease_seconds):
            histories[name].absences.append(absence)
    for operation in _effective(history.of(*ENDS)):
        # A request that got no response may take effect at any later time.
        ended = operation.ended if operation.is_done else math.inf
        histories[operation.person].absences.append(Absence(Window(operation.began, ended)))
    for operation in history.of("bump"):
        known = histories[operation.person]
        if "priority" in operation.asked and operation.outcome != "refused":
            known.tiers.append(operation)
        else:
            # Even if a request to move an entry was refused, an earlier attempt may have moved the
            # entry.
            known.moved_at = min(known.moved_at, operation.began)
    return histories


def count_unnamed(history: History, window: Window) -> int:
    """Return the largest number of entries that unanswered claims may have taken."""
    return sum(
        int(one.asked["count"]) - (_given(one) if one.ended <= window.began else 0)
        for one in history.of(*TAKES)
        if one.began <= window.ended
    )


def _given(claim: Operation) -> int:
    return len(claim.taken) if claim.attempts == 1 else 0


def _absences(
    claim: Operation, releases: Mapping[str, Operation], lease_seconds: float
) -> Iterator[tuple[str, Absence]]:
    for name, token in claim.taken:
        back = Window(claim.began + lease_seconds, math.inf)
        release = releases.get(token)
        if release is not None and not _is_void(release):
            ended = release.ended if release.is_done else math.inf
            back = Window(min(back.began, release.began), ended)
        out = Window(claim.began, claim.ended)
        yield name, Absence(out, back)


def _is_void(operation: Operation) -> bool:
    """An operation that was sent only once and refused had no effect."""
    return operation.outcome == "refused" and operation.attempts == 1


def _effective(operations: Iterable[Operation]) -> Iterator[Operation]:
    return (operation for operation in operations if not _is_void(operation))
