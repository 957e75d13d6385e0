"""Records Redis' decisions about entries with a place: offered, admitted, parked, returned."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.records.entries import (
    FOUNDED_ON_WAITING,
    STATUSES,
    EntryChanged,
    entry_changed,
)
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
from waitlist_api.records.retention import Retention
from waitlist_api.records.table import BATCH_GET, ConditionFailed, Table
from waitlist_shared import contracts as c
from waitlist_shared.ids import pass_id_of

# The reason of a parking after too many expired holds.
OUT_OF_ATTEMPTS = "max_attempts"
# What the record has of an open question.
OF_QUESTION = ("confirm_by_millis", "asked_token", "reminded_days", "unanswered")
# Earlier decisions may be unrecorded, so a decision may find the record in any of these.
BEHIND = "#status IN (:waiting, :offered, :parked) AND #stamp < :stamp"
# The record has nothing that Redis did not know.
FOUNDED = "#stamp <= :basis"
# Redis has given the entry another rank, which the record lacks; or the record has this rank.
PLACED = "(#stamp < :placed OR #rank = :rank)"


class Transition(Struct, frozen=True, kw_only=True):
    """One decision: the status that follows, and what changes with it.

    An older `stamp` never overwrites a newer one, and a decision about the stay with this `ticket`
    is recorded for that stay alone. The decision was made without those after `basis`: a Redis that
    has lost writes must not overwrite them. `is_of_waiting` marks a decision about a waiting entry,
    of which Redis keeps no stamp. The rank is recorded if the record is older than `placed`, else
    the record's rank stays (docs/decisions/0049).

    `changes` are further attributes; None removes one. `events` are added to the history in the
    same transaction. Nothing is written if the record has the claim token `unless_token`. A late
    write has its change in the journal at `entered_at`, because only the last minutes of the
    journal are read.
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
    is_of_waiting: bool = False

    @property
    def condition(self) -> str:
        """The condition under which the record takes the decision."""
        conditions = [BEHIND]
        if self.ticket is not None:
            conditions.append("#ticket = :ticket")
        if self.basis is not None:
            conditions.append(FOUNDED_ON_WAITING if self.is_of_waiting else FOUNDED)
        if self.placed is not None:
            conditions.append(PLACED)
        if self.unless_token:
            conditions.append("(attribute_not_exists(#claim_token) OR #claim_token <> :unless)")
        return " AND ".join(conditions)

    def is_refuted_by(self, record: EntryRecord) -> bool:
        """Return whether Redis has decided about a place that the record does not have any more."""
        if record.status not in PRESENT:
            return False
        if self.ticket is not None and record.ticket != self.ticket:
            return True
        if self.basis is None or record.stamp <= self.basis or record.stamp >= self.stamp:
            return False
        return not (self.is_of_waiting and record.status == "waiting")

    def at_rank_of(self, record: EntryRecord | None) -> Self | None:
        """Return the decision with the record's rank, if the record takes it only so."""
        if record is None or self.placed is None or record.rank in (None, self.rank):
            return None
        if record.status not in PRESENT or record.stamp >= self.stamp or self.is_refuted_by(record):
            return None
        return replace(self, rank=record.rank)

    def with_changes(self, **changes: Any) -> Self:
        """Return the same decision with further changes of attributes."""
        return replace(self, changes={**self.changes, **changes})

    @property
    def expired_holds(self) -> int:
        """Return how many holds expired, by the events."""
        return _expired_holds(self.events)

    @property
    def history(self) -> Iterator[HistoryEvent]:
        """The events, that of an admission with the id of the pass that begins with it."""
        changes, jti = self.changes, ""
        if self.ticket is not None and changes.get("inside_until_millis"):
            jti = pass_id_of(self.entry_id, self.ticket, changes["admitted_millis"])
        for event in self.events:
            yield replace(event, jti=jti) if event.event == "admitted" else event

    @property
    def change(self) -> Change:
        """The change for the journal."""
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
    """Writes decisions."""

    table: Table
    retention: Retention
    metrics: MetricsCollector

    def record(self, transition: Transition, now_millis: int) -> None:
        """Write a decision; raise EntryChanged if the record is newer, or the stay has ended."""
        if transition.status == "admitted":
            transition = self._ending(transition, now_millis)
        try:
            self._write(transition, now_millis)
        except EntryChanged as changed:
            kept = transition.at_rank_of(changed.record)
            if kept is None:
                raise
            self._write(kept, now_millis)
        self.metrics.add("holds_expired", transition.expired_holds)
        # Again, for events that other requests have added since.
        self._end_history(transition)

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
        """Let the history expire, then return the decision with the record's expiry."""
        expires_at = self.retention.expires_at(transition.waitlist_id, now_millis)
        ending = replace(
            transition,
            changes={**transition.changes, "expires_at": expires_at},
            events=tuple(replace(event, expires_at=expires_at) for event in transition.events),
        )
        self._end_history(ending)
        return ending

    def _end_history(self, transition: Transition) -> None:
        key = (transition.waitlist_id, transition.entry_id)
        expires_at = transition.changes.get("expires_at")
        self.retention.end_history(key, transition.stamp, expires_at)

    def append(self, key: Key, event: HistoryEvent, now_millis: int) -> None:
        """Write the event of a decision that is older than the record, unless the event exists.

        The record stays unchanged. Raise EntryChanged if the entry is erased.
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
            # The event's own condition returns no item, and neither does a missing record.
            if changed.record is not None or self.table.get(record_key(*key)) is None:
                raise
            return
        self.metrics.add("holds_expired", _expired_holds([event]))
        if self.retention.expires_at(key[0], now_millis) is not None:
            self._expire_with_record(key, event.stamp)

    def note_delay(self, record: EntryRecord, decision: c.Decision, now_millis: int) -> None:
        """Write the delay of a release that is older than the record, which lacks it.

        Of two delays of a stay the later counts: only time ends one.
        """
        is_delay = decision.verb == "released" and decision.at > (record.delayed_until_millis or 0)
        if not is_delay or record.status not in PRESENT or record.ticket != decision.ticket:
            return
        # Nothing reads the delay of a stay that ends meanwhile.
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
        """End the question in a record that is newer than the end of the wait, and still has it."""
        if not record.unanswered or record.status not in PRESENT:
            return
        with suppress(ConditionFailed):
            self.table.update(
                record_key(*record.key),
                f"SET #updated_millis = :now REMOVE {', '.join(f'#{one}' for one in OF_QUESTION)}",
                "#ticket = :ticket AND #asked_millis = :asked AND #unanswered = :yes",
                {
                    "ticket": ticket,
                    "asked": record.asked_millis,
                    "yes": True,
                    "now": now_millis,
                },
            )

    def missing(self, events: Sequence[tuple[Key, HistoryEvent]]) -> list[tuple[Key, HistoryEvent]]:
        """Return the events that the history does not have."""
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
        """Let events that are written late expire with their record."""
        record = self.table.get(record_key(*key)) or {}
        self.retention.end_history(key, stamp, record.get("expires_at"))

    def _history(self, transition: Transition) -> list[dict[str, Any]]:
        return [
            self.table.put_write(event.to_item(transition.waitlist_id, transition.entry_id))
            for event in transition.history
        ]


def _expired_holds(events: Iterable[HistoryEvent]) -> int:
    return sum(
        one.event == "expired" or (one.event == "parked" and one.reason == OUT_OF_ATTEMPTS)
        for one in events
    )


def _attributes(transition: Transition, now_millis: int) -> dict[str, Any]:
    """Return the attributes after a decision; None for removed ones."""
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
