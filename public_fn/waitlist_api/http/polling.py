"""Decides how soon a client should poll again."""

from collections.abc import Sequence

from waitlist_shared.contracts import NotReady

# A waitlist rarely serves twenty entries within one second. For every twenty positions further
# back, a client can therefore wait one second longer before it polls again.
POSITIONS_PER_SECOND = 20
LONGEST_SECONDS = 300
# The polling intervals of entries that have no position. The interval depends on the status of the
# entry. It is short for a status that can change soon.
OFF_QUEUE_SECONDS = {"waiting": 5, "joining": 2, "leaving": 2, "offered": 5, "parked": 60}
# An operator can call a claimed customer at any time, for example to a counter. The customer's page
# must show the call within five seconds, and some clients poll a little late.
CLAIMED_SECONDS = 3

# The longest polling interval of an entry that is not ready. An operator can make the entry ready
# at any time.
NOT_READY_SECONDS = 60
OPEN_END_SECONDS = 5

# A customer is passed over if they have not polled for a certain time. Let clients poll three times
# in this period, so that two lost polls do no harm.
POLLS_OF_PRESENCE = 3


def poll_after_seconds(
    status: str, *positions: int | None, not_ready: Sequence[NotReady] = (), now_millis: int = 0
) -> int | None:
    """Return the seconds until a client should poll again, or None if nothing will change.

    An entry can have several positions, such as its position in the whole queue and within a
    segment. The lowest of them decides how soon the client should poll.
    """
    known = [position for position in positions if position is not None]
    if not known:
        return OFF_QUEUE_SECONDS.get(status)
    seconds = min(1 + (min(known) - 1) // POSITIONS_PER_SECOND, LONGEST_SECONDS)
    if status != "waiting" or not not_ready:
        return seconds
    # An entry can be not ready for several reasons. If a reason ends at a known time, the client
    # should poll at that time. Other reasons can end at any time, so the client should poll at a
    # fixed interval.
    ends = [
        max(1, -(-(reason.until_millis - now_millis) // 1000))
        if reason.until_millis
        else max(seconds, OPEN_END_SECONDS)
        for reason in not_ready
    ]
    return min(*ends, NOT_READY_SECONDS)
