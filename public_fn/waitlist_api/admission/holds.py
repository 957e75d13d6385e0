"""The verbs that end or extend a hold, an offer or a parking."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.clock import NowMillis
from waitlist_api.entries.position import EntryView, Positions
from waitlist_api.errors import AlreadyAdmitted, EntryNotFound, Forbidden
from waitlist_api.queue.messages import renew_of
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.decisions import (
    CUSTOMER,
    attempts_exhausted_event,
    event_of,
    transition_of,
)
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord, HistoryEvent, Status
from waitlist_api.records.ledger import EntryChanged
from waitlist_api.records.lifecycle import state_after, status_after
from waitlist_api.records.transitions import Transition, Transitions
from waitlist_shared import contracts as c
from waitlist_shared.errors import (
    ClaimExpired,
    ClaimMismatch,
    Gone,
    InsideFull,
    NotHeld,
    NotOffered,
    NotParked,
    NotWaiting,
    OfferExpired,
    Rebuilding,
    WaitlistError,
)

REFUSED = (NotHeld, NotParked, NotOffered, ClaimMismatch, ClaimExpired, OfferExpired)
Message = c.OnHold | c.OnOffer | c.Redrive


class ClaimAction(Struct, frozen=True, kw_only=True):
    """A verb for a claimed or parked entry, or for an offer.

    `message` is the request to Redis, and `before` is the status of the entry before the verb. The
    record keeps the decision as `decided`, with the time that `at` computes from the result of
    Redis and the current time. An offer or a parking has no token. Instead, its time identifies it,
    in the field that `time_field` names.
    """

    message: type[Message]
    decided: c.Verb
    before: Status = "offered"
    time_field: Literal["", "offered_until_millis", "parked_millis"] = ""
    at: Callable[[Any, int], int] = lambda _result, _now_millis: 0

    @property
    def after(self) -> Status:
        """The status of the entry after the decision."""
        return status_after(self.decided)


COMPLETE = ClaimAction(
    message=c.Complete, decided="admitted", at=lambda _result, now_millis: now_millis
)
RELEASE = ClaimAction(
    message=c.Release,
    decided="released",
    at=lambda result, _now_millis: result.delayed_until_millis,
)
EXTEND = ClaimAction(
    message=c.Extend, decided="extended", at=lambda result, _now_millis: result.deadline_millis
)
PARK = ClaimAction(
    message=c.Park, decided="parked", at=lambda result, _now_millis: result.parked_millis
)
REDRIVE = ClaimAction(
    message=c.Redrive, decided="redriven", before="parked", time_field="parked_millis"
)
ENTER = ClaimAction(
    message=c.Enter,
    decided="admitted",
    time_field="offered_until_millis",
    at=lambda _result, now_millis: now_millis,
)
DECLINE = ClaimAction(message=c.Decline, decided="declined", time_field="offered_until_millis")
WITHDRAW = ClaimAction(message=c.Withdraw, decided="withdrawn", time_field="offered_until_millis")


class HoldCommand(Struct, frozen=True, kw_only=True):
    """A caller's request to end or extend a hold, an offer or a parking.

    - `token` proves the hold of a claim. Callers know no token of an offer or a parking, so
      `offered_until_millis` or `parked_millis` identifies it.
    - `ticket` is the ticket of the stay that a customer's entry token proves.
    - `hours` are the hours in which the policy may offer a withdrawn slot to the next entry.
    - `once_key` is a digest of the caller's idempotency key.
    - `changes_until_millis` is the new value of this field in the record, which limits how often
      customers change their entry.
    """

    waitlist_id: str
    entry_id: str
    by: str
    token: str = ""
    ticket: int | None = None
    reason: str = ""
    to: Literal["place", "back"] = "place"
    delay_seconds: int = 0
    lease_seconds: int | None = None
    offered_until_millis: int | None = None
    parked_millis: int | None = None
    once_key: str | None = None
    hours: tuple[c.Hours, ...] = ()
    changes_until_millis: int = 0

    @property
    def key(self) -> tuple[str, str]:
        """The ids of the waitlist and of the entry."""
        return self.waitlist_id, self.entry_id

    def message(self, verb: ClaimAction) -> Message:
        """Build the message to Redis for a verb from the command's fields with the same names."""
        names = set(verb.message.__struct_fields__) & set(self.__struct_fields__)
        return verb.message(**{name: getattr(self, name) for name in names})

    def names_hold_of(self, record: EntryRecord) -> bool:
        """Return whether the record has the hold that the command's token and ticket name."""
        is_same_stay = self.ticket in (None, record.ticket)
        return self.token in ("", record.claim_token) and is_same_stay

    def names_time_of(self, record: EntryRecord) -> bool:
        """Return whether the record has the offer or parking that the caller has named, if any."""
        is_offer = self.offered_until_millis in (None, record.claimed_until_millis)
        return is_offer and self.parked_millis in (None, record.parked_millis)


