"""The lifecycle of a claimed entry: complete, release, extend, park; and redrive."""

from dataclasses import dataclass
from typing import Any, Literal

from waitlist_api.clock import NowMillis
from waitlist_api.conflicts import retry_on_conflict
from waitlist_api.entries.position import EntryView, Positions
from waitlist_api.errors import AlreadyAdmitted, EntryNotFound
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.decisions import STATUS_OF, event_of, transition_of, worn_out_event
from waitlist_api.records.entries import EntryChanged, EntryRecords
from waitlist_api.records.entry import EntryRecord, HistoryEvent, Status
from waitlist_api.records.transitions import Transition, Transitions
from waitlist_shared import contracts as c
from waitlist_shared.errors import (
    ClaimExpired,
    ClaimMismatch,
    Gone,
    NotHeld,
    NotParked,
    NotWaiting,
    Rebuilding,
    WaitlistError,
)

REFUSED = (NotHeld, ClaimMismatch, ClaimExpired)


@dataclass(frozen=True, kw_only=True)
class HoldCommand:
    """The held entry, the token that proves the hold, and the operator who acts, with a reason."""

    waitlist_id: str
    entry_id: str
    token: str
    by: str
    reason: str = ""
    to: Literal["place", "back"] = "place"
    lease_seconds: int | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Return the entry's key: waitlist and entry."""
        return self.waitlist_id, self.entry_id

    @property
    def names(self) -> dict[str, Any]:
        """The fields of every message about the hold."""
        return {"waitlist_id": self.waitlist_id, "entry_id": self.entry_id, "token": self.token}


@dataclass(frozen=True)
class Held:
    """A held entry and its deadline."""

    view: EntryView
    deadline_millis: int


@dataclass(frozen=True, slots=True)
class Holds:
    """Ends and extends holds. Redis decides by its own clock, and the record follows.

    Redis answers a repeat with the first decision. The repeat records it with the decision's own
    stamp before it returns, because the first request may have been cut off
    (docs/decisions/0036).
    """

    entries: EntryRecords
    transitions: Transitions
    recovering_queue: RecoveringQueue
    positions: Positions
    now_millis: NowMillis

    def complete(self, command: HoldCommand) -> EntryView:
        """Admit the customer; a repeat with the same token changes nothing."""
        try:
            done: c.CompleteResult = self._decide(command, c.Complete(**command.names))
        except AlreadyAdmitted:
            record = self.entries.get(*command.key)
            if record is None or record.claim_token != command.token:
                raise
            view = self.positions.of(*command.key, to_operator=True)
            # Between the two reads the customer may have joined again.
            return view if view.status == "admitted" else EntryView.recorded(record)
        event = HistoryEvent(
            stamp=done.done_stamp or done.stamp,
            event="admitted",
            by=command.by,
            reason=command.reason,
        )
        changes = {"admitted_millis": self.now_millis(), "claim_token": command.token}
        transition = _transition(command, "admitted", done, changes, (event,))
        try:
            self.transitions.record(transition, self.now_millis())
        except EntryChanged as changed:
            record = changed.record
            is_same = record is not None and record.claim_token == command.token
            if record is None or record.status != "admitted" or not is_same:
                raise _reason(ClaimExpired(), record, command.token) from changed
        return EntryView.off_queue(command.entry_id, "admitted", done.rank, done.ticket)

    def release(self, command: HoldCommand) -> EntryView:
        """Return the entry to the queue, at its old place or at the end."""
        request = c.Release(**command.names, to=command.to)
        try:
            released: c.ReleaseResult = self._decide(command, request)
        except ClaimExpired as refusal:
            return self._recorded(command, "released", refusal)
        self._record(command, _decision("released", command, released))
        return _waiting(command, released, released.position, released.total)

    def extend(self, command: HoldCommand) -> Held:
        """Restart the lease now."""
        request = c.Extend(**command.names, lease_seconds=command.lease_seconds)
        extended: c.ExtendResult = self._decide(command, request)
        changes = {"claimed_until_millis": extended.deadline_millis, "claim_token": command.token}
        transition = _transition(command, "offered", extended, changes)
        try:
            self.transitions.record(transition, self.now_millis())
        except EntryChanged as changed:
            if changed.record is None or changed.record.erase:
                raise EntryNotFound from changed
            if changed.record.status in ("leaving", "left"):
                raise NotWaiting from changed
        view = EntryView.off_queue(command.entry_id, "offered", extended.rank, extended.ticket)
        return Held(view, extended.deadline_millis)

    def park(self, command: HoldCommand) -> EntryView:
        """Take the entry off the queue until an operator redrives it."""
        try:
            parked: c.ParkResult = self._decide(command, c.Park(**command.names))
        except ClaimExpired as refusal:
            return self._recorded(command, "parked", refusal)
        self._record(command, _decision("parked", command, parked, parked.parked_millis))
        return EntryView.off_queue(command.entry_id, "parked", parked.rank, parked.ticket)

    def redrive(self, command: HoldCommand) -> EntryView:
        """Return a parked entry to the queue, with its attempts reset to 0."""
        request = c.Redrive(
            waitlist_id=command.waitlist_id, entry_id=command.entry_id, to=command.to
        )

        def attempt() -> EntryView | None:
            try:
                back: c.RedriveResult = self.recovering_queue.read(request)
            except NotParked as refusal:
                record = self.entries.get(*command.key)
                if record is None or record.status != "parked" or record.erase:
                    return self._recorded(command, "redriven", refusal)
                # Redis has lost the parking that the record has.
                self._put_back(record)
                return None
            before = (worn_out_event(back.worn_out_stamp),) if back.worn_out_stamp else ()
            self._record(command, _decision("redriven", command, back), before)
            return _waiting(command, back, back.position, back.total)

        # Rebuilding: Redis has the entry in another state, and maintenance reconciles the two.
        return retry_on_conflict(attempt, Rebuilding)

    def _decide(self, command: HoldCommand, request: c.OnHold) -> Any:
        """Send the request; if Redis has lost the hold, restore it and send again."""
        try:
            return self.recovering_queue.read(request)
        except REFUSED as refusal:
            record = self.entries.get(*command.key)
            lost = _lost_hold(refusal, record, command.token)
            if lost is None:
                raise _reason(refusal, record, command.token) from refusal
        self._put_back(lost)
        try:
            return self.recovering_queue.read(request)
        except REFUSED as refusal:
            raise _reason(refusal, record, command.token) from refusal

    def _put_back(self, record: EntryRecord) -> c.RestoreResult:
        try:
            return self.positions.put_back(record)
        except Gone as error:
            raise NotWaiting from error

    def _record(
        self, command: HoldCommand, decision: c.Decision, before: tuple[HistoryEvent, ...] = ()
    ) -> None:
        """Record a decision; only its events if the record has a later one."""
        events = (*before, event_of(decision, command.by, command.reason))
        transition = transition_of(command.key, decision, events, command.reason)
        try:
            try:
                self.transitions.record(transition, self.now_millis())
            except EntryChanged as changed:
                if changed.record is None or changed.record.erase:
                    raise
                for event in events:
                    self.transitions.append(command.key, event, self.now_millis())
        except EntryChanged as changed:
            raise EntryNotFound from changed

    def _recorded(self, command: HoldCommand, verb: c.Verb, refusal: WaitlistError) -> EntryView:
        """Return the outcome of a recorded decision that this request repeats; else raise.

        Redis deletes its own copy of a decision soon after it is recorded.
        """
        record = self.entries.get(*command.key)
        if record is None or record.erase:
            raise EntryNotFound
        if record.status == "admitted":
            raise AlreadyAdmitted
        is_same_hold = verb == "redriven" or record.claim_token == command.token
        if record.hold_end != verb or record.status != STATUS_OF[verb] or not is_same_hold:
            raise refusal
        view = self.positions.of(*command.key, to_operator=True)
        return view if view.status == record.status else EntryView.recorded(record)


