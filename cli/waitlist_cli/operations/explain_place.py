"""Explains how a person came to their position in the queue."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from waitlist_cli.operations.explain import BEGINNINGS, MOVED, explanation

# A position in the queue. None means that the entry was not in the queue. `unknown` means that the
# position was not recorded.
Place = int | Literal["unknown"] | None
UNKNOWN: Literal["unknown"] = "unknown"
# Events that take an entry out of the queue.
OFF_QUEUE = ("offered", "parked", "admitted", "exited", "left")
# Events that can change an entry's place in the queue.
MOVES = (*BEGINNINGS, *OFF_QUEUE, *MOVED)


class Pages(Protocol):
    """A function that yields at most `most` items of a list that the API returns in pages."""

    def __call__(
        self, path: str, name: str, most: int | None = None, **params: str
    ) -> Iterator[dict[str, Any]]: ...


@dataclass(frozen=True, kw_only=True)
class Step:
    """An event in an entry's history, and the entry's positions before and after it."""

    at: str
    event: str
    by: str
    reason: str
    before: Place
    after: Place
    # How many positions the entry gained between the previous event and this event, because other
    # people left the queue or were moved. The number is negative if the entry lost positions.
    gained: int | Literal["unknown"] | None


@dataclass(frozen=True, kw_only=True)
class Ahead:
    """Counts of the people who were admitted, left or moved ahead while an entry was waiting.

    People who were later erased or have signed up again are not counted.
    """

    # The number of people who were admitted while the entry was waiting.
    admitted: int
    # The number of admitted people who had joined after this entry.
    admitted_later: int
    # The number of people who had joined before this entry and then left.
    left: int
    # The number of people who joined after this entry, but are ahead of it now.
    ahead_later: int
    # True if all people were examined. If false, the actual numbers can be higher.
    is_whole: bool


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Explains an entry's current position."""

    entry_id: str
    customer_id: str | None
    status: str
    position: Place
    total: int | None
    joined_at: str | None
    joined_as: Place
    # Sentences that explain the entry's state.
    why: tuple[str, ...]
    steps: tuple[Step, ...]
    gained_since: int | Literal["unknown"] | None
    ahead: Ahead


def explain(
    pages: Pages, waitlist: dict[str, Any], person: dict[str, Any], most: int
) -> Explanation:
    """Explain how a person came to their position.

    `waitlist` and `person` are API responses. At most `most` people of each status are examined.
    """
    path = f"/{waitlist['waitlist_id']}/entries"
    events = list(pages(f"{path}/{person['entry_id']}", "history", include="history"))
    steps = steps_of(events)
    position: Place = person["position"]
    if position is None and person["status"] == "waiting":
        # Positions are unknown while the queue in Redis is being rebuilt.
        position = UNKNOWN
    return Explanation(
        entry_id=person["entry_id"],
        customer_id=person["customer_id"],
        status=person["status"],
        position=position,
        total=person["total"],
        joined_at=person["joined_at"],
        joined_as=steps[0].after if steps and steps[0].event in BEGINNINGS else UNKNOWN,
        why=tuple(explanation(person, waitlist)),
        steps=steps,
        gained_since=_gained(steps[-1].after if steps else UNKNOWN, position),
        ahead=_ahead(pages, path, person, steps, most),
    )


def steps_of(events: Sequence[dict[str, Any]]) -> tuple[Step, ...]:
    """Return the events that have moved the entry since it last signed up or was reinstated.

    The oldest event comes first.
    """
    moves = [event for event in events if event["event"] in MOVES]
    joined = [number for number, event in enumerate(moves) if event["event"] in BEGINNINGS]
    moves = moves[joined[-1] :] if joined else moves
    if not moves:
        # The customer is banned and has never signed up.
        return ()
    steps: list[Step] = []
    # If the history no longer contains the signup, the first position is unknown.
    place: Place = None if joined else UNKNOWN
    for event, following in zip(moves, [*moves[1:], None], strict=True):
        before, after = _places(event, following, place)
        steps.append(
            Step(
                **{name: event[name] for name in ("at", "event", "by", "reason")},
                before=before,
                after=after,
                gained=_gained(place, before),
            )
        )
        place = after
    return tuple(steps)


def _places(
    event: dict[str, Any], following: dict[str, Any] | None, place: Place
) -> tuple[Place, Place]:
    """Return the positions before and after an event.

    `place` is the position after the previous event, and `following` is the next event.
    """
    before: Place = None if place is None else UNKNOWN
    if event["event"] in OFF_QUEUE or _is_off_at_once(event, following):
        return before, None
    position, moved = event["detail"].get("position"), event["detail"].get("moved")
    if position is None:
        return before, UNKNOWN
    if moved is not None:
        before = position + moved
    return before, position


def _is_off_at_once(event: dict[str, Any], following: dict[str, Any] | None) -> bool:
    """Return whether the entry left the queue because the customer did not use an offer."""
    if event["event"] != "no_show" or following is None:
        return False
    return following["event"] == "parked" or (following["event"], following["by"]) == (
        "left",
        "policy",
    )


def _gained(before: Place, after: Place) -> int | Literal["unknown"] | None:
    """Return how many positions an entry has moved forward.

    Return None if `before` or `after` is None, which means that the entry was not in the queue.
    """
    if before is None or after is None:
        return None
    return before - after if isinstance(before, int) and isinstance(after, int) else UNKNOWN


def _ahead(
    pages: Pages, path: str, person: dict[str, Any], steps: Sequence[Step], most: int
) -> Ahead:
    joined_at, until = person["joined_at"] or "", _off_queue_at(steps)
    since = {"since": steps[0].at} if steps else {}

    def ended(status: str) -> list[dict[str, Any]]:
        people = pages(path, "entries", most, status=status, **since)
        others = [other for other in people if other["entry_id"] != person["entry_id"]]
        is_whole.append(len(others) < most)
        return [other for other in others if until is None or other[f"{status}_at"] <= until]

    is_whole: list[bool] = []
    admitted, left = ended("admitted"), ended("left")
    ahead = person["position"] - 1 if person["position"] else 0
    waiting = pages(path, "entries", min(ahead, most), status="waiting")
    is_whole.append(ahead <= most)
    return Ahead(
        admitted=len(admitted),
        admitted_later=_joined_later(admitted, joined_at),
        left=len(left) - _joined_later(left, joined_at),
        ahead_later=_joined_later(waiting, joined_at),
        is_whole=all(is_whole),
    )


def _off_queue_at(steps: Sequence[Step]) -> str | None:
    """Return when the entry last left the queue, or None if it is waiting."""
    until = None
    for step in steps:
        until = None if step.after is not None else until or step.at
    return until


def _joined_later(people: Sequence[dict[str, Any]] | Iterator[dict[str, Any]], than: str) -> int:
    return sum((person["joined_at"] or "") > than for person in people)
