"""Ban and unban customers. While the record says that a customer is banned, signups are refused."""

from contextlib import suppress

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.entries.leave import Leaves
from waitlist_api.errors import BanMismatch, Throttled
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.bans import Ban, BanRecords
from waitlist_api.records.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.entries import EntryChanged, EntryRecords
from waitlist_api.records.entry import EntryRecord, stand_in_record
from waitlist_api.records.retention import Retention
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_shared.errors import QueueUnavailable
from waitlist_shared.ranks import millis_of


class Bans(Struct, frozen=True):
    """Bans and unbans customers of a waitlist. Each step is idempotent.

    The first write records the ban together with the intent to leave. If the request is interrupted
    after this write, maintenance finishes the leave.
    """

    waitlist_cache: WaitlistCache
    entries: EntryRecords
    records: BanRecords
    retention: Retention
    recovering_queue: RecoveringQueue
    leaves: Leaves
    now_millis: NowMillis

    def ban(self, ban: Ban) -> None:
        """Ban a customer, whether or not the customer has ever been on the waitlist.

        If the customer is on the waitlist, the stay ends. An admitted customer stays admitted and
        inside. Nothing changes if the customer is banned already, or if the request repeats the
        last ban, even if that ban has ended.
        """
        self.waitlist_cache.look_up(ban.waitlist_id)
        for _ in range(MAX_CONFLICT_RETRIES):
            record = self.records.get(*ban.key)
            if record is not None and (record.ban_stamp or _is_repeat(ban, record)):
                if record.ban_stamp and record.status == "leaving":
                    self.leaves.finish(record)
                return
            if record is not None and record.erase:
                # Finish the erasure that is in progress first, because it would delete the ban.
                self.leaves.finish(record)
                continue
            stamp, now_millis = self._stamp(ban, record), self.now_millis()
            keeps_data = self.retention.expires_at(ban.waitlist_id, now_millis) is None
            with suppress(EntryChanged):
                self.records.begin(ban, record, stamp, now_millis, keeps_data=keeps_data)
        raise Throttled

    def _stamp(self, ban: Ban, record: EntryRecord | None) -> int:
        """Return a stamp for the ban that is later than all earlier events of the entry.

        Redis draws the stamp if the entry is on the waitlist, because the record may lack the
        newest decision of Redis. Redis also draws the stamp if there is no record, because an
        erased entry may have had later events. If Redis does not answer, the stamp comes from the
        clock of this function, because a ban must not have to wait for Redis.
        """
        entry = record or stand_in_record(*ban.key)
        if record is None or not record.has_ended:
            with suppress(QueueUnavailable, Throttled):
                return self.recovering_queue.draw_stamp(entry)
        return entry.stamp_off_list(self.now_millis())

    def unban(
        self, key: tuple[str, str], by: str, reason: str, banned_millis: int | None = None
    ) -> None:
        """End a ban. If the customer is not banned, nothing changes.

        If `banned_millis` is given, it names the ban to end by its time. BanMismatch is raised if
        the customer has another ban.
        """
        for _ in range(MAX_CONFLICT_RETRIES):
            record = self.entries.find(*key)
            if not record.ban_stamp:
                return
            if banned_millis not in (None, millis_of(record.ban_stamp)):
                raise BanMismatch
            if record.status == "leaving":
                self.leaves.finish(record)
                continue
            now_millis = self.now_millis()
            expires_at = self.retention.expires_at(record.waitlist_id, now_millis)
            with suppress(EntryChanged):
                stamp = self.records.end(record, by, reason, now_millis, expires_at)
                self.retention.expire_history(key, stamp, expires_at)
                return
        raise Throttled


def _is_repeat(ban: Ban, record: EntryRecord) -> bool:
    return ban.once_key != "" and ban.once_key == record.ban_key
