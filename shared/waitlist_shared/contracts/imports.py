"""The messages that draw tickets for imports and insert entries at a given place."""

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
    """The number of rows in an import that have the same time, to the millisecond.

    `ticket` is the first ticket of this millisecond.
    """

    ticket: Ticket
    count: Annotated[int, Meta(ge=1, le=MAX_BATCH)]


class AllocateTickets(OnWaitlist, frozen=True, kw_only=True):
    """Draws tickets for an import, and sequence numbers for rows with the same time.

    No ticket and no sequence number is given out twice. The tickets and the stamp (logical
    timestamp) are later than `known_stamp`, which is the newest stamp in the records.
    """

    count: Annotated[int, Meta(ge=0, le=MAX_BATCH)] = 0
    shared_milliseconds: Annotated[tuple[SharedMillisecond, ...], Meta(max_length=MAX_BATCH)] = ()
    known_stamp: Ticket = 0


@answers(AllocateTickets)
class AllocateTicketsResult(Result, frozen=True, kw_only=True):
    """The tickets for an import. They begin at `first`, and each next ticket is higher by `apart`.

    `offsets` has one number for each shared millisecond in the request. The sequence numbers of its
    rows begin at the first ticket of the millisecond plus this number. `stamp` is later than all
    earlier decisions.
    """

    stamp: Ticket
    first: Ticket
    apart: Number = 1
    offsets: tuple[Number, ...] = ()


class Insert(OnTaggedStay, frozen=True, kw_only=True):
    """Adds an entry at the rank of its ticket, or at the next free rank after it.

    If `rank` is given, the entry is added at this rank, or at the nearest free rank ahead of it.
    Operators use `rank` to reinstate an entry at its former place. Imports use `rank` if customers
    keep their place from another waitlist. A closed waitlist accepts the entry too, because closing
    stops only signups. `known_stamp` has the same meaning as in Signup. The result is a
    SignupResult.
    """

    ticket: Ticket
    priority: Priority = 0
    rank: Rank | None = None
    known_stamp: Ticket = 0


answers(Insert)(SignupResult)
