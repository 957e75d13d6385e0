"""Records what Redis has decided about people who have a place: offered, admitted, parked, back."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.records.entries import STATUSES, EntryChanged, entry_changed
from waitlist_api.records.entry import (
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
from waitlist_api.records.table import BATCH_GET, Table

# Why somebody was parked whose hold has expired once too often.
OUT_OF_ATTEMPTS = "max_attempts"
# A decision of Redis may find the record at any of these, where earlier ones went unrecorded.
BEHIND = "#status IN (:waiting, :offered, :parked) AND #stamp < :stamp"


@dataclass(frozen=True, kw_only=True)
class Transition:
    """One decision: the status that follows, and what changes with it.

    `stamp` orders decisions: an older one never overwrites a newer. `changes` are further
    attributes, None removes one. `events` go to the history in the same transaction.
    `unless_token` is that of a hold which, where it is recorded already, needs no writing.
    The journal, of which only the last minutes are read, has it at `entered_at` if it is written
    late.
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

    @property
    def expired_holds(self) -> int:
        """Return how many holds have ended by time, by the events."""
        return _expired_holds(self.events)

    @property
    def change(self) -> Change:
        """What the journal tells of it."""
        return Change(
            waitlist_id=self.waitlist_id,
            entry_id=self.entry_id,
            stamp=self.entered_at or self.stamp,
            status=self.status,
            rank=self.rank,
            until_millis=self.changes.get("claimed_until_millis") or 0,
        )


class Transitions:
    """Writes decisions."""

    def __init__(self, table: Table, retention: Retention, metrics: MetricsCollector) -> None:
        self._table = table
        self._retention = retention
        self._metrics = metrics

    def record(self, transition: Transition, now_millis: int) -> None:
        """Write a decision; raise EntryChanged if the record is ahead of it, or has ended."""
        if transition.status == "admitted":
            transition = self._ending(transition, now_millis)
        attributes = _attributes(transition, now_millis)
        condition = BEHIND
        if transition.unless_token:
            condition += " AND (attribute_not_exists(#claim_token) OR #claim_token <> :unless)"
        values = STATUSES | attributes | {"unless": transition.unless_token}
        key = record_key(transition.waitlist_id, transition.entry_id)
        update = _update(transition.status, attributes)
        with entry_changed():
            self._table.transact(
                [
                    self._table.update_write(key, update, condition, values),
                    *self._history(transition),
                    self._table.put_write(transition.change.to_item(now_millis)),
                ]
            )
        self._metrics.add("holds_expired", transition.expired_holds)
        # Once more, for what was recorded meanwhile.
        self._end_history(transition)

    def _ending(self, transition: Transition, now_millis: int) -> Transition:
        """Have the history expire, then return the decision that has the record do so."""
        expires_at = self._retention.expires_at(transition.waitlist_id, now_millis)
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
        self._retention.end_history(key, transition.stamp, expires_at)

    def append(self, key: Key, event: HistoryEvent, now_millis: int) -> None:
        """Write the event of a decision that the record has gone past, unless it is written.

        The record stays as it is. Raise EntryChanged if the entry is erased.
        """
        condition = "attribute_exists(#pk) AND attribute_not_exists(#erase)"
        update = "SET #updated_millis = :now"
        try:
            with entry_changed():
                self._table.transact(
                    [
                        self._table.update_write(
                            record_key(*key), update, condition, {"now": now_millis}
                        ),
                        self._table.put_write(event.to_item(*key), "attribute_not_exists(#pk)"),
                    ]
                )
        except EntryChanged as changed:
            # The event's own condition returns no item, and neither does a missing record.
            if changed.record is not None or self._table.get(record_key(*key)) is None:
                raise
            return
        self._metrics.add("holds_expired", _expired_holds([event]))
        if self._retention.expires_at(key[0], now_millis) is not None:
            self._expire_with_record(key, event.stamp)

    def missing(self, events: Sequence[tuple[Key, HistoryEvent]]) -> list[tuple[Key, HistoryEvent]]:
        """Return those of the events that the history does not have."""
        wanted = {
            (entry_pk(*key), HistoryEvent.key(*key, event.stamp, event.event)["sk"]): (key, event)
            for key, event in events
        }
        keys = list(wanted)
        for start in range(0, len(keys), BATCH_GET):
            batch = [{"pk": pk, "sk": sk} for pk, sk in keys[start : start + BATCH_GET]]
            for item in self._table.get_many(batch):
                del wanted[item["pk"], item["sk"]]
        return list(wanted.values())

    def _expire_with_record(self, key: Key, stamp: int) -> None:
        """Have events that are written late go when their record does."""
        record = self._table.get(record_key(*key)) or {}
        self._retention.end_history(key, stamp, record.get("expires_at"))

    def _history(self, transition: Transition) -> list[dict[str, Any]]:
        return [
            self._table.put_write(event.to_item(transition.waitlist_id, transition.entry_id))
            for event in transition.events
        ]


def _expired_holds(events: Iterable[HistoryEvent]) -> int:
    return sum(
        one.event == "expired" or (one.event == "parked" and one.reason == OUT_OF_ATTEMPTS)
        for one in events
    )


def _attributes(transition: Transition, now_millis: int) -> dict[str, Any]:
    """Return what the record has after a decision; None is what it has no longer."""
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
