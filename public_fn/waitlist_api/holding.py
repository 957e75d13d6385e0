"""What claimers do with those they hold: complete, release, extend, park; and redrive."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from waitlist_api.clock import NowMillis
from waitlist_api.cold_guard import ColdGuard
from waitlist_api.errors import AlreadyAdmitted, EntryNotFound
from waitlist_api.records.entries import EntryChanged, EntryRecords
from waitlist_api.records.entry import EntryRecord, HistoryEvent, Status
from waitlist_api.records.transitions import Transition, Transitions
from waitlist_api.standing import Standing, Standings
from waitlist_shared import contracts as c
from waitlist_shared.errors import (
    ClaimExpired,
    ClaimMismatch,
    Gone,
    NotHeld,
    NotParked,
    NotWaiting,
    WaitlistError,
)

# Somebody whom Redis has lost is put back between two tries.
TRIES = 2
REFUSED = (NotHeld, ClaimMismatch, ClaimExpired)


@dataclass(frozen=True, kw_only=True)
class HoldCommand:
    """Who is held, the token that proves the hold, and who acts on it, why."""

    waitlist_id: str
    entry_id: str
    token: str
    by: str
    reason: str = ""
    to: Literal["place", "back"] = "place"
    lease_seconds: int | None = None

    @property
    def names(self) -> dict[str, Any]:
        """What every message about the hold carries."""
        return {"waitlist_id": self.waitlist_id, "entry_id": self.entry_id, "token": self.token}


@dataclass(frozen=True)
class Held:
    """An entry that is held, and until when."""

    standing: Standing
    deadline_millis: int


class Holding:
    """Ends and prolongs holds. Redis decides, by its own clock; the record follows."""

    def __init__(
        self,
        entries: EntryRecords,
        transitions: Transitions,
        guard: ColdGuard,
        standings: Standings,
        now_millis: NowMillis,
    ) -> None:
        self._entries = entries
        self._transitions = transitions
        self._guard = guard
        self._standings = standings
        self._now_millis = now_millis

    def complete(self, command: HoldCommand) -> Standing:
        """Admit a person, for good; the same token may say so again."""
        try:
            done: c.CompleteResult = self._decide(command, c.Complete(**command.names))
        except AlreadyAdmitted as error:
            return self._again(command, "admitted", error)
        changes = {"admitted_millis": self._now_millis(), "claim_token": command.token}
        counted_at = done.done_stamp or done.stamp
        self._record(command, "admitted", done, changes, counted_at=counted_at)
        return self._ended(command, "admitted", done)

    def release(self, command: HoldCommand) -> Standing:
        """Give a person back to the line, at the old place or at the end."""
        request = c.Release(**command.names, to=command.to)
        try:
            released: c.ReleaseResult = self._decide(command, request)
        except ClaimExpired as error:
            return self._again(command, "waiting", error, "released")
        changes = {
            "claimed_until_millis": None,
            "claim_token": command.token,
            "hold_end": "released",
        }
        self._record(command, "waiting", released, changes, "released")
        return Standing.waiting(
            command.entry_id,
            released.rank,
            released.ticket,
            released.position,
            released.total,
        )

    def extend(self, command: HoldCommand) -> Held:
        """Hold a person for longer, from now on."""
        request = c.Extend(**command.names, lease_seconds=command.lease_seconds)
        extended: c.ExtendResult = self._decide(command, request)
        changes = {
            "claimed_until_millis": extended.deadline_millis,
            "claim_token": command.token,
        }
        self._record(command, "offered", extended, changes, event=None)
        standing = self._ended(command, "offered", extended)
        return Held(standing, extended.deadline_millis)

    def park(self, command: HoldCommand) -> Standing:
        """Put a person aside for somebody to look at."""
        try:
            parked: c.ParkResult = self._decide(command, c.Park(**command.names))
        except ClaimExpired as error:
            return self._again(command, "parked", error, "parked")
        changes = {
            "claimed_until_millis": None,
            "claim_token": command.token,
            "hold_end": "parked",
            "parked_millis": parked.parked_millis,
            "park_reason": command.reason or None,
        }
        self._record(command, "parked", parked, changes)
        return self._ended(command, "parked", parked)

    def redrive(self, command: HoldCommand) -> Standing:
        """Bring a parked person back into line, with no attempts against them."""
        request = c.Redrive(
            waitlist_id=command.waitlist_id, entry_id=command.entry_id, to=command.to
        )
        for _ in range(TRIES):
            try:
                back: c.RedriveResult = self._guard.read(request)
            except NotParked:
                place = self._parked_place(command)
                if place.state == "waiting" and place.rank is not None and place.ticket is not None:
                    # The repeat of a redrive; one that was cut off is recorded by maintenance.
                    return Standing.waiting(
                        command.entry_id, place.rank, place.ticket, place.position, place.total
                    )
                continue
            self._record(command, "waiting", back, _OFF_THE_SHELF, "redriven")
            return Standing.waiting(
                command.entry_id, back.rank, back.ticket, back.position, back.total
            )
        raise NotParked

    def _parked_place(self, command: HoldCommand) -> c.RestoreResult:
        """Return where Redis has somebody who is, or was just, on the record's shelf."""
        record = self._entries.get(command.waitlist_id, command.entry_id)
        if record is None or record.erase:
            raise EntryNotFound
        if record.status == "admitted":
            raise AlreadyAdmitted
        if record.status != "parked" and record.hold_end != "redriven":
            raise NotParked
        return self._put_back(record)

    def _decide(self, command: HoldCommand, request: c.OnHold) -> Any:
        """Let Redis decide; where it refuses, the record tells why, or has a hold it lost."""
        try:
            return self._guard.read(request)
        except REFUSED as refusal:
            record = self._entries.get(command.waitlist_id, command.entry_id)
            lost = _lost_hold(refusal, record, command.token)
            if lost is None:
                raise _reason(refusal, record, command.token) from refusal
        self._put_back(lost)
        try:
            return self._guard.read(request)
        except REFUSED as refusal:
            raise _reason(refusal, record, command.token) from refusal

    def _put_back(self, record: EntryRecord) -> c.RestoreResult:
        try:
            return self._standings.put_back(record)
        except Gone as error:
            raise NotWaiting from error

    def _record(
        self,
        command: HoldCommand,
        status: Status,
        decided: c.HoldResult,
        changes: dict[str, Any],
        event: str | None = "",
        counted_at: int = 0,
    ) -> None:
        """Write what Redis decided; `event` is the status' own name unless it is given."""
        happened = HistoryEvent(
            stamp=decided.stamp, event=event or status, by=command.by, reason=command.reason
        )
        transition = Transition(
            waitlist_id=command.waitlist_id,
            entry_id=command.entry_id,
            status=status,
            stamp=decided.stamp,
            rank=decided.rank,
            attempts=decided.attempts,
            changes=changes,
            events=() if event is None else (happened,),
            counts="admitted" if counted_at else "",
            counted_at=counted_at,
        )
        try:
            self._transitions.record(transition, self._now_millis())
        except EntryChanged as changed:
            self._settle(command, transition, changed.record)

    def _settle(
        self, command: HoldCommand, transition: Transition, record: EntryRecord | None
    ) -> None:
        """Stand by what the record has made of the person meanwhile."""
        if record is None or record.erase:
            raise EntryNotFound
        same = record.status == transition.status and record.claim_token == command.token
        if transition.status == "admitted" and not same:
            raise _reason(ClaimExpired(), record, command.token)
        if record.status in ("leaving", "left"):
            raise NotWaiting
        if transition.events and not _is_told(command, transition, record):
            with suppress(EntryChanged):
                self._transitions.tell(transition, self._now_millis())

    def _again(
        self, command: HoldCommand, status: Status, refusal: WaitlistError, hold_end: str = ""
    ) -> Standing:
        """Answer the repeat of what this token has done before; raise the refusal of others."""
        record = self._entries.get(command.waitlist_id, command.entry_id)
        if record is None or record.claim_token != command.token:
            raise refusal
        standing = self._standings.of(command.waitlist_id, command.entry_id, to_operator=True)
        if standing.status != status or self._hold_end(record, status) != hold_end:
            raise refusal
        return standing

    def _hold_end(self, record: EntryRecord, status: Status) -> str:
        """Tell how the claimer ended a hold; of one that the record still has, as Redis has it."""
        if record.status != "offered":
            return record.hold_end
        # Cut off before it was recorded, or ended by time, which alone counts as an attempt.
        place = self._put_back(record)
        if place.attempts > record.attempts:
            return ""
        return "released" if status == "waiting" else "parked"

    def _ended(self, command: HoldCommand, status: str, decided: c.HoldResult) -> Standing:
        return Standing.out_of_line(command.entry_id, status, decided.rank, decided.ticket)


