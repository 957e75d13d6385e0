"""A single run of a rebuild, with its input and its progress."""

import threading
from collections.abc import Callable, Sequence

from msgspec import Struct, field

from waitlist_api.records.places import IndexRow
from waitlist_api.records.rebuild_progress import RebuildProgress, Stage
from waitlist_api.records.segments import Segments
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_shared import contracts as c


class RebuildRun(Struct):
    """A single run of a rebuild, which all shards' threads share.

    `rebuild` is the progress that is saved.
    """

    waitlist: WaitlistRecord
    opened: c.InitResult
    rebuild: RebuildProgress
    is_time_up: Callable[[], bool]
    has_advanced: bool = False
    _is_over: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def waitlist_id(self) -> str:
        return self.waitlist.waitlist_id

    @property
    def segments(self) -> Segments:
        return self.waitlist.segments

    @property
    def epoch(self) -> str:
        return self.opened.epoch

    def must_stop(self) -> bool:
        """Return whether the run has to stop.

        Call this method only after a page is complete, so that every run restores at least one
        page.
        """
        return self._is_over.is_set() or self.is_time_up()

    def give_up(self) -> None:
        """Make all shards' threads stop after their current page, for example because another
        run has taken the lease.
        """
        self._is_over.set()

    def note_restored(self, shard: int, page: Sequence[IndexRow]) -> None:
        """Record that the rebuild has restored a page of a shard."""
        last = page[-1]
        self._advance(lambda now: now.after(shard, last.rank or 0, last.entry_id, len(page)))

    def note_journal(self, shard: int, stamp: int) -> None:
        """Save the logical timestamp up to which the rebuild has applied a shard's journal."""
        self._advance(lambda now: now.after_stamp(shard, stamp))

    def note_finished(self, shard: int) -> None:
        """Record that the current pass of the rebuild is complete for a shard."""
        self._advance(lambda now: now.after_shard(shard))

    def begin(self, stage: Stage) -> None:
        """Begin the next pass over all shards."""
        self._advance(lambda now: now.at(stage))

    def _advance(self, next_of: Callable[[RebuildProgress], RebuildProgress]) -> None:
        with self._lock:
            before, self.rebuild = self.rebuild, next_of(self.rebuild)
            self.has_advanced |= self.rebuild != before
