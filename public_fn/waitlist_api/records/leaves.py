"""Decide how an entry's record changes when its signup ends."""

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.records.entry import EntryRecord, HistoryEvent, Status
from waitlist_api.records.facets import Ban, Call, Contact, Intent, Pauses
from waitlist_api.records.intents import joined_event
from waitlist_api.records.journal import change_of
from waitlist_api.records.ledger import Commit
from waitlist_shared.contracts import EndStayResult


class LeftOffer(Struct, frozen=True, kw_only=True):
    """Identifies the offer that a customer declines in order to leave the waitlist.

    `until_millis` is the offer's deadline. If `until_millis` is None, the customer declines the
    open offer, whatever its deadline.
    """

    until_millis: int | None = None
    once_key: str | None = None

    def is_open_in(self, record: EntryRecord) -> bool:
        if record.status != "offered" or not record.hold.is_offer:
            return False
        return self.until_millis in (None, record.hold.until_millis)


class Leave(Struct, frozen=True, kw_only=True):
    """A request to end a signup, with its actor, its reason, and the conditions that must hold."""

    by: str
    reason: str = ""
    # The ticket of the signup to end. If the ticket is None, the current signup ends.
    stay: int | None = None
    offer: LeftOffer | None = None
    status: Status | None = None
    unverified: bool = False

    def applies_to(self, record: EntryRecord) -> bool:
        """Return whether the request's conditions still hold, so that the signup can be ended."""
        if record.has_ended or record.intent.erase:
            return False
        if self.offer is not None and not self.offer.is_open_in(record):
            return False
        if self.status is not None and record.status != self.status:
            return False
        return not self.unverified or record.verification.until_millis is not None


def begin_leave(record: EntryRecord, leave: Leave, now_millis: int) -> EntryRecord:
    """Return the record with the status `leaving`."""
    once_key = leave.offer.once_key if leave.offer else None
    return replace(
        record,
        status="leaving",
        intent=replace(record.intent, leaving_by=leave.by, leaving_reason=leave.reason),
        hold=record.hold if once_key is None else replace(record.hold, once_key=once_key),
        updated_millis=now_millis,
    )


def finish_leave(
    record: EntryRecord,
    event: HistoryEvent,
    now_millis: int,
    ended: EndStayResult | None = None,
) -> Commit:
    """Return the change that gives a record the status `left`.

    Unless the customer is banned, the record expires at the same time as `event`.
    """
    events = [event]
    if record.ticket is None and ended is not None and ended.ticket is not None:
        joined = joined_event(record, ended.ticket)
        events.insert(0, replace(joined, expires_at=event.expires_at))
    after = record
    if event.expires_at is not None and not record.ban.stamp:
        after = replace(after, expires_at=event.expires_at)
    if record.intent.rank is not None:
        # The signup ended before the service finished reinstating the entry. Keep the place that
        # the operator requested, so that a later reinstatement can use it.
        after = replace(after, rank=record.intent.rank, ticket=record.intent.ticket)
    after = replace(
        after,
        intent=Intent(),
        status="left",
        end=replace(after.end, left_millis=now_millis),
        stamp=event.stamp,
        updated_millis=now_millis,
        hold=replace(after.hold, until_millis=None, parked_millis=None),
        pauses=replace(after.pauses, park_reason=""),
        move=record.move.dropped(),
    )
    change = change_of(record, event.stamp, "left")
    return Commit(after=after, events=tuple(events), change=change)


def begin_erase(record: EntryRecord, now_millis: int) -> EntryRecord:
    """Remove personal data from the record, mark it for erasure, and return it."""
    return replace(
        record,
        status="leaving",
        intent=replace(
            record.intent,
            erase=True,
            former=None,
            joining_by="",
            joining_reason="",
            leaving_by="",
            leaving_reason="",
        ),
        updated_millis=now_millis,
        expires_at=None,
        customer_id="",
        profile={},
        attributes={},
        attributes_version=0,
        joined=replace(record.joined, key="", body="", call_number=""),
        hold=replace(record.hold, once_key="", once_stamp=0),
        call=Call(),
        ban=Ban(),
        pauses=Pauses(),
        contact=Contact(),
        move=record.move.dropped(),
    )
