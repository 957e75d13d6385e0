"""Write Redis' decisions to entry records.

A decision can, for example, make a customer an offer or return an entry to the queue.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.records.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.delay import with_delay
from waitlist_api.records.entry import (
    PRESENT,
    EntryRecord,
    HistoryEvent,
    Status,
    entry_pk,
    record_key,
)
from waitlist_api.records.invitees import Invitees
from waitlist_api.records.journal import Key, change_of
from waitlist_api.records.ledger import UNKNOWN, Commit, EntryChanged, Ledger, Put
from waitlist_api.records.retention import Retention
from waitlist_api.records.table import BATCH_GET, Table
from waitlist_shared import contracts as c
from waitlist_shared.errors import Throttled

# The reason recorded when an entry is set aside because too many of its claims and offers have
# expired.
OUT_OF_ATTEMPTS = "max_attempts"
# A function that makes further changes to a record and returns the new record.
Alter = Callable[[EntryRecord], EntryRecord]


class Transition(Struct, frozen=True, kw_only=True):
    """A decision by Redis about an entry, in the form in which it is recorded.

    `basis` is the timestamp of Redis' previous decision about the entry. If the record contains a
    decision made after the previous decision and before this one, Redis has lost that decision.
    This decision is then based on old data and is not recorded.
    """

    waitlist_id: str
    entry_id: str
    status: Status
    stamp: int
    rank: int
    attempts: int
    # Makes the changes to the record that depend on the kind of decision.
    alter: Alter
    # Events to add to the history in the same transaction as the record.
    events: tuple[HistoryEvent, ...] = ()
    # If the record already contains this claim token, the decision has been recorded before, and
    # nothing is written.
    unless_token: str = ""
    # The timestamp under which the journal lists this change. A decision that is recorded late is
    # listed under a newer timestamp than its own, because maintenance reads only the newest part of
    # the journal.
    entered_at: int = 0
    ticket: int | None = None
    basis: int | None = None
    # The logical timestamp at which Redis last changed the entry's rank. If the record has the same
    # or a later timestamp, the rank in the record is newer and is kept (docs/decisions/0049).
    placed: int | None = None
    # True if the entry was waiting when Redis made the decision. In this case, `basis` can be too
    # old, because Redis does not store the timestamp of its last decision about a waiting entry.
    is_about_waiting: bool = False
    # When the record and its events expire, in seconds since 1970.
    expires_at: int | None = None

    def decide(self, record: EntryRecord | None, now_millis: int) -> Commit | None:
        """Return the change that records this decision by Redis, or None if the decision must not
        be recorded.
        """
        if record is None or record.status not in PRESENT or record.stamp >= self.stamp:
            return None
        is_repeat = self.unless_token != "" and record.hold.token == self.unless_token
        if is_repeat or self.is_refuted_by(record):
            return None
        rank = self.rank
        if self.placed is not None and record.stamp >= self.placed:
            # The record has a newer rank.
            if record.rank is None:
                return None
            rank = record.rank
        altered = self.alter(record)
        after = replace(
            altered,
            status=self.status,
            stamp=self.stamp,
            rank=rank,
            hold=replace(altered.hold, attempts=self.attempts),
            updated_millis=now_millis,
            expires_at=self.expires_at,
        )
        change = change_of(
            record,
            self.entered_at or self.stamp,
            self.status,
            rank=rank,
            until_millis=_until_millis(after, now_millis),
        )
        # The `admitted` event contains the id of the new pass.
        events = (
            replace(event, jti=after.pass_id if event.event == "admitted" else "")
            for event in self.events
        )
        return Commit(after=after, events=tuple(events), change=change)

    def is_refuted_by(self, record: EntryRecord) -> bool:
        """Return whether the record is newer than the data on which Redis based this decision."""
        if record.status not in PRESENT:
            return False
        if self.ticket is not None and record.ticket != self.ticket:
            return True
        if self.basis is None or record.stamp <= self.basis or record.stamp >= self.stamp:
            return False
        return not (self.is_about_waiting and record.status == "waiting")

    def then(self, alter: Alter) -> Self:
        """Return a copy of this transition that makes a further change to the record."""
        first = self.alter
        return replace(self, alter=lambda record: alter(first(record)))

    @property
    def expired_holds(self) -> int:
        """The number of expired claims that this decision's events report."""
        return _expired_holds(self.events)


