"""What each operation makes of its script's reply: the words and numbers behind RETURNS."""

from collections.abc import Iterator
from typing import Any, TypeVar, cast

from waitlist_shared import contracts as c
from waitlist_shared.ranks import TIER

Reply = list[Any]
R = TypeVar("R", bound=c.Result)


def _known(number: int) -> int | None:
    """Scripts say -1 where nothing is known (while the order is rebuilt)."""
    return None if number < 0 else number


def init(reply: Reply) -> c.InitResult:
    *words, mending = reply
    return _named(c.InitResult, [*words, mending == 1], "state", "epoch", "born", "is_mending")


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


def reserve(reply: Reply) -> c.ReserveResult:
    *values, offsets = reply
    values.append(tuple(offsets))
    return _named(c.ReserveResult, values, "stamp", "first", "apart", "offsets")


def bump(reply: Reply) -> c.BumpResult:
    *known, moved_by = reply
    known.append(None if moved_by == "" else int(moved_by))
    names = ("rank", "ticket", "stamp", "moved_stamp", "position", "total", "attempts")
    return _named(c.BumpResult, known, *names, "expired_stamp", "moved_by")


def position(reply: Reply) -> c.PositionResult:
    if reply[0] != "waiting":
        outcome, total, hide_counts, *place = reply
        rank, ticket = place or (None, None)
        number, places = None, []
    else:
        outcome, total, hide_counts, number, rank, ticket, places = reply
    return c.PositionResult(
        outcome=outcome,
        total=total,
        hide_counts=hide_counts == "1",
        position=number,
        rank=rank,
        ticket=ticket,
        places=_places(places) if places else (),
    )


def _places(flat: list[int]) -> tuple[c.SegmentPlace, ...]:
    pairs = zip(flat[0::2], flat[1::2], strict=True)
    return tuple(c.SegmentPlace(position=_known(within), total=of) for within, of in pairs)


def look(reply: Reply) -> c.LookResult:
    outcome, state, rank, token, time, stamp, unsettled, attributes_version = reply
    return c.LookResult(
        outcome=outcome,
        state=state,
        rank=rank,
        token=token,
        time_millis=int(time),
        stamp=stamp,
        unsettled_stamp=unsettled,
        attributes_version=_known(attributes_version),
    )


