"""End a stay or erase an entry.

Both write an intent to the record, then remove the place from Redis, then record the end.
"""

from contextlib import suppress

from msgspec import Struct

from waitlist_api.clock import IsTimeUp, NowMillis, never
from waitlist_api.errors import AlreadyAdmitted, EntryNotFound, Forbidden, WaitlistNotFound
from waitlist_api.queue.messages import drop_of, leave_of
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.entries import EntryRecords, LeftOffer
from waitlist_api.records.entry import EntryRecord, HistoryEvent, Status
from waitlist_api.records.erasures import Erasures
from waitlist_api.records.journal import ERASED, Change, Journal
from waitlist_api.records.ledger import EntryChanged
from waitlist_api.records.retention import Retention
from waitlist_shared import contracts as c
from waitlist_shared.errors import NotOffered, WaitlistError


class Leaves(Struct, frozen=True):
    """Ends stays.

    Each step is idempotent, so another request or maintenance can repeat it.
    """

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
        """End the stay of an entry. If the stay has ended already, nothing changes.

        The optional arguments restrict which stay is ended:

        - `stay` is the ticket of an entry token. Forbidden is raised if the entry has another stay.
        - `offer` names an offer. NotOffered is raised if the entry does not have this offer. If
          another request has already begun a leave, that leave keeps its actor and its reason.
        - `status` is a status of the entry. Nothing changes if the entry has another status.
        - `unverified` means that nothing changes if the address of the entry is verified.
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
        """Finish a leave that another request has begun.

        NotOffered is raised if the stay goes on.
        """
        if record.erase:
            raise EntryNotFound
        if record.status == "leaving":
            self.finish(record)
        elif record.status != "left":
            raise NotOffered

    def erase(self, waitlist_id: str, entry_id: str) -> None:
        """Delete the place, the record and the history of an entry, if the entry exists.

        A record without personal data remains for a while. The index is eventually consistent and
        may still show the place. If the record were missing, a rebuild would restore this place.
        """
        try:
            record = self.erasures.begin_erase(waitlist_id, entry_id, self.now_millis())
        except EntryChanged:
            return
        try:
            ended_at = self._give_up(record)
        except WaitlistError:
            # If Redis is not available, maintenance removes the place later. The history, which
            # has reasons and actors, is deleted now.
            self.erasures.erase_history(record)
            raise
        self.erasures.erase_history(record, ended_at)

    def finish(self, record: EntryRecord) -> None:
        """Finish a leave or an erasure whose intent is in the record."""
        if record.erase:
            self.finish_erase(record)
            return
        left: c.EndOfStayResult = self.recovering_queue.write(leave_of(record))
        if record.former_ticket is not None:
            # The entry was joining again and has no place yet. A new place would have ended the
            # former stay's time inside, so that time is ended here.
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
        self.retention.expire_history(key, event.stamp, expires_at)
        try:
            self.entries.finish_leave(record, event, now_millis, left)
        except EntryChanged as changed:
            # Another request has finished the leave, has begun to erase the entry, or has banned
            # the customer. The record of a banned customer must not expire.
            now = changed.record
            if now is not None and now.erase:
                self.finish_erase(now)
            elif now is not None and now.status == "leaving" and now.join_id == record.join_id:
                self.finish(now)

    def finish_erase(self, record: EntryRecord, is_time_up: IsTimeUp = never) -> bool:
        """Remove the place of an entry that is being erased, then delete the record.

        Return False if the time is up before the record is deleted. A repeated call continues.
        """
        return self.erasures.erase(record, self._give_up(record), is_time_up)

    def _give_up(self, record: EntryRecord) -> int:
        """Remove the place from Redis, and return the stamp of the stay's end.

        Return 0 if the waitlist is deleted.
        """
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