class Transitions(Struct, frozen=True):
    """Writes Redis' decisions to the records."""

    table: Table
    retention: Retention
    metrics: MetricsCollector

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.table)

    @property
    def invitees(self) -> Invitees:
        return Invitees(self.table)

    def record(
        self, transition: Transition, now_millis: int, record: EntryRecord | None = None
    ) -> EntryRecord:
        """Write a decision, and return the new record.

        Raise EntryChanged if the record is newer than the decision, or belongs to a different
        signup.
        """
        if transition.status == "admitted":
            transition = self._ending(transition, now_millis)
        if record is None:
            record = self.ledger.read(transition.waitlist_id, transition.entry_id)
        after = self.ledger.decide(
            record, lambda now: transition.decide(now, now_millis), now_millis
        )
        self.metrics.add("holds_expired", transition.expired_holds)
        # Events may have been added after the expiry was set, so set the expiry again.
        self._expire_history(transition)
        return after

    def _ending(self, transition: Transition, now_millis: int) -> Transition:
        """Set the expiry of a signup's events when a decision ends the signup.

        Return a copy of the decision with the same expiry. The caller writes this expiry to the
        record.
        """
        expires_at = self.retention.expires_at(transition.waitlist_id, now_millis)
        ending = replace(
            transition,
            expires_at=expires_at,
            events=tuple(replace(event, expires_at=expires_at) for event in transition.events),
        )
        self._expire_history(ending)
        return ending

    def _expire_history(self, transition: Transition) -> None:
        key = (transition.waitlist_id, transition.entry_id)
        self.retention.expire_history(key, transition.stamp, transition.expires_at)

    def append(self, key: Key, event: HistoryEvent, now_millis: int) -> None:
        """Add an event to the history of an entry whose record already contains a later decision.

        Raise EntryChanged if the entry is being erased.
        """
        for _ in range(MAX_CONFLICT_RETRIES):
            record = self.ledger.read(*key)
            if record is None or record.intent.erase:
                raise EntryChanged(record)
            # Write the record in the same transaction as the event. If an erasure has begun in the
            # meantime, the record has changed, and the transaction fails.
            after = replace(record, updated_millis=now_millis)
            put = Put(event.to_item(*key), UNKNOWN)
            try:
                self.ledger.commit(record, Commit(after=after, puts=(put,)), now_millis)
            except EntryChanged as changed:
                if changed.record is None:
                    if self.ledger.read(*key) is None:
                        raise
                    # The event already exists.
                    return
            else:
                break
        else:
            raise Throttled
        self.metrics.add("holds_expired", _expired_holds([event]))
        if self.retention.expires_at(key[0], now_millis) is not None:
            self._expire_with_record(key, event.stamp)

    def note_delay(self, record: EntryRecord, decision: c.Decision, now_millis: int) -> None:
        """Record a decision's delay and number of declines, even if the record already contains a
        later decision.

        If the decision ended an invitation's offer, also record how the offer ended.
        """
        self.invitees.note_late(record, decision)

        def decide(now: EntryRecord) -> EntryRecord | None:
            after = with_delay(decision, now)
            if after == now or now.status not in PRESENT or now.ticket != decision.ticket:
                return None
            return replace(after, updated_millis=now_millis)

        self.ledger.update(record, decide)

    def end_question(self, record: EntryRecord, ticket: int, now_millis: int) -> None:
        """Record that the customer no longer has to confirm that they are still waiting, because
        they missed the deadline.

        Redis has already decided what happens to the entry, so a later confirmation would have no
        effect.
        """

        def decide(now: EntryRecord) -> EntryRecord | None:
            asked = now.question.asked_millis
            is_same = (now.ticket, asked) == (ticket, record.question.asked_millis)
            if not is_same or not now.question.unanswered or now.status not in PRESENT:
                return None
            return replace(now, question=now.question.closed(), updated_millis=now_millis)

        self.ledger.update(record, decide)

    def missing(self, events: Sequence[tuple[Key, HistoryEvent]]) -> list[tuple[Key, HistoryEvent]]:
        """Return the given events that are missing from the history."""
        wanted = {
            (entry_pk(*key), HistoryEvent.key(*key, event.stamp, event.event)["sk"]): (key, event)
            for key, event in events
        }
        keys = list(wanted)
        for start in range(0, len(keys), BATCH_GET):
            batch = [{"pk": pk, "sk": sk} for pk, sk in keys[start : start + BATCH_GET]]
            for item in self.table.get_many(batch):
                del wanted[item["pk"], item["sk"]]
        return list(wanted.values())

    def _expire_with_record(self, key: Key, stamp: int) -> None:
        """Give an event that was added late the same expiry as its entry's record."""
        record = self.table.get(record_key(*key)) or {}
        self.retention.expire_history(key, stamp, record.get("expires_at"))


def _until_millis(record: EntryRecord, now_millis: int) -> int:
    """Return when the entry's pass, claim, offer or delay ends, or 0 if it has none."""
    if record.status == "admitted":
        return record.end.inside_until_millis or 0
    if record.status == "offered":
        return record.hold.until_millis or 0
    delayed_until = record.hold.delayed_until_millis or 0
    return delayed_until if record.status == "waiting" and delayed_until > now_millis else 0


def _expired_holds(events: Iterable[HistoryEvent]) -> int:
    return sum(
        event.event == "expired" or (event.event == "parked" and event.reason == OUT_OF_ATTEMPTS)
        for event in events
    )
