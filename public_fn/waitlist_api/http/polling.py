"""Decides how soon a client should poll again."""

from collections.abc import Sequence

from waitlist_shared.contracts import NotReady

# A waitlist rarely serves twenty entries within a second, so a client can wait one second longer
# between polls for every twenty positions that the entry is further back.
POSITIONS_PER_SECOND = 20
LONGEST_SECONDS = 300
# The polling intervals of entries without a position, by status. A status that can change soon has
# a short interval.
OFF_QUEUE_SECONDS = {"waiting": 5, "joining": 2, "leaving": 2, "offered": 5, "parked": 60}
# An operator can call a claimed customer at any time, for example to a counter. The customer's page
# must show the call within five seconds, so allow for clients that poll a little late.
CLAIMED_SECONDS = 3

# The longest polling interval of an entry that is not ready. An operator can make the entry ready
# at any time.
NOT_READY_SECONDS = 60
OPEN_END_SECONDS = 5

# Customers who do not poll for a while are passed over. Let clients poll three times within that
# period, so that two lost polls do no harm.
POLLS_OF_PRESENCE = 3


def poll_after_seconds(
    status: str, *positions: int | None, not_ready: Sequence[NotReady] = (), now_millis: int = 0
) -> int | None:
    """Return how many seconds a client should wait before it polls again, or None if nothing will
    change.

    An entry can have several positions: one in the whole queue, and others within segments. The
    lowest position determines how soon the client should poll.
    """
    known = [position for position in positions if position is not None]
    if not known:
        return OFF_QUEUE_SECONDS.get(status)
    seconds = min(1 + (min(known) - 1) // POSITIONS_PER_SECOND, LONGEST_SECONDS)
    if status != "waiting" or not not_ready:
        return seconds
    # An entry can be not ready for several reasons. If a reason ends at a known time, the client
    # should poll then. A reason without a known end can end at any time, so the client should poll
    # at a regular interval.
    ends = [
        max(1, -(-(reason.until_millis - now_millis) // 1000))
        if reason.until_millis
        else max(seconds, OPEN_END_SECONDS)
        for reason in not_ready
    ]
    return min(*ends, NOT_READY_SECONDS)
