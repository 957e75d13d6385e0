"""Creates the names of all Redis keys.

All of a waitlist's keys have the same hash tag, so a Redis cluster stores them in the same slot and
one script can use all of them.
"""

from collections.abc import Callable

# The functions that return a waitlist's Redis keys, by the name of the key.
OF_WAITLIST: dict[str, Callable[[str], str]] = {}


def _key(name: str) -> Callable[[str], str]:
    OF_WAITLIST[name] = lambda waitlist_id: f"wl:{{{waitlist_id}}}:{name}"
    return OF_WAITLIST[name]


# A hash with the waitlist's state, settings and counters.
meta = _key("meta")

# A sorted set of waiting entries that are ready, sorted by rank.
queue = _key("queue")

# A sorted set of waiting entries that are not ready, sorted by rank.
not_ready = _key("not_ready")

# A sorted set of the waiting entries whose address is not verified, sorted by rank.
unverified = _key("unverified")

# A sorted set of entries that are not ready, and may become ready without a message to Redis. The
# score is the earliest time in milliseconds when a reason for not being ready ends. The score is
# infinity if the only such reason is that the customer has stopped polling.
ready_at = _key("ready_at")

# A hash with the reasons why entries are not ready. An entry that is not ready cannot be admitted
# at the moment. The hash contains only entries that are not ready now or were not ready at an
# earlier time.
readiness = _key("readiness")

# A hash with the time of the last poll of each customer who is near the head of the queue or has an
# offer. It exists only if the waitlist has the `presence` setting.
last_polls = _key("last_polls")

# A sorted set of signups that have ended, written as "entry_id:join_id". The score is the logical
# timestamp at which the signup ended.
tombstones = _key("tombstones")

# A hash with the tickets that cannot be computed from their entries' ranks, for example because an
# entry was moved in the queue. If an entry is not in this hash, its ticket is computed from its
# rank.
tickets_of_moved = _key("tickets_of_moved")

# A sorted set of entries with a claim or an offer, sorted by deadline.
held = _key("held")

# A sorted set of claimed entries, sorted by deadline. It exists only if the `max_claims` setting
# limits the number of claims.
claimed = _key("claimed")

# A hash with the state of each entry that was taken out of the queue, for example because it has a
# claim or an offer, or because it was parked (set aside for an operator).
claims = _key("claims")

# A sorted set of parked entries, which are set aside for an operator. The score is the time, in
# milliseconds, when the entry was parked.
parked = _key("parked")

# A hash with each entry's number of attempts. Each expired claim or offer counts as an attempt.
attempts = _key("attempts")

# A sorted set of entries that Redis has changed, and whose records may still be out of date. The
# score is the logical timestamp of the entry's last change.
dirty = _key("dirty")

# A hash with the latest changes to entries in Redis, which the entries' records may not contain
# yet.
pending_decisions = _key("pending_decisions")

# The segment index: a sorted set of the waiting entries in each segment. Its members are explained
# in `scripts/lib/segments.lua`.
segments = _key("segments")

# A hash with the segments of each entry, and the version number of the attributes from which the
# segments were computed.
tags = _key("tags")

# A hash for imports. If several imported rows have the same signup time, it contains the number of
# these rows. The name of the field is the ticket that belongs to this signup time.
shared_milliseconds = _key("shared_milliseconds")

# A sorted set of customers who are inside. The score is the time, in milliseconds, when the
# customer's pass ends.
inside = _key("inside")

# A hash with one ticket for each customer who is inside. The ticket identifies the signup that was
# admitted.
visits = _key("visits")

# The board, which is a public snapshot of the positions in the queue.
board = _key("board")


# Each entry has its own Redis key for its moves, so that they can be deleted when the customer's
# data is erased.
def moves(waitlist_id: str, entry_id: str) -> str:
    """Return the name of the sorted set that lists the requests to move an entry in the queue.

    The set contains the idempotency key of each request, so that a repeated request does not move
    the entry a second time.
    """
    return f"wl:{{{waitlist_id}}}:moves:{entry_id}"


def once(waitlist_id: str, verb: str, once_key: str) -> str:
    """Return the Redis key that stores the result of a claim or an admission.

    If the request is repeated, the script returns the stored result.
    """
    return f"wl:{{{waitlist_id}}}:once:{verb}:{once_key}"