class ActionResult(Struct, frozen=True):
    """The entry after the verb.

    `deadline_millis` is the new deadline of an extended hold, or 0. `result` is the result of
    Redis. It is None if the record shows that the verb was done before.
    """

    view: EntryView
    deadline_millis: int = 0
    result: c.HoldResult | None = None


class Holds(Struct, frozen=True):
    """Ends and extends holds. Redis decides by its own clock, and then the decision is recorded.

    Redis answers a repeat with its first decision. The repeat records this decision with its
    original stamp, because the first request may have been interrupted before it recorded the
    decision (docs/decisions/0036).
    """

    entries: EntryRecords
    transitions: Transitions
    recovering_queue: RecoveringQueue
    positions: Positions
    now_millis: NowMillis

    def act(self, verb: ClaimAction, command: HoldCommand) -> ActionResult:
        """Carry out the verb. A repeat returns the recorded outcome."""
        try:
            result = self._begin_time_inside(verb, command, self._decide(verb, command))
        except REFUSED as refusal:
            record = self.entries.get(*command.key)
            # Redis deletes its copy of a decision soon after the decision is recorded, so Redis may
            # refuse a repeat.
            if record is not None and _is_done(verb, command, record):
                return ActionResult(self._view_of(record, to_operator=command.by != CUSTOMER))
            raise _error_of(refusal, command, record) from refusal
        self._record(verb, command, result)
        deadline_millis = getattr(result, "deadline_millis", 0)
        if command.once_key and result.outcome == "repeat":
            # The entry may have got another offer in the meantime, so read its current state.
            return ActionResult(self.positions.read(*command.key), deadline_millis, result)
        return ActionResult(_view_after(verb, command, result), deadline_millis, result)

    def _decide(self, verb: ClaimAction, command: HoldCommand) -> Any:
        """Send the message. If Redis has lost the hold, offer or parking, restore it and try again.

        A rebuild may also have restored it after Redis refused the message.
        """
        try:
            return self._send(verb, command)
        except REFUSED:
            record = self.entries.get(*command.key)
            if record is None or record.status != verb.before:
                raise
            if not (command.names_hold_of(record) and command.names_time_of(record)):
                raise
            try:
                self.positions.repair_place(record)
            except Gone as error:
                raise NotWaiting from error
        return self._send(verb, command)

    def _send(self, verb: ClaimAction, command: HoldCommand) -> Any:
        """Send the message, which always identifies the offer or parking.

        If the caller does not identify it, the offer or parking in the record is used. If Redis
        does not have this one, the current one in Redis is used. A message that arrives late can
        then not affect a later offer or parking.
        """
        if not verb.time_field or getattr(command, verb.time_field) is not None:
            return self.recovering_queue.read(command.message(verb))
        recorded = self._recorded_time(verb, command)
        try:
            return self.recovering_queue.read(_message_at(verb, command, recorded))
        except (NotParked, NotOffered):
            found = self._time_in_redis(verb, command)
            if found in (0, recorded):
                raise
        return self.recovering_queue.read(_message_at(verb, command, found))

    def _time_in_redis(self, verb: ClaimAction, command: HoldCommand) -> int:
        """Return the time of the offer or parking in Redis.

        Return 0 if Redis has none, or if the order is being rebuilt.
        """
        try:
            place: c.InspectResult = self.recovering_queue.read(
                c.Inspect(waitlist_id=command.waitlist_id, entry_id=command.entry_id)
            )
        except Rebuilding:
            return 0
        return place.time_millis if place.state == verb.before else 0

    def _recorded_time(self, verb: ClaimAction, command: HoldCommand) -> int:
        """Return the time of the recorded offer or parking, or 0 if the record has none."""
        record = self.entries.get(*command.key)
        if record is None or record.status != verb.before:
            return 0
        if verb.before == "parked":
            return record.parked_millis or 0
        return (record.is_offer and record.claimed_until_millis) or 0

    def _begin_time_inside(self, verb: ClaimAction, command: HoldCommand, result: Any) -> Any:
        """Return the result. If a repeat finds an unrecorded admission, the time inside begins now.

        OfferExpired is raised if the time inside is already over and there is no room for another.

        NotOffered is raised if an `enter` comes after an operator's `complete`. Redis has the same
        state after both verbs, so it takes the `enter` for a repeat. Only the request of the
        operator or maintenance may record the `complete`, because the history would otherwise name
        the customer as the actor.
        """
        if verb.decided != "admitted" or result.outcome != "repeat":
            return result
        record = self.entries.get(*command.key)
        if record is None or record.status not in PRESENT or record.ticket != result.ticket:
            return result
        if verb is ENTER and not record.is_offer and record.claim_token == result.token:
            raise NotOffered
        try:
            renewed = self.recovering_queue.read(renew_of(record, result.ticket))
        except InsideFull as full:
            raise OfferExpired from full
        if renewed.outcome == "absent":
            # Redis has lost the admission in the meantime, or another request has recorded it.
            raise Rebuilding
        return replace(result, inside_until_millis=renewed.inside_until_millis)

    def _record(self, verb: ClaimAction, command: HoldCommand, result: Any) -> None:
        """Record a decision. If the record has a later decision, record only the events."""
        now_millis = self.now_millis()
        decision = c.Decision(
            verb=verb.decided,
            token=command.token or getattr(result, "token", ""),
            stamp=result.stamp,
            rank=result.rank,
            ticket=result.ticket,
            attempts=result.attempts,
            at=verb.at(result, now_millis),
            basis_stamp=result.basis_stamp,
            placed_stamp=result.placed_stamp,
        )
        events = _events(command, decision, result)
        transition = transition_of(command.key, decision, events, command.reason)
        if isinstance(result, c.CompleteResult | c.EnterResult):
            inside_until = result.inside_until_millis or None
            transition = transition.with_changes(inside_until_millis=inside_until)
        if command.once_key:
            once = {"once_key": command.once_key, "once_stamp": decision.stamp}
            transition = transition.with_changes(**once)
        if command.changes_until_millis:
            until_millis = command.changes_until_millis
            transition = transition.with_changes(changes_until_millis=until_millis)
        try:
            try:
                self.transitions.record(transition, now_millis)
            except EntryChanged as changed:
                if self._repair_if_refuted(verb, transition, changed.record):
                    raise _error_of_refuted(command, result, changed.record) from changed
                _check_later(verb, command, changed.record)
                if changed.record is not None:
                    self.transitions.note_delay(changed.record, decision, now_millis)
                if verb.decided != "admitted":
                    for event in events:
                        self.transitions.append(command.key, event, now_millis)
        except EntryChanged as changed:
            raise EntryNotFound from changed

    def _repair_if_refuted(
        self, verb: ClaimAction, transition: Transition, record: EntryRecord | None
    ) -> bool:
        """Restore the recorded place if Redis decided about an earlier place of the entry.

        Return whether Redis did so.
        """
        if record is None or not transition.is_refuted_by(record):
            return False
        with suppress(Gone):
            seen = c.Seen(state=state_after(verb.decided), rank=transition.rank)
            self.positions.restore_place(record, seen)
        return True

    def _view_of(self, record: EntryRecord, *, to_operator: bool) -> EntryView:
        view = self.positions.read(*record.key, to_operator=to_operator)
        # The customer may have joined again between the two reads.
        return view if view.status == record.status else EntryView.recorded(record)


