"""Decide how banning or unbanning a customer changes an entry's record."""

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.records.entry import EntryRecord, HistoryEvent, banned_place, shard_of
from waitlist_api.records.facets import Ban, Joined
from waitlist_api.records.ledger import Commit
from waitlist_shared.ids import new_join_id


class BanRequest(Struct, frozen=True, kw_only=True):
    """A request to ban a customer.

    `customer_id` is set only if an operator bans the customer through an import.
    """

    waitlist_id: str
    entry_id: str
    by: str
    customer_id: str = ""
    reason: str = ""
    once_key: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The waitlist id and the entry id."""
        return self.waitlist_id, self.entry_id

    def is_repeat_for(self, record: EntryRecord) -> bool:
        """Return whether this request has already banned the customer."""
        return self.once_key != "" and self.once_key == record.ban.key


def ban(record: EntryRecord | None, request: BanRequest, stamp: int, now_millis: int) -> Commit:
    """Return the change that bans a customer.

    If the customer is on the waitlist, the change also sets the status `leaving`.
    """
    before = _never_joined(request, stamp, now_millis) if record is None else record
    banned = replace(
        before,
        ban=Ban(stamp=stamp, reason=request.reason, key=request.once_key),
        updated_millis=now_millis,
    )
    if before.has_ended:
        # Set `stamp` to the time of the ban. When the record is deleted later, the `erased` event
        # gets the next timestamp after `stamp`, so it comes after the `banned` event.
        end = replace(before.end, stamp=before.decided_stamp)
        banned = replace(banned, stamp=stamp, end=end, expires_at=None)
    else:
        # The customer is still on the waitlist. The change that ends their signup will set `stamp`,
        # so leave `stamp` unchanged.
        banned = replace(
            banned,
            changes=replace(banned.changes, edited_stamp=stamp),
            status="leaving",
            intent=replace(banned.intent, leaving_by=request.by, leaving_reason=request.reason),
        )
    place = banned_place(request.waitlist_id, shard_of(request.entry_id))
    event = HistoryEvent(
        stamp=stamp, event="banned", by=request.by, reason=request.reason, place=place
    )
    return Commit(after=banned, events=(event,))


def without_personal_data(record: EntryRecord) -> EntryRecord:
    """Return a banned customer's record without personal data.

    After the waitlist's retention time, a banned customer's record is kept only in this form. Call
    this function only if the waitlist has a retention time.
    """
    return replace(record, profile={}, attributes={}, move=record.move.dropped())


def unban(
    record: EntryRecord, by: str, reason: str, now_millis: int, expires_at: int | None
) -> Commit:
    """Return the change that lifts the ban. The customer must not be on the waitlist."""
    stamp = record.stamp_off_list(now_millis)
    after = replace(
        record,
        ban=Ban(key=record.ban.key),
        stamp=stamp,
        end=replace(record.end, stamp=record.decided_stamp),
        updated_millis=now_millis,
        expires_at=record.expires_at if expires_at is None else expires_at,
    )
    event = HistoryEvent(stamp=stamp, event="unbanned", by=by, reason=reason)
    banned = HistoryEvent.key(*record.key, record.ban.stamp, "banned")
    return Commit(after=after, events=(event,), unindexed=(banned,))


def _never_joined(request: BanRequest, stamp: int, now_millis: int) -> EntryRecord:
    """Return a new record for a customer who has never joined the waitlist."""
    return EntryRecord(
        waitlist_id=request.waitlist_id,
        entry_id=request.entry_id,
        customer_id=request.customer_id,
        status="left",
        join_id=new_join_id(),
        joined=Joined(millis=now_millis),
        updated_millis=now_millis,
        stamp=stamp,
    )