_OFF_THE_SHELF: dict[str, Any] = {
    "parked_millis": None,
    "park_reason": None,
    "claimed_until_millis": None,
    "hold_end": "redriven",
}


def _is_told(command: HoldCommand, transition: Transition, record: EntryRecord) -> bool:
    """Whether the record has this very decision; if not, a later one came before it."""
    is_same_hold = command.token in ("", record.claim_token)
    is_same_end = transition.changes.get("hold_end") == (record.hold_end or None)
    return is_same_hold and is_same_end


def _lost_hold(
    refusal: WaitlistError, record: EntryRecord | None, token: str
) -> EntryRecord | None:
    """Return a record that has a hold with this token where Redis does not know it."""
    if not isinstance(refusal, NotHeld) or record is None or record.status != "offered":
        return None
    return record if record.claim_token == token else None


def _reason(refusal: WaitlistError, record: EntryRecord | None, token: str) -> WaitlistError:
    """Return why a token is refused, in the words of whoever used it."""
    if record is None or record.erase:
        return EntryNotFound()
    if record.status == "admitted":
        return AlreadyAdmitted()
    if record.status in ("left", "leaving", "joining"):
        return NotWaiting("The person is no longer held: they have left the list.")
    if record.claim_token == token:
        return ClaimExpired()
    return ClaimMismatch() if isinstance(refusal, NotHeld) else refusal
