"""Events that no client causes, such as Redis losing its data or time passing, and changes to a
waitlist's settings.
"""

from collections.abc import Callable
from dataclasses import replace

from tests.reliability.model.client import (
    ANSWER_DAYS,
    END_SECONDS,
    LEASE_SECONDS,
    REMINDED_DAYS,
)
from tests.reliability.model.requests.request import NOTHING, Effect, Request, nothing_changes
from tests.support import model
from tests.support.model import Policy, Waitlist
from waitlist_shared.contracts import Unanswered

DAY_SECONDS = 24 * 3600
# An upper limit, in seconds, on how far the functions' clocks are ahead of real time.
GRACE_SECONDS = 660
# The number of steps after which maintenance crashes. By then, it has recorded that a customer did
# not answer a question.
STEPS_OF_A_NOTE = 7


def limit_to(capacity: int) -> Request:
    return Request(
        lambda client: client.limit_to(capacity),
        lambda line: (replace(line, capacity=capacity, policy=None), NOTHING),
    )


def allow_claims(most: int) -> Request:
    return Request(
        lambda client: client.allow_claims(most),
        lambda line: (replace(line, capacity=None, policy=None, max_claims=most), NOTHING),
    )


def number_people() -> Request:
    return Request(
        lambda client: client.number_people(),
        lambda line: (replace(line, capacity=None, policy=None, has_numbers=True), NOTHING),
    )


def open_or_close(*, opens: bool) -> Request:
    """The waitlist opens or closes at a set time, which may come in the middle of a later
    request.
    """
    return Request(
        lambda client: client.open_or_close(opens),
        lambda line: (
            replace(line, capacity=None, policy=None, hours="opens" if opens else "closes"),
            NOTHING,
        ),
    )


def expect_answers(then: Unanswered | None) -> Request:
    return Request(
        lambda client: client.expect_answers(then),
        lambda line: (replace(line, capacity=None, policy=None, then=then), NOTHING),
    )


def let_question_stand(*, is_over: bool) -> Request:
    days = ANSWER_DAYS if is_over else REMINDED_DAYS

    def effect(line: Waitlist) -> Effect:
        for name, stay in line.stays:
            if stay.is_asked:
                line = line.change(name, question="over" if is_over else "to remind")
        return line, NOTHING

    return Request(lambda client: client.let_pass(days * DAY_SECONDS + GRACE_SECONDS), effect)


def set_policy(policy: Policy) -> Request:
    return Request(
        lambda client: client.set_policy(policy),
        lambda line: (replace(line, capacity=None, policy=policy, slots=policy.slots), NOTHING),
    )


def go_away(name: str) -> Request:
    """The customer stops polling.

    In the model, the last poll was long ago, so the customer counts as away at once.
    """
    return Request(
        lambda client: client.go_away(name),
        lambda line: (model.polled(line, name, model.LONG_AGO), NOTHING),
    )


def declare_segments() -> Request:
    """Declare segments. Maintenance builds their indexes later."""
    return Request(
        lambda client: client.declare_segments(),
        lambda line: (replace(line, capacity=None, policy=None), NOTHING),
    )


def cut_off(request: Request, step: int) -> Request:
    return Request(
        lambda client: client.cut_off(request.send, step), nothing_changes, unanswered=request
    )


def note_silence() -> Request:
    """Maintenance records that a customer did not answer a question, and then crashes before it
    ends the customer's wait.
    """

    def effect(line: Waitlist) -> Effect:
        for name, stay in line.stays:
            if stay.question == "over":
                line = model.noted(line, name)
        return line, NOTHING

    return replace(cut_off(look_after(), step=STEPS_OF_A_NOTE), effect=effect)


def let_pass(seconds: float) -> Request:
    def effect(line: Waitlist) -> Effect:
        return (model.admission_ended(line) if seconds > END_SECONDS else line), NOTHING

    return Request(lambda client: client.let_pass(seconds), effect)


def maintain() -> Request:
    return Request(lambda client: client.maintain(), lambda line: (model.all_left(line), NOTHING))


def let_holds_end() -> Request:
    """Let the claims and offers expire. Redis ends them only at the next request."""

    def effect(line: Waitlist) -> Effect:
        for name in line.of("offered"):
            line = line.change(name, is_over=not line.by_name[name].is_long)
        return model.admission_ended(line), NOTHING

    return Request(lambda client: client.let_pass(LEASE_SECONDS + 1), effect)


def end_admission() -> Request:
    return let_pass(END_SECONDS + 1)


def notice_ends() -> Request:
    return Request(
        lambda client: client.notice_ends(),
        lambda line: (model.all_expired(line, only_over=True), NOTHING),
    )


def forget(name: str, *keys_of: Callable[[str], str]) -> Request:
    return Request(lambda client: client.forget(name, *keys_of), nothing_changes)


def lose_redis() -> Request:
    return Request(
        lambda client: client.redis.flushall(), lambda line: (model.slots_lost(line), NOTHING)
    )


def lose_and_rebuild() -> Request:
    return Request(
        lambda client: (client.redis.flushall(), client.maintain())[1],
        lambda line: (model.slots_lost(line), NOTHING),
    )


def look_after() -> Request:
    """Run maintenance, which rebuilds a lost queue and ends expired claims and offers.

    A run that rebuilds the queue does not apply the admission policy.
    """
    return Request(
        lambda client: client.look_after(),
        lambda line: (model.all_left(model.all_expired(line, only_over=True)), NOTHING),
    )


def finish_intents() -> Request:
    return Request(lambda client: client.finish_intents(), nothing_changes)
