"""Events without a client: time, losses, maintenance; and settings."""

from collections.abc import Callable
from dataclasses import replace

from tests.reliability.model.client import ANSWER_DAYS, LEASE_SECONDS, REMINDED_DAYS
from tests.reliability.model.requests.request import NOTHING, Effect, Request, nothing_changes
from tests.support import model
from tests.support.model import Policy, Waitlist
from waitlist_api.settings.confirm import Unanswered

DAY_SECONDS = 24 * 3600
# The clock of a function may be ahead by less.
GRACE_SECONDS = 660
# After so many steps of a run of maintenance the note of an entry is written.
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
    """Let the list take signups from a time on that a request may see pass, or until then."""
    return Request(
        lambda client: client.open_or_close(opens),
        lambda line: (
            replace(line, capacity=None, policy=None, hours="opens" if opens else "closes"),
            NOTHING,
        ),
    )


def expect_answers(then: Unanswered | None) -> Request:
    """Let the list ask customers if they still wait, or no longer; none is asked by itself."""
    return Request(
        lambda client: client.expect_answers(then),
        lambda line: (replace(line, capacity=None, policy=None, then=then), NOTHING),
    )


def let_question_stand(*, is_over: bool) -> Request:
    """Let days pass since a question: until a reminder is due, or the time to answer is over."""
    days = ANSWER_DAYS if is_over else REMINDED_DAYS

    def effect(line: Waitlist) -> Effect:
        for name, stay in line.stays:
            if stay.is_asked:
                line = line.change(name, question="over" if is_over else "to remind")
        return line, NOTHING

    return Request(lambda client: client.let_pass(days * DAY_SECONDS + GRACE_SECONDS), effect)


def set_policy(policy: Policy) -> Request:
    """Let the list admit by a policy."""
    return Request(
        lambda client: client.set_policy(policy),
        lambda line: (replace(line, capacity=None, policy=policy, slots=policy.slots), NOTHING),
    )


def declare_segments() -> Request:
    """Declare segments; maintenance builds their indexes."""
    return Request(
        lambda client: client.declare_segments(),
        lambda line: (replace(line, capacity=None, policy=None), NOTHING),
    )


def cut_off(request: Request, step: int) -> Request:
    """Send a request in a process that crashes after this step."""
    return Request(
        lambda client: client.cut_off(request.send, step), nothing_changes, unanswered=request
    )


def note_silence() -> Request:
    """Have maintenance note that no answer came, and die before it ends the wait."""

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
    """Let all deadlines pass; Redis has not ended the holds yet."""

    def effect(line: Waitlist) -> Effect:
        for name in line.of("offered"):
            line = line.change(name, is_over=not line.by_name[name].is_long)
        return line, NOTHING

    return Request(lambda client: client.let_pass(LEASE_SECONDS + 1), effect)


def notice_ends() -> Request:
    """Have Redis end the expired holds; the record does not follow yet."""
    return Request(
        lambda client: client.notice_ends(),
        lambda line: (model.all_expired(line, only_over=True), NOTHING),
    )


def forget(name: str, *keys_of: Callable[[str], str]) -> Request:
    """Delete one entry from some keys of Redis."""
    return Request(lambda client: client.forget(name, *keys_of), nothing_changes)


def lose_redis() -> Request:
    return Request(
        lambda client: client.redis.flushall(), lambda line: (model.slots_lost(line), NOTHING)
    )


def lose_and_rebuild() -> Request:
    """Lose Redis, and rebuild it by maintenance."""
    return Request(
        lambda client: (client.redis.flushall(), client.maintain())[1],
        lambda line: (model.slots_lost(line), NOTHING),
    )


def look_after() -> Request:
    """Run maintenance of one list: it rebuilds a lost order, and ends expired holds.

    A run that rebuilds leaves the policy to the next.
    """
    return Request(
        lambda client: client.look_after(),
        lambda line: (model.all_expired(line, only_over=True), NOTHING),
    )


def finish_intents() -> Request:
    """Finish the intents that were cut off more than a minute ago."""
    return Request(lambda client: client.finish_intents(), nothing_changes)
