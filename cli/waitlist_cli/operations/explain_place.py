"""How a person came to their place: the moves of the stay, and what happened ahead of them.

Only what the service has recorded; a place that it has not recorded is `unknown`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from waitlist_cli.operations.explain import READINESS, explanation

# A position, None while the entry is not in the queue.
Place = int | Literal["unknown"] | None
UNKNOWN: Literal["unknown"] = "unknown"
# Events after which an entry is not in the queue, and those that change no place.
OFF_QUEUE = ("offered", "parked", "admitted", "exited", "left")
# Events that begin a stay.
BEGINNINGS = ("joined", "reinstated")
NO_MOVES = ("edited", "banned", "unbanned", *READINESS)


class Pages(Protocol):
    """Yields the items of a list of the API, at most `most`, one page a call."""

    def __call__(
        self, path: str, name: str, most: int | None = None, **params: str
    ) -> Iterator[dict[str, Any]]: ...


@dataclass(frozen=True, kw_only=True)
class Step:
    """One event of the stay, with the place before and after it.

    `gained` is by how many places other people's admissions, departures and moves had brought the
    entry nearer to the head since the step before; negative if others were moved ahead of it.
    """

    at: str
    event: str
    by: str
    reason: str
    before: Place
    after: Place
    gained: int | Literal["unknown"] | None


@dataclass(frozen=True, kw_only=True)
class Ahead:
    """What happened ahead since the entry joined, until it was taken out of the queue.

    `admitted` people, of whom `admitted_later` had joined later; `left`, who had joined earlier; of
    the people who are ahead now `ahead_later` joined later. Not counted are people who were erased,
    or have joined again since. Not `is_whole`: only the first ones were looked at.
    """

    admitted: int
    admitted_later: int
    left: int
    ahead_later: int
    is_whole: bool


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """The place of an entry now, that at which it joined, and what is between the two.

    `why` are sentences about where the entry is.
    """

    entry_id: str
    customer_id: str | None
    status: str
    position: Place
    total: int | None
    joined_at: str | None
    joined_as: Place
    why: tuple[str, ...]
    steps: tuple[Step, ...]
    gained_since: int | Literal["unknown"] | None
    ahead: Ahead


def explain(
    pages: Pages, waitlist: dict[str, Any], person: dict[str, Any], most: int
) -> Explanation:
    """Explain the place of a person; both are as the API returns them.

    Reads the whole history, the lists of those who were admitted and who left since, and the people
    ahead; at most `most` of each list.
    """
    path = f"/{waitlist['waitlist_id']}/entries"
    events = list(pages(f"{path}/{person['entry_id']}", "history", include="history"))
    steps = steps_of(events)
    position: Place = person["position"]
    if position is None and person["status"] == "waiting":
        # The order is being rebuilt.
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
    """Return the moves of the newest stay, oldest first."""
    moves = [event for event in events if event["event"] not in NO_MOVES]
    joined = [number for number, event in enumerate(moves) if event["event"] in BEGINNINGS]
    moves = moves[joined[-1] :] if joined else moves
    if not moves:
        # The customer was banned without having been on the list.
        return ()
    steps: list[Step] = []
    # Without the event of the signup the entry may have been anywhere.
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
    """Return the places before and after an event, given that after the event before it."""
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
    """Return whether a no-show was parked or taken off the list, without waiting again."""
    if event["event"] != "no_show" or following is None:
        return False
    return following["event"] == "parked" or (following["event"], following["by"]) == (
        "left",
        "policy",
    )


def _gained(before: Place, after: Place) -> int | Literal["unknown"] | None:
    """Return by how many places an entry came nearer; None if it was not in the queue."""
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
        others = [one for one in people if one["entry_id"] != person["entry_id"]]
        is_whole.append(len(others) < most)
        return [one for one in others if until is None or one[f"{status}_at"] <= until]

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
    """Return when the entry was taken out of the queue for the last time; None if it waits."""
    until = None
    for step in steps:
        until = None if step.after is not None else until or step.at
    return until


def _joined_later(people: Sequence[dict[str, Any]] | Iterator[dict[str, Any]], than: str) -> int:
    return sum((one["joined_at"] or "") > than for one in people)
