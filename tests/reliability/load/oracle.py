"""Compares the responses that clients received with the data stored at the end of the load test."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tests.reliability.load.final_state import FinalState, Seen
from tests.reliability.load.history import Attempt, History, Loss, Operation
from tests.reliability.load.holds import claim_problems
from tests.reliability.load.people import Person, people_of
from tests.support.problem import Problem

# The error codes with which the service may refuse each kind of request, for example because the
# claim has already ended.
GONE = frozenset({"not_waiting", "already_admitted"})
HELD_NO_MORE = frozenset({"claim_expired", "claim_mismatch", "not_waiting"})
# A customer who leaves while their offer is being accepted gets `not_waiting`.
OFFERED_NO_MORE = frozenset({"not_offered", "offer_expired", "already_admitted", "not_waiting"})
REFUSALS = {
    "leave": frozenset({"already_admitted"}),
    "bump": GONE,
    "complete": HELD_NO_MORE,
    "release": HELD_NO_MORE | GONE,
    "enter": OFFERED_NO_MORE,
    "decline": OFFERED_NO_MORE,
}


def judge(
    history: History, final_state: FinalState, lease_seconds: float, losses: Sequence[Loss] = ()
) -> list[Problem]:
    people = people_of(history)
    return [
        *_answers(history.attempts),
        *_repeats(history),
        *_list(people, final_state),
        *_admissions(people, final_state),
        *claim_problems(history, lease_seconds),
        *_order(people, final_state.line),
        *_positions(final_state),
        *_counts(people, final_state, losses),
    ]


def _answers(attempts: Sequence[Attempt]) -> Iterator[Problem]:
    """A failed request must have an expected error code or a `Retry-After` header.

    API Gateway's own 429 responses come without this header.
    """
    for one in attempts:
        what = f"a {one.kind} was answered {one.status} {one.code} after {one.seconds:.1f} s"
        if one.status == 0:
            yield Problem("no answer", f"a {one.kind} got {one.code} after {one.seconds:.1f} s")
        elif one.status in (429, 503):
            if not one.retry_after.isdecimal() and not one.is_rate_limited:
                yield Problem("no Retry-After", what)
        elif one.status >= 500:
            yield Problem("defect", what)
        elif one.status >= 400 and one.code not in REFUSALS.get(one.kind, ()):
            yield Problem("wrong refusal", what)


def _repeats(history: History) -> Iterator[Problem]:
    """A repeated signup returns the same place and the same entry token (promise P2)."""
    first = {
        operation.person: operation.answer
        for operation in history.of("signup")
        if operation.is_done
    }
    for operation in history.of("repeat"):
        if operation.is_done and operation.person in first:
            names = ("entry_id", "entry_token")
            if any(operation.answer[name] != first[operation.person][name] for name in names):
                yield Problem(
                    "repeat", f"{operation.person} repeated the signup and got a different place"
                )


def _list(people: dict[str, Person], final_state: FinalState) -> Iterator[Problem]:
    """Every confirmed entry is on the waitlist exactly once, and there are no other entries
    (promise P3).
    """
    times = Counter(seen.person for seen in (*final_state.line, *final_state.aside))
    for name, person in people.items():
        if person.must_be_on_list and not times[name]:
            yield Problem(
                "lost", f"the signup of {name} was confirmed, but {name} is not on the waitlist"
            )
        if person.must_be_off_list and times[name]:
            yield Problem(
                "still there", f"{name} got the response {person.end!r}, but is on the waitlist"
            )
        if person.is_left and person.is_admitted:
            yield Problem("both", f"{name} got both responses, 'left' and 'admitted'")
    for name, count in times.items():
        if count > 1:
            yield Problem("twice", f"{name} is on the waitlist {count} times")
        if name not in people:
            yield Problem("stranger", f"{name} is on the waitlist, but never signed up")


def _admissions(people: dict[str, Person], final_state: FinalState) -> Iterator[Problem]:
    """No customer is admitted twice, and no admission is lost (promise P4)."""
    for name, count in final_state.admissions.items():
        if count > 1:
            yield Problem("admitted twice", f"the history of {name} has {count} admissions")
        if people[name].is_admitted and not count:
            yield Problem("lost", f"{name} was admitted, but the history does not say so")


def _order(people: dict[str, Person], line: Sequence[Seen]) -> Iterator[Problem]:
    """If a signup was confirmed before another one was sent, its entry is ahead of the other
    (promise P1).
    """
    latest: dict[int, tuple[float, str]] = {}
    highest = None
    for seen in line:
        if highest is not None and seen.priority > highest:
            yield Problem("order", f"{seen.person} is behind an entry with a lower priority")
        highest = seen.priority
        person = people.get(seen.person)
        if person is None or person.was_moved:
            continue
        began, ahead = latest.get(seen.priority, (0.0, ""))
        if person.acknowledged_at < began:
            late = began - person.acknowledged_at
            yield Problem("order", f"{ahead} came {late:.3f} s after {seen.person}, but is ahead")
        latest[seen.priority] = max((began, ahead), (person.asked_at, seen.person))


def _positions(final_state: FinalState) -> Iterator[Problem]:
    """Customers and operators see the same positions, numbered 1, 2, 3 and so on (promise P6)."""
    for place, seen in enumerate(final_state.line, start=1):
        own = final_state.own_positions.get(seen.person, place)
        if not seen.position == own == place or seen.total != len(final_state.line):
            answers = f"the customer sees {own}, operators see {seen.position} of {seen.total}"
            yield Problem("position", f"{seen.person} is number {place}; {answers}")


def _counts(
    people: dict[str, Person], final_state: FinalState, losses: Sequence[Loss]
) -> Iterator[Problem]:
    """If Redis has lost its data, the counters of signups, departures and admissions may be too
    low.
    """
    stats, everyone = final_state.stats, people.values()
    aside = Counter(seen.status for seen in final_state.aside)
    expected = {
        "waiting": len(final_state.line),
        **{name: aside[name] for name in ("offered", "parked")},
    }
    for name, count in expected.items():
        if stats[name] != count:
            yield Problem(
                "count", f"the count of {name} is {stats[name]}, but it should be {count}"
            )
    in_all = sum(stats[name] for name in ("waiting", "offered", "parked", "admitted", "left"))
    is_sum_wrong = stats["signed_up"] < in_all if losses else stats["signed_up"] != in_all
    if is_sum_wrong:
        yield Problem(
            "count", f"{stats['signed_up']} signed up, but the other counts add up to {in_all}"
        )
    yield from _between("signed_up", stats, [one.signup for one in everyone], losses)
    yield from _between("left", stats, [one.leave for one in everyone], losses)
    yield from _between("admitted", stats, [one.complete for one in everyone], losses)


def _between(
    name: str,
    stats: Mapping[str, int],
    operations: Sequence[Operation | None],
    losses: Sequence[Loss],
) -> Iterator[Problem]:
    """After Redis has lost its data, the counters may be missing earlier operations and may count
    operations that were running at the time twice.
    """
    had_effect = [
        operation
        for operation in operations
        if operation is not None and operation.outcome != "refused"
    ]
    done = [operation for operation in had_effect if operation.is_done]
    least, most = len(done), len(had_effect)
    if losses:
        least = sum(operation.began >= losses[-1].ended for operation in done)
        most += sum(loss.is_during(operation) for operation in had_effect for loss in losses)
    count = stats[name]
    if not least <= count <= most:
        yield Problem("count", f"{count} {name}, but the responses allow only {least} to {most}")
