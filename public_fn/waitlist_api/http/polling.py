"""When a client should ask again: soon at the head of the queue, seldom far back."""

from collections.abc import Sequence

from waitlist_shared.contracts import NotReady

# Twenty entries are rarely served within a second, so an entry twenty positions further back may
# ask a second later without missing a step.
POSITIONS_PER_SECOND = 20
LONGEST_SECONDS = 300
# For entries without a position, by what may happen to them next.
OFF_QUEUE_SECONDS = {"waiting": 5, "joining": 2, "leaving": 2, "offered": 5, "parked": 60}


# An entry that is not ready is offered nothing until a time that its customer knows, or until an
# operator says so, or the customer elsewhere.
NOT_READY_SECONDS = 60
OPEN_END_SECONDS = 5


def poll_after_seconds(
    status: str, *positions: int | None, not_ready: Sequence[NotReady] = (), now_millis: int = 0
) -> int | None:
    """Return the seconds until a client should ask again: the lowest position decides.

    Of an entry that is not ready, the first end of a reason decides, for an offer may follow it;
    one with an open end may end at any time. None if the customer has left or was admitted: nothing
    will change.
    """
    known = [position for position in positions if position is not None]
    if not known:
        return OFF_QUEUE_SECONDS.get(status)
    seconds = min(1 + (min(known) - 1) // POSITIONS_PER_SECOND, LONGEST_SECONDS)
    if status != "waiting" or not not_ready:
        return seconds
    ends = [
        max(1, -(-(one.until_millis - now_millis) // 1000))
        if one.until_millis
        else max(seconds, OPEN_END_SECONDS)
        for one in not_ready
    ]
    return min(*ends, NOT_READY_SECONDS)
