"""The messages that put people in line at places of the past, or of an import's own run."""

from typing import Annotated

from msgspec import Meta, Struct

from waitlist_shared.contracts.common import (
    Number,
    OnTaggedStay,
    OnWaitlist,
    Priority,
    Result,
    Ticket,
    answers,
)
from waitlist_shared.contracts.queue import SignupResult
from waitlist_shared.limits import MAX_BATCH


class Crowd(Struct, frozen=True, array_like=True):
    """How many of an import joined elsewhere in the millisecond that begins with a ticket."""

    ticket: Ticket
    count: Annotated[int, Meta(ge=1, le=MAX_BATCH)]


class AllocateTickets(OnWaitlist, frozen=True, kw_only=True, tag="reserve"):
    """Draws a run of tickets, and numbers within crowds; names no crowd twice."""

    count: Annotated[int, Meta(ge=0, le=MAX_BATCH)] = 0
    crowds: Annotated[tuple[Crowd, ...], Meta(max_length=MAX_BATCH)] = ()


@answers(AllocateTickets)
class AllocateTicketsResult(Result, frozen=True, kw_only=True):
    """The run begins at `first`, and two of it are `apart`; each crowd's numbers follow each other.

    They begin behind its ticket at its offset. `stamp` is later than all that was decided before.
    """

    stamp: Ticket
    first: Ticket
    apart: Number = 1
    offsets: tuple[Number, ...] = ()


class Insert(OnTaggedStay, frozen=True, kw_only=True, tag="enlist"):
    """Puts an entry where its ticket belongs in its tier, or next behind whoever stands there.

    Also on a closed list: that is for signups. Its answer is a signup's.
    """

    ticket: Ticket
    priority: Priority = 0


answers(Insert)(SignupResult)