def beat(reply: Reply) -> c.BeatResult:
    outcome, epoch, born, number, stamp, *counted = reply
    signed_up, left, admitted = counted
    counters = c.Counters(signed_up=signed_up, left=left, admitted=admitted)
    return c.BeatResult(
        outcome=outcome, epoch=epoch, born=born, beat=number, stamp=stamp, counters=counters
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
    outcome, state, epoch, segments_state, waiting, offered, parked, *rest = reply
    signed_up, left, admitted, head_ticket, oldest_parked = rest
    # After a loss of Redis the counters go on from a minute before it.
    signed_up = max(signed_up, waiting + offered + parked + left + admitted)
    return c.StatsResult(
        outcome=outcome,
        state=state,
        epoch=epoch,
        segments_state=segments_state,
        waiting=waiting,
        offered=offered,
        parked=parked,
        counters=c.Counters(signed_up=signed_up, left=left, admitted=admitted),
        head_ticket=_known(head_ticket),
        oldest_parked_millis=_known(oldest_parked),
    )


def restore(reply: Reply) -> c.RestoreResult:
    outcome, state, position, rank, ticket, total, attempts = reply
    return c.RestoreResult(
        outcome=outcome,
        state=state,
        position=_known(position),
        rank=rank,
        ticket=ticket,
        total=_known(total),
        attempts=attempts,
    )


def fill(reply: Reply) -> c.FillResult:
    outcome, restored, present, gone = reply
    return c.FillResult(outcome=outcome, restored=restored, present=present, gone=gone)


def leave(reply: Reply) -> c.LeaveResult:
    return c.LeaveResult(outcome=reply[0], stamp=reply[1])


def drop(reply: Reply) -> c.DropResult:
    return c.DropResult(outcome=reply[0], stamp=reply[1], dropped_stamp=reply[2])


def purge(reply: Reply) -> c.PurgeResult:
    return c.PurgeResult(outcome=reply[0])


def claim(reply: Reply) -> c.ClaimResult:
    outcome, stamp, flat = reply
    entries = [
        c.Claimed(
            entry_id=entry_id,
            token=token,
            deadline_millis=deadline,
            attempts=attempts,
            rank=rank,
            ticket=ticket,
            expired_stamp=expired_stamp,
        )
        for entry_id, token, deadline, attempts, rank, ticket, expired_stamp in _rows(flat, 7)
    ]
    return c.ClaimResult(outcome=outcome, stamp=stamp, entries=entries)


def complete(reply: Reply) -> c.CompleteResult:
    return _named(c.CompleteResult, reply, "stamp", "rank", "ticket", "attempts", "done_stamp")


def release(reply: Reply) -> c.ReleaseResult:
    outcome, stamp, rank, ticket, attempts, position, total = reply
    return c.ReleaseResult(
        outcome=outcome,
        stamp=stamp,
        rank=rank,
        ticket=ticket,
        attempts=attempts,
        position=_known(position),
        total=_known(total),
    )


def extend(reply: Reply) -> c.ExtendResult:
    names = ("stamp", "deadline_millis", "rank", "ticket", "attempts")
    return _named(c.ExtendResult, reply, *names)


def park(reply: Reply) -> c.ParkResult:
    return _named(c.ParkResult, reply, "stamp", "parked_millis", "rank", "ticket", "attempts")


def redrive(reply: Reply) -> c.RedriveResult:
    outcome, stamp, rank, ticket, position, total, worn_out_stamp = reply
    return c.RedriveResult(
        outcome=outcome,
        stamp=stamp,
        rank=rank,
        ticket=ticket,
        position=_known(position),
        total=total,
        worn_out_stamp=worn_out_stamp,
    )


def expire(reply: Reply) -> c.ExpireResult:
    outcome, stamp, is_all, max_attempts, flat = reply
    places = [
        c.Unsettled(
            entry_id=entry_id,
            seen_stamp=int(seen_stamp),
            state=state,
            rank=int(rank),
            ticket=int(ticket),
            attempts=int(attempts),
            token=token,
            time_millis=int(time_millis),
            decisions=tuple(map(_decision, decisions.split())),
        )
        for (
            entry_id,
            seen_stamp,
            state,
            rank,
            ticket,
            attempts,
            token,
            time_millis,
            decisions,
        ) in _rows(flat, 9)
    ]
    return c.ExpireResult(
        outcome=outcome, stamp=stamp, is_all=bool(is_all), max_attempts=max_attempts, places=places
    )


def _decision(packed: str) -> c.Decision:
    verb, token, *numbers = packed.split("|")
    stamp, rank, ticket, attempts, at = map(int, numbers)
    return c.Decision(
        verb=cast("c.Verb", verb),
        token=token,
        stamp=stamp,
        rank=rank,
        ticket=ticket,
        attempts=attempts,
        at=at,
    )


def settle(reply: Reply) -> c.SettleResult:
    return c.SettleResult(outcome=reply[0])


def shelf(reply: Reply) -> c.ShelfResult:
    outcome, total, flat = reply
    entries = [
        c.ShelfEntry(
            entry_id=entry_id,
            time_millis=int(time_millis),
            rank=int(rank),
            ticket=int(ticket),
            attempts=int(attempts),
        )
        for entry_id, time_millis, rank, ticket, attempts in _rows(flat, 5)
    ]
    return c.ShelfResult(outcome=outcome, total=total, entries=entries)


def mark(reply: Reply) -> c.MarkResult:
    return c.MarkResult(outcome=reply[0], stamp=reply[1])


def tag(reply: Reply) -> c.TagResult:
    return c.TagResult(outcome=reply[0])


def untagged(reply: Reply) -> c.UntaggedResult:
    outcome, looked_at, entry_ids = reply
    return c.UntaggedResult(outcome=outcome, looked_at=looked_at, entry_ids=tuple(entry_ids))


def segments(reply: Reply) -> c.SegmentsResult:
    outcome, flat = reply
    depths = [
        c.SegmentDepth(segment=segment, waiting=waiting, first=_members_of(segment, members))
        for segment, waiting, members in zip(flat[0::3], flat[1::3], flat[2::3], strict=True)
    ]
    return c.SegmentsResult(outcome=outcome, depths=tuple(depths))


def _members_of(segment: str, members: list[str]) -> tuple[str, ...]:
    """Return the entries of "segment:rank:entry"; behind the last the next segment's follow."""
    mine = [member for member in members if member.startswith(f"{segment}:")]
    return tuple(member.rpartition(":")[2] for member in mine)


def _rows(flat: list[Any], width: int) -> Iterator[tuple[Any, ...]]:
    """Scripts answer rows as one flat list."""
    return zip(*[iter(flat)] * width, strict=True)


def _named(result: type[R], reply: Reply, *names: str) -> R:
    """Return a result whose fields stand in the reply as they are, behind the outcome."""
    return result(**dict(zip(("outcome", *names), reply, strict=True)))
