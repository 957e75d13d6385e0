"""Ban and unban customers. A banned customer cannot sign up."""

from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.clock import NowMillis
from waitlist_api.entries.leave import Leaves
from waitlist_api.errors import BanMismatch
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records import bans
from waitlist_api.records.bans import BanRequest
from waitlist_api.records.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import EntryRecord, stand_in_record
from waitlist_api.records.ledger import EntryChanged, Ledger
from waitlist_api.records.retention import Retention
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_shared.errors import QueueUnavailable, Throttled
from waitlist_shared.ranks import millis_of


class Bans(Struct, frozen=True):
    """Bans and unbans a waitlist's customers. Each step is idempotent."""

    waitlist_cache: WaitlistCache
    entries: EntryRecords
    ledger: Ledger
    retention: Retention
    recovering_queue: RecoveringQueue
    leaves: Leaves
    now_millis: NowMillis

    def ban(self, request: BanRequest) -> None:
        """Ban a customer, even one who has never been on the waitlist.

        If the customer is waiting, their entry leaves the waitlist.
        """
        self.waitlist_cache.look_up(request.waitlist_id)
        for _ in range(MAX_CONFLICT_RETRIES):
            record = self.entries.find_stored(*request.key)
            if record is not None and (record.ban.stamp or request.is_repeat_for(record)):
                if record.ban.stamp and record.status == "leaving":
                    self.leaves.finish(record)
                return
            if record is not None and record.intent.erase:
                # An erasure of this entry was interrupted. Finish it first, because it would
                # otherwise delete the new ban later.
                self.leaves.finish(record)
                continue
            stamp, now_millis = self._stamp(request, record), self.now_millis()
            decided = bans.ban(record, request, stamp, now_millis)
            if self.retention.expires_at(request.waitlist_id, now_millis) is not None:
                # This waitlist deletes personal data after a retention period. A banned customer's
                # record is kept longer, so remove the personal data from it.
                decided = replace(decided, after=bans.without_personal_data(decided.after))
            with suppress(EntryChanged):
                self.ledger.commit(record, decided, now_millis)
        raise Throttled

    def _stamp(self, request: BanRequest, record: EntryRecord | None) -> int:
        """Return a timestamp for the ban that is later than all the entry's earlier events."""
        entry = record or stand_in_record(*request.key)
        if record is None or not record.has_ended:
            with suppress(QueueUnavailable, Throttled):
                return self.recovering_queue.draw_stamp(entry)
        return entry.stamp_off_list(self.now_millis())

    def unban(
        self, key: tuple[str, str], by: str, reason: str, banned_millis: int | None = None
    ) -> None:
        """End a ban.

        If the customer is not banned, nothing changes. Raise BanMismatch if `banned_millis` is
        given and the current ban began at a different time.
        """
        for _ in range(MAX_CONFLICT_RETRIES):
            record = self.entries.find(*key)
            if not record.ban.stamp:
                return
            if banned_millis not in (None, millis_of(record.ban.stamp)):
                raise BanMismatch
            if record.status == "leaving":
                self.leaves.finish(record)
                continue
            now_millis = self.now_millis()
            expires_at = self.retention.expires_at(record.waitlist_id, now_millis)
            decided = bans.unban(record, by, reason, now_millis, expires_at)
            with suppress(EntryChanged):
                self.ledger.commit(record, decided, now_millis)
                self.retention.expire_history(key, decided.after.stamp, expires_at)
                return
        raise Throttled
