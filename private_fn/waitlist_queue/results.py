"""What each operation makes of its script's reply: the words and numbers behind RETURNS."""

from typing import Any

from waitlist_shared import contracts as c
from waitlist_shared.ranks import TIER

Reply = list[Any]


def _known(number: int) -> int | None:
    """Scripts say -1 where nothing is known (while the order is rebuilt)."""
    return None if number < 0 else number


def init(reply: Reply) -> c.InitResult:
    return c.InitResult(outcome=reply[0], state=reply[1], epoch=reply[2])


def signup(reply: Reply) -> c.SignupResult:
    outcome, rank, ticket, stamp, position, total = reply
    return c.SignupResult(
        outcome=outcome,
        rank=rank,
        ticket=ticket,
        stamp=stamp,
        position=_known(position),
        total=_known(total),
    )


def bump(reply: Reply) -> c.BumpResult:
    outcome, rank, ticket, stamp, moved_stamp, position, total = reply
    return c.BumpResult(
        outcome=outcome,
        rank=rank,
        ticket=ticket,
        stamp=stamp,
        moved_stamp=moved_stamp,
        position=position,
        total=total,
    )


def position(reply: Reply) -> c.PositionResult:
    outcome, total, hide_counts, *place = reply
    if not place:
        return c.PositionResult(outcome=outcome, total=total, hide_counts=hide_counts == "1")
    number, rank, ticket = place
    return c.PositionResult(
        outcome=outcome,
        total=total,
        hide_counts=hide_counts == "1",
        position=number,
        rank=rank,
        ticket=ticket,
    )


def page(reply: Reply) -> c.PageResult:
    outcome, total, first_position, flat, moved = reply
    ranks = [int(rank) for rank in flat[1::2]]
    entries = [
        c.PageEntry(
            entry_id=entry_id,
            position=first_position + offset,
            rank=rank,
            ticket=rank % TIER if ticket is None else int(ticket),
        )
        for offset, (entry_id, rank, ticket) in enumerate(
            zip(flat[0::2], ranks, moved, strict=True)
        )
    ]
    behind = total - (first_position + len(entries) - 1) if entries else 0
    next_rank = ranks[-1] if behind > 0 else None
    return c.PageResult(outcome=outcome, entries=entries, total=total, next_rank=next_rank)


def stats(reply: Reply) -> c.StatsResult:
    outcome, state, epoch, waiting, signed_up, left, admitted, head_ticket = reply
    return c.StatsResult(
        outcome=outcome,
        state=state,
        epoch=epoch,
        waiting=waiting,
        counters=c.Counters(
            # After a loss of Redis the counters go on from a minute before it.
            signed_up=max(signed_up, waiting + left + admitted),
            left=left,
            admitted=admitted,
        ),
        head_ticket=_known(head_ticket),
    )


def restore(reply: Reply) -> c.RestoreResult:
    outcome, position, rank, ticket, total = reply
    return c.RestoreResult(
        outcome=outcome,
        position=_known(position),
        rank=rank,
        ticket=ticket,
        total=_known(total),
    )


def leave(reply: Reply) -> c.LeaveResult:
    return c.LeaveResult(outcome=reply[0], stamp=reply[1])


def drop(reply: Reply) -> c.DropResult:
    return c.DropResult(outcome=reply[0], stamp=reply[1])


def purge(reply: Reply) -> c.PurgeResult:
    return c.PurgeResult(outcome=reply[0])
