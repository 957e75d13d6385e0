"""Creates the names of all Redis keys. No other module creates key names.

All keys of a waitlist have the same hash tag. A Redis cluster therefore stores them in the same
slot, and one script can use all of them.
"""


def meta(waitlist_id: str) -> str:
    """Return the key of the hash with the waitlist's state, epoch, settings and counters."""
    return f"wl:{{{waitlist_id}}}:meta"


def queue(waitlist_id: str) -> str:
    """Return the key of the sorted set of waiting entries that are ready, sorted by rank."""
    return f"wl:{{{waitlist_id}}}:queue"


def not_ready(waitlist_id: str) -> str:
    """Return the key of the sorted set of waiting entries that are not ready, sorted by rank."""
    return f"wl:{{{waitlist_id}}}:not_ready"


def unverified(waitlist_id: str) -> str:
    """Return the key of the sorted set of waiting entries whose address is not verified.

    The score is the rank of the entry. Positions do not count these entries.
    """
    return f"wl:{{{waitlist_id}}}:unverified"


def ready_at(waitlist_id: str) -> str:
    """Return the key of the sorted set of entries that are not ready until a known time.

    An entry can have several reasons for not being ready. The score of the entry is the time, in
    milliseconds, at which the next of these reasons ends.
    """
    return f"wl:{{{waitlist_id}}}:ready_at"


def readiness(waitlist_id: str) -> str:
    """Return the key of a hash that maps each entry_id to the readiness of the entry.

    The readiness is a version and the reasons why the entry is not ready. Entries that have always
    been ready are not in the hash.
    """
    return f"wl:{{{waitlist_id}}}:readiness"


def tombstones(waitlist_id: str) -> str:
    """Return the key of the sorted set of tombstones, which mark signups that have ended.

    A member is "entry_id:join_id", and its score is the logical timestamp at which the signup
    ended.
    """
    return f"wl:{{{waitlist_id}}}:tombstones"


def tickets_of_moved(waitlist_id: str) -> str:
    """Return the key of a hash that maps an entry_id to the ticket of the entry.

    The hash contains only entries whose ticket cannot be computed from their rank.
    """
    return f"wl:{{{waitlist_id}}}:tickets_of_moved"


def held(waitlist_id: str) -> str:
    """Return the key of the sorted set of entries that are held by a claim or have an offer.

    The score of an entry is the deadline of the claim or offer, in milliseconds.
    """
    return f"wl:{{{waitlist_id}}}:held"


def claimed(waitlist_id: str) -> str:
    """Return the key of the sorted set of claimed entries.

    The score of an entry is the deadline of the claim, in milliseconds. The set exists only if the
    waitlist has the `max_claims` setting.
    """
    return f"wl:{{{waitlist_id}}}:claimed"


def claims(waitlist_id: str) -> str:
    """Return the key of a hash that maps each entry_id to the hold of the entry.

    A hold consists of a state, token, rank, ticket, number of attempts and logical timestamp. The
    hash contains all entries that are on the waitlist but not in the queue.
    """
    return f"wl:{{{waitlist_id}}}:claims"


def parked(waitlist_id: str) -> str:
    """Return the key of the sorted set of parked entries.

    The score is the time, in milliseconds, at which the entry was parked.
    """
    return f"wl:{{{waitlist_id}}}:parked"


def attempts(waitlist_id: str) -> str:
    """Return the key of a hash that maps each entry_id to the number of its attempts.

    The hash contains only waiting entries that have already had a hold that expired.
    """
    return f"wl:{{{waitlist_id}}}:attempts"


def dirty(waitlist_id: str) -> str:
    """Return the key of the sorted set of entries whose record may lack a decision made by Redis.

    The score of an entry is the logical timestamp of the last decision.
    """
    return f"wl:{{{waitlist_id}}}:dirty"


def pending_decisions(waitlist_id: str) -> str:
    """Return the key of a hash that maps each entry_id to the pending decisions about the entry.

    Pending decisions have been made by Redis, and the entry's record may lack them. The oldest
    decision comes first.
    """
    return f"wl:{{{waitlist_id}}}:pending_decisions"


def segments(waitlist_id: str) -> str:
    """Return the key of the segment index, which is a sorted set in which all scores are equal.

    A member is "segment:rank:entry_id" if the entry is ready, "segment;rank:entry_id" if it is not,
    and "segment<rank:entry_id" if its address is not verified. Only waiting entries have members.
    """
    return f"wl:{{{waitlist_id}}}:segments"


def tags(waitlist_id: str) -> str:
    """Return the key of a hash that maps each entry_id to the tags of the entry.

    The tags are the segments of the entry, followed by the version of its attributes. The hash
    contains all entries on the waitlist, including held and parked entries.
    """
    return f"wl:{{{waitlist_id}}}:tags"


def shared_milliseconds(waitlist_id: str) -> str:
    """Return the key of a hash that counts imported rows with the same time.

    The hash maps the first ticket of a millisecond to the number of rows with this time. It expires
    after a day.
    """
    return f"wl:{{{waitlist_id}}}:shared_milliseconds"


def inside(waitlist_id: str) -> str:
    """Return the key of the sorted set of customers who are inside.

    A member is the entry_id of the customer. The score is the time, in milliseconds, at which the
    customer's pass ends.
    """
    return f"wl:{{{waitlist_id}}}:inside"


def visits(waitlist_id: str) -> str:
    """Return the key of a hash that maps the entry_id of each customer inside to a ticket.

    The ticket identifies the signup through which the customer was admitted.
    """
    return f"wl:{{{waitlist_id}}}:visits"


def board(waitlist_id: str) -> str:
    """Return the key of the board, a string with a public snapshot of all positions in the queue.

    The string expires after a minute.
    """
    return f"wl:{{{waitlist_id}}}:board"


def moves(waitlist_id: str, entry_id: str) -> str:
    """Return the key of the sorted set of an entry's moves.

    A member is the idempotency key of a move, and its score is the logical timestamp of the move. A
    repeated request is found in the set and does not move the entry again. Each entry has its own
    set, so that the set can be deleted when the customer's data is erased.
    """
    return f"wl:{{{waitlist_id}}}:moves:{entry_id}"


def once(waitlist_id: str, verb: str, once_key: str) -> str:
    """Return the key of the string with the result of a claim or an admission.

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
