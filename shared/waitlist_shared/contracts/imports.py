"""The messages of imports and reinstatements: allocate tickets, and insert entries at places."""

from typing import Annotated

from msgspec import Meta, Struct

from waitlist_shared.contracts.common import (
    Number,
    OnTaggedStay,
    OnWaitlist,
    Priority,
    Rank,
    Result,
    Ticket,
    answers,
)
from waitlist_shared.contracts.queue import SignupResult
from waitlist_shared.limits import MAX_BATCH


class SharedMillisecond(Struct, frozen=True, array_like=True):
    """How many rows of an import share the millisecond that begins with a ticket."""

    ticket: Ticket
    count: Annotated[int, Meta(ge=1, le=MAX_BATCH)]


class AllocateTickets(OnWaitlist, frozen=True, kw_only=True, tag="reserve"):
    """Draws a run of tickets, and numbers within shared milliseconds, each of them once.

    The tickets and the stamp are later than `known_stamp`, the newest stamp that the records have
    of the entries.
    """

    count: Annotated[int, Meta(ge=0, le=MAX_BATCH)] = 0
    crowds: Annotated[tuple[SharedMillisecond, ...], Meta(max_length=MAX_BATCH)] = ()
    known_stamp: Ticket = 0


@answers(AllocateTickets)
class AllocateTicketsResult(Result, frozen=True, kw_only=True):
    """The run begins at `first`, with a distance of `apart` between two tickets.

    The numbers within a shared millisecond begin at its ticket plus its offset. `stamp` is later
    than all earlier decisions.
    """

    stamp: Ticket
    first: Ticket
    apart: Number = 1
    offsets: tuple[Number, ...] = ()


class Insert(OnTaggedStay, frozen=True, kw_only=True, tag="enlist"):
    """Adds an entry at its ticket within its priority, or at the next free rank behind it.

    With a `rank` it is added there, whatever its ticket is, or at the nearest free rank ahead. So
    an operator gives the place of a stay that has ended back, and an import gives the place that a
    customer had in another waitlist. A closed waitlist takes it too: only signups are refused.
    `known_stamp` is as in Signup. Its result is a signup's.
    """

    ticket: Ticket
    priority: Priority = 0
    rank: Rank | None = None
    known_stamp: Ticket = 0


answers(Insert)(SignupResult)
