"""Leave and erase: record the intent, give up the place, record that it is done."""

from contextlib import suppress
from dataclasses import dataclass

from waitlist_api.clock import NowMillis
from waitlist_api.errors import AlreadyAdmitted, EntryNotFound, Forbidden, WaitlistNotFound
from waitlist_api.queue.messages import drop_of, leave_of
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.entries import EntryChanged, EntryRecords
from waitlist_api.records.entry import EntryRecord, HistoryEvent
from waitlist_api.records.erasures import Erasures
from waitlist_api.records.journal import ERASED, Change, Journal
from waitlist_api.records.retention import Retention
from waitlist_shared import contracts as c
from waitlist_shared.errors import WaitlistError


@dataclass(frozen=True, slots=True)
class Leaves:
    """Takes people out of line; any step may be repeated, by anyone."""

    entries: EntryRecords
    erasures: Erasures
    journal: Journal
    retention: Retention
    recovering_queue: RecoveringQueue
    now_millis: NowMillis

    def leave(
        self, waitlist_id: str, entry_id: str, by: str, reason: str = "", stay: int | None = None
    ) -> None:
        """End a stay in line; nothing happens to one that has ended.

        With `stay`, the ticket of an entry token, no other stay is ended: raise Forbidden.
        """
        try:
            key = (waitlist_id, entry_id)
            record = self.entries.begin_leave(key, by, reason, self.now_millis(), stay)
        except EntryChanged as changed:
            if changed.record is None or changed.record.is_expired(self.now_millis()):
                raise EntryNotFound from changed
            if stay is not None and changed.record.ticket != stay:
                raise Forbidden from changed
            if changed.record.status == "admitted":
                raise AlreadyAdmitted from changed
            return
        self.finish(record)

    def erase(self, waitlist_id: str, entry_id: str) -> None:
        """Forget a person: place, record and history; nothing happens to an unknown one.

        What is left for maintenance is a record of nobody: as long as the index may still show
        the place, a rebuild must find somewhere that it has been given up.
        """
        try:
            record = self.erasures.begin_erase(waitlist_id, entry_id, self.now_millis())
        except EntryChanged:
            return
        try:
            ended_at = self._give_up(record)
        except WaitlistError:
            # Redis is away, and maintenance takes the place later. Reasons and actors go now.
            self.erasures.erase_history(record)
            raise
        self.erasures.erase_history(record, ended_at)

    def finish(self, record: EntryRecord) -> None:
        """Take an intent to leave, or to be erased, to its end."""
        if record.erase:
            self.finish_erase(record)
            return
        left: c.EndOfStayResult = self.recovering_queue.write(leave_of(record))
        now_millis = self.now_millis()
        expires_at = self.retention.expires_at(record.waitlist_id, now_millis)
        event = HistoryEvent(
            stamp=left.stamp,
            event="left",
            by=record.leaving_by or "customer",
            reason=record.leaving_reason,
            expires_at=expires_at,
        )
        key = (record.waitlist_id, record.entry_id)
        self.retention.end_history(key, left.stamp, expires_at)
        try:
            self.entries.finish_leave(record, event, now_millis, left)
        except EntryChanged as changed:
            # Somebody else has finished it, or it is to be erased by now.
            if changed.record is not None and changed.record.erase:
                self.finish_erase(changed.record)

    def finish_erase(self, record: EntryRecord) -> None:
        """Give up the place of an erased person, then delete what is recorded."""
        self.erasures.erase(record, self._give_up(record))

    def _give_up(self, record: EntryRecord) -> int:
        """Give up the place; return the stamp at which the stay has ended, 0 where no list is."""
        with suppress(WaitlistNotFound):
            dropped: c.EndOfStayResult = self.recovering_queue.write(drop_of(record))
            change = Change(
                waitlist_id=record.waitlist_id,
                entry_id=record.entry_id,
                stamp=dropped.stamp,
                status=ERASED,
                join_id=record.join_id,
            )
            self.journal.enter(change, self.now_millis())
            return dropped.ended_stamp or dropped.stamp
        return 0
