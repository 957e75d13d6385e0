"""Events that no client causes, such as losses and the passing of time, and changes of settings."""

from collections.abc import Callable
from dataclasses import replace

from tests.reliability.model.client import ANSWER_DAYS, LEASE_SECONDS, REMINDED_DAYS
from tests.reliability.model.requests.request import NOTHING, Effect, Request, nothing_changes
from tests.support import model
from tests.support.model import Policy, Waitlist
from waitlist_shared.contracts import Unanswered

DAY_SECONDS = 24 * 3600
# The clock of a function may be ahead by less than this.
GRACE_SECONDS = 660
# A run of maintenance notes a missing answer in the record after this number of steps.
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


def open_or_close(*, opens: bool) -> Request:
    """Let the list open, or close, at a time that may pass during a request."""
    return Request(
        lambda client: client.open_or_close(opens),
        lambda line: (
            replace(line, capacity=None, policy=None, hours="opens" if opens else "closes"),
            NOTHING,
        ),
    )


def expect_answers(then: Unanswered | None) -> Request:
    """Let the list ask customers whether they still wait, or stop asking.

    No customer is asked automatically.
    """
    return Request(
        lambda client: client.expect_answers(then),
        lambda line: (replace(line, capacity=None, policy=None, then=then), NOTHING),
    )


def let_question_stand(*, is_over: bool) -> Request:
    """Let days pass after a question, until a reminder is due or the time for the answer
    is over.
    """
    days = ANSWER_DAYS if is_over else REMINDED_DAYS

    def effect(line: Waitlist) -> Effect:
        for name, stay in line.stays:
            if stay.is_asked:
                line = line.change(name, question="over" if is_over else "to remind")
        return line, NOTHING

    return Request(lambda client: client.let_pass(days * DAY_SECONDS + GRACE_SECONDS), effect)


def set_policy(policy: Policy) -> Request:
    """Let the list admit customers by a policy."""
    return Request(
        lambda client: client.set_policy(policy),
        lambda line: (replace(line, capacity=None, policy=policy, slots=policy.slots), NOTHING),
    )


def declare_segments() -> Request:
    """Declare segments. Maintenance builds their indexes."""
    return Request(
        lambda client: client.declare_segments(),
        lambda line: (replace(line, capacity=None, policy=None), NOTHING),
    )


def cut_off(request: Request, step: int) -> Request:
    """Send a request from a process that crashes after this step."""
    return Request(
        lambda client: client.cut_off(request.send, step), nothing_changes, unanswered=request
    )


def note_silence() -> Request:
    """Let maintenance note in the record that a question was not answered, and die before it ends
    the wait.
    """

    def effect(line: Waitlist) -> Effect:
        for name, stay in line.stays:
            if stay.question == "over":
                line = model.noted(line, name)
        return line, NOTHING

    return replace(cut_off(look_after(), step=STEPS_OF_A_NOTE), effect=effect)


def let_pass(seconds: float) -> Request:
    return Request(lambda client: client.let_pass(seconds), nothing_changes)


def maintain() -> Request:
    """Run maintenance, as the schedule does every minute."""
    return Request(lambda client: client.maintain(), nothing_changes)


def let_holds_end() -> Request:
    """Let all deadlines pass. Redis has not ended the holds yet."""

    def effect(line: Waitlist) -> Effect:
        for name in line.of("offered"):
            line = line.change(name, is_over=not line.by_name[name].is_long)
        return line, NOTHING

    return Request(lambda client: client.let_pass(LEASE_SECONDS + 1), effect)


def notice_ends() -> Request:
    """Let Redis end the expired holds. The record does not follow yet."""
    return Request(
        lambda client: client.notice_ends(),
        lambda line: (model.all_expired(line, only_over=True), NOTHING),
    )


def forget(name: str, *keys_of: Callable[[str], str]) -> Request:
    """Delete an entry from some keys of Redis."""
    return Request(lambda client: client.forget(name, *keys_of), nothing_changes)


def lose_redis() -> Request:
    return Request(
        lambda client: client.redis.flushall(), lambda line: (model.slots_lost(line), NOTHING)
    )


def lose_and_rebuild() -> Request:
    """Lose Redis, and let maintenance rebuild it."""
    return Request(
        lambda client: (client.redis.flushall(), client.maintain())[1],
        lambda line: (model.slots_lost(line), NOTHING),
    )


def look_after() -> Request:
    """Run maintenance for a single list. It rebuilds a lost order and ends expired holds.

    A run that rebuilds the order leaves the policy to the next run.
    """
    return Request(
        lambda client: client.look_after(),
        lambda line: (model.all_expired(line, only_over=True), NOTHING),
    )


def finish_intents() -> Request:
    """Finish the intents that were interrupted more than a minute ago."""
    return Request(lambda client: client.finish_intents(), nothing_changes)
