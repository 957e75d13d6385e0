"""Write the decisions of Redis to the records of entries.

A decision offers, claims, admits or parks an entry, or returns the entry to the queue.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.records.entries import BASED_ON_WAITING, STATUSES
from waitlist_api.records.entry import (
    PRESENT,
    EntryRecord,
    HistoryEvent,
    Status,
    ended_place,
    entry_pk,
    line_place,
    record_key,
    shard_of,
)
from waitlist_api.records.journal import Change, Key
from waitlist_api.records.ledger import EntryChanged, entry_changed
from waitlist_api.records.retention import Retention
from waitlist_api.records.table import BATCH_GET, ConditionFailed, Table
from waitlist_shared import contracts as c
from waitlist_shared.ids import pass_id_of

# The recorded reason if an entry is parked because too many of its claims have expired.
OUT_OF_ATTEMPTS = "max_attempts"
# The fields that are removed when a customer no longer has to confirm that they still wait.
QUESTION_FIELDS = ("confirm_by_millis", "asked_token", "reminded_days", "unanswered")
# Earlier decisions may not be recorded yet, so the record may still have any of these statuses.
BEHIND = "#status IN (:waiting, :offered, :parked) AND #stamp < :stamp"
# Redis knew all recorded changes of the entry when it made the decision.
BASED_ON_RECORD = "#stamp <= :basis"
# Redis has a newer rank than the record, or both ranks are equal.
PLACED = "(#stamp < :placed OR #rank = :rank)"


class Transition(Struct, frozen=True, kw_only=True):
    """A decision of Redis about an entry, in the form in which it is written to the record.

    `stamp` is the logical timestamp of the decision. `basis` is the timestamp of the newest earlier
    decision that Redis knew about the entry. The record refuses the decision in three cases: if the
    record is newer than the decision, if the record has another ticket, or if the record is newer
    than `basis`. In the last case, Redis has lost writes, and must not overwrite newer data.

    `is_about_waiting` is true for a decision about a waiting entry. Redis stores no timestamp for
    waiting entries, so `basis` is not checked if the record has the status `waiting`.

    If the record is older than `placed`, it takes the rank from the decision. Otherwise the record
    keeps its own rank (docs/decisions/0049).

    `changes` contains further attributes, where None removes an attribute. `events` are added to
    the history in the same transaction. If the record has the claim token `unless_token`, nothing
    is written. Maintenance reads only the last minutes of the journal. If a decision is recorded
    late, its change is therefore added to the journal at the later stamp `entered_at`.
    """

    waitlist_id: str
    entry_id: str
    status: Status
    stamp: int
    rank: int
    attempts: int
    changes: dict[str, Any]
    events: tuple[HistoryEvent, ...] = ()
    unless_token: str = ""
    entered_at: int = 0
    ticket: int | None = None
    basis: int | None = None
    placed: int | None = None
    is_about_waiting: bool = False

    @property
    def condition(self) -> str:
        """The DynamoDB condition under which the record accepts the decision."""
        conditions = [BEHIND]
        if self.ticket is not None:
            conditions.append("#ticket = :ticket")
        if self.basis is not None:
            conditions.append(BASED_ON_WAITING if self.is_about_waiting else BASED_ON_RECORD)
        if self.placed is not None:
            conditions.append(PLACED)
        if self.unless_token:
            conditions.append("(attribute_not_exists(#claim_token) OR #claim_token <> :unless)")
        return " AND ".join(conditions)

    def is_refuted_by(self, record: EntryRecord) -> bool:
        """Return whether the decision conflicts with newer data in the record.

        In this case, Redis has lost writes, and its decision is based on an outdated state of the
        entry.
        """
        if record.status not in PRESENT:
            return False
        if self.ticket is not None and record.ticket != self.ticket:
            return True
        if self.basis is None or record.stamp <= self.basis or record.stamp >= self.stamp:
            return False
        return not (self.is_about_waiting and record.status == "waiting")

    def with_rank_of(self, record: EntryRecord | None) -> Self | None:
        """Return the decision with the rank of the record, if only its own rank is refused.

        Return None if the record refuses the decision for another reason.
        """
        if record is None or self.placed is None or record.rank in (None, self.rank):
            return None
        if record.status not in PRESENT or record.stamp >= self.stamp or self.is_refuted_by(record):
            return None
        return replace(self, rank=record.rank)

    def with_changes(self, **changes: Any) -> Self:
        """Return a copy of the decision with additional attributes to change."""
        return replace(self, changes={**self.changes, **changes})

    @property
    def expired_holds(self) -> int:
        """The number of events which report that a claim has expired."""
        return _expired_holds(self.events)

    @property
    def history(self) -> Iterator[HistoryEvent]:
        """The events for the history. The event `admitted` contains the id of the new pass."""
        changes, jti = self.changes, ""
        if self.ticket is not None and changes.get("inside_until_millis"):
            jti = pass_id_of(self.entry_id, self.ticket, changes["admitted_millis"])
        for event in self.events:
            yield replace(event, jti=jti) if event.event == "admitted" else event

    @property
    def change(self) -> Change:
        return Change(
            waitlist_id=self.waitlist_id,
            entry_id=self.entry_id,
            stamp=self.entered_at or self.stamp,
            status=self.status,
            rank=self.rank,
            until_millis=self.changes.get("inside_until_millis")
            or self.changes.get("claimed_until_millis")
            or self.changes.get("delayed_until_millis")
            or 0,
        )


class Transitions(Struct, frozen=True):
    """Writes decisions of Redis to the records."""

    table: Table
    retention: Retention
    metrics: MetricsCollector

    def record(self, transition: Transition, now_millis: int) -> None:
        """Write a decision.

        Raise EntryChanged if the record is newer, or if it belongs to another signup.
        """
        if transition.status == "admitted":
            transition = self._ending(transition, now_millis)
        try:
            self._write(transition, now_millis)
        except EntryChanged as changed:
            kept = transition.with_rank_of(changed.record)
            if kept is None:
                raise
            self._write(kept, now_millis)
        self.metrics.add("holds_expired", transition.expired_holds)
        # Set the expiry again, because other requests may have added events in the meantime.
        self._expire_history(transition)

    def _write(self, transition: Transition, now_millis: int) -> None:
        attributes = _attributes(transition, now_millis)
        values = STATUSES | attributes
        values |= {
            "unless": transition.unless_token,
            "ticket": transition.ticket,
            "basis": transition.basis,
            "placed": transition.placed,
        }
        key = record_key(transition.waitlist_id, transition.entry_id)
        update = _update(transition.status, attributes)
        with entry_changed():
            self.table.transact(
                [
                    self.table.update_write(key, update, transition.condition, values),
                    *self._history(transition),
                    self.table.put_write(transition.change.to_item(now_millis)),
                ]
            )

    def _ending(self, transition: Transition, now_millis: int) -> Transition:
        """Set the expiry of the entry's events, and add the record's expiry to the decision."""
        expires_at = self.retention.expires_at(transition.waitlist_id, now_millis)
        ending = replace(
            transition,
            changes={**transition.changes, "expires_at": expires_at},
            events=tuple(replace(event, expires_at=expires_at) for event in transition.events),
        )
        self._expire_history(ending)
        return ending

    def _expire_history(self, transition: Transition) -> None:
        key = (transition.waitlist_id, transition.entry_id)
        expires_at = transition.changes.get("expires_at")
        self.retention.expire_history(key, transition.stamp, expires_at)

    def append(self, key: Key, event: HistoryEvent, now_millis: int) -> None:
        """Add an event to the history if its decision is older than the record.

        The record does not change. If the event already exists, nothing is written. Raise
        EntryChanged if the entry has been erased.
        """
        condition = "attribute_exists(#pk) AND attribute_not_exists(#erase)"
        update = "SET #updated_millis = :now"
        try:
            with entry_changed():
                self.table.transact(
                    [
                        self.table.update_write(
                            record_key(*key), update, condition, {"now": now_millis}
                        ),
                        self.table.put_write(event.to_item(*key), "attribute_not_exists(#pk)"),
                    ]
                )
        except EntryChanged as changed:
            # DynamoDB returns an item only if the condition on the record fails. If there is no
            # item, either the event already exists or the record is missing.
            if changed.record is not None or self.table.get(record_key(*key)) is None:
                raise
            return
        self.metrics.add("holds_expired", _expired_holds([event]))
        if self.retention.expires_at(key[0], now_millis) is not None:
            self._expire_with_record(key, event.stamp)

    def note_delay(self, record: EntryRecord, decision: c.Decision, now_millis: int) -> None:
        """Write the delay of a released claim to a record that is newer than the release.

        If the record already has a delay, keep the later of the two delays.
        """
        is_delay = decision.verb == "released" and decision.at > (record.delayed_until_millis or 0)
        if not is_delay or record.status not in PRESENT or record.ticket != decision.ticket:
            return
        # The condition does not check the status, because a delay has no effect after the customer
        # has left or was admitted.
        condition = (
            "#ticket = :ticket"
            " AND (attribute_not_exists(#delayed_until_millis) OR #delayed_until_millis < :until)"
        )
        values = {"ticket": decision.ticket, "until": decision.at, "now": now_millis}
        with suppress(ConditionFailed):
            self.table.update(
                record_key(*record.key),
                "SET #delayed_until_millis = :until, #updated_millis = :now REMOVE #near_rank",
                condition,
                values,
            )

    def end_question(self, record: EntryRecord, ticket: int, now_millis: int) -> None:
        """Remove the question whether the customer still waits, which they did not answer.

        Redis has already decided what happens to the entry. The record is newer than this decision,
        so the decision itself is not recorded.
        """
        if not record.unanswered or record.status not in PRESENT:
            return
        removed = ", ".join(f"#{name}" for name in QUESTION_FIELDS)
        with suppress(ConditionFailed):
            self.table.update(
                record_key(*record.key),
                f"SET #updated_millis = :now REMOVE {removed}",
                "#ticket = :ticket AND #asked_millis = :asked AND #unanswered = :yes",
                {
                    "ticket": ticket,
                    "asked": record.asked_millis,
                    "yes": True,
                    "now": now_millis,
                },
            )

    def missing(self, events: Sequence[tuple[Key, HistoryEvent]]) -> list[tuple[Key, HistoryEvent]]:
        """Return the given events that the history does not contain yet."""
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
        """Set the expiry of an event that was added late to the expiry of its record."""
        record = self.table.get(record_key(*key)) or {}
        self.retention.expire_history(key, stamp, record.get("expires_at"))

    def _history(self, transition: Transition) -> list[dict[str, Any]]:
        return [
            self.table.put_write(event.to_item(transition.waitlist_id, transition.entry_id))
            for event in transition.history
        ]


def _expired_holds(events: Iterable[HistoryEvent]) -> int:
    return sum(
        event.event == "expired" or (event.event == "parked" and event.reason == OUT_OF_ATTEMPTS)
        for event in events
    )


def _attributes(transition: Transition, now_millis: int) -> dict[str, Any]:
    """Return the attributes after a decision. The value None means that an attribute is removed."""
    shard = shard_of(transition.entry_id)
    is_ended = transition.status == "admitted"
    place_of = ended_place if is_ended else line_place
    return {
        "stamp": transition.stamp,
        "rank": transition.rank,
        "attempts": transition.attempts,
        "place": place_of(transition.waitlist_id, shard),
        "place_rank": now_millis if is_ended else transition.rank,
        "updated_millis": now_millis,
        **transition.changes,
    }


def _update(status: Status, attributes: dict[str, Any]) -> str:
    kept = [f"#{name} = :{name}" for name, value in attributes.items() if value is not None]
    removed = [f"#{name}" for name, value in attributes.items() if value is None]
    update = ", ".join([f"SET #status = :{status}", *kept])
    return f"{update} REMOVE {', '.join(removed)}" if removed else update
