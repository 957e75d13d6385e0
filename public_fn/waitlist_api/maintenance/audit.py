"""Finds and repairs entries whose latest changes Redis has lost.

A failover to a replica that lagged loses the newest writes, without a trace in Redis. The journal
has every change of the last minutes; the audit looks up each of them in Redis.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct, field
from msgspec.structs import replace

from waitlist_api.clock import LeftMillis, without_end
from waitlist_api.maintenance.repair import may_differ, repair_of
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.queue.client import QueueClient, send_batch
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.journal import EDITED, MINUTE, Change, Journal, Key
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_shared import contracts as c
from waitlist_shared.errors import Cold, Gone, Rebuilding, WaitlistError
from waitlist_shared.limits import MAX_BATCH
from waitlist_shared.ranks import millis_of

logger = logging.getLogger(__name__)

# A run stops with this much time left: one step of the journal and its repairs take less than half
# of it.
STOP_MILLIS = 60_000
# A long audit stores its progress this often; a run that is killed repeats at most this much.
NOTE_STAMPS = 120 * MINUTE
MAX_DRIFTS = 2_000
# Longer than any request can run: a difference seen twice, this far apart, is no write in flight.
IN_FLIGHT_SECONDS = 10.0


class AuditWindow(Struct, frozen=True):
    """The changes of a waitlist to audit: `since` < stamp <= the stamp of the heartbeat.

    `began` is the `since` of the first run of an audit that takes several runs; `repaired` has the
    ids of entries that Redis had lost, `failed` those that could not be compared or repaired.
    """

    waitlist: WaitlistRecord
    since: int
    beat: c.HeartbeatResult
    began: int = 0
    repaired: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)

    def has(self, change: Change) -> bool:
        return self.since < change.stamp <= self.beat.stamp


class Drift(Struct, frozen=True):
    """An entry that differed between Redis and its record, and the message that repairs it."""

    change: Change
    record: EntryRecord | None
    inspection: c.InspectResult
    repair: c.Restore | c.Drop


class Auditor(Struct, frozen=True):
    """Compares the journal with Redis."""

    queue: QueueClient
    journal: Journal
    entries: EntryRecords
    pause: Callable[[float], None]
    metrics: MetricsCollector

    def audit(
        self, windows: Mapping[str, AuditWindow], left_millis: LeftMillis = without_end
    ) -> Iterator[int]:
        """Look up the changes of the windows in Redis; repair lost ones.

        Yield from time to time the stamp up to which that is done. If the time of the run ends,
        yield once more and stop: the next run continues.
        """
        if not windows:
            return
        since = min(one.since for one in windows.values())
        until = max(one.beat.stamp for one in windows.values())
        drifts: dict[Key, Drift] = {}
        done = since
        for reached, page in self.journal.in_steps(since, until):
            changes = iter([one for one in page if _is_of(windows, one)])
            while some := list(islice(changes, MAX_BATCH)):
                drifts |= self._compare(windows, some)
            is_time_up = left_millis() < STOP_MILLIS
            is_much = reached >= done + NOTE_STAMPS or len(drifts) >= MAX_DRIFTS
            if reached < until and not is_much and not is_time_up:
                continue
            if drifts:
                self.pause(IN_FLIGHT_SECONDS)
                self._repair(windows, drifts)
                drifts = {}
            yield reached
            done = reached
            if is_time_up:
                return

    def _repair(self, windows: Mapping[str, AuditWindow], drifts: Mapping[Key, Drift]) -> None:
        """Repair the entries that differ in the same way as before."""
        again = iter(drifts.values())
        while some := [one.change for one in islice(again, MAX_BATCH)]:
            found = self._compare(windows, some)
            certain = [one for key, one in found.items() if one == drifts[key]]
            answers = send_batch(self.queue, [one.repair for one in certain]) if certain else []
            for drift, answer in zip(certain, answers, strict=True):
                window = windows[drift.change.waitlist_id]
                window.repaired.add(drift.change.entry_id)
                if isinstance(answer, WaitlistError) and not isinstance(answer, Gone):
                    window.failed.add(drift.change.entry_id)
                _log(drift, answer)
            mended = [one for one in answers if not isinstance(one, WaitlistError)]
            self.metrics.add("losses_mended", len(mended))

    def _compare(
        self, windows: Mapping[str, AuditWindow], changes: Sequence[Change]
    ) -> dict[Key, Drift]:
        """Return the entries that differ from their records, not only from the journal."""
        newest = {one.key: one for one in changes}
        for change in changes:
            if change.status == EDITED:
                # A later change says nothing about the attributes and the readiness of an edit.
                newest[change.key] = replace(newest[change.key], status=EDITED)
        inspected = self._look(windows, newest.values())
        known = [one for key, one in newest.items() if key in inspected]
        doubtful = [one for one in known if may_differ(one, inspected[one.key])]
        records = self._records(doubtful)
        drifts = {}
        for change in doubtful:
            record, inspection = records.get(change.key), inspected[change.key]
            window = windows[change.waitlist_id]
            segments, now_millis = (
                window.waitlist.segments,
                millis_of(window.beat.stamp),
            )
            repair = repair_of(change, record, inspection, segments, now_millis)
            if repair is not None:
                drifts[change.key] = Drift(change, record, inspection, repair)
        return drifts

    def _look(
        self, windows: Mapping[str, AuditWindow], changes: Iterable[Change]
    ) -> dict[Key, c.InspectResult]:
        """Return the state of entries in Redis; a waitlist in a rebuild returns none."""
        asked = list(changes)
        if not asked:
            return {}
        requests = [c.Inspect(waitlist_id=one.waitlist_id, entry_id=one.entry_id) for one in asked]
        found = {}
        for change, answer in zip(asked, send_batch(self.queue, requests), strict=True):
            if isinstance(answer, c.InspectResult):
                found[change.key] = answer
            elif not isinstance(answer, Cold | Rebuilding):
                windows[change.waitlist_id].failed.add(change.entry_id)
        return found

    def _records(self, changes: Iterable[Change]) -> dict[Key, EntryRecord]:
        entry_ids: dict[str, list[str]] = {}
        for change in changes:
            entry_ids.setdefault(change.waitlist_id, []).append(change.entry_id)
        return {
            (waitlist_id, entry_id): record
            for waitlist_id, ids in entry_ids.items()
            for entry_id, record in self.entries.get_many(waitlist_id, ids).items()
        }


def _is_of(windows: Mapping[str, AuditWindow], change: Change) -> bool:
    return change.waitlist_id in windows and windows[change.waitlist_id].has(change)


def _log(drift: Drift, answer: c.Result | WaitlistError) -> None:
    about = {"waitlist_id": drift.change.waitlist_id, "entry_id": drift.change.entry_id}
    if isinstance(answer, WaitlistError):
        logger.warning("Redis refused a repair: %s", answer.code, extra=about)
    else:
        logger.warning("repaired an entry whose change Redis had lost", extra=about)
