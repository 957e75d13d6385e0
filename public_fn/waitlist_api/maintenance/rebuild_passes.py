"""The three passes of a rebuild over one shard: line, changes, journal."""

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
from waitlist_shared.limits import MAX_FILL
from waitlist_shared.ranks import ticket_of_millis

# The index lags the table by moments, and the writers' clocks differ by minutes: entries that
# changed within this time before the rebuild are read again, from the table.
SECOND_LOOK_MILLIS = 15 * 60_000
SECOND_LOOK_STAMPS = 15 * MINUTE
# Without a heartbeat of the lost order the reading begins earlier: if Redis' clock has gone back,
# the new epoch begins later than any clock shows.
NO_CHECKPOINT_LOOK_STAMPS = 60 * MINUTE
LONGEST_LOOK_STAMPS = 24 * 60 * MINUTE


class RebuildPasses(Struct, frozen=True):
    """Restores shards page by page, with one page of each in memory."""

    queue: QueueClient
    entries: EntryRecords
    places: Places
    journal: Journal

    def restore_line(self, run: RebuildRun, shard: int) -> None:
        """Restore all entries of the index, after those that an earlier run restored."""
        behind = run.rebuild.last_key(shard)
        for page in filter(None, self.places.pages_on_waitlist(run.waitlist_id, shard, behind)):
            whole = self._with_readiness(run.waitlist_id, page)
            send_all(self.queue, [*_fills(run, whole), *_restores(run, whole)])
            run.restored(shard, page)
            if run.must_stop():
                return
        run.finished(shard)

    def _with_readiness(self, waitlist_id: str, page: Sequence[IndexRow]) -> Sequence[IndexRow]:
        """Return the rows of a page; those with a readiness, which the index lacks, by the record.

        A record whose stay is no longer on the list is corrected by the passes that follow.
        """
        ids = [
            one.entry_id
            for one in page
            if one.delayed_until_millis or has_readiness(one.attributes_version)
        ]
        records = self.entries.get_many(waitlist_id, ids) if ids else {}
        rows = {
            one.entry_id: IndexRow.from_record(one)
            for one in records.values()
            if one.status in PRESENT
        }
        return [rows.get(one.entry_id, one) for one in page]

    def correct_changed(self, run: RebuildRun, shard: int) -> None:
        """Correct entries that changed since shortly before the first run, by the table."""
        since_millis = run.rebuild.began_millis - SECOND_LOOK_MILLIS
        for inside in self._inside(run, shard):
            send_all(self.queue, [drop_of_admitted(placed) for placed in inside])
        for page in self._changed(run.waitlist_id, shard, since_millis):
            ids = [placed.entry_id for placed in page]
            records = self.entries.get_many(run.waitlist_id, ids)
            corrections = [_correction(one, records.get(one.entry_id), run) for one in page]
            send_all(self.queue, [one for one in corrections if one is not None])
            if run.must_stop():
                return
        run.finished(shard)

    def correct_by_journal(self, run: RebuildRun, shard: int) -> None:
        """Correct entries by the journal, which never lags, up to the start of this epoch."""
        born = run.opened.epoch_start
        recent = max(0, born - SECOND_LOOK_STAMPS)
        seen = run.waitlist.checkpoint.stamp_before_last or _earliest(run)
        since = max(min(seen, recent), born - LONGEST_LOOK_STAMPS)
        since = max(since, run.rebuild.last_stamp(shard))
        for reached, page in self.journal.of_shard(shard, since, born):
            self._correct(run, [one for one in page if one.waitlist_id == run.waitlist_id])
            run.read_journal(shard, reached)
            if run.must_stop():
                return
        run.finished(shard)

    def _correct(self, run: RebuildRun, changes: list[Change]) -> None:
        ids = [change.entry_id for change in changes]
        records = self.entries.get_many(run.waitlist_id, ids)
        corrections = [
            _correction_of(one, records.get(one.entry_id), run)
            for one in {one.entry_id: one for one in changes}.values()
        ]
        send_all(self.queue, [one for one in corrections if one is not None])

    def _inside(self, run: RebuildRun, shard: int) -> Iterator[list[IndexRow]]:
        """Yield the customers who are inside; their passes began within the longest duration."""
        began, longest = run.rebuild.began_millis, run.waitlist.longest_pass_seconds * 1000
        if longest:
            yield from self.places.inside(run.waitlist_id, shard, began - longest, began)

    def _changed(self, waitlist_id: str, shard: int, since_millis: int) -> Iterator[list[IndexRow]]:
        yield from self.places.pages_changed_on_waitlist(waitlist_id, shard, since_millis)
        yield from self.places.ended(waitlist_id, shard, since_millis)
        yield from self.places.unfinished(waitlist_id, shard)


