"""Create intents to join, and the event that is written when the signup is finished."""

from typing import Any

from msgspec.structs import replace

from waitlist_api.records.alias import Alias
from waitlist_api.records.entry import EntryRecord, HistoryEvent, intent_place
from waitlist_api.records.table import Item
from waitlist_shared.contracts import Result, SignupResult
from waitlist_shared.ranks import millis_of

# An intent is written where no item exists, or over a stay that has ended. The intent stores a copy
# of the former stay. If the stay has changed since it was read, for example by an exit, the copy
# would lose that change, so the write must fail.
UNKNOWN = "attribute_not_exists(#pk)"
AS_FORMER = (
    "#status = :status AND #join_id = :former_id AND #updated_millis = :former_millis"
    " AND #stamp = :former_stamp AND attribute_not_exists(#ban_stamp)"
)
# The attributes that a record has only while the entry is joining.
INTENT_FIELDS = (
    "#previous, #former_profile, #former_attributes, #wanted, #wanted_priority, #wanted_rank,"
    " #drawn, #joining_by, #joining_reason"
)

VERIFICATION_ASKED = "verification_asked"
# The index lists the event of an unverified signup with this status, at the deadline for the
# verification.
UNVERIFIED = "unverified"


def former_values(former: EntryRecord) -> Item:
    """Return the values that the condition AS_FORMER refers to."""
    return {
        "status": former.status,
        "former_id": former.join_id,
        "former_millis": former.updated_millis,
        "former_stamp": former.stamp,
    }


def rejoining(record: EntryRecord, former: EntryRecord) -> EntryRecord:
    """Return the intent to join that replaces an ended stay.

    The intent contains the former stay. A profile or attributes that both stays share are stored
    only once.
    """
    previous = former.values()
    # An earlier version of the service may have finished the former signup, and does not remove
    # these two fields.
    previous.pop("former_profile", None)
    previous.pop("former_attributes", None)
    # Forget a change of address that was never verified during the former stay.
    previous.pop("moving_to", None)
    previous.pop("moving_address", None)
    own = record.values()
    data = {name: previous.pop(name) for name in ("profile", "attributes")}
    others = {f"former_{name}": text for name, text in data.items() if text != own[name]}
    return replace(
        record,
        **others,
        previous=previous,
        # Every stamp of the new stay must be later than the stamps of the former stay.
        stamp=former.known_stamp,
        revision=former.revision + 1,
        attributes_version=former.attributes_version + max(1, record.attributes_version),
        moved_to=former.moved_to,
        # If an operator begins the stay, it does not count as a change by the customer.
        changes_until_millis=record.changes_until_millis or former.changes_until_millis,
        # The former stay may have ended with a decline. A repeat of that request changes nothing.
        once_key=former.once_key,
        once_stamp=former.once_stamp,
        # A repeat of a ban that has ended changes nothing either.
        ban_key=former.ban_key,
    )


def joining_over(record: EntryRecord, alias: Alias) -> EntryRecord:
    """Return the intent to join that replaces a stale alias.

    The history of an earlier stay may still exist under the same key, so the new stay must get
    later stamps.
    """
    return replace(record, stamp=alias.stamp)


def intent_item(record: EntryRecord) -> Item:
    """Return the item of an intent to join."""
    return record.to_item(intent_place(record.entry_id), record.updated_millis)


def first_ask_item(record: EntryRecord, ticket: int) -> Item:
    """Return the event that asks an unverified customer to verify their address.

    The event directly follows the event `joined`. The index lists it at the deadline of the
    verification.
    """
    stamp = joined_event(record, ticket).stamp + 1
    event = HistoryEvent(stamp=stamp, event=VERIFICATION_ASKED, by="customer")
    return {
        **event.to_item(*record.key),
        "join_id": record.join_id,
        "status": UNVERIFIED,
        "place": intent_place(record.entry_id),
        "place_rank": record.verify_until_millis,
    }


def joined_event(record: EntryRecord, ticket: int, placed: Result | None = None) -> HistoryEvent:
    """Return the event `joined`, or `reinstated` if an operator gives a place back.

    The stamp of a signup is its ticket. The stamp of an import was allocated before. The event has
    the position at which the entry joined, provided that `placed` is the result that placed the
    entry. If the customer is still inside from the former stay, the new stay ends that pass, and
    the event has the id of the pass.
    """
    detail: dict[str, Any] = {}
    # The answer to a repeated signup has the current position, not the position at which the entry
    # joined.
    if isinstance(placed, SignupResult) and placed.outcome == "joined" and placed.position:
        detail = {"position": placed.position}
    stamp, by = ticket, "customer"
    if record.requested_ticket is not None:
        stamp, by = record.allocated_stamp, record.joining_by
    jti = ""
    if record.previous is not None:
        former = EntryRecord.from_item(record.previous)
        jti = former.pass_id if former.pass_until(millis_of(stamp)) else ""
    event = "reinstated" if record.reinstated else "joined"
    reason = record.joining_reason
    return HistoryEvent(stamp=stamp, event=event, by=by, reason=reason, detail=detail, jti=jti)
