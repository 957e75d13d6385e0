"""The three passes of a rebuild, called `line`, `changes` and `journal`.

Each method runs one pass for a single shard.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from waitlist_api.maintenance.rebuild_run import RebuildRun
from waitlist_api.queue.client import QueueClient, send_all
from waitlist_api.queue.messages import (
    drop_of,
    drop_of_admitted,
    drop_of_erased,
    drop_of_former,
    drop_of_place,
    fill_stay_of,
    leave_of,
    restore_of,
)
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord, has_readiness
from waitlist_api.records.journal import ERASED, MINUTE, Change, Journal
from waitlist_api.records.places import IndexRow, Places
from waitlist_api.records.segments import Segments
from waitlist_shared import contracts as c
from waitlist_shared.limits import MAX_RESTORE_MANY
from waitlist_shared.ranks import ticket_of_millis

# The second pass of a rebuild corrects entries that have changed since 15 minutes before the
# rebuild began. It goes back this far because the index is slightly behind the table and clocks may
# differ by minutes.
SECOND_LOOK_MILLIS = 15 * 60_000
SECOND_LOOK_STAMPS = 15 * MINUTE
# If the waitlist has no checkpoint, a rebuild also reads the last hour of the journal before the
# rebuild. The period is this long because Redis' clock may have been set back.
NO_CHECKPOINT_LOOK_STAMPS = 60 * MINUTE
LONGEST_STAMPS = 24 * 60 * MINUTE


class RebuildPasses(Struct, frozen=True):
    """Restores the shards of a waitlist page by page.

    Only one page of each shard is in memory at a time.
    """

    queue: QueueClient
    entries: EntryRecords
    places: Places
    journal: Journal

    def restore_line(self, run: RebuildRun, shard: int) -> None:
        """Restore all entries in the index that no earlier run has restored."""
        last_key = run.rebuild.last_key(shard)
        for page in filter(None, self.places.pages_on_waitlist(run.waitlist_id, shard, last_key)):
            whole = self._with_readiness(run.waitlist_id, page)
            send_all(self.queue, [*_bulk_restores(run, whole), *_single_restores(run, whole)])
            run.note_restored(shard, page)
            if run.must_stop():
                return
        run.note_finished(shard)

    def _with_readiness(self, waitlist_id: str, page: Sequence[IndexRow]) -> Sequence[IndexRow]:
        """Return this page's rows, including the reasons why entries are not ready.

        The index does not contain these reasons. If an entry may have such a reason, its row is
        built from its record.
        """
        ids = [
            placed.entry_id
            for placed in page
            if placed.hold.delayed_until_millis or has_readiness(placed.attributes_version)
        ]
        records = self.entries.get_many(waitlist_id, ids) if ids else {}
        rows = {
            record.entry_id: IndexRow.from_record(record)
            for record in records.values()
            if record.status in PRESENT
        }
        return [rows.get(placed.entry_id, placed) for placed in page]

    def correct_changed(self, run: RebuildRun, shard: int) -> None:
        """Correct the entries that have changed since shortly before the rebuild began."""
        since_millis = run.rebuild.began_millis - SECOND_LOOK_MILLIS
        for inside in self._inside(run, shard):
            send_all(self.queue, [drop_of_admitted(placed) for placed in inside])
        for page in self._changed(run.waitlist_id, shard, since_millis):
            ids = [placed.entry_id for placed in page]
            records = self.entries.get_many(run.waitlist_id, ids)
            corrections = [
                _correction(placed, records.get(placed.entry_id), run) for placed in page
            ]
            send_all(
                self.queue, [correction for correction in corrections if correction is not None]
            )
            if run.must_stop():
                return
        run.note_finished(shard)

    def correct_by_journal(self, run: RebuildRun, shard: int) -> None:
        """Correct the entries that changed before the rebuild, according to the journal.

        Unlike the index, the journal is always up to date.
        """
        epoch_start = run.opened.epoch_start
        recent = max(0, epoch_start - SECOND_LOOK_STAMPS)
        seen = run.waitlist.checkpoint.stamp_before_last or _earliest(run)
        since = max(min(seen, recent), epoch_start - LONGEST_STAMPS)
        since = max(since, run.rebuild.last_stamp(shard))
        for reached, page in self.journal.of_shard(shard, since, epoch_start):
            self._correct(run, [change for change in page if change.waitlist_id == run.waitlist_id])
            run.note_journal(shard, reached)
            if run.must_stop():
                return
        run.note_finished(shard)

    def _correct(self, run: RebuildRun, changes: list[Change]) -> None:
        ids = [change.entry_id for change in changes]
        records = self.entries.get_many(run.waitlist_id, ids)
        corrections = [
            _journal_correction(change, records.get(change.entry_id), run)
            for change in {change.entry_id: change for change in changes}.values()
        ]
        send_all(self.queue, [correction for correction in corrections if correction is not None])

    def _inside(self, run: RebuildRun, shard: int) -> Iterator[list[IndexRow]]:
        """Yield the customers who may still be inside."""
        began, longest = run.rebuild.began_millis, run.waitlist.longest_pass_seconds * 1000
        if longest:
            yield from self.places.inside(run.waitlist_id, shard, began - longest, began)

    def _changed(self, waitlist_id: str, shard: int, since_millis: int) -> Iterator[list[IndexRow]]:
        yield from self.places.pages_changed_on_waitlist(waitlist_id, shard, since_millis)
        yield from self.places.ended(waitlist_id, shard, since_millis)
        yield from self.places.unfinished(waitlist_id, shard)


def _earliest(run: RebuildRun) -> int:
    """Return the logical timestamp from which the rebuild reads the journal if the waitlist has no
    checkpoint.
    """
    epoch_start, began = run.opened.epoch_start, ticket_of_millis(run.rebuild.began_millis)
    earliest = max(0, epoch_start - NO_CHECKPOINT_LOOK_STAMPS)
    if epoch_start > began + SECOND_LOOK_STAMPS:
        # The new queue's first timestamp comes from Redis' clock. It is much later than the start
        # of the rebuild, so Redis' clock must have been wrong. While the clock was behind, it may
        # have given changes timestamps from before the waitlist's creation, so read these changes
        # too.
        return earliest
    return max(earliest, ticket_of_millis(run.waitlist.created_millis) - SECOND_LOOK_STAMPS)


def _only_waits(placed: IndexRow) -> bool:
    """Return whether the entry can be restored in one message together with other entries.

    Claims, offers and idempotency keys cannot be restored this way.
    """
    return placed.status == "waiting" and not placed.hold.once_key


def _bulk_restores(run: RebuildRun, page: Sequence[IndexRow]) -> Iterator[c.RestoreMany]:
    """Yield messages, each of which restores several waiting entries."""
    segments = run.segments
    # An outdated index can list the same entry twice on a page, but a message must not contain an
    # entry twice, so keep one row for each entry.
    plain = {placed.entry_id: placed for placed in page if _only_waits(placed)}
    stays = [fill_stay_of(placed, segments) for placed in plain.values()]
    for start in range(0, len(stays), MAX_RESTORE_MANY):
        yield c.RestoreMany(
            waitlist_id=run.waitlist_id,
            epoch=run.epoch,
            segments_version=segments.version,
            stays=tuple(stays[start : start + MAX_RESTORE_MANY]),
        )


def _single_restores(run: RebuildRun, page: Sequence[IndexRow]) -> Iterator[c.Restore]:
    for placed in page:
        if not _only_waits(placed):
            yield restore_of(placed, run.segments, run.epoch)


def _correction(placed: IndexRow, record: EntryRecord | None, run: RebuildRun) -> c.Single | None:
    """Return the message that corrects an entry in Redis, based on its record."""
    if record is not None and record.status == "joining" and placed.ticket is None:
        # The customer is joining again. The new signup's entry may already be in the queue, so
        # remove only the earlier signup's entry.
        return drop_of_former(record, run.rebuild.began_millis)
    return _by_record(record, run.segments, run.epoch) or c.Drop(
        waitlist_id=placed.waitlist_id,
        entry_id=placed.entry_id,
        join_id=placed.join_id,
        ticket=placed.ticket,
    )


def _journal_correction(
    change: Change, record: EntryRecord | None, run: RebuildRun
) -> c.Single | None:
    """Return the message that corrects a changed entry in Redis, or None if nothing needs
    correcting.
    """
    if record is None:
        return drop_of_erased(change) if change.status == ERASED else None
    if record.status == "joining":
        return _drop_of_erased_before(change, record)
    correction = _by_record(record, run.segments, run.epoch)
    return correction or drop_of(record, now_millis=run.rebuild.began_millis)


def _drop_of_erased_before(change: Change, record: EntryRecord) -> c.Drop | None:
    """Return the message that removes a customer's erased entry from Redis.

    The customer is signing up again, and the rebuild may have restored the earlier, erased entry
    from an outdated index. Return None if `change` did not erase an earlier entry.
    """
    if change.status != ERASED or change.ticket in (0, record.intent.ticket):
        return None
    return drop_of_place(*change.key, change.ticket)


def _by_record(record: EntryRecord | None, segments: Segments, epoch: str) -> c.Single | None:
    """Return the message that restores the entry if the customer is on the waitlist.

    If the customer is leaving, return the message that removes the entry instead. Return None if
    the record has any other status.
    """
    if record is not None and record.status in PRESENT:
        return restore_of(IndexRow.from_record(record), segments, epoch, when="older")
    if record is not None and record.status == "leaving" and not record.intent.erase:
        # Send a Leave message, so that Redis counts the customer among those who have left. A Drop
        # message would remove the entry without counting it.
        return leave_of(record)
    return None
