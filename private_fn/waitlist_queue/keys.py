"""The names of all keys in Redis; no other module makes one.

The hash tag keeps the keys of one waitlist in one slot, so that a script may touch them all.
"""


def meta(waitlist_id: str) -> str:
    """Hash: state, epoch, last ticket, settings, counters."""
    return f"wl:{{{waitlist_id}}}:meta"


def queue(waitlist_id: str) -> str:
    """Sorted set: waiting entries that are ready to be taken, entry_id by rank."""
    return f"wl:{{{waitlist_id}}}:queue"


def not_ready(waitlist_id: str) -> str:
    """Sorted set: waiting entries that are passed over for now, entry_id by rank."""
    return f"wl:{{{waitlist_id}}}:not_ready"


def unverified(waitlist_id: str) -> str:
    """Sorted set: waiting entries whose address is not verified, which no position counts."""
    return f"wl:{{{waitlist_id}}}:unverified"


def ready_at(waitlist_id: str) -> str:
    """Sorted set: entry_id by the millisecond at which a reason not to be ready ends."""
    return f"wl:{{{waitlist_id}}}:ready_at"


def readiness(waitlist_id: str) -> str:
    """Hash: entry_id to the version and the reasons of its readiness, where it ever had any."""
    return f"wl:{{{waitlist_id}}}:readiness"


def tombstones(waitlist_id: str) -> str:
    """Sorted set: entry_id:join_id by the stamp at which that stay ended."""
    return f"wl:{{{waitlist_id}}}:gone"


def tickets_of_moved(waitlist_id: str) -> str:
    """Hash: entry_id to the ticket of its signup, where the rank is not made of it."""
    return f"wl:{{{waitlist_id}}}:moved"


def held(waitlist_id: str) -> str:
    """Sorted set: entry_id by the millisecond at which its hold ends."""
    return f"wl:{{{waitlist_id}}}:held"


def claimed(waitlist_id: str) -> str:
    """Sorted set: entry_id by the millisecond at which its claim ends; lists with max_claims."""
    return f"wl:{{{waitlist_id}}}:claimed"


def claims(waitlist_id: str) -> str:
    """Hash: entry_id to state, token, rank, ticket, attempts, stamp; entries off the queue."""
    return f"wl:{{{waitlist_id}}}:claims"


def parked(waitlist_id: str) -> str:
    """Sorted set: entry_id by the millisecond at which it was parked."""
    return f"wl:{{{waitlist_id}}}:parked"


def attempts(waitlist_id: str) -> str:
    """Hash: entry_id to attempts; entries in the queue again after a hold has expired."""
    return f"wl:{{{waitlist_id}}}:tries"


def dirty(waitlist_id: str) -> str:
    """Sorted set: entry_id by the stamp of a decision that the record may lack."""
    return f"wl:{{{waitlist_id}}}:unsettled"


def pending_decisions(waitlist_id: str) -> str:
    """Hash: entry_id to its decisions that the record may lack, oldest first."""
    return f"wl:{{{waitlist_id}}}:decided"


def segments(waitlist_id: str) -> str:
    """Sorted set: segment:rank:entry_id, all of one score; the waiting entries of each segment.

    One that is not ready is segment;rank:entry_id.
    """
    return f"wl:{{{waitlist_id}}}:segments"


def tags(waitlist_id: str) -> str:
    """Hash: entry_id to its segments and the version of its attributes; all entries on the list."""
    return f"wl:{{{waitlist_id}}}:tags"


def same_ms_counts(waitlist_id: str) -> str:
    """Hash: the first ticket of a millisecond to the number of imported rows in it; for a day."""
    return f"wl:{{{waitlist_id}}}:crowds"


def inside(waitlist_id: str) -> str:
    """Sorted set: entry_id by the millisecond at which the customer's pass ends."""
    return f"wl:{{{waitlist_id}}}:inside"


def visits(waitlist_id: str) -> str:
    """Hash: entry_id to the ticket of the stay by which the customer is inside."""
    return f"wl:{{{waitlist_id}}}:visits"


def board(waitlist_id: str) -> str:
    """String: the positions that all customers may see, as of one moment; for a minute."""
    return f"wl:{{{waitlist_id}}}:board"


def moves(waitlist_id: str, entry_id: str) -> str:
    """Sorted set: idempotency key of a move by its stamp, so that a repeat does not move again.

    One key holds all moves of an entry, so that an erasure can delete them.
    """
    return f"wl:{{{waitlist_id}}}:moves:{entry_id}"


def once(waitlist_id: str, verb: str, once_key: str) -> str:
    """String: the result of a claim or an admission, so that its repeat returns the same."""
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
