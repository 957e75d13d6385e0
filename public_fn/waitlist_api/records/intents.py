"""Intents to join, as items of the record, and the event of their end."""

from typing import Any

from msgspec.structs import replace

from waitlist_api.records.alias import Alias
from waitlist_api.records.entry import EntryRecord, HistoryEvent, intent_place
from waitlist_api.records.table import Item
from waitlist_shared.contracts import Result, SignupResult
from waitlist_shared.ranks import millis_of

# An intent replaces nothing, or a stay that has ended. It keeps that stay as it was read, so a
# change since then, such as an exit, would be lost.
UNKNOWN = "attribute_not_exists(#pk)"
AS_FORMER = (
    "#status = :status AND #join_id = :former_id AND #updated_millis = :former_millis"
    " AND #stamp = :former_stamp AND attribute_not_exists(#ban_stamp)"
)
# Fields that a record has only while the entry is joining.
OF_INTENT = (
    "#previous, #former_profile, #former_attributes, #wanted, #wanted_priority, #wanted_rank,"
    " #drawn, #joining_by, #joining_reason"
)

VERIFICATION_ASKED = "verification_asked"
# The index has the event of an unverified signup with this status, at its deadline.
UNVERIFIED = "unverified"


def values_of_former(former: EntryRecord) -> Item:
    """Return the values of AS_FORMER."""
    return {
        "status": former.status,
        "former_id": former.join_id,
        "former_millis": former.updated_millis,
        "former_stamp": former.stamp,
    }


def rejoining(record: EntryRecord, former: EntryRecord) -> EntryRecord:
    """Return the intent to join that replaces an ended stay, with each profile once."""
    previous = former.values()
    # An earlier version, which finished an intent of this one, has left these.
    previous.pop("former_profile", None)
    previous.pop("former_attributes", None)
    # An address that was not verified in that stay.
    previous.pop("moving_to", None)
    previous.pop("moving_address", None)
    own = record.values()
    data = {name: previous.pop(name) for name in ("profile", "attributes")}
    others = {f"former_{name}": text for name, text in data.items() if text != own[name]}
    return replace(
        record,
        **others,
        previous=previous,
        # The stamps of the new stay are later.
        stamp=former.known_stamp,
        attributes_version=former.attributes_version + max(1, record.attributes_version),
        answers_to=former.answers_to,
        # A stay that an operator begins is none of the customer's changes.
        changes_until_millis=record.changes_until_millis or former.changes_until_millis,
        # A customer's repeat of the decline by which the former stay ended changes nothing.
        once_key=former.once_key,
        once_stamp=former.once_stamp,
        # Nor does a repeat of a ban that has ended since.
        ban_key=former.ban_key,
    )


def joining_over(record: EntryRecord, alias: Alias) -> EntryRecord:
    """Return the intent to join that replaces a stale alias.

    The history of the stay that the address had before may be there still: the stamps of the new
    stay are later.
    """
    return replace(record, stamp=alias.stamp)


def intent_item(record: EntryRecord) -> Item:
    """Return the item of a joining entry."""
    return record.to_item(intent_place(record.entry_id), record.updated_millis)


def first_ask(record: EntryRecord, ticket: int) -> Item:
    """Return the event of an unverified entry, which the index has at the deadline.

    It comes right after the event `joined`.
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
    """Return the event of a signup, stamped with its ticket, or of an import, with its draw.

    That of a place that is given back is `reinstated`, with the operator's reason.

    It has the position that the entry joined at, if `placed` is the result that gave the place, and
    the id of the pass that it ends, if the customer was inside by the former stay.
    """
    detail: dict[str, Any] = {}
    # A repeat has the position that the entry has by now.
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