def _earliest(run: RebuildRun) -> int:
    """Return the stamp at which the journal of an order without a heartbeat begins."""
    born, began = run.opened.epoch_start, ticket_of_millis(run.rebuild.began_millis)
    earliest = max(0, born - NO_CHECKPOINT_LOOK_STAMPS)
    if born > began + SECOND_LOOK_STAMPS:
        # Redis' clock has jumped: the list's stamps may be from before its creation.
        return earliest
    return max(earliest, ticket_of_millis(run.waitlist.created_millis) - SECOND_LOOK_STAMPS)


def _is_plain(placed: IndexRow) -> bool:
    """Return whether an entry only waits, so that there is nothing but its place to restore."""
    return placed.status == "waiting" and not placed.once_key


def _fills(run: RebuildRun, page: Sequence[IndexRow]) -> Iterator[c.RestoreMany]:
    """Yield bulk messages for entries that only wait, nearly all of a page."""
    segments = run.segments
    # A page of a lagging index may contain an entry twice; a bulk message may not.
    plain = {placed.entry_id: placed for placed in page if _is_plain(placed)}
    stays = [fill_stay_of(placed, segments) for placed in plain.values()]
    for start in range(0, len(stays), MAX_FILL):
        yield c.RestoreMany(
            waitlist_id=run.waitlist_id,
            epoch=run.epoch,
            segments_version=segments.version,
            stays=tuple(stays[start : start + MAX_FILL]),
        )


def _restores(run: RebuildRun, page: Sequence[IndexRow]) -> Iterator[c.Restore]:
    for placed in page:
        if not _is_plain(placed):
            yield restore_of(placed, run.segments, run.epoch)


def _correction(placed: IndexRow, record: EntryRecord | None, run: RebuildRun) -> c.Single | None:
    """Return the message that makes Redis agree with the record; `placed` may be older."""
    if record is not None and record.status == "joining" and placed.ticket is None:
        # The running signup may have a place already; its former stay must not have one.
        return drop_of_former(record, run.rebuild.began_millis)
    return _by_record(record, run.segments, run.epoch) or c.Drop(
        waitlist_id=placed.waitlist_id,
        entry_id=placed.entry_id,
        join_id=placed.join_id,
        ticket=placed.ticket,
    )


def _correction_of(change: Change, record: EntryRecord | None, run: RebuildRun) -> c.Single | None:
    """Return the message that makes Redis agree with the record of a journal's change."""
    if record is None:
        return drop_of_erased(change) if change.status == ERASED else None
    if record.status == "joining":
        return _drop_of_erased_before(change, record)
    correction = _by_record(record, run.segments, run.epoch)
    return correction or drop_of(record, now_millis=run.rebuild.began_millis)


def _drop_of_erased_before(change: Change, record: EntryRecord) -> c.Drop | None:
    """Return the message that removes the place of a stay that was erased before `record` began.

    A late index may have restored that place. The message names its ticket, because the running
    signup may have a place already.
    """
    if change.status != ERASED or change.ticket in (0, record.requested_ticket):
        return None
    return drop_of_place(*change.key, change.ticket)


def _by_record(record: EntryRecord | None, segments: Segments, epoch: str) -> c.Single | None:
    """Return the message for a recorded place or a running leave; None for any other record."""
    if record is not None and record.status in PRESENT:
        return restore_of(IndexRow.from_record(record), segments, epoch, when="older")
    if record is not None and record.status == "leaving" and not record.erase:
        # Not a drop: the running leave must find a place to count.
        return leave_of(record)
    return None
