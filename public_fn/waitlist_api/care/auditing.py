"""Finds what Redis has lost, though it answers, and puts it right.

A failover to a replica that was behind loses the newest writes, and nothing in Redis tells so. The
journal has every change of the last minutes; each is looked up in Redis.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from msgspec import to_builtins

from waitlist_api.care.comparing import is_suspect, repair_of
from waitlist_api.queue_client import QueueClient, send_batch
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.journal import Change, Journal, Key
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_api.telling.tally import Tally
from waitlist_shared import contracts as c
from waitlist_shared.errors import WaitlistError
from waitlist_shared.limits import MAX_BATCH

logger = logging.getLogger(__name__)

# No request lives longer: what two looks this far apart have in common, nobody is changing.
IN_FLIGHT_SECONDS = 10.0


@dataclass(frozen=True)
class Watched:
    """A waitlist whose changes with `since` < stamp <= the beat's are to be compared.

    Those since the last beat are `counted` as well; `repaired` has those that Redis had lost.
    """

    waitlist: WaitlistRecord
    since: int
    beat: c.BeatResult
    counted: Counter[str] = field(default_factory=Counter)
    repaired: set[str] = field(default_factory=set)

    def has(self, change: Change) -> bool:
        return self.since < change.stamp <= self.beat.stamp

    def count(self, change: Change) -> None:
        if change.counted_at > self.waitlist.watch.stamp:
            self.counted[change.counts] += 1

    def lost_counts(self) -> dict[str, int]:
        """Return what Redis should have counted since the last beat and has not.

        It may have counted more: what nobody has recorded yet. Unless something was lost, what
        it has not is still to come: those who are admitted at once are counted a moment later.
        """
        told: dict[str, int] = to_builtins(self.beat.counters)
        noted = self.waitlist.watch.counters
        # What an earlier life of the order had decided may have been recorded after the rebuild.
        is_first = self.waitlist.watch.beat == 0
        is_lossy = is_first or self.beat.outcome == "behind" or self.repaired
        expected = {name: noted[name] + self.counted[name] for name in noted if is_lossy}
        return {name: max(0, expected.get(name, 0) - count) for name, count in told.items()}


@dataclass(frozen=True)
class Suspect:
    """An entry that did not stand in Redis as its record says, and what would put it right."""

    change: Change
    record: EntryRecord | None
    look: c.LookResult
    repair: c.Restore | c.Drop


class Auditor:
    """Compares the journal with Redis."""

    def __init__(
        self,
        queue: QueueClient,
        journal: Journal,
        entries: EntryRecords,
        pause: Callable[[float], None],
        tally: Tally,
    ) -> None:
        self._queue = queue
        self._journal = journal
        self._entries = entries
        self._pause = pause
        self._tally = tally

    def audit(self, watched: Mapping[str, Watched]) -> None:
        """Look for the changes of the watched waitlists in Redis; repair what it has lost."""
        if not watched:
            return
        suspects: dict[Key, Suspect] = {}
        since = min(one.since for one in watched.values())
        until = max(one.beat.stamp for one in watched.values())
        for page in self._journal.between(since, until):
            changes = [one for one in page if _is_of(watched, one)]
            for change in changes:
                watched[change.waitlist_id].count(change)
            suspects |= self._compare(watched, changes)
        if suspects:
            self._pause(IN_FLIGHT_SECONDS)
            self._repair(watched, suspects)

    def _repair(self, watched: Mapping[str, Watched], suspects: Mapping[Key, Suspect]) -> None:
        """Put right those who stand as before, in Redis and in the record."""
        again = iter(suspects.values())
        while some := [one.change for one in islice(again, MAX_BATCH)]:
            found = self._compare(watched, some)
            certain = [one for key, one in found.items() if one == suspects[key]]
            answers = send_batch(self._queue, [one.repair for one in certain]) if certain else []
            for suspect, answer in zip(certain, answers, strict=True):
                watched[suspect.change.waitlist_id].repaired.add(suspect.change.entry_id)
                _log(suspect, answer)
            mended = [one for one in answers if not isinstance(one, WaitlistError)]
            self._tally.add("losses_mended", len(mended))

    def _compare(
        self, watched: Mapping[str, Watched], changes: Sequence[Change]
    ) -> dict[Key, Suspect]:
        """Return those who differ, from their record too: a later change may explain the look."""
        newest = {one.key: one for one in changes}
        looks = self._look(newest.values())
        known = [one for key, one in newest.items() if key in looks]
        doubtful = [one for one in known if is_suspect(one, looks[one.key])]
        records = self._records(doubtful)
        suspects = {}
        for change in doubtful:
            record, look = records.get(change.key), looks[change.key]
            segments = watched[change.waitlist_id].waitlist.segments
            repair = repair_of(change, record, look, segments)
            if repair is not None:
                suspects[change.key] = Suspect(change, record, look, repair)
        return suspects

    def _look(self, changes: Iterable[Change]) -> dict[Key, c.LookResult]:
        """Return how entries stand; those of a waitlist that is being rebuilt are left out."""
        asked = list(changes)
        if not asked:
            return {}
        requests = [c.Look(waitlist_id=one.waitlist_id, entry_id=one.entry_id) for one in asked]
        answers = send_batch(self._queue, requests)
        return {
            change.key: answer
            for change, answer in zip(asked, answers, strict=True)
            if isinstance(answer, c.LookResult)
        }

    def _records(self, changes: Iterable[Change]) -> dict[Key, EntryRecord]:
        entry_ids: dict[str, list[str]] = {}
        for change in changes:
            entry_ids.setdefault(change.waitlist_id, []).append(change.entry_id)
        return {
            (waitlist_id, entry_id): record
            for waitlist_id, ids in entry_ids.items()
            for entry_id, record in self._entries.get_many(waitlist_id, ids).items()
        }


def _is_of(watched: Mapping[str, Watched], change: Change) -> bool:
    return change.waitlist_id in watched and watched[change.waitlist_id].has(change)


def _log(suspect: Suspect, answer: c.Result | WaitlistError) -> None:
    about = {"waitlist_id": suspect.change.waitlist_id, "entry_id": suspect.change.entry_id}
    if isinstance(answer, WaitlistError):
        logger.warning("a repair was refused: %s", answer.code, extra=about)
    else:
        logger.warning("Redis had lost a change of an entry; it is put right", extra=about)
