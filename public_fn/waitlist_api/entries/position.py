"""Read an entry's status and position. If Redis has lost the entry, restore it from its record
first.
"""

from typing import Any, Self

from msgspec import Struct
from msgspec.structs import asdict, replace

from waitlist_api.clock import iso, iso_of
from waitlist_api.queue.messages import Restoring
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.queue.repair import RestoringLost
from waitlist_api.queue.segmented import SegmentedQueue
from waitlist_api.records.conflicts import retry_on_conflict
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord
from waitlist_api.records.lifecycle import status_off_queue
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone, NotWaiting, Rebuilding
from waitlist_shared.ranks import priority_of, time_of

# Fields of a view that API responses leave out or show under a different name.
UNSEEN = (
    "ticket",
    "rank",
    "pace",
    "is_due",
    "ready_ahead",
    "not_ready",
    "confirm_by_millis",
    "presence_seconds",
    "token",
    "call_number",
)


class EntryView(Struct, frozen=True, kw_only=True):
    """An entry's status and position. Only a waiting entry has a position."""

    entry_id: str
    status: str
    position: int | None = None
    total: int | None = None
    priority: int = 0
    joined_at: str | None = None
    # The deadline for accepting an offer.
    offered_until: str | None = None
    # The signup number, which is part of the entry token.
    ticket: int | None = None
    # The number that waiting entries are sorted by. Clients use it to find the entry's position on
    # the board, the public snapshot of positions.
    rank: int | None = None
    pace: str | None = None
    # True if the admission policy has slots to offer now.
    is_due: bool = False
    # How many ready entries are ahead of this entry, or None if the request did not ask for it.
    ready_ahead: int | None = None
    # The reasons why this entry is not ready.
    not_ready: tuple[c.NotReady, ...] | None = None
    # The deadline for the customer to confirm that they are still waiting, or 0 if they were not
    # asked.
    confirm_by_millis: int = 0
    # How soon the customer must poll again to count as present, in seconds. None if they count as
    # present without polling.
    presence_seconds: int | None = None
    # The token of the customer's offer. If the offer comes from an invitation, the token contains
    # the invitation's id.
    token: str = ""
    # The number by which the customer can be called. None if the customer has no number, or if the
    # request did not ask for it.
    call_number: str | None = None

    @property
    def is_claimed(self) -> bool:
        """Whether an operator has claimed the entry."""
        return self.status == "offered" and self.offered_until is None

    @property
    def answer(self) -> dict[str, Any]:
        """The fields that API responses contain."""
        fields = asdict(self)
        return {name: value for name, value in fields.items() if name not in UNSEEN}

    @classmethod
    def placed(
        cls,
        entry_id: str,
        status: str,
        rank: int,
        ticket: int,
        position: int | None = None,
        total: int | None = None,
        pace: str | None = None,
    ) -> Self:
        """Build the view from the values that Redis returned."""
        return cls(
            entry_id=entry_id,
            status=status,
            position=position,
            total=total,
            priority=priority_of(rank),
            joined_at=iso_of(time_of(ticket)),
            ticket=ticket,
            rank=None if position is None else rank,
            pace=pace,
        )

    @classmethod
    def recorded(cls, record: EntryRecord) -> Self:
        """Build the view from the record.

        The view has no position, because only Redis knows the position.
        """
        joined_at = None if record.ticket is None else iso_of(time_of(record.ticket))
        return cls(
            entry_id=record.entry_id,
            status=record.status,
            priority=record.priority,
            joined_at=joined_at,
            ticket=record.ticket,
            call_number=record.joined.call_number or None,
        )

    def with_call_number(self, record: EntryRecord | None) -> Self:
        """Add the call number from the record to the view.

        If the record belongs to a different signup, return the view unchanged.
        """
        if record is None or record.ticket != self.ticket:
            return self
        return replace(self, call_number=record.joined.call_number or None)


