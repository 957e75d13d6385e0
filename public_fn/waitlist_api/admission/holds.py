"""End or extend claims and offers.

Set claimed entries aside, and return them to the queue later.
"""

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
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.settings.waitlist import until_millis_of
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
TimeAndToken = tuple[int, str]
NO_TIME: TimeAndToken = (0, "")


class ClaimAction(Struct, frozen=True, kw_only=True):
    """An action on an entry that has a claim or an offer, or that is set aside.

    `before` is the status that the entry must have before the action. `decided` is the name of the
    action in the record.
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
RELEASE = ClaimAction(message=c.Release, decided="released")
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
    """A request to act on an entry that is claimed, offered or set aside."""

    waitlist_id: str
    entry_id: str
    by: str
    token: str = ""
    # The ticket in a customer's entry token.
    ticket: int | None = None
    reason: str = ""
    to: Literal["place", "back"] = "place"
    delay_seconds: int = 0
    # The fields `pause_seconds`, `at_most` and `declines` are used only if a customer declines an
    # offer. After a decline, the entry is passed over for `pause_seconds`. After `at_most`
    # declines, the entry loses its place in the queue.
    pause_seconds: int = 0
    at_most: int = 0
    declines: int = 0
    lease_seconds: int | None = None
    offered_until_millis: int | None = None
    parked_millis: int | None = None
    # A digest of the caller's idempotency key.
    once_key: str | None = None
    # The opening hours. If an offer is withdrawn, the next entry gets an offer only during these
    # hours.
    hours: tuple[c.Hours, ...] = ()
    # The new value of the record's `changes.until_millis` field, or 0 to leave the field unchanged.
    changes_until_millis: int = 0

    @property
    def key(self) -> tuple[str, str]:
        """The waitlist id and the entry id."""
        return self.waitlist_id, self.entry_id

    def message(self, verb: ClaimAction) -> Message:
        """Build the Redis request from this command."""
        names = set(verb.message.__struct_fields__) & set(self.__struct_fields__)
        return verb.message(**{name: getattr(self, name) for name in names})

    def names_hold_of(self, record: EntryRecord) -> bool:
        """Return whether the command's token and ticket match the record.

        An empty token or a missing ticket matches every record.
        """
        is_same_stay = self.ticket in (None, record.ticket)
        return self.token in ("", record.hold.token) and is_same_stay

    def names_time_of(self, record: EntryRecord) -> bool:
        """Return whether the times in the command match the times in the record.

        A command without a time matches every record.
        """
        is_offer = self.offered_until_millis in (None, record.hold.until_millis)
        return is_offer and self.parked_millis in (None, record.hold.parked_millis)


class ActionResult(Struct, frozen=True):
    """The entry after an action on it.

    `record` is None if this request did not change the record.
    """

    view: EntryView
    deadline_millis: int = 0
    result: c.HoldResult | None = None
    record: EntryRecord | None = None


class Holds(Struct, frozen=True):
    """Completes, releases and extends claims, sets claimed entries aside, and handles offers.

    Redis decides by its own clock whether an action is in time, and the service then records the
    decision.
    """

    entries: EntryRecords
    transitions: Transitions
    recovering_queue: RecoveringQueue
    positions: Positions
    waitlist_cache: WaitlistCache
    now_millis: NowMillis

    def act(self, verb: ClaimAction, command: HoldCommand) -> ActionResult:
        """Carry out the action. If the request is a repeat, return the recorded outcome."""
        try:
            result = self._begin_time_inside(verb, command, self._decide(verb, command))
        except REFUSED as refusal:
            record = self.entries.get(*command.key)
            # Redis forgets a decision soon after it is recorded. If the request is repeated later,
            # Redis refuses it, but the record shows that the action is done.
            if record is not None and _is_done(verb, command, record):
                return ActionResult(self._view_of(record, to_operator=command.by != CUSTOMER))
            raise _error_of(refusal, command, record) from refusal
        record = self._record(verb, command, result)
        deadline_millis = getattr(result, "deadline_millis", 0)
        if command.once_key and result.outcome == "repeat":
            # The entry may have received a new offer since the first attempt, so read its current
            # state.
            return ActionResult(self.positions.read(*command.key), deadline_millis, result)
        return ActionResult(_view_after(verb, command, result), deadline_millis, result, record)

    def _decide(self, verb: ClaimAction, command: HoldCommand) -> Any:
        """Send the request. If Redis has lost the entry, restore the entry and try again."""
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
        """Send the request to Redis.

        The request names the offer by its deadline and its token, so that a delayed copy of the
        request cannot change a later offer.
        """
        if not verb.time_field or getattr(command, verb.time_field) is not None:
            return self.recovering_queue.read(command.message(verb))
        recorded = self._recorded_time(verb, command)
        try:
            return self.recovering_queue.read(_message_at(verb, command, recorded))
        except (NotParked, NotOffered):
            found = self._time_in_redis(verb, command)
            if found in (NO_TIME, recorded):
                raise
        return self.recovering_queue.read(_message_at(verb, command, found))

    def _time_in_redis(self, verb: ClaimAction, command: HoldCommand) -> TimeAndToken:
        """Ask Redis when the offer ends, or when the entry was parked (set aside).

        Return this time and the offer's token. Return NO_TIME if the entry is in any other state.
        """
        try:
            place: c.InspectResult = self.recovering_queue.read(
                c.Inspect(waitlist_id=command.waitlist_id, entry_id=command.entry_id)
            )
        except Rebuilding:
            return NO_TIME
        return (place.time_millis, place.token) if place.state == verb.before else NO_TIME

    def _recorded_time(self, verb: ClaimAction, command: HoldCommand) -> TimeAndToken:
        """Read from the record when the offer ends, or when the entry was parked (set aside).

        Return this time and the offer's token. Return NO_TIME if the entry has any other status.
        """
        record = self.entries.get(*command.key)
        if record is None or record.status != verb.before:
            return NO_TIME
        if verb.before == "parked":
            return record.hold.parked_millis or 0, ""
        if not record.hold.is_offer or record.hold.until_millis is None:
            return NO_TIME
        # An offer ends at the latest when the waitlist stops admitting people, even if its record
        # contains a later deadline.
        over_millis = until_millis_of(self.waitlist_cache.find(record.waitlist_id).settings)
        until_millis = record.hold.until_millis
        return min(until_millis, over_millis or until_millis), record.hold.token

    def _begin_time_inside(self, verb: ClaimAction, command: HoldCommand, result: Any) -> Any:
        """If an earlier request admitted the customer but did not record the admission, begin the
        customer's pass now.
        """
        if verb.decided != "admitted" or result.outcome != "repeat":
            return result
        record = self.entries.get(*command.key)
        if record is None or record.status not in PRESENT or record.ticket != result.ticket:
            return result
        if verb is ENTER and not record.hold.is_offer and record.hold.token == result.token:
            raise NotOffered
        try:
            renewed = self.recovering_queue.read(renew_of(record, result.ticket))
        except InsideFull as full:
            raise OfferExpired from full
        if renewed.outcome == "absent":
            # Either Redis has lost the admission, or another request has recorded it in the
            # meantime. In both cases, the caller has to try again.
            raise Rebuilding
        return replace(result, inside_until_millis=renewed.inside_until_millis)

    def _record(self, verb: ClaimAction, command: HoldCommand, result: Any) -> EntryRecord | None:
        """Record the decision that Redis has made, and return the changed record.

        If the record already contains a later change, only add the decision's events to the
        history, and return None.
        """
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
            until_millis=getattr(result, "until_millis", 0),
            declines=getattr(result, "declines", 0),
        )
        events = _events(command, decision, result)
        transition = transition_of(command.key, decision, events, command.reason)
        if isinstance(result, c.CompleteResult | c.EnterResult):
            inside_until = result.inside_until_millis or None
            transition = transition.then(
                lambda record: replace(
                    record, end=replace(record.end, inside_until_millis=inside_until)
                )
            )
        if command.once_key:
            once_key = command.once_key
            transition = transition.then(
                lambda record: replace(
                    record,
                    hold=replace(record.hold, once_key=once_key, once_stamp=decision.stamp),
                )
            )
        if command.changes_until_millis:
            until_millis = command.changes_until_millis
            transition = transition.then(
                lambda record: replace(
                    record, changes=replace(record.changes, until_millis=until_millis)
                )
            )
        try:
            try:
                return self.transitions.record(transition, now_millis)
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
        return None

    def _repair_if_refuted(
        self, verb: ClaimAction, transition: Transition, record: EntryRecord | None
    ) -> bool:
        """If Redis has acted on an outdated version of the entry, restore the entry.

        Return whether the version in Redis was outdated.
        """
        if record is None or not transition.is_refuted_by(record):
            return False
        with suppress(Gone):
            seen = c.Seen(state=state_after(verb.decided), rank=transition.rank)
            self.positions.restore_place(record, seen)
        return True

    def _view_of(self, record: EntryRecord, *, to_operator: bool) -> EntryView:
        view = self.positions.read(*record.key, to_operator=to_operator)
        # If the customer has left and joined again since the record was read, Redis returns the
        # status of the new signup. The caller asked about the earlier signup, so build the view
        # from the record.
        return view if view.status == record.status else EntryView.recorded(record)


def _message_at(verb: ClaimAction, command: HoldCommand, found: TimeAndToken) -> Message:
    """Build the request to Redis.

    An offer is identified by its deadline and its token. A parked (set aside) entry is identified
    by the time when it was parked.
    """
    time_millis, token = found
    return replace(command, token=token, **{verb.time_field: time_millis}).message(verb)


def _events(
    command: HoldCommand, decision: c.Decision, result: c.HoldResult
) -> tuple[HistoryEvent, ...]:
    """Return the events that the decision adds to the entry's history.

    If the decision only extends a claim, it adds no event.
    """
    event = event_of(decision, command.by, command.reason)
    # If the request is a repeat, Redis returns the entry's current position, which may differ from
    # its position when the event happened. Record the event without a position.
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
    # If the entry was claimed again between the first attempt and this repeat, Redis returns no
    # position.
    if verb.after != "waiting" or result.position is None:
        return EntryView.placed(*place)
    return EntryView.placed(*place, result.position, result.total)


def _is_done(verb: ClaimAction, command: HoldCommand, record: EntryRecord) -> bool:
    """Return whether an earlier attempt at the same command has already changed the record."""
    decided = "admitted" if record.status == "admitted" else record.hold.end
    is_same = decided == verb.decided and record.status == verb.after
    return is_same and command.names_hold_of(record)


def _check_later(verb: ClaimAction, command: HoldCommand, record: EntryRecord | None) -> None:
    """Raise an error if the record has a later change that contradicts what Redis has decided."""
    if record is None or record.intent.erase:
        raise EntryNotFound
    if verb.decided == "admitted" and not _is_done(verb, command, record):
        raise _error_of(ClaimExpired(), command, record)
    if verb.decided == "extended" and record.status in ("leaving", "left"):
        raise NotWaiting


def _error_of_refuted(
    command: HoldCommand, result: c.HoldResult, record: EntryRecord | None
) -> WaitlistError:
    """Return the error for the caller after Redis has acted on an outdated version of the entry."""
    is_of_former_stay = record is not None and record.ticket != result.ticket
    if result.outcome == "repeat" and is_of_former_stay:
        return _error_of(NotHeld(), command, record)
    return Rebuilding()


def _error_of(
    refusal: WaitlistError, command: HoldCommand, record: EntryRecord | None
) -> WaitlistError:
    """Return the error for the caller after Redis has refused the request."""
    if record is None or record.intent.erase:
        return EntryNotFound()
    if command.ticket not in (None, record.ticket):
        return Forbidden()
    if record.status == "admitted":
        return AlreadyAdmitted()
    if isinstance(refusal, NotOffered | OfferExpired):
        return refusal
    if isinstance(refusal, NotParked):
        # The record says that the entry is set aside, but Redis has a different state. Maintenance
        # will correct the difference, so ask the caller to try again later.
        is_parked = record.status == "parked" and command.names_time_of(record)
        return Rebuilding() if is_parked else refusal
    if record.status in ("left", "leaving", "joining"):
        return NotWaiting("This customer has left the waitlist, so there is no claim or offer.")
    if command.names_hold_of(record):
        return ClaimExpired()
    return ClaimMismatch() if isinstance(refusal, NotHeld) else refusal
