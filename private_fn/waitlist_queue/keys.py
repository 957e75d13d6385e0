"""Creates the names of all Redis keys.

All keys of a waitlist have the same hash tag. A Redis cluster therefore stores them in the same
slot, and one script can use all of them.
"""


def meta(waitlist_id: str) -> str:
    """Return the key of the hash with the waitlist's state, settings and counters."""
    return f"wl:{{{waitlist_id}}}:meta"


def queue(waitlist_id: str) -> str:
    """Return the key of the sorted set of waiting entries that are ready, sorted by rank."""
    return f"wl:{{{waitlist_id}}}:queue"


def not_ready(waitlist_id: str) -> str:
    """Return the key of the sorted set of waiting entries that are not ready, sorted by rank."""
    return f"wl:{{{waitlist_id}}}:not_ready"


def unverified(waitlist_id: str) -> str:
    """Return the key of the sorted set of waiting entries whose address is not verified."""
    return f"wl:{{{waitlist_id}}}:unverified"


def ready_at(waitlist_id: str) -> str:
    """Return the key of the sorted set of entries that will be ready at a known time.

    The score is the time, in milliseconds, at which the next reason for not being ready ends.
    """
    return f"wl:{{{waitlist_id}}}:ready_at"


def readiness(waitlist_id: str) -> str:
    """Return the key of a hash with the reasons why each entry is not ready.

    Entries that have always been ready are not in the hash.
    """
    return f"wl:{{{waitlist_id}}}:readiness"


def tombstones(waitlist_id: str) -> str:
    """Return the key of the sorted set of signups that have ended.

    A member is "entry_id:join_id", and its score is the logical timestamp of the end.
    """
    return f"wl:{{{waitlist_id}}}:tombstones"


def tickets_of_moved(waitlist_id: str) -> str:
    """Return the key of a hash with the tickets that cannot be computed from an entry's rank."""
    return f"wl:{{{waitlist_id}}}:tickets_of_moved"


def held(waitlist_id: str) -> str:
    """Return the key of the sorted set of entries with a claim or an offer, sorted by deadline."""
    return f"wl:{{{waitlist_id}}}:held"


def claimed(waitlist_id: str) -> str:
    """Return the key of the sorted set of claimed entries, sorted by deadline.

    The set exists only if the waitlist has the `max_claims` setting.
    """
    return f"wl:{{{waitlist_id}}}:claimed"


def claims(waitlist_id: str) -> str:
    """Return the key of a hash with the state of each entry that is not waiting.

    Examples are entries with a claim or an offer, and parked entries, which are set aside.
    """
    return f"wl:{{{waitlist_id}}}:claims"


def parked(waitlist_id: str) -> str:
    """Return the key of the sorted set of parked entries, which are set aside for an operator.

    The score is the time, in milliseconds, at which the entry was parked.
    """
    return f"wl:{{{waitlist_id}}}:parked"


def attempts(waitlist_id: str) -> str:
    """Return the key of a hash with the number of expired claims and offers of each entry."""
    return f"wl:{{{waitlist_id}}}:attempts"


def dirty(waitlist_id: str) -> str:
    """Return the key of the sorted set of entries whose record may lack a decision made by Redis.

    The score of an entry is the logical timestamp of the last decision.
    """
    return f"wl:{{{waitlist_id}}}:dirty"


def pending_decisions(waitlist_id: str) -> str:
    """Return the key of a hash with the decisions about each entry that its record may lack."""
    return f"wl:{{{waitlist_id}}}:pending_decisions"


def segments(waitlist_id: str) -> str:
    """Return the key of the segment index, a sorted set with the waiting entries of each segment.

    A member is "segment:rank:entry_id" if the entry is ready, "segment;rank:entry_id" if it is not,
    and "segment<rank:entry_id" if its address is not verified.
    """
    return f"wl:{{{waitlist_id}}}:segments"


def tags(waitlist_id: str) -> str:
    """Return the key of a hash with the segments and the attributes version of each entry."""
    return f"wl:{{{waitlist_id}}}:tags"


def shared_milliseconds(waitlist_id: str) -> str:
    """Return the key of a hash that counts imported rows with the same time.

    The hash maps the first ticket of a millisecond to the number of rows with this time.
    """
    return f"wl:{{{waitlist_id}}}:shared_milliseconds"


def inside(waitlist_id: str) -> str:
    """Return the key of the sorted set of customers who are inside.

    The score is the time, in milliseconds, at which the customer's pass ends.
    """
    return f"wl:{{{waitlist_id}}}:inside"


def visits(waitlist_id: str) -> str:
    """Return the key of a hash with the ticket of each customer who is inside.

    The ticket identifies the signup with which the customer was admitted.
    """
    return f"wl:{{{waitlist_id}}}:visits"


def board(waitlist_id: str) -> str:
    """Return the key of a public snapshot of all positions in the queue."""
    return f"wl:{{{waitlist_id}}}:board"


# Each entry has its own set, so that the set can be deleted when the customer's data is erased.
def moves(waitlist_id: str, entry_id: str) -> str:
    """Return the key of the sorted set of an entry's moves.

    A member is the idempotency key of a move, so that a repeated request does not move the entry
    again.
    """
    return f"wl:{{{waitlist_id}}}:moves:{entry_id}"


def once(waitlist_id: str, verb: str, once_key: str) -> str:
    """Return the key of the stored result of a claim or an admission.

    If the same request is repeated, the script returns this result.
    """
    return f"wl:{{{waitlist_id}}}:once:{verb}:{once_key}"


OF_WAITLIST = {
    "meta": meta,
    "queue": queue,
    "not_ready": not_ready,
    "unverified": unverified,
    "ready_at": ready_at,
    "readiness": readiness,
    "tombstones": tombstones,
    "tickets_of_moved": tickets_of_moved,
    "held": held,
    "claimed": claimed,
    "claims": claims,
    "parked": parked,
    "attempts": attempts,
    "dirty": dirty,
    "pending_decisions": pending_decisions,
    "segments": segments,
    "tags": tags,
    "shared_milliseconds": shared_milliseconds,
    "inside": inside,
    "visits": visits,
    "board": board,
}
