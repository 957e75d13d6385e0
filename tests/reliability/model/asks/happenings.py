"""What happens to a line without anybody asking: time, losses, maintenance, settings."""

from collections.abc import Callable
from dataclasses import replace

from tests.reliability.model import model
from tests.reliability.model.asks.ask import NOTHING, Ask, Outcome, nothing_changes
from tests.reliability.model.desk import LEASE_SECONDS
from tests.reliability.model.model import Line


def limit_to(capacity: int) -> Ask:
    return Ask(
        lambda desk: desk.limit_to(capacity),
        lambda line: (replace(line, capacity=capacity), NOTHING),
    )


def declare_segments() -> Ask:
    """An operator has people counted and claimed by their kind: they go into segments anew."""
    return Ask(
        lambda desk: desk.declare_segments(),
        lambda line: (replace(line, capacity=None), NOTHING),
    )


def cut_off(ask: Ask, step: int) -> Ask:
    """A request whose process died when Redis knew of it, and nobody had recorded it."""
    return Ask(lambda desk: desk.cut_off(ask.send, step), nothing_changes, unanswered=ask)


def let_pass(seconds: float) -> Ask:
    return Ask(lambda desk: desk.let_pass(seconds), nothing_changes)


def maintain() -> Ask:
    """Maintenance runs, as each minute, and notes what it has seen."""
    return Ask(lambda desk: desk.maintain(), nothing_changes)


def let_holds_end() -> Ask:
    """Time passes; nobody notices yet that holds are over."""

    def effect(line: Line) -> Outcome:
        for name in line.of("offered"):
            line = line.change(name, is_over=True)
        return line, NOTHING

    return Ask(lambda desk: desk.let_pass(LEASE_SECONDS + 1), effect)


def notice_ends() -> Ask:
    """Redis ends what is over, and nobody records it."""
    return Ask(
        lambda desk: desk.notice_ends(),
        lambda line: (model.all_expired(line, only_over=True), NOTHING),
    )


def forget(name: str, *keys_of: Callable[[str], str]) -> Ask:
    """Redis has lost what it had of somebody."""
    return Ask(lambda desk: desk.forget(name, *keys_of), nothing_changes)


def lose_redis() -> Ask:
    return Ask(lambda desk: desk.redis.flushall(), nothing_changes)


def lose_and_rebuild() -> Ask:
    """Redis is lost, and rebuilt by the next minute's maintenance."""
    return Ask(lambda desk: (desk.redis.flushall(), desk.maintain())[1], nothing_changes)


def look_after() -> Ask:
    """Maintenance of one list: a lost order is rebuilt, whatever is over ends."""
    return Ask(
        lambda desk: desk.look_after(),
        lambda line: (model.all_expired(line, only_over=True), NOTHING),
    )


def finish_intents() -> Ask:
    """Maintenance of whatever was cut off over a minute ago."""
    return Ask(lambda desk: desk.finish_intents(), nothing_changes)
