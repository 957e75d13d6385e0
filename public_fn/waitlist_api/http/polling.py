"""Decides when a client should poll again: soon near the head of the queue, rarely far back."""

from collections.abc import Sequence

from waitlist_shared.contracts import NotReady

# Twenty entries are rarely served within a second. An entry that is twenty positions further back
# may therefore poll a second later without missing a change.
POSITIONS_PER_SECOND = 20
LONGEST_SECONDS = 300
# The intervals for entries without a position, by status. They depend on what can happen next.
OFF_QUEUE_SECONDS = {"waiting": 5, "joining": 2, "leaving": 2, "offered": 5, "parked": 60}


# An entry that is not ready gets no offer until a known time, or until an operator, or the customer
# on another device, makes it ready.
NOT_READY_SECONDS = 60
OPEN_END_SECONDS = 5


def poll_after_seconds(
    status: str, *positions: int | None, not_ready: Sequence[NotReady] = (), now_millis: int = 0
) -> int | None:
    """Return the seconds until a client should poll again, or None if nothing will change.

    The lowest position decides. If the entry is not ready, an offer may follow as soon as a reason
    ends, so the earliest end decides. A reason without a known end may end at any time. Nothing
    changes after the customer has left or was admitted.
    """
    known = [position for position in positions if position is not None]
    if not known:
        return OFF_QUEUE_SECONDS.get(status)
    seconds = min(1 + (min(known) - 1) // POSITIONS_PER_SECOND, LONGEST_SECONDS)
    if status != "waiting" or not not_ready:
        return seconds
    ends = [
        max(1, -(-(reason.until_millis - now_millis) // 1000))
        if reason.until_millis
        else max(seconds, OPEN_END_SECONDS)
        for reason in not_ready
    ]
    return min(*ends, NOT_READY_SECONDS)