def _message_at(verb: ClaimAction, command: HoldCommand, time_millis: int) -> Message:
    """Return the message about the offer or parking that has this time."""
    return replace(command, **{verb.time_field: time_millis}).message(verb)


def _events(
    command: HoldCommand, decision: c.Decision, result: c.HoldResult
) -> tuple[HistoryEvent, ...]:
    """Return the events of a decision. An extension has no event."""
    event = event_of(decision, command.by, command.reason)
    # The event of a repeat gets no position, because Redis returns the position at the time of the
    # repeat and not the position after the decision.
    if result.outcome != "repeat" and (position := getattr(result, "position", None)):
        event = replace(event, detail={**event.detail, "position": position})
    match result:
        case c.ExtendResult():
            return ()
        case c.CompleteResult(done_stamp=done_stamp) | c.EnterResult(done_stamp=done_stamp):
            return (replace(event, stamp=done_stamp),)
        case c.RedriveResult(worn_out_stamp=stamp, worn_out_millis=millis) if stamp:
            return attempts_exhausted_event(stamp, millis), event
        case _:
            return (event,)


def _view_after(verb: ClaimAction, command: HoldCommand, result: Any) -> EntryView:
    place = (command.entry_id, verb.after, result.rank, result.ticket)
    # Redis returns no position for a repeated release or redrive if another claim holds the entry.
    if verb.after != "waiting" or result.position is None:
        return EntryView.placed(*place)
    return EntryView.placed(*place, result.position, result.total)


