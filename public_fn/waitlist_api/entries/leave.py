"""Removes entries from the waitlist when customers leave, and erases entries."""

from contextlib import suppress

from msgspec import Struct

from waitlist_api.clock import IsTimeUp, NowMillis, never
from waitlist_api.errors import AlreadyAdmitted, EntryNotFound, Forbidden, WaitlistNotFound
from waitlist_api.queue.messages import drop_of, leave_of
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import EntryRecord, HistoryEvent
from waitlist_api.records.erasures import Erasures
from waitlist_api.records.journal import ERASED, Change, Journal
from waitlist_api.records.leaves import Leave, begin_erase, begin_leave, finish_leave
from waitlist_api.records.ledger import EntryChanged, Ledger
from waitlist_api.records.retention import Retention
from waitlist_shared import contracts as c
from waitlist_shared.errors import NotOffered, Throttled, WaitlistError


class Leaves(Struct, frozen=True):
    """Takes entries off the waitlist. Each step is idempotent, so any request can repeat it."""

    entries: EntryRecords
    ledger: Ledger
    erasures: Erasures
    journal: Journal
    retention: Retention
    recovering_queue: RecoveringQueue
    now_millis: NowMillis

    def leave(self, waitlist_id: str, entry_id: str, leave: Leave) -> None:
        """Take an entry off the waitlist. If it has already left, nothing changes."""
        record = self.begin(waitlist_id, entry_id, leave)
        if record is not None:
            self.finish(record)

    def begin(self, waitlist_id: str, entry_id: str, leave: Leave) -> EntryRecord | None:
        """Mark the entry as leaving, and return its record.

        Return None if nothing is left to do, for example because the entry has already left.
        """
        for _ in range(MAX_CONFLICT_RETRIES):
            record = self.entries.get(waitlist_id, entry_id)
            if record is None:
                raise EntryNotFound
            if leave.stay not in (None, record.ticket):
                raise Forbidden
            if not leave.applies_to(record):
                return self._unchanged(record, leave)
            with suppress(EntryChanged):
                return self.ledger.save(record, begin_leave(record, leave, self.now_millis()))
        raise Throttled

    def _unchanged(self, record: EntryRecord, leave: Leave) -> EntryRecord | None:
        """Handle a request to leave that cannot change the record.

        Return the record if an earlier request must be finished, and None if there is nothing to
        do. Raise an error if the entry cannot leave.
        """
        if record.status == "admitted":
            raise AlreadyAdmitted
        if leave.offer is None:
            is_plain = leave.status is None and not leave.unverified
            return record if record.intent.erase and is_plain else None
        if record.intent.erase:
            raise EntryNotFound
        if record.status == "leaving":
            return record
        if record.status != "left":
            raise NotOffered
        return None

    def erase(self, waitlist_id: str, entry_id: str) -> None:
        """Erase an entry and its history. If the entry does not exist, nothing changes."""
        record = self.begin_erase(waitlist_id, entry_id)
        if record is None:
            return
        try:
            ended_at = self._give_up(record)
        except WaitlistError:
            # If Redis is unavailable, maintenance removes the entry from the queue later. Erase the
            # history now, because it contains personal data.
            self.erasures.erase_history(record)
            raise
        self.erasures.erase_history(record, ended_at)

    def begin_erase(self, waitlist_id: str, entry_id: str) -> EntryRecord | None:
        """Mark the record for erasure and return it, or return None if there is no record."""
        for _ in range(MAX_CONFLICT_RETRIES):
            record = self.ledger.read(waitlist_id, entry_id)
            if record is None:
                return None
            with suppress(EntryChanged):
                return self.ledger.save(record, begin_erase(record, self.now_millis()))
        raise Throttled

    def finish(self, record: EntryRecord) -> None:
        """Finish a request to leave or to erase an entry. The entry is already `leaving`."""
        if record.intent.erase:
            self.finish_erase(record)
            return
        left: c.EndStayResult = self.recovering_queue.write(leave_of(record))
        if record.former_ticket is not None:
            # The customer is leaving before this signup was finished. Redis may still count them as
            # inside because of an earlier signup, so record an exit from the earlier signup.
            self.recovering_queue.write(
                c.Exit(
                    waitlist_id=record.waitlist_id,
                    entry_id=record.entry_id,
                    ticket=record.former_ticket,
                )
            )
        now_millis = self.now_millis()
        expires_at = self.retention.expires_at(record.waitlist_id, now_millis)
        event = HistoryEvent(
            stamp=left.stamp,
            event="left",
            by=record.intent.leaving_by or "customer",
            reason=record.intent.leaving_reason,
            expires_at=expires_at,
        )
        key = (record.waitlist_id, record.entry_id)
        self.retention.expire_history(key, event.stamp, expires_at)
        try:
            decided = finish_leave(record, event, now_millis, left)
            self.ledger.commit(record, decided, now_millis)
        except EntryChanged as changed:
            # Another request has changed the record in the meantime. If that request has begun to
            # erase the entry, finish the erasure. If the entry is still leaving, try again with the
            # changed record, because the customer may have been banned, and a banned customer's
            # record must not expire.
            now = changed.record
            if now is not None and now.intent.erase:
                self.finish_erase(now)
            elif now is not None and now.status == "leaving" and now.join_id == record.join_id:
                self.finish(now)

    def finish_erase(self, record: EntryRecord, is_time_up: IsTimeUp = never) -> bool:
        """Remove an entry from the queue in Redis, and then erase its record.

        Return False if the time runs out first.
        """
        return self.erasures.erase(record, self._give_up(record), is_time_up)

    def _give_up(self, record: EntryRecord) -> int:
        """Remove the entry from the queue in Redis, and return the timestamp of the removal.

        Return 0 if the waitlist has been deleted.
        """
        with suppress(WaitlistNotFound):
            dropped: c.EndStayResult = self.recovering_queue.write(drop_of(record))
            change = Change(
                waitlist_id=record.waitlist_id,
                entry_id=record.entry_id,
                stamp=dropped.stamp,
                status=ERASED,
                join_id=record.join_id,
                ticket=record.ticket or record.former_ticket or 0,
            )
            self.journal.enter(change, self.now_millis())
            return dropped.ended_stamp or dropped.stamp
        return 0
