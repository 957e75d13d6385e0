"""The names of all keys in Redis. No other module creates key names.

The hash tag keeps all keys of a waitlist in the same slot, so that one script can use all of them.
"""


def meta(waitlist_id: str) -> str:
    """Hash of the state, epoch, last ticket, settings and counters of the waitlist."""
    return f"wl:{{{waitlist_id}}}:meta"


def queue(waitlist_id: str) -> str:
    """Sorted set of the waiting entries that are ready. The score of an entry is its rank."""
    return f"wl:{{{waitlist_id}}}:queue"


def not_ready(waitlist_id: str) -> str:
    """Sorted set of the waiting entries that are not ready. The score of an entry is its rank."""
    return f"wl:{{{waitlist_id}}}:not_ready"


def unverified(waitlist_id: str) -> str:
    """Sorted set of the waiting entries whose address is not verified. The score is the rank.

    Positions do not count these entries.
    """
    return f"wl:{{{waitlist_id}}}:unverified"


def ready_at(waitlist_id: str) -> str:
    """Sorted set of entries.

    The score is the millisecond at which the next reason not to be ready ends.
    """
    return f"wl:{{{waitlist_id}}}:ready_at"


def readiness(waitlist_id: str) -> str:
    """Hash from entry_id to the version and the reasons of the readiness.

    It has only entries that have had a reason not to be ready.
    """
    return f"wl:{{{waitlist_id}}}:readiness"


def tombstones(waitlist_id: str) -> str:
    """Sorted set of stays (entry_id:join_id) that have ended. The score is the stamp of the end."""
    return f"wl:{{{waitlist_id}}}:gone"


def tickets_of_moved(waitlist_id: str) -> str:
    """Hash from entry_id to the ticket, for entries whose rank does not determine the ticket."""
    return f"wl:{{{waitlist_id}}}:moved"


def held(waitlist_id: str) -> str:
    """Sorted set of held and offered entries. The score is the deadline in milliseconds."""
    return f"wl:{{{waitlist_id}}}:held"


def claimed(waitlist_id: str) -> str:
    """Sorted set of claimed entries. The score is the deadline in milliseconds.

    Only waitlists with `max_claims` have this key.
    """
    return f"wl:{{{waitlist_id}}}:claimed"


def claims(waitlist_id: str) -> str:
    """Hash from entry_id to state, token, rank, ticket, attempts and stamp of its hold.

    It has the entries that are on the list but not in the queue.
    """
    return f"wl:{{{waitlist_id}}}:claims"


def parked(waitlist_id: str) -> str:
    """Sorted set of parked entries. The score is the millisecond at which the entry was parked."""
    return f"wl:{{{waitlist_id}}}:parked"


def attempts(waitlist_id: str) -> str:
    """Hash from entry_id to its attempts, for entries in the queue with an expired hold."""
    return f"wl:{{{waitlist_id}}}:tries"


def dirty(waitlist_id: str) -> str:
    """Sorted set of entries. The score is the stamp of a decision that the record may lack."""
    return f"wl:{{{waitlist_id}}}:unsettled"


def pending_decisions(waitlist_id: str) -> str:
    """Hash from entry_id to the decisions that the record may lack, oldest first."""
    return f"wl:{{{waitlist_id}}}:decided"


def segments(waitlist_id: str) -> str:
    """Sorted set of the waiting entries of each segment. All members have the same score.

    A member is "segment:rank:entry_id" if the entry is ready, "segment;rank:entry_id" if it is not,
    and "segment<rank:entry_id" if its address is not verified.
    """
    return f"wl:{{{waitlist_id}}}:segments"


def tags(waitlist_id: str) -> str:
    """Hash from entry_id to the segments and the version of the attributes.

    It has all entries on the list, not only those that wait.
    """
    return f"wl:{{{waitlist_id}}}:tags"


def same_ms_counts(waitlist_id: str) -> str:
    """Hash from the first ticket of a millisecond to its number of imported rows.

    The hash expires after a day.
    """
    return f"wl:{{{waitlist_id}}}:crowds"


def inside(waitlist_id: str) -> str:
    """Sorted set of the customers inside, by entry_id.

    The score is the millisecond at which the pass ends.
    """
    return f"wl:{{{waitlist_id}}}:inside"


def visits(waitlist_id: str) -> str:
    """Hash from entry_id to the ticket of the stay through which the customer is inside."""
    return f"wl:{{{waitlist_id}}}:visits"


def board(waitlist_id: str) -> str:
    """String with the positions at one moment that all customers may see.

    The string expires after a minute.
    """
    return f"wl:{{{waitlist_id}}}:board"


def moves(waitlist_id: str, entry_id: str) -> str:
    """Sorted set of the idempotency keys of moves. The score is the stamp of the move.

    Because of this key a repeated request does not move the entry again. One key holds all moves of
    an entry, so that an erasure can delete them.
    """
    return f"wl:{{{waitlist_id}}}:moves:{entry_id}"


def once(waitlist_id: str, verb: str, once_key: str) -> str:
    """String with the result of a claim or an admission, for repeats of the same request."""
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
    "same_ms_counts": same_ms_counts,
    "inside": inside,
    "visits": visits,
    "board": board,
}
