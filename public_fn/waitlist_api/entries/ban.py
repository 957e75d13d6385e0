"""Ban and unban: the record refuses the customer's signups from then on, and takes them again."""

from contextlib import suppress

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.entries.leave import Leaves
from waitlist_api.errors import BanMismatch, Throttled
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.bans import Ban, BanRecords
from waitlist_api.records.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.entries import EntryChanged, EntryRecords
from waitlist_api.records.entry import EntryRecord, nobody
from waitlist_api.records.retention import Retention
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_shared.errors import QueueUnavailable
from waitlist_shared.ranks import millis_of


class Bans(Struct, frozen=True):
    """Bans customers of a waitlist. Each step may be repeated, also by another request.

    The ban is in the record before anything else, with the intent to leave, which maintenance
    finishes if the request is cut off.
    """

    waitlist_cache: WaitlistCache
    entries: EntryRecords
    records: BanRecords
    retention: Retention
    recovering_queue: RecoveringQueue
    leaves: Leaves
    now_millis: NowMillis

    def ban(self, ban: Ban) -> None:
        """Ban a customer in any state, also one who was never on the list.

        The stay of a customer on the list ends; one who was admitted stays so, and inside. No
        change if the customer is banned, or if the request repeats the last ban, which has ended.
        """
        self.waitlist_cache.look_up(ban.waitlist_id)
        for _ in range(MAX_CONFLICT_RETRIES):
            record = self.records.get(*ban.key)
            if record is not None and (record.ban_stamp or _is_repeat(ban, record)):
                if record.ban_stamp and record.status == "leaving":
                    self.leaves.finish(record)
                return
            if record is not None and record.erase:
                # An erasure that is under way ends first: it would delete the ban.
                self.leaves.finish(record)
                continue
            stamp, now_millis = self._stamp(ban, record), self.now_millis()
            keeps_data = self.retention.expires_at(ban.waitlist_id, now_millis) is None
            with suppress(EntryChanged):
                self.records.begin(ban, record, stamp, now_millis, keeps_data=keeps_data)
        raise Throttled

    def _stamp(self, ban: Ban, record: EntryRecord | None) -> int:
        """Return the stamp of a ban: later than what has happened to the entry.

        While an entry is on the list, Redis may have decided about it, and the record may lack the
        decision. The record of an erased entry is gone. So Redis draws the stamp then. Where Redis
        does not answer, this function's clock draws it, because a ban is not to wait for Redis.
        """
        entry = record or nobody(*ban.key)
        if record is None or not record.has_ended:
            with suppress(QueueUnavailable, Throttled):
                return self.recovering_queue.draw_stamp(entry)
        return entry.stamp_off_list(self.now_millis())

    def unban(
        self, key: tuple[str, str], by: str, reason: str, banned_millis: int | None = None
    ) -> None:
        """End a ban; no change if the customer is not banned.

        With `banned_millis` the ban of that time alone is ended. Raises BanMismatch if the customer
        has another.
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
                self.retention.end_history(key, stamp, expires_at)
                return
        raise Throttled


def _is_repeat(ban: Ban, record: EntryRecord) -> bool:
    return ban.once_key != "" and ban.once_key == record.ban_key
