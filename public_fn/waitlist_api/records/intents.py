"""Create the records of unfinished signups, and the events that are written when a signup is
finished.
"""

from typing import Any

from msgspec.structs import replace

from waitlist_api.records.entry import EntryRecord, HistoryEvent, intent_place
from waitlist_api.records.facets import Ban, Changes, Hold, Intent, Move
from waitlist_api.records.journal import change_of
from waitlist_api.records.ledger import Commit, Put
from waitlist_api.records.table import Item
from waitlist_shared.contracts import BumpResult, Result, SignupResult
from waitlist_shared.ranks import millis_of

VERIFICATION_ASKED = "verification_asked"
# The index status of events that ask customers to verify their address. The index sorts these
# events by the verification deadline.
UNVERIFIED = "unverified"


def rejoining(record: EntryRecord, former: EntryRecord) -> EntryRecord:
    """Return the record of a new signup, which replaces an earlier signup's record and contains
    a copy of it.
    """
    # Discard any request to move the entry to a new address that the customer has not verified.
    kept = replace(former, move=former.move.dropped()).values()
    shared = record.shared_values
    kept = {name: value for name, value in kept.items() if shared.get(name) != value}
    return replace(
        record,
        intent=replace(record.intent, former=kept),
        # The new record starts with the newest timestamp of the former signup, so that all events
        # of the new signup get later timestamps.
        stamp=former.known_stamp,
        changes=Changes(
            revision=former.changes.revision + 1,
            # A signup by an operator does not count towards the customer's rate limit.
            until_millis=record.changes.until_millis or former.changes.until_millis,
        ),
        attributes_version=former.attributes_version + max(1, record.attributes_version),
        move=Move(moved_to=former.move.moved_to),
        # A client may repeat a request that declined an offer during the former signup. Keep the
        # digest of the request's idempotency key, so that the repeated request does not affect the
        # new signup.
        hold=Hold(once_key=former.hold.once_key, once_stamp=former.hold.once_stamp),
        # Keep the digest of the last ban's idempotency key, so that a repeated request does not ban
        # the customer a second time.
        ban=Ban(key=former.ban.key),
    )


def first_ask_item(record: EntryRecord, ticket: int, call_number: str) -> Item:
    """Return the event that asks a customer to verify their address.

    The index sorts such events by their deadlines, so that maintenance finds the customers who have
    not verified their address in time.
    """
    stamp = joined_event(record, ticket).stamp + 1
    event = HistoryEvent(
        stamp=stamp, event=VERIFICATION_ASKED, by="customer", call_number=call_number
    )
    return {
        **event.to_item(*record.key),
        "join_id": record.join_id,
        "status": UNVERIFIED,
        "place": intent_place(record.entry_id),
        "place_rank": record.verification.until_millis,
    }


def joined_event(record: EntryRecord, ticket: int, placed: Result | None = None) -> HistoryEvent:
    """Return the `joined` event, or the `reinstated` event if an operator has restored the
    entry.
    """
    detail: dict[str, Any] = {}
    # For a repeated request, Redis returns the entry's current position, not its position at
    # signup. Record the position only if this request has added the entry to the queue.
    if isinstance(placed, SignupResult) and placed.outcome == "joined" and placed.position:
        detail = {"position": placed.position}
    stamp, by = ticket, "customer"
    if record.intent.ticket is not None:
        stamp, by = record.intent.stamp, record.intent.joining_by
    jti = ""
    if (former := record.former) is not None:
        jti = former.pass_id if former.pass_until(millis_of(stamp)) else ""
    event = "reinstated" if record.joined.reinstated else "joined"
    reason = record.intent.joining_reason
    return HistoryEvent(stamp=stamp, event=event, by=by, reason=reason, detail=detail, jti=jti)


def finish_join(
    record: EntryRecord, placed: SignupResult | BumpResult, call_number: str, now_millis: int
) -> Commit:
    """Return the change that records the place that Redis has assigned to a joining entry, and the
    entry's call number.
    """
    after = replace(
        record,
        intent=Intent(),
        status="waiting",
        rank=placed.rank,
        ticket=placed.ticket,
        stamp=placed.stamp,
        joined=replace(record.joined, call_number=call_number),
        updated_millis=now_millis,
    )
    puts: tuple[Put, ...] = ()
    if record.verification.until_millis is not None:
        ask = first_ask_item(record, placed.ticket, call_number)
        after = replace(after, changes=replace(after.changes, edited_stamp=ask["stamp"]))
        puts = (Put(ask),)
    change = change_of(record, placed.stamp, "waiting", rank=placed.rank)
    events = (joined_event(record, placed.ticket, placed),)
    return Commit(after=after, events=events, change=change, puts=puts)
