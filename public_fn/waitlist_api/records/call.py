"""Decides whether an operator may call a claimed customer.

A call tells the customer where to go, for example to a room.
"""

from msgspec.structs import replace

from waitlist_api.clock import iso_of
from waitlist_api.errors import AlreadyAdmitted
from waitlist_api.records.entry import EntryRecord, HistoryEvent
from waitlist_api.records.facets import Call
from waitlist_api.records.ledger import Commit
from waitlist_shared.errors import ClaimExpired, ClaimMismatch, IdempotencyKeyReused, NotWaiting
from waitlist_shared.ranks import time_of

CALLED = "called"
# A request to call a customer to a place can arrive twice. To recognise a repeated request, a
# claim's record keeps the idempotency keys of its last requests, up to this many.
KEYS_KEPT = 4
ENDED = "This customer has left the waitlist, so there is no claim to call the customer for."


def current_call(record: EntryRecord, now_millis: int) -> Call | None:
    """Return the customer's last call to a place during the current claim.

    Return None if the entry is not claimed, or if nobody has called the customer during this claim.
    """
    is_claimed = record.status == "offered" and not record.hold.is_offer
    is_open = is_claimed and (record.hold.until_millis or 0) > now_millis
    is_called = record.call.token != "" and record.call.token == record.hold.token
    return record.call if is_open and is_called else None


def check_claim(record: EntryRecord, token: str, now_millis: int) -> None:
    """Raise an error if the token does not belong to the entry's open claim."""
    if record.status == "admitted":
        raise AlreadyAdmitted
    if record.status in ("joining", "leaving", "left"):
        raise NotWaiting(ENDED)
    if record.hold.is_offer or record.hold.token != token:
        raise ClaimMismatch
    if record.status != "offered" or (record.hold.until_millis or 0) <= now_millis:
        raise ClaimExpired


def is_repeat(record: EntryRecord, token: str, to: str, key: str) -> bool:
    """Return whether the record already contains this request to call the customer.

    Raise IdempotencyKeyReused if the key was used to call the customer to a different place.
    """
    places = dict(record.call.keys) if record.call.token == token else {}
    if key in places and places[key] != to:
        raise IdempotencyKeyReused
    return key in places


def call(record: EntryRecord, to: str, stamp: int, by: str, key: str) -> Commit:
    """Return the change which records that an operator has called the customer to the place `to`.

    `key` is the request's idempotency key.
    """
    token = record.hold.token
    earlier = record.call.keys if record.call.token == token else ()
    called = Call(token=token, to=to, stamp=stamp, keys=((key, to), *earlier)[:KEYS_KEPT])
    event = HistoryEvent(stamp=stamp, event=CALLED, by=by, detail={"to": to})
    changes = replace(record.changes, edited_stamp=stamp)
    return Commit(after=replace(record, call=called, changes=changes), events=(event,))


def called_at(called: Call) -> str:
    """Return the time of a call in ISO 8601."""
    return iso_of(time_of(called.stamp))
