"""The names of all keys in Redis. No other module creates key names.

The hash tag keeps all keys of a waitlist in the same slot, so that one script can use all of them.
"""


def meta(waitlist_id: str) -> str:
    """Return the key of a hash with the state, epoch, last ticket, settings and counters."""
    return f"wl:{{{waitlist_id}}}:meta"


def queue(waitlist_id: str) -> str:
    """Return the key of the sorted set of waiting entries that are ready, scored by rank."""
    return f"wl:{{{waitlist_id}}}:queue"


def not_ready(waitlist_id: str) -> str:
    """Return the key of the sorted set of waiting entries that are not ready, scored by rank."""
    return f"wl:{{{waitlist_id}}}:not_ready"


def unverified(waitlist_id: str) -> str:
    """Return the key of the sorted set of waiting entries with an unverified address.

    The score is the rank of the entry. Positions do not count these entries.
    """
    return f"wl:{{{waitlist_id}}}:unverified"


def ready_at(waitlist_id: str) -> str:
    """Return the key of a sorted set that says when the readiness of entries changes.

    The score of an entry is the millisecond at which its next reason not to be ready ends.
    """
    return f"wl:{{{waitlist_id}}}:ready_at"


def readiness(waitlist_id: str) -> str:
    """Return the key of a hash that maps each entry_id to the readiness of the entry.

    The readiness consists of a version and the reasons. The hash has only entries that have had a
    reason not to be ready.
    """
    return f"wl:{{{waitlist_id}}}:readiness"


def tombstones(waitlist_id: str) -> str:
    """Return the key of the sorted set of stays that have ended.

    A member is "entry_id:join_id", and its score is the stamp at which the stay ended.
    """
    return f"wl:{{{waitlist_id}}}:tombstones"


def tickets_of_moved(waitlist_id: str) -> str:
    """Return the key of a hash that maps an entry_id to the ticket of the entry.

    The hash has only entries whose ticket cannot be computed from their rank.
    """
    return f"wl:{{{waitlist_id}}}:tickets_of_moved"


def held(waitlist_id: str) -> str:
    """Return the key of the sorted set of held and offered entries.

    The score of an entry is the millisecond at which its hold ends.
    """
    return f"wl:{{{waitlist_id}}}:held"


def claimed(waitlist_id: str) -> str:
    """Return the key of the sorted set of claimed entries.

    The score of an entry is the millisecond at which its claim ends. Only waitlists with
    `max_claims` have this key.
    """
    return f"wl:{{{waitlist_id}}}:claimed"


def claims(waitlist_id: str) -> str:
    """Return the key of a hash that maps each entry_id to the hold of the entry.

    A hold consists of state, token, rank, ticket, attempts and stamp. The hash has the entries that
    are on the list but not in the queue.
    """
    return f"wl:{{{waitlist_id}}}:claims"


def parked(waitlist_id: str) -> str:
    """Return the key of the sorted set of parked entries.

    The score of an entry is the millisecond at which it was parked.
    """
    return f"wl:{{{waitlist_id}}}:parked"


def attempts(waitlist_id: str) -> str:
    """Return the key of a hash that maps each entry_id to the number of its attempts.

    The hash has the entries in the queue of which a hold has expired.
    """
    return f"wl:{{{waitlist_id}}}:attempts"


def dirty(waitlist_id: str) -> str:
    """Return the key of the sorted set of entries whose record may lack a decision.

    The score of an entry is the stamp of that decision.
    """
    return f"wl:{{{waitlist_id}}}:dirty"


def pending_decisions(waitlist_id: str) -> str:
    """Return the key of a hash that maps each entry_id to its pending decisions.

    Pending decisions are the decisions that the record may lack. They are sorted, oldest first.
    """
    return f"wl:{{{waitlist_id}}}:pending_decisions"


def segments(waitlist_id: str) -> str:
    """Return the key of the sorted set that is the segment index. All members have the same score.

    A member is "segment:rank:entry_id" if the entry is ready, "segment;rank:entry_id" if it is not,
    and "segment<rank:entry_id" if its address is not verified. Only waiting entries have members.
    """
    return f"wl:{{{waitlist_id}}}:segments"


def tags(waitlist_id: str) -> str:
    """Return the key of a hash that maps each entry_id to the tags of the entry.

    Tags are the segments of the entry and the version of its attributes. The hash has all entries
    on the list, not only those that wait.
    """
    return f"wl:{{{waitlist_id}}}:tags"


def shared_milliseconds(waitlist_id: str) -> str:
    """Return the key of a hash that counts imported rows with the same millisecond.

    The hash maps the first ticket of a millisecond to the number of rows. It expires after a day.
    """
    return f"wl:{{{waitlist_id}}}:shared_milliseconds"


def inside(waitlist_id: str) -> str:
    """Return the key of the sorted set of the customers inside, by entry_id.

    The score is the millisecond at which the pass of the customer ends.
    """
    return f"wl:{{{waitlist_id}}}:inside"


def visits(waitlist_id: str) -> str:
    """Return the key of a hash that maps each entry_id to the stay of the customer inside.

    The value is the ticket of the stay through which the customer was admitted.
    """
    return f"wl:{{{waitlist_id}}}:visits"


def board(waitlist_id: str) -> str:
    """Return the key of a string with the positions that all customers may see.

    The positions are those of one moment. The string expires after a minute.
    """
    return f"wl:{{{waitlist_id}}}:board"


def moves(waitlist_id: str, entry_id: str) -> str:
    """Return the key of the sorted set of an entry's moves.

    A member is the idempotency key of a move, and its score is the stamp of the move. The set
    ensures that a repeated request does not move the entry again. One set holds all moves of an
    entry, so that an erasure can delete them.
    """
    return f"wl:{{{waitlist_id}}}:moves:{entry_id}"


def once(waitlist_id: str, verb: str, once_key: str) -> str:
    """Return the key of a string with the result of a claim or an admission.

    A repeat of the same request returns this result.
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
