"""Find and repair entries whose latest changes Redis has lost.

In a failover, Redis can lose its newest writes without reporting an error.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct, field
from msgspec.structs import replace

from waitlist_api.clock import LeftMillis, no_deadline
from waitlist_api.maintenance.repair import decide_repair, may_differ
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

# A run with less time left than this stops.
STOP_MILLIS = 60_000
# How much of the journal an audit compares before it saves its progress. If the run is killed, the
# next run repeats no more than this.
NOTE_STAMPS = 120 * MINUTE
MAX_DRIFTS = 2_000
# How long the audit waits before it compares differing entries again. No request takes this long,
# so a difference that remains was not caused by a request in progress.
IN_FLIGHT_SECONDS = 10.0


class AuditWindow(Struct, frozen=True):
    """The range of a waitlist's changes that an audit compares with Redis."""

    waitlist: WaitlistRecord
    # The audit compares Redis with all changes whose logical timestamp is later than `since`.
    since: int
    beat: c.HeartbeatResult
    # An audit can take several runs. The first run compared the changes after the logical timestamp
    # `began`. This run continues with the changes after `since`.
    began: int = 0
    # The ids of entries whose changes Redis had lost.
    repaired: set[str] = field(default_factory=set)
    # The ids of entries that could not be compared or repaired.
    failed: set[str] = field(default_factory=set)

    def has(self, change: Change) -> bool:
        return self.since < change.stamp <= self.beat.stamp


class Drift(Struct, frozen=True):
    """An entry whose state in Redis differs from its record, and the message that corrects the
    state.
    """

    change: Change
    record: EntryRecord | None
    inspection: c.InspectResult
    repair: c.Restore | c.Drop


class Auditor(Struct, frozen=True):
    """Compares recent changes with Redis, and repairs the differences."""

    queue: QueueClient
    journal: Journal
    entries: EntryRecords
    pause: Callable[[float], None]
    metrics: MetricsCollector

    def audit(
        self, windows: Mapping[str, AuditWindow], left_millis: LeftMillis = no_deadline
    ) -> Iterator[int]:
        """Compare all changes in these periods with Redis, and repair the changes that Redis has
        lost.

        After each step, yield the logical timestamp up to which all changes have been compared.
        """
        if not windows:
            return
        since = min(window.since for window in windows.values())
        until = max(window.beat.stamp for window in windows.values())
        drifts: dict[Key, Drift] = {}
        done = since
        for reached, page in self.journal.in_steps(since, until):
            changes = iter([change for change in page if _is_covered(windows, change)])
            while batch := list(islice(changes, MAX_BATCH)):
                drifts |= self._compare(windows, batch)
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
        """Compare these entries a second time, and repair each entry whose differences are the same
        as before.
        """
        again = iter(drifts.values())
        while batch := [drift.change for drift in islice(again, MAX_BATCH)]:
            found = self._compare(windows, batch)
            certain = [drift for key, drift in found.items() if drift == drifts[key]]
            answers = send_batch(self.queue, [drift.repair for drift in certain]) if certain else []
            for drift, answer in zip(certain, answers, strict=True):
                window = windows[drift.change.waitlist_id]
                window.repaired.add(drift.change.entry_id)
                if isinstance(answer, WaitlistError) and not isinstance(answer, Gone):
                    window.failed.add(drift.change.entry_id)
                _log(drift, answer)
            repaired = [answer for answer in answers if not isinstance(answer, WaitlistError)]
            self.metrics.add("losses_mended", len(repaired))

    def _compare(
        self, windows: Mapping[str, AuditWindow], changes: Sequence[Change]
    ) -> dict[Key, Drift]:
        """Return the entries that differ from their records."""
        newest = {change.key: change for change in changes}
        for change in changes:
            if change.status == EDITED:
                # Only the newest change to each entry is compared with Redis, and the entry's
                # attributes are compared only if that change is an edit. If an older change is an
                # edit, treat the newest one as an edit too.
                newest[change.key] = replace(newest[change.key], status=EDITED)
        inspected = self._look(windows, newest.values())
        known = [change for key, change in newest.items() if key in inspected]
        doubtful = [change for change in known if may_differ(change, inspected[change.key])]
        records = self._records(doubtful)
        drifts = {}
        for change in doubtful:
            record, inspection = records.get(change.key), inspected[change.key]
            window = windows[change.waitlist_id]
            segments, now_millis = (
                window.waitlist.segments,
                millis_of(window.beat.stamp),
            )
            repair = decide_repair(change, record, inspection, segments, now_millis)
            if repair is not None:
                drifts[change.key] = Drift(change, record, inspection, repair)
        return drifts

    def _look(
        self, windows: Mapping[str, AuditWindow], changes: Iterable[Change]
    ) -> dict[Key, c.InspectResult]:
        """Return the state of each entry in Redis.

        Entries whose queue is lost or being rebuilt are left out.
        """
        asked = list(changes)
        if not asked:
            return {}
        requests = [
            c.Inspect(waitlist_id=change.waitlist_id, entry_id=change.entry_id) for change in asked
        ]
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


def _is_covered(windows: Mapping[str, AuditWindow], change: Change) -> bool:
    return change.waitlist_id in windows and windows[change.waitlist_id].has(change)


def _log(drift: Drift, answer: c.Result | WaitlistError) -> None:
    about = {"waitlist_id": drift.change.waitlist_id, "entry_id": drift.change.entry_id}
    if isinstance(answer, WaitlistError):
        logger.warning("Redis refused a repair: %s", answer.code, extra=about)
    else:
        logger.warning("repaired an entry whose change Redis had lost", extra=about)