def _is_done(verb: ClaimAction, command: HoldCommand, record: EntryRecord) -> bool:
    """Return whether the last decision in the record is this one.

    An extension cannot be found, because the record does not keep it as a decision.
    """
    decided = "admitted" if record.status == "admitted" else record.hold_end
    is_same = decided == verb.decided and record.status == verb.after
    return is_same and command.names_hold_of(record)


def _check_later(verb: ClaimAction, command: HoldCommand, record: EntryRecord | None) -> None:
    """Raise an error if the record, which is later than the decision, contradicts the decision."""
    if record is None or record.erase:
        raise EntryNotFound
    if verb.decided == "admitted" and not _is_done(verb, command, record):
        raise _error_of(ClaimExpired(), command, record)
    if verb.decided == "extended" and record.status in ("leaving", "left"):
        raise NotWaiting


def _error_of_refuted(
    command: HoldCommand, result: c.HoldResult, record: EntryRecord | None
) -> WaitlistError:
    """Return the error for a decision about a place that the record no longer has.

    Redis remembers a decision until it is settled, so a request may repeat a verb of a former stay.
    The caller then gets the error for an entry that is not held.
    """
    is_of_former_stay = record is not None and record.ticket != result.ticket
    if result.outcome == "repeat" and is_of_former_stay:
        return _error_of(NotHeld(), command, record)
    return Rebuilding()


def _error_of(
    refusal: WaitlistError, command: HoldCommand, record: EntryRecord | None
) -> WaitlistError:
    """Return the error for the caller after Redis has refused the entry or the token."""
    if record is None or record.erase:
        return EntryNotFound()
    if command.ticket not in (None, record.ticket):
        return Forbidden()
    if record.status == "admitted":
        return AlreadyAdmitted()
    if isinstance(refusal, NotOffered | OfferExpired):
        return refusal
    if isinstance(refusal, NotParked):
        # The record says that the entry is parked, but Redis disagrees. Maintenance reconciles the
        # two.
        is_parked = record.status == "parked" and command.names_time_of(record)
        return Rebuilding() if is_parked else refusal
    if record.status in ("left", "leaving", "joining"):
        return NotWaiting("The customer is no longer held, because they have left the waitlist.")
    if command.names_hold_of(record):
        return ClaimExpired()
    return ClaimMismatch() if isinstance(refusal, NotHeld) else refusal
