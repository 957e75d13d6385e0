"""Checks that every position, total and status was correct at some moment between the request and
the response (promises P6 and P7).

The checker cannot know exactly who was waiting at that moment, so it accepts every position between
a lower and an upper bound.
"""

from collections.abc import Iterator

from tests.reliability.load.histories import (
    CustomerHistory,
    Window,
    count_unnamed,
    histories_of,
    may_be_ahead,
    must_be_ahead,
)
from tests.reliability.load.history import ENDS, History, Operation
from tests.support.problem import Problem

# Operations whose response contains a status, a position and a total.
WITH_POSITION = ("signup", "repeat", "look", "poll", "bump")
LEAVES = ("leave", "decline")
GONE_BY = {"left": LEAVES, "leaving": LEAVES, "admitted": ("complete", "enter")}


def impossible_answers(history: History, lease_seconds: float) -> Iterator[Problem]:
    histories = histories_of(history, lease_seconds)
    for operation in history.of(*WITH_POSITION):
        if operation.is_done:
            yield from _of_entry(operation, history, histories)
    for operation in history.of("total", "stats"):
        if operation.is_done:
            total = operation.answer["waiting" if operation.kind == "stats" else "total"]
            yield from _of_total(operation, total, history, histories)
    yield from _lost_holds(history)


def _of_entry(
    operation: Operation, history: History, histories: dict[str, CustomerHistory]
) -> Iterator[Problem]:
    window, answer = Window(operation.began, operation.ended), operation.answer
    yield from _of_status(operation, history, histories[operation.person])
    if answer["total"] is not None:
        yield from _of_total(operation, answer["total"], history, histories)
    if answer["position"] is None:
        return
    own = histories[operation.person]
    others = [one for one in histories.values() if one is not own]
    least = sum(one.must_wait(window) and must_be_ahead(one, own, window) for one in others)
    most = sum(one.may_wait(window) and may_be_ahead(one, own, window) for one in others)
    least = max(0, least - count_unnamed(history, window))
    if not least + 1 <= answer["position"] <= most + 1:
        between = f"from {least + 1} to {most + 1}"
        yield Problem(
            "untrue", f"{_answer_to(operation)} position {answer['position']}; possible: {between}"
        )


def _of_total(
    operation: Operation, total: int, history: History, histories: dict[str, CustomerHistory]
) -> Iterator[Problem]:
    window = Window(operation.began, operation.ended)
    least = sum(one.must_wait(window) for one in histories.values()) - count_unnamed(
        history, window
    )
    most = sum(one.may_wait(window) for one in histories.values())
    if not max(0, least) <= total <= most:
        between = f"from {max(0, least)} to {most}"
        yield Problem("untrue", f"{_answer_to(operation)} a total of {total}; possible: {between}")


def _of_status(operation: Operation, history: History, own: CustomerHistory) -> Iterator[Problem]:
    status, window = operation.answer["status"], Window(operation.began, operation.ended)
    if status == "waiting" and not own.may_wait(window):
        yield Problem("untrue", f"{_answer_to(operation)} 'waiting', which is impossible")
    if status == "offered" and own.must_wait(window) and not count_unnamed(history, window):
        yield Problem("untrue", f"{_answer_to(operation)} 'offered', but no request made an offer")
    if status in GONE_BY:
        reasons = history.of(*GONE_BY[status])
        if not any(
            one.person == operation.person and one.began < operation.ended for one in reasons
        ):
            yield Problem(
                "untrue", f"{_answer_to(operation)} {status!r}, but no request asked for that"
            )


def _lost_holds(history: History) -> Iterator[Problem]:
    """A refused claim token is a problem unless another request may have ended the claim."""
    for operation in history.of("complete", "release"):
        if operation.outcome != "refused" or operation.answer["code"] == "already_admitted":
            continue
        others = history.of(*ENDS, "release")
        if not any(
            one is not operation and one.person == operation.person and one.began < operation.ended
            for one in others
        ):
            code = operation.answer["code"]
            yield Problem(
                "hold lost", f"a {operation.kind} of {operation.person} was refused: {code}"
            )


def _answer_to(operation: Operation) -> str:
    about = f" of {operation.person}" if operation.person else ""
    return f"the answer to a {operation.kind}{about} at {operation.began:.3f} was"
