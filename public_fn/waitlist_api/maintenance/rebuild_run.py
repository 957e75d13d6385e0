"""One run of a rebuild: its input, its progress, and whether it must stop."""

import threading
from collections.abc import Callable, Sequence

from waitlist_api.records.places import Placed
from waitlist_api.records.rebuild_progress import RebuildProgress, Stage
from waitlist_api.records.segments import Segments
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_shared import contracts as c


class RebuildRun:
    """Shared by the threads of all shards.

    Progress counts only entries that Redis has confirmed, so that the next run can resume from any
    stored progress.
    """

    def __init__(
        self,
        waitlist: WaitlistRecord,
        opened: c.InitResult,
        rebuild: RebuildProgress,
        is_time_up: Callable[[], bool],
    ) -> None:
        self.waitlist = waitlist
        self.opened = opened
        self._began_at = self._rebuild = rebuild
        self._is_time_up = is_time_up
        self._is_over = threading.Event()
        self._lock = threading.Lock()

    @property
    def waitlist_id(self) -> str:
        return self.waitlist.waitlist_id

    @property
    def segments(self) -> Segments:
        return self.waitlist.segments

    @property
    def epoch(self) -> str:
        return self.opened.epoch

    @property
    def rebuild(self) -> RebuildProgress:
        """The progress, to be stored."""
        return self._rebuild

    @property
    def has_advanced(self) -> bool:
        """Whether this run made progress."""
        return self._rebuild != self._began_at

    def must_stop(self) -> bool:
        """Return whether to stop; asked after each page, so that every run makes progress."""
        return self._is_over.is_set() or self._is_time_up()

    def give_up(self) -> None:
        """Make every shard stop after its page: another run has the lease."""
        self._is_over.set()

    def restored(self, shard: int, page: Sequence[Placed]) -> None:
        """Record that a page of a shard is restored."""
        with self._lock:
            last = page[-1]
            self._rebuild = self._rebuild.after(shard, last.rank or 0, last.entry_id, len(page))

    def read_journal(self, shard: int, stamp: int) -> None:
        """Record that a shard of the journal is applied up to a stamp."""
        with self._lock:
            self._rebuild = self._rebuild.after_stamp(shard, stamp)

    def finished(self, shard: int) -> None:
        """Record that a shard has finished the stage."""
        with self._lock:
            self._rebuild = self._rebuild.after_shard(shard)

    def begin(self, stage: Stage) -> None:
        """Start the next stage, in all shards."""
        with self._lock:
            self._rebuild = self._rebuild.at(stage)
