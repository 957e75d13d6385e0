"""What was said to, and of, each customer."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.reliability.load.history import Deed, History, Outcome

# Of several deeds to one end the best known counts.
KNOWN: tuple[Outcome, ...] = ("refused", "unknown", "done")
MOVES = frozenset({"places", "to"})


@dataclass
class Person:
    """The deeds about somebody; None where nobody tried."""

    signup: Deed | None = None
    leave: Deed | None = None
    complete: Deed | None = None
    moves: list[Deed] = field(default_factory=list)

    @property
    def is_left(self) -> bool:
        return self.leave is not None and self.leave.is_done

    @property
    def is_admitted(self) -> bool:
        return self.complete is not None and self.complete.is_done

    @property
    def end(self) -> str:
        """How their stay has ended, as far as anybody was told."""
        return "admitted" if self.is_admitted else "left" if self.is_left else ""

    @property
    def must_be_on_list(self) -> bool:
        ends = (self.leave, self.complete)
        may_have_ended = any(deed is not None and deed.outcome != "refused" for deed in ends)
        return self.signup is not None and self.signup.is_done and not may_have_ended

    @property
    def must_be_off_list(self) -> bool:
        return self.is_left or self.is_admitted

    @property
    def was_moved(self) -> bool:
        """Whether somebody may have moved them to a place that is not that of their signup."""
        return any(deed.outcome != "refused" for deed in self.moves)

    @property
    def asked_at(self) -> float:
        return self.signup.began if self.signup else 0.0

    @property
    def told_at(self) -> float:
        """When they knew of their place; whoever never heard of it may have got it at any time."""
        return self.signup.ended if self.signup and self.signup.is_done else float("inf")


def people_of(history: History) -> dict[str, Person]:
    """Return everybody whom a signup was about, by name."""
    people: dict[str, Person] = {}
    for deed in history.of("signup"):
        people[deed.person] = Person(signup=deed)
    for deed in history.of("leave", "complete"):
        person = people[deed.person]
        setattr(person, deed.kind, _better(getattr(person, deed.kind), deed))
    for deed in history.of("bump"):
        if MOVES & deed.asked.keys():
            people[deed.person].moves.append(deed)
    return people


def _better(known: Deed | None, other: Deed) -> Deed:
    if known is None:
        return other
    return max(known, other, key=lambda deed: KNOWN.index(deed.outcome))


def totals(people: Mapping[str, Person]) -> dict[str, int]:
    """How many were told of a place, of having left, of being admitted."""
    return {
        "signed up": sum(bool(one.signup and one.signup.is_done) for one in people.values()),
        "left": sum(one.is_left for one in people.values()),
        "admitted": sum(one.is_admitted for one in people.values()),
    }
