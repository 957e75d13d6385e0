"""The messages that imports use to get tickets and to add entries at given places."""

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
    """A millisecond, and the number of rows of an import whose time is in it."""

    ticket: Ticket  # the first ticket of this millisecond
    count: Annotated[int, Meta(ge=1, le=MAX_BATCH)]


class AllocateTickets(OnWaitlist, frozen=True, kw_only=True):
    """Allocates tickets for the rows of an import.

    Rows with a time in the same millisecond get consecutive numbers, which keep them in order.
    """

    count: Annotated[int, Meta(ge=0, le=MAX_BATCH)] = 0
    shared_milliseconds: Annotated[tuple[SharedMillisecond, ...], Meta(max_length=MAX_BATCH)] = ()
    # The newest logical timestamp in the records. All new tickets must be later than this
    # timestamp.
    known_stamp: Ticket = 0


@answers(AllocateTickets)
class AllocateTicketsResult(Result, frozen=True, kw_only=True):
    """The tickets for the rows of an import.

    The first row's ticket is `first`. Each of the following tickets is `apart` higher than the one
    before it.
    """

    # A logical timestamp that is later than the timestamps of all earlier decisions.
    stamp: Ticket
    first: Ticket
    apart: Number = 1
    # For each item in `shared_milliseconds`, the difference between the ticket of its first row and
    # the first ticket of the millisecond.
    offsets: tuple[Number, ...] = ()


class Insert(Signup, frozen=True, kw_only=True):
    """Adds an entry at the rank of its ticket. If this rank is taken, the entry gets the next free
    rank after it.

    A closed waitlist also accepts the entry, because closing a waitlist stops only signups.
    """

    ticket: Ticket
    priority: Priority = 0
    # The former rank of an entry that an operator reinstates. If this rank is taken, the entry gets
    # the nearest free rank ahead of it. If no rank is given, the ticket determines the entry's
    # place.
    rank: Rank | None = None


answers(Insert)(SignupResult)
