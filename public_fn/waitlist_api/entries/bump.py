"""Move a waiting entry to another place in the queue, first in Redis and then in the record."""

import secrets
from contextlib import suppress
from typing import Literal

from msgspec import UNSET, Struct
from msgspec.structs import asdict, replace

from waitlist_api.clock import NowMillis
from waitlist_api.entries.once import once_key_of
from waitlist_api.entries.position import EntryView, Positions
from waitlist_api.errors import AlreadyAdmitted, EntryNotFound
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.decisions import expired_event
from waitlist_api.records.entries import EntryRecords, Move
from waitlist_api.records.entry import PRESENT, EntryRecord, HistoryEvent
from waitlist_api.records.histories import Histories
from waitlist_api.records.ledger import EntryChanged
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone, IdempotencyKeyReused, NotWaiting, Rebuilding
from waitlist_shared.limits import INTERNAL_ONCE_SECONDS, ONCE_SECONDS


class BumpCommand(Struct, frozen=True, kw_only=True):
    """A request to move an entry. Exactly one of `priority`, `places` and `to` is set."""

    waitlist_id: str
    entry_id: str
    by: str
    priority: int | None = None
    places: int | None = None
    to: Literal["front", "back"] | None = None
    reason: str = ""
    idempotency_key: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The ids of the waitlist and of the entry."""
        return self.waitlist_id, self.entry_id

    @property
    def detail(self) -> dict[str, int | str]:
        """The requested move, as stored in the history event."""
        asked = {"priority": self.priority, "places": self.places, "to": self.to}
        return {name: value for name, value in asked.items() if value is not None}


class Bumped(EntryView, frozen=True, kw_only=True):
    """An entry's status and position after a move.

    `moved` is how many places the entry moved forward, or None if that is unknown.
    """

    moved: int | None


class Bumps(Struct, frozen=True):
    """Moves waiting entries to another place in the queue."""

    entries: EntryRecords
    histories: Histories
    recovering_queue: RecoveringQueue
    positions: Positions
    now_millis: NowMillis

    def bump(self, command: BumpCommand) -> Bumped:
        """Move an entry, and return its new position.

        If the request is repeated with the same Idempotency-Key, the entry moves only once.
        """
        recorded = self.entries.get(*command.key)
        request, moved = self._move(command, recorded)
        detail = _detail(command, moved)
        if moved.outcome == "repeat" and (
            made := self._find_recorded_move(command, moved.moved_stamp)
        ):
            detail |= made.detail
        event = HistoryEvent(
            stamp=moved.moved_stamp,
            event="bumped",
            by=command.by,
            reason=command.reason,
            detail=detail,
        )
        # An earlier claim or offer may have expired. Record its end before the move.
        expired = expired_event(moved.expired_stamp, moved.expired_millis)
        before = (expired,) if moved.expired_stamp else ()
        key = command.key
        move = Move(moved, request.once_key, (*before, event))
        try:
            self.entries.record_bump(key, move, self.now_millis(), recorded)
        except EntryChanged as changed:
            record = changed.record
            if record is None or record.status not in PRESENT:
                raise NotWaiting from changed
            # The entry's record has changed, so Redis has moved an outdated version of the entry.
            # Restore the entry in Redis from the record.
            with suppress(Gone):
                self.positions.restore_place(record, c.Seen(state="waiting", rank=moved.rank))
            raise Rebuilding from changed
        view = EntryView.placed(
            command.entry_id, "waiting", moved.rank, moved.ticket, moved.position, moved.total
        )
        return Bumped(**asdict(view), moved=moved.moved_by)

    def _find_recorded_move(self, command: BumpCommand, moved_stamp: int) -> HistoryEvent | None:
        """Return the history event of a repeated move, or None if the move was never recorded.

        Raise IdempotencyKeyReused if the key was used for a different move.
        """
        made = self.histories.event(command.waitlist_id, command.entry_id, moved_stamp, "bumped")
        # If an earlier request moved the entry in Redis but failed before it recorded the move, the
        # history does not contain the move, and the caller records it.
        asked = {"priority", "places", "to"}
        if made is None or not asked & set(made.detail):
            return made
        detail = {name: value for name, value in made.detail.items() if name in asked}
        if (detail, made.reason) != (command.detail, command.reason):
            raise IdempotencyKeyReused
        return made

    def _move(
        self, command: BumpCommand, recorded: EntryRecord | None
    ) -> tuple[c.Bump, c.BumpResult]:
        """Move the entry in Redis. Return the request and its result."""
        # Send the request even if the entry has no record, because the error from Redis
        # distinguishes a missing entry from a missing waitlist.
        ticket = None if recorded is None else self.positions.find_ticket(recorded)
        request = replace(_request(command), ticket=ticket)
        try:
            return request, self.recovering_queue.read(request)
        except NotWaiting:
            record = self._record(command)
            if record.status == "admitted":
                raise AlreadyAdmitted from None
            if record.status != "waiting":
                raise
        # Redis has lost the waiting entry, or the customer has signed up again in the meantime.
        # Repair the entry from its record, and send the request again.
        try:
            self.positions.repair_place(record)
        except Gone:
            raise NotWaiting from None
        request = replace(request, ticket=record.ticket)
        return request, self.recovering_queue.read(request)

    def _record(self, command: BumpCommand) -> EntryRecord:
        record = self.entries.get(*command.key)
        if record is None:
            raise EntryNotFound
        return record


def _detail(command: BumpCommand, moved: c.BumpResult) -> dict[str, int | str]:
    """Return the details of the move for the history event."""
    detail = command.detail
    if moved.moved_by is not None:
        detail["moved"] = moved.moved_by
    if moved.outcome == "moved":
        detail["position"] = moved.position
    return detail


def _request(command: BumpCommand) -> c.Bump:
    # If the client sent no key, use a random one, so that Redis recognises the retries of this
    # call.
    key = command.idempotency_key or secrets.token_hex(16)
    seconds = ONCE_SECONDS if command.idempotency_key else INTERNAL_ONCE_SECONDS
    return c.Bump(
        waitlist_id=command.waitlist_id,
        entry_id=command.entry_id,
        once_key=once_key_of(command.by, key),
        once_seconds=seconds,
        priority=UNSET if command.priority is None else command.priority,
        places=UNSET if command.places is None else command.places,
        to=UNSET if command.to is None else command.to,
    )