class Positions(Struct, frozen=True):
    """Reads positions. An entry that Redis has lost is restored from its record."""

    recovering_queue: RecoveringQueue
    entries: EntryRecords
    segmented_queue: SegmentedQueue

    def read(
        self,
        waitlist_id: str,
        entry_id: str,
        *,
        to_operator: bool = False,
        is_poll: bool = False,
    ) -> EntryView:
        """Return an entry's current status and position.

        Operators get the total even if the waitlist hides it from customers. If `is_poll` is true,
        the customer sent the request, which shows that they are present.
        """
        request = c.Position(waitlist_id=waitlist_id, entry_id=entry_id, is_poll=is_poll)
        found: c.PositionResult = self.recovering_queue.read(request)
        hide_total = found.hide_counts and not to_operator
        view = view_of(entry_id, found, hide_total)
        view = view or self._of_missing(waitlist_id, entry_id, hide_total=hide_total)
        if found.has_call_numbers and not to_operator and view.call_number is None:
            # Redis does not return call numbers. If the waitlist has call numbers, read the number
            # from the record.
            view = view.with_call_number(self.entries.get(waitlist_id, entry_id))
        return replace(self.without_old_question(waitlist_id, view), is_due=found.is_due)

    def without_old_question(self, waitlist_id: str, view: EntryView) -> EntryView:
        """Remove the confirmation deadline from the view if the waitlist no longer asks for
        confirmations.
        """
        if not view.confirm_by_millis:
            return view
        cache = self.segmented_queue.waitlist_cache
        is_asking = cache.find(waitlist_id).settings.confirm is not None
        return view if is_asking else replace(view, confirm_by_millis=0)

    def read_proven_stay(self, waitlist_id: str, entry_id: str, stay: int) -> EntryView:
        """Build the view from the record, because the entry in Redis does not belong to the token's
        signup.

        Raise Forbidden if the record belongs to a later signup than the token. If the record says
        that the customer is on the waitlist, the entry in Redis is outdated, so raise Rebuilding.
        """
        record = self.entries.find(waitlist_id, entry_id, stay)
        if record.status in PRESENT:
            raise Rebuilding
        return EntryView.recorded(record)

    def find_ticket(self, record: EntryRecord) -> int | None:
        """Return the entry's ticket, which is its signup number.

        Raise NotWaiting if the entry is not waiting in Redis.
        """
        if record.status != "joining":
            return record.ticket
        place: c.InspectResult = self.recovering_queue.read(
            c.Inspect(waitlist_id=record.waitlist_id, entry_id=record.entry_id)
        )
        if place.state != "waiting":
            raise NotWaiting
        return place.ticket

    def restore_place(self, record: EntryRecord, seen: c.Seen | None = None) -> c.RestoreResult:
        """Restore an entry in Redis from its record.

        Raise Gone if the customer has left the waitlist.
        """
        if record.status not in PRESENT:
            raise Gone
        restored: c.RestoreResult = self.segmented_queue.send(Restoring(record, seen))
        return restored

    def repair_place(self, record: EntryRecord) -> bool:
        """Restore an entry if it is missing or outdated in Redis.

        Return False if there was nothing to restore.
        """
        if self.restore_place(record).outcome == "restored":
            return True
        request = c.Inspect(waitlist_id=record.waitlist_id, entry_id=record.entry_id)
        inspection: c.InspectResult = self.recovering_queue.read(request)
        restored = self.segmented_queue.send(RestoringLost(record, inspection))
        return restored is not None and restored.outcome == "restored"

    def _of_missing(self, waitlist_id: str, entry_id: str, hide_total: bool) -> EntryView:
        def attempt() -> EntryView | None:
            record = self.entries.find(waitlist_id, entry_id)
            if record.status not in PRESENT:
                return EntryView.recorded(record)
            try:
                place = self.restore_place(record)
            except Gone:
                # The customer has left the waitlist since the record was read.
                return None
            status = status_off_queue(place.state)
            if status and place.rank is not None and place.ticket is not None:
                return EntryView.placed(entry_id, status, place.rank, place.ticket)
            if place.position is None or place.rank is None or place.ticket is None:
                raise Rebuilding
            total = None if hide_total else place.total
            return EntryView.placed(
                entry_id, "waiting", place.rank, place.ticket, place.position, total
            )

        return retry_on_conflict(attempt, Rebuilding)


def view_of(entry_id: str, found: c.PositionResult, hide_total: bool) -> EntryView | None:
    """Convert the reply from Redis to a view. Return None if Redis does not have the entry."""
    if found.rank is None or found.ticket is None:
        return None
    if status := status_off_queue(found.outcome):
        view = EntryView.placed(entry_id, status, found.rank, found.ticket)
        until = found.offered_until_millis
        return replace(view, offered_until=iso(until), token=found.token) if until else view
    total = None if hide_total else found.total
    view = EntryView.placed(
        entry_id, "waiting", found.rank, found.ticket, found.position, total, found.pace
    )
    return replace(
        view,
        ready_ahead=found.ready_ahead,
        not_ready=found.not_ready,
        confirm_by_millis=found.confirm_by_millis,
        presence_seconds=found.presence_seconds,
    )
