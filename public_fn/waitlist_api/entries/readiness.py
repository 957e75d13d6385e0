"""Change whether an entry is ready.

An entry that is not ready keeps its place in the queue, but admissions skip it.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.clock import NowMillis, iso, iso_of
from waitlist_api.entries.edit_steps import EditSteps
from waitlist_api.entries.once import once_key_of
from waitlist_api.entries.own_changes import count_change
from waitlist_api.entries.position import EntryView, Positions
from waitlist_api.entries.queries import EntryDetails
from waitlist_api.errors import FieldError, InvalidFields, RestNotAllowed, RestsUsedUp
from waitlist_api.records.conflicts import retry_on_conflict
from waitlist_api.records.decisions import CUSTOMER
from waitlist_api.records.edits import change_readiness
from waitlist_api.records.entry import EntryRecord, HistoryEvent, no_longer_near
from waitlist_api.records.facets import Verification
from waitlist_api.records.ledger import EntryChanged, Ledger
from waitlist_api.records.question import is_unanswered
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.settings.rest import DAY_MILLIS, RestRules
from waitlist_shared.errors import NotWaiting
from waitlist_shared.ranks import time_of

UNTIL = "body.until"
OTHER_STAY = (
    "joined_at is not the time of the customer's current signup. Get the entry to read the current "
    "value."
)
NO_REST = (
    "Only a waiting customer can let others pass in the queue. Get the entry to see its current "
    "status."
)


class RestCommand(Struct, frozen=True, kw_only=True):
    """A customer's request to pause: other customers may pass them in the queue until a
    given time.
    """

    waitlist_id: str
    entry_id: str
    stay: int | None
    until_millis: int
    idempotency_key: str | None = None

    @property
    def rest_key(self) -> str:
        """The digest of the idempotency key.

        It is stored in the record, so that a repeated request can be recognised.
        """
        return once_key_of("rest", self.idempotency_key) if self.idempotency_key else ""


class ResumeCommand(Struct, frozen=True, kw_only=True):
    """A customer's request to end their pause early. `until_millis` is the pause's planned end."""

    waitlist_id: str
    entry_id: str
    stay: int | None
    until_millis: int


class HoldBackCommand(Struct, frozen=True, kw_only=True):
    """An operator's request to hold an entry back until further notice, or to stop holding it back.

    An entry that is held back keeps its position, but is not ready.
    """

    waitlist_id: str
    entry_id: str
    by: str
    ready: bool
    reason: str = ""


class VerifyCommand(Struct, frozen=True, kw_only=True):
    """An operator's request to mark a customer's address as verified."""

    waitlist_id: str
    entry_id: str
    by: str
    reason: str = ""
    joined: datetime | None = None


class Change(Struct, frozen=True):
    """A change that can make an entry ready or not ready. It contains the new record, and the event
    for the history.
    """

    after: EntryRecord
    event: str
    by: str
    reason: str = ""
    detail: dict[str, Any] = {}


Decide = Callable[[EntryRecord], Change | None]


def answered(record: EntryRecord, now_millis: int) -> EntryRecord:
    """Return the record of a customer who has just confirmed that they still want to wait."""
    question = replace(record.question.closed(), confirmed_millis=now_millis)
    return replace(record, question=question)


class Rested(Struct, frozen=True):
    """The entry after the customer has begun or ended a pause.

    `rests_left` is how many more pauses the customer may take, or None if the waitlist allows none.
    """

    view: EntryView
    rests_left: int | None


class ReadinessChanges(Struct, frozen=True):
    """Changes whether entries are ready.

    An entry that is not ready keeps its place in the queue, but admissions skip it.
    """

    waitlist_cache: WaitlistCache
    steps: EditSteps
    ledger: Ledger
    positions: Positions
    now_millis: NowMillis

    def rest(self, command: RestCommand) -> Rested:
        """Begin a pause, during which other customers pass this one in the queue.

        A repeated request changes nothing.
        """
        rules = self._rules(command.waitlist_id)

        def decide(record: EntryRecord) -> Change | None:
            is_repeat = command.rest_key != "" and command.rest_key == record.pauses.rest_key
            if is_repeat or record.pauses.rest_until_millis == command.until_millis:
                return None
            if record.status != "waiting" or self.is_too_late_to_answer(record):
                raise NotWaiting(NO_REST)
            self._check(rules, record, command.until_millis)
            until_millis = count_change(record, self.now_millis())
            after = replace(
                record,
                pauses=replace(
                    record.pauses,
                    rest_until_millis=command.until_millis,
                    rests=record.pauses.rests + 1,
                    rest_key=command.rest_key,
                ),
                changes=replace(record.changes, until_millis=until_millis),
            )
            after = no_longer_near(after)
            if record.question.confirm_by_millis is not None:
                # A customer who asks for a pause is still waiting, so the request counts as a
                # confirmation.
                after = answered(after, self.now_millis())
            detail = {"until": iso(command.until_millis)}
            return Change(after, "rested", CUSTOMER, detail=detail)

        key = (command.waitlist_id, command.entry_id)
        return self._rest_result(self.change(key, decide, command.stay), rules)

    def resume(self, command: ResumeCommand) -> Rested:
        """End a customer's pause early.

        The command names the pause by its planned end, so a late command cannot end a different
        pause.
        """

        def decide(record: EntryRecord) -> Change | None:
            if record.pauses.rest_until_millis != command.until_millis:
                return None
            pauses = replace(record.pauses, rest_until_millis=None)
            return Change(replace(record, pauses=pauses), "resumed", CUSTOMER)

        key = (command.waitlist_id, command.entry_id)
        record = self.change(key, decide, command.stay)
        return self._rest_result(record, self._rules(command.waitlist_id))

    def is_too_late_to_answer(self, record: EntryRecord) -> bool:
        """Return whether the customer has missed the deadline to confirm that they are still
        waiting.

        The cached `confirm` setting may be outdated, so read the setting from the table.
        """
        if not record.question.unanswered:
            return False
        settings = self.waitlist_cache.look_up(record.waitlist_id).settings
        return is_unanswered(record, settings.confirm)

    def _rest_result(self, record: EntryRecord, rules: RestRules | None) -> Rested:
        view = self.positions.read(record.waitlist_id, record.entry_id, is_poll=True)
        return Rested(view, None if rules is None else max(0, rules.times - record.pauses.rests))

    def verify(self, waitlist_id: str, entry_id: str, stay: int) -> EntryRecord:
        """Record that the customer has verified the address, and return the record.

        If the address is already verified, nothing changes.
        """
        key = (waitlist_id, entry_id)
        return self.change(key, lambda record: _verified(record, CUSTOMER), stay)

    def mark_verified(self, command: VerifyCommand) -> EntryDetails:
        """Record that an operator has verified the address.

        If it is already verified, nothing changes.
        """

        def decide(record: EntryRecord) -> Change | None:
            joined_at = iso_of(time_of(record.ticket or 0))
            if command.joined is not None and iso_of(command.joined) != joined_at:
                raise NotWaiting(OTHER_STAY)
            return _verified(record, command.by, command.reason)

        key = (command.waitlist_id, command.entry_id)
        record = self.change(key, decide)
        return EntryDetails(self.positions.read(*key, to_operator=True), record, [])

    def hold_back(self, command: HoldBackCommand) -> EntryDetails:
        """Hold an entry back until further notice, or stop holding it back."""

        def decide(record: EntryRecord) -> Change | None:
            is_held_back = not command.ready
            reason = command.reason if is_held_back else ""
            pauses = replace(record.pauses, held_back=is_held_back, held_back_reason=reason)
            if pauses == record.pauses:
                return None
            after = replace(record, pauses=pauses)
            if not is_held_back:
                return Change(after, "ready", command.by, command.reason)
            return Change(no_longer_near(after), "held_back", command.by, command.reason)

        key = (command.waitlist_id, command.entry_id)
        record = self.change(key, decide)
        return EntryDetails(self.positions.read(*key, to_operator=True), record, [])

    def _rules(self, waitlist_id: str) -> RestRules | None:
        rules = self.waitlist_cache.find(waitlist_id).settings.rest
        # Read the current settings before refusing a pause, because the cached settings may be
        # outdated.
        return rules or self.waitlist_cache.look_up(waitlist_id).settings.rest

    def _check(self, rules: RestRules | None, record: EntryRecord, until_millis: int) -> None:
        if rules is None:
            raise RestNotAllowed
        now_millis = self.now_millis()
        if until_millis <= now_millis:
            raise InvalidFields(FieldError(UNTIL, "must be a time in the future"))
        if until_millis > now_millis + rules.max_days * DAY_MILLIS:
            message = f"must be within {rules.max_days} days from now"
            raise InvalidFields(FieldError(UNTIL, message))
        if record.pauses.rests >= rules.times:
            raise RestsUsedUp

    def change(self, key: tuple[str, str], decide: Decide, stay: int | None = None) -> EntryRecord:
        """Save the change that `decide` makes to the record. Then send Redis the current reasons
        why the entry is not ready.
        """
        self.waitlist_cache.find(key[0])
        record = retry_on_conflict(lambda: self._record_change(key, decide, stay))
        if record.readiness is not None:
            self.steps.follow(record)
        return record

    def _record_change(
        self, key: tuple[str, str], decide: Decide, stay: int | None
    ) -> EntryRecord | None:
        """Try once to record the change, and return the record.

        Return None if another request changed the record first.
        """
        record = self.steps.present(key, stay)
        change = None if record is None else decide(record)
        if record is None or change is None:
            return record
        event = HistoryEvent(
            stamp=self.steps.mark(record),
            event=change.event,
            by=change.by,
            reason=change.reason,
            detail=change.detail,
        )
        now_millis = self.now_millis()
        decided = change_readiness(record, change.after, event, now_millis)
        try:
            return self.ledger.commit(record, decided, now_millis)
        except EntryChanged:
            return None


def _verified(record: EntryRecord, by: str, reason: str = "") -> Change | None:
    if record.verification.until_millis is None:
        return None
    after = replace(record, verification=Verification(verified=True))
    return Change(after, "verified", by, reason)
