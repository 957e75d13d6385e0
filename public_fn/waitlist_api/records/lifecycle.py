"""Map an entry's states in Redis to the statuses in its record (docs/internals/architecture.md)."""

from typing import Protocol

from msgspec import Struct

from waitlist_api.records.entry import Status
from waitlist_api.records.facets import Hold
from waitlist_shared import contracts as c


class Stage(Struct, frozen=True):
    """An entry's state in Redis, and the corresponding status in its record."""

    state: c.PlaceState
    status: Status
    verbs: tuple[c.Verb, ...]
    answer_status: Status


def _stage(
    state: c.PlaceState, status: Status, *verbs: c.Verb, answer_status: Status | None = None
) -> Stage:
    return Stage(state, status, verbs, answer_status or status)


LIFECYCLE = (
    _stage(
        "waiting",
        "waiting",
        *("released", "expired", "redriven", "bumped", "declined", "withdrawn", "no_show"),
        "unanswered_to_back",
    ),
    _stage("offered", "offered", "offered"),
    _stage("held", "offered", "extended"),
    # The customer missed an offer or did not confirm in time that they are still waiting, and has
    # therefore lost their place in Redis. The record keeps the status `offered` until maintenance
    # records that the customer has left.
    _stage("no_show", "offered", "abandoned", "unanswered_left", answer_status="left"),
    _stage("parked", "parked", "parked", "worn_out", "no_show_parked", "unanswered_parked"),
    _stage("done", "admitted", "admitted"),
)
_AFTER = {verb: stage for stage in LIFECYCLE for verb in stage.verbs}
_ANSWER_STATUSES: dict[str, Status] = {stage.state: stage.answer_status for stage in LIFECYCLE}


class Recorded(Protocol):
    """An entry that was read either as its full record or as its row in the index."""

    @property
    def status(self) -> str: ...

    @property
    def hold(self) -> Hold: ...


def status_after(verb: c.Verb) -> Status:
    """Return an entry's status in its record after a decision such as `offered`."""
    return _AFTER[verb].status


def state_after(verb: c.Verb) -> c.PlaceState:
    """Return an entry's state in Redis after a decision such as `offered`."""
    return _AFTER[verb].state


def status_off_queue(state: str) -> Status | None:
    """Return the status that an entry's record should have, given the entry's state in Redis.

    Return None if the state is `waiting` or unknown.
    """
    return None if state == "waiting" else _ANSWER_STATUSES.get(state)


def state_of(entry: Recorded) -> c.EntryState:
    """Return the state that an entry must have in Redis to match its record."""
    if entry.status == "offered":
        return "offered" if entry.hold.is_offer else "held"
    return "parked" if entry.status == "parked" else "waiting"