def _transition(
    command: HoldCommand,
    status: Status,
    result: c.HoldResult,
    changes: dict[str, Any],
    events: tuple[HistoryEvent, ...] = (),
) -> Transition:
    return Transition(
        waitlist_id=command.waitlist_id,
        entry_id=command.entry_id,
        status=status,
        stamp=result.stamp,
        rank=result.rank,
        attempts=result.attempts,
        changes=changes,
        events=events,
    )


def _decision(verb: c.Verb, command: HoldCommand, result: c.HoldResult, at: int = 0) -> c.Decision:
    return c.Decision(
        verb=verb,
        token=command.token,
        stamp=result.stamp,
        rank=result.rank,
        ticket=result.ticket,
        attempts=result.attempts,
        at=at,
    )


def _waiting(
    command: HoldCommand, result: c.HoldResult, position: int | None, total: int | None
) -> EntryView:
    if position is None:
        # This is a repeat, and another claim holds the entry now.
        total = None
    return EntryView.waiting(command.entry_id, result.rank, result.ticket, position, total)


def _lost_hold(
    refusal: WaitlistError, record: EntryRecord | None, token: str
) -> EntryRecord | None:
    """Return the record if it has a hold with this token that Redis has lost."""
    if not isinstance(refusal, NotHeld) or record is None or record.status != "offered":
        return None
    return record if record.claim_token == token else None


def _reason(refusal: WaitlistError, record: EntryRecord | None, token: str) -> WaitlistError:
    """Return the error for a refused token."""
    if record is None or record.erase:
        return EntryNotFound()
    if record.status == "admitted":
        return AlreadyAdmitted()
    if record.status in ("left", "leaving", "joining"):
        return NotWaiting("The person is no longer held: they have left the list.")
    if record.claim_token == token:
        return ClaimExpired()
    return ClaimMismatch() if isinstance(refusal, NotHeld) else refusal
