"""The messages of imports and reinstatements, which allocate tickets and insert entries."""

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
    """The number of rows in an import that share the millisecond beginning with this ticket."""

    ticket: Ticket
    count: Annotated[int, Meta(ge=1, le=MAX_BATCH)]


class AllocateTickets(OnWaitlist, frozen=True, kw_only=True):
    """Draws a run of tickets, and sequence numbers for rows that share a millisecond.

    No ticket and no sequence number is given out twice. The tickets and the stamp are later than
    `known_stamp`, the newest stamp that the records of the entries have.
    """

    count: Annotated[int, Meta(ge=0, le=MAX_BATCH)] = 0
    shared_milliseconds: Annotated[tuple[SharedMillisecond, ...], Meta(max_length=MAX_BATCH)] = ()
    known_stamp: Ticket = 0


@answers(AllocateTickets)
class AllocateTicketsResult(Result, frozen=True, kw_only=True):
    """The allocated tickets: the first one is `first`, and the distance between two is `apart`.

    The sequence numbers of each shared millisecond begin at the ticket of the millisecond plus its
    value in `offsets`. `stamp` is later than all earlier decisions.
    """

    stamp: Ticket
    first: Ticket
    apart: Number = 1
    offsets: tuple[Number, ...] = ()


class Insert(OnTaggedStay, frozen=True, kw_only=True):
    """Adds an entry at its ticket within its priority, or at the next free rank after it.

    If `rank` is given, the entry is added at that rank, whatever its ticket is, or at the nearest
    free rank ahead. An operator uses this to reinstate a stay that has ended, and an import uses it
    to keep the place that a customer had on another waitlist. A closed waitlist accepts the entry
    too, because closing refuses signups only. `known_stamp` is as in Signup. The result is a
    SignupResult.
    """

    ticket: Ticket
    priority: Priority = 0
    rank: Rank | None = None
    known_stamp: Ticket = 0


answers(Insert)(SignupResult)
