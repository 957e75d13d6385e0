"""Decide how an admitted customer's record changes when the customer exits."""

from msgspec.structs import replace

from waitlist_api.records.entry import EntryRecord, HistoryEvent
from waitlist_api.records.journal import EXITED, change_of
from waitlist_api.records.ledger import Commit


def go_out(
    record: EntryRecord, by: str, reason: str, now_millis: int, *, keeps_room: bool
) -> Commit:
    """Return the change that records an admitted customer's exit.

    If `keeps_room` is true, the customer still counts as inside until the pass ends.
    """
    # The exit is written to the record before Redis is updated, so Redis cannot supply the
    # timestamp.
    stamp = record.stamp_off_list(now_millis)
    event = HistoryEvent(
        stamp=stamp,
        event="exited",
        by=by,
        reason=reason,
        jti=record.pass_id,
        expires_at=record.expires_at,
    )
    change = change_of(
        record,
        stamp,
        # The journal contains the state that the entry should have in Redis. If `keeps_room` is
        # true, the state stays `admitted`, so that Redis counts the customer as inside until the
        # pass ends.
        "admitted" if keeps_room else EXITED,
        until_millis=record.end.inside_until_millis or 0 if keeps_room else 0,
    )
    if keeps_room:
        end = replace(record.end, out_millis=now_millis)
    else:
        end = replace(record.end, exited_millis=now_millis)
    after = replace(
        record,
        end=replace(end, stamp=record.decided_stamp),
        stamp=stamp,
        updated_millis=now_millis,
    )
    return Commit(after=after, events=(event,), change=change)
