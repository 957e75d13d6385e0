"""Groups all clients' operations by customer."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.reliability.load.history import ENDS, History, Operation, Outcome

# If a customer has sent several requests of the same kind, `done` takes precedence over `unknown`,
# and `unknown` over `refused`.
KNOWN: tuple[Outcome, ...] = ("refused", "unknown", "done")
MOVES = frozenset({"places", "to"})


@dataclass
class Person:
    signup: Operation | None = None
    leave: Operation | None = None
    complete: Operation | None = None
    moves: list[Operation] = field(default_factory=list)

    @property
    def is_left(self) -> bool:
        return self.leave is not None and self.leave.is_done

    @property
    def is_admitted(self) -> bool:
        return self.complete is not None and self.complete.is_done

    @property
    def end(self) -> str:
        return "admitted" if self.is_admitted else "left" if self.is_left else ""

    @property
    def must_be_on_list(self) -> bool:
        ends = (self.leave, self.complete)
        may_have_ended = any(
            operation is not None and operation.outcome != "refused" for operation in ends
        )
        return self.signup is not None and self.signup.is_done and not may_have_ended

    @property
    def must_be_off_list(self) -> bool:
        return self.is_left or self.is_admitted

    @property
    def was_moved(self) -> bool:
        return any(operation.outcome != "refused" for operation in self.moves)

    @property
    def asked_at(self) -> float:
        return self.signup.began if self.signup else 0.0

    @property
    def acknowledged_at(self) -> float:
        return self.signup.ended if self.signup and self.signup.is_done else float("inf")


def people_of(history: History) -> dict[str, Person]:
    people: dict[str, Person] = {}
    for operation in history.of("signup"):
        people[operation.person] = Person(signup=operation)
    for operation in history.of(*ENDS):
        person, end = people[operation.person], ENDS[operation.kind]
        setattr(person, end, _better(getattr(person, end), operation))
    for operation in history.of("bump"):
        if MOVES & operation.asked.keys():
            people[operation.person].moves.append(operation)
    for operation in history.of("admit"):
        # An entry moves to the back of the queue if its customer does not accept an offer in time.
        for name, _ in operation.taken:
            people[name].moves.append(operation)
    return people


def _better(known: Operation | None, other: Operation) -> Operation:
    if known is None:
        return other
    return max(known, other, key=lambda operation: KNOWN.index(operation.outcome))


def totals(people: Mapping[str, Person]) -> dict[str, int]:
    return {
        "signed up": sum(bool(one.signup and one.signup.is_done) for one in people.values()),
        "left": sum(one.is_left for one in people.values()),
        "admitted": sum(one.is_admitted for one in people.values()),
    }
