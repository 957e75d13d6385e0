"""Leave and erase: write the intent, give up the place in Redis, record the end."""

from contextlib import suppress

from msgspec import Struct

from waitlist_api.clock import IsTimeUp, NowMillis, never
from waitlist_api.errors import AlreadyAdmitted, EntryNotFound, Forbidden, WaitlistNotFound
from waitlist_api.queue.messages import drop_of, leave_of
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.entries import EntryChanged, EntryRecords, LeftOffer
from waitlist_api.records.entry import EntryRecord, HistoryEvent, Status
from waitlist_api.records.erasures import Erasures
from waitlist_api.records.journal import ERASED, Change, Journal
from waitlist_api.records.retention import Retention
from waitlist_shared import contracts as c
from waitlist_shared.errors import NotOffered, WaitlistError


class Leaves(Struct, frozen=True):
    """Ends stays. Each step may be repeated, also by another request or by maintenance."""

    entries: EntryRecords
    erasures: Erasures
    journal: Journal
    retention: Retention
    recovering_queue: RecoveringQueue
    now_millis: NowMillis

    def leave(
        self,
        waitlist_id: str,
        entry_id: str,
        by: str,
        reason: str = "",
        stay: int | None = None,
        *,
        offer: LeftOffer | None = None,
        status: Status | None = None,
        unverified: bool = False,
    ) -> None:
        """End a stay; no change if it has ended already, or does not have the given `status`.

        With `unverified` no change if its address is verified.

        With `stay`, the ticket of an entry token, only that stay is ended. Raises Forbidden if
        the entry has another. With `offer` only a stay with that offer is ended, and a leave
        that another request has begun keeps its actor and reason. Raises NotOffered if there is no
        such offer.
        """
        try:
            key = (waitlist_id, entry_id)
            record = self.entries.begin_leave(
                key,
                by,
                reason,
                self.now_millis(),
                stay,
                offer=offer,
                status=status,
                unverified=unverified,
            )
        except EntryChanged as changed:
            if changed.record is None or changed.record.is_expired(self.now_millis()):
                raise EntryNotFound from changed
            if stay is not None and changed.record.ticket != stay:
                raise Forbidden from changed
            if changed.record.status == "admitted":
                raise AlreadyAdmitted from changed
            if offer is not None:
                self._end_without_offer(changed.record)
            return
        self.finish(record)

    def _end_without_offer(self, record: EntryRecord) -> None:
        """Finish a leave that another request has begun; raise NotOffered if the stay goes on."""
        if record.erase:
            raise EntryNotFound
        if record.status == "leaving":
            self.finish(record)
        elif record.status != "left":
            raise NotOffered

    def erase(self, waitlist_id: str, entry_id: str) -> None:
        """Delete an entry's place, record and history; no change if there is no entry.

        A record without personal data stays until the index cannot show the place any more,
        because a rebuild would otherwise restore it.
        """
        try:
            record = self.erasures.begin_erase(waitlist_id, entry_id, self.now_millis())
        except EntryChanged:
            return
        try:
            ended_at = self._give_up(record)
        except WaitlistError:
            # Without Redis, maintenance gives up the place later. Reasons and actors go now.
            self.erasures.erase_history(record)
            raise
        self.erasures.erase_history(record, ended_at)

    def finish(self, record: EntryRecord) -> None:
        """Finish an intent to leave or to erase."""
        if record.erase:
            self.finish_erase(record)
            return
        left: c.EndOfStayResult = self.recovering_queue.write(leave_of(record))
        if record.former_ticket is not None:
            # The signup has no place, so it has not ended the time inside by the stay before.
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
            by=record.leaving_by or "customer",
            reason=record.leaving_reason,
            expires_at=expires_at,
        )
        key = (record.waitlist_id, record.entry_id)
        self.retention.end_history(key, event.stamp, expires_at)
        try:
            self.entries.finish_leave(record, event, now_millis, left)
        except EntryChanged as changed:
            # Another request has finished the leave, has begun to erase the entry, or has banned
            # the customer, whose record must then not expire.
            now = changed.record
            if now is not None and now.erase:
                self.finish_erase(now)
            elif now is not None and now.status == "leaving" and now.join_id == record.join_id:
                self.finish(now)

    def finish_erase(self, record: EntryRecord, is_time_up: IsTimeUp = never) -> bool:
        """Give up the place of an entry that is being erased, then delete the record.

        Return False if the time is up before that; a repeat goes on.
        """
        return self.erasures.erase(record, self._give_up(record), is_time_up)

    def _give_up(self, record: EntryRecord) -> int:
        """Give up the place; return the stamp of the stay's end, 0 if the waitlist is deleted."""
        with suppress(WaitlistNotFound):
            dropped: c.EndOfStayResult = self.recovering_queue.write(drop_of(record))
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
