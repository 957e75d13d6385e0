"""Bump: move a waiting entry in Redis, then record the move."""

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
from waitlist_api.records.entries import EntryChanged, EntryRecords, Move
from waitlist_api.records.entry import PRESENT, EntryRecord, HistoryEvent
from waitlist_api.records.histories import Histories
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone, IdempotencyKeyReused, NotWaiting, Rebuilding
from waitlist_shared.limits import INTERNAL_ONCE_SECONDS, ONCE_SECONDS


class BumpCommand(Struct, frozen=True, kw_only=True):
    """Where to move an entry: exactly one of `priority`, `places` and `to` is given."""

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
        """Return the entry's key: waitlist and entry."""
        return self.waitlist_id, self.entry_id

    @property
    def detail(self) -> dict[str, int | str]:
        """The requested move, as the history has it."""
        asked = {"priority": self.priority, "places": self.places, "to": self.to}
        return {name: value for name, value in asked.items() if value is not None}


class Bumped(EntryView, frozen=True, kw_only=True):
    """Status and position after a move; `moved` is the number of places towards the head.

    It is negative for a move towards the end, and None for a repeat whose move Redis has lost.
    """

    moved: int | None


class Bumps(Struct, frozen=True):
    """Moves waiting entries."""

    entries: EntryRecords
    histories: Histories
    recovering_queue: RecoveringQueue
    positions: Positions
    now_millis: NowMillis

    def bump(self, command: BumpCommand) -> Bumped:
        """Move an entry once per Idempotency-Key; return its new position."""
        request, moved = self._move(command)
        detail = _detail(command, moved)
        if moved.outcome == "repeat" and (made := self._made(command, moved.moved_stamp)):
            detail |= made.detail
        event = HistoryEvent(
            stamp=moved.moved_stamp,
            event="bumped",
            by=command.by,
            reason=command.reason,
            detail=detail,
        )
        # The end of the previous hold, if the record does not have it yet.
        expired = expired_event(moved.expired_stamp, moved.expired_millis)
        before = (expired,) if moved.expired_stamp else ()
        key = command.key
        move = Move(moved, request.once_key, (*before, event))
        try:
            self.entries.record_bump(key, move, self.now_millis())
        except EntryChanged as changed:
            record = changed.record
            if record is None or record.status not in PRESENT:
                raise NotWaiting from changed
            # Redis has moved the entry from a place that the record does not have any more.
            with suppress(Gone):
                self.positions.restore_place(record, c.Seen(state="waiting", rank=moved.rank))
            raise Rebuilding from changed
        view = EntryView.placed(
            command.entry_id, "waiting", moved.rank, moved.ticket, moved.position, moved.total
        )
        return Bumped(**asdict(view), moved=moved.moved_by)

    def _made(self, command: BumpCommand, moved_stamp: int) -> HistoryEvent | None:
        """Return the event of a move; raise IdempotencyKeyReused if the command is for another."""
        made = self.histories.event(command.waitlist_id, command.entry_id, moved_stamp, "bumped")
        # A move that was cut off before its record has no event. This request records it.
        asked = {"priority", "places", "to"}
        if made is None or not asked & set(made.detail):
            return made
        detail = {name: value for name, value in made.detail.items() if name in asked}
        if (detail, made.reason) != (command.detail, command.reason):
            raise IdempotencyKeyReused
        return made

    def _move(self, command: BumpCommand) -> tuple[c.Bump, c.BumpResult]:
        """Send the message, which names the stay: arriving late, it does not move the next one."""
        recorded = self.entries.get(*command.key)
        # Without a record Redis tells an unknown list from an unknown entry.
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
        # Redis has lost the recorded place, or the customer has signed up again.
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
    """Return the detail of the event: the requested move, how far it went, and to which position.

    The position of a repeat is that of the repeat, not of the move.
    """
    detail = command.detail
    if moved.moved_by is not None:
        detail["moved"] = moved.moved_by
    if moved.outcome == "moved":
        detail["position"] = moved.position
    return detail


def _request(command: BumpCommand) -> c.Bump:
    # Without the client's key, only retries within this call are recognised.
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
