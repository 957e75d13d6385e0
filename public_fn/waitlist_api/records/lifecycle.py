"""The lifecycle of an entry: what the record, Redis and its decisions call each state.

An entry that a claimer holds and one whose customer has an offer are both `offered` in the record;
Redis has a state for each. docs/internals/architecture.md has the same table, with the words.
"""

from typing import Protocol

from msgspec import Struct

from waitlist_api.records.entry import Status
from waitlist_shared import contracts as c


class Stage(Struct, frozen=True):
    """One state: `state` in Redis, `status` in the record, and the verbs that lead to it.

    `shown` is the status that a caller gets who asks Redis.
    """

    state: c.PlaceState
    status: Status
    verbs: tuple[c.Verb, ...]
    shown: Status


def _stage(
    state: c.PlaceState, status: Status, *verbs: c.Verb, shown: Status | None = None
) -> Stage:
    return Stage(state, status, verbs, shown or status)


LIFECYCLE = (
    _stage(
        "waiting",
        "waiting",
        *("released", "expired", "redriven", "bumped", "declined", "withdrawn", "no_show"),
        "unanswered_to_back",
    ),
    _stage("offered", "offered", "offered"),
    _stage("held", "offered", "extended"),
    # The leave that follows begins from `offered`; maintenance finishes it within a minute.
    _stage("no_show", "offered", "abandoned", "unanswered_left", shown="left"),
    _stage("parked", "parked", "parked", "worn_out", "no_show_parked", "unanswered_parked"),
    _stage("done", "admitted", "admitted"),
)
_AFTER = {verb: stage for stage in LIFECYCLE for verb in stage.verbs}
_SHOWN: dict[str, Status] = {stage.state: stage.shown for stage in LIFECYCLE}


class Recorded(Protocol):
    """A record, or its row of the index."""

    @property
    def status(self) -> str: ...

    @property
    def is_offer(self) -> bool: ...


def status_after(verb: c.Verb) -> Status:
    """Return the status that the record has after a decision of Redis."""
    return _AFTER[verb].status


def state_after(verb: c.Verb) -> c.PlaceState:
    """Return the state in Redis after a decision."""
    return _AFTER[verb].state


def status_off_queue(state: str) -> Status | None:
    """Return the status of an entry that Redis has off the queue; None if it is not."""
    return None if state == "waiting" else _SHOWN.get(state)


def state_of(entry: Recorded) -> c.EntryState:
    """Return the state in Redis of an entry that has a place in the record."""
    if entry.status == "offered":
        return "offered" if entry.is_offer else "held"
    return "parked" if entry.status == "parked" else "waiting"
