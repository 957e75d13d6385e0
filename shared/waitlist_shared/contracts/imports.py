"""The messages that draw tickets for imports and insert entries at a given place."""

from typing import Annotated

from msgspec import Meta, Struct

from waitlist_shared.contracts.common import (
    Number,
    OnWaitlist,
    Priority,
    Rank,
    Result,
    Ticket,
    answers,
)
from waitlist_shared.contracts.queue import Signup, SignupResult
from waitlist_shared.limits import MAX_BATCH


class SharedMillisecond(Struct, frozen=True, array_like=True):
    """The number of rows in an import whose times are in the same millisecond."""

    ticket: Ticket  # the first ticket of this millisecond
    count: Annotated[int, Meta(ge=1, le=MAX_BATCH)]


class AllocateTickets(OnWaitlist, frozen=True, kw_only=True):
    """Draws tickets for an import, and sequence numbers for rows with the same time."""

    count: Annotated[int, Meta(ge=0, le=MAX_BATCH)] = 0
    shared_milliseconds: Annotated[tuple[SharedMillisecond, ...], Meta(max_length=MAX_BATCH)] = ()
    # The newest logical timestamp in the records. All new tickets are later.
    known_stamp: Ticket = 0


@answers(AllocateTickets)
class AllocateTicketsResult(Result, frozen=True, kw_only=True):
    """The tickets for an import: `first`, `first + apart`, and so on."""

    # A logical timestamp that is later than all earlier decisions.
    stamp: Ticket
    first: Ticket
    apart: Number = 1
    # One number for each millisecond in the request. The sequence numbers of its rows begin at the
    # first ticket of the millisecond plus this number.
    offsets: tuple[Number, ...] = ()


class Insert(Signup, frozen=True, kw_only=True):
    """Adds an entry at the rank of its ticket, or at the next free rank after it.

    A closed waitlist accepts the entry too, because closing stops only signups.
    """

    ticket: Ticket
    priority: Priority = 0
    # The rank to use instead, or the nearest free rank ahead of it. This is how an entry gets back
    # to a former place.
    rank: Rank | None = None


answers(Insert)(SignupResult)
