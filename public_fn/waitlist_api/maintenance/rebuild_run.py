"""One run of a rebuild: what it goes by, how far it is, and whether it must stop."""

import threading
from collections.abc import Callable, Sequence

from waitlist_api.records.places import Placed
from waitlist_api.records.rebuild_progress import RebuildProgress, Stage
from waitlist_api.records.segments import Segments
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_shared import contracts as c


class RebuildRun:
    """What the threads of the shards share.

    Progress is told only of what Redis has confirmed: what is noted at any moment may be resumed
    from.
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
        """How far it is, to note down."""
        return self._rebuild

    @property
    def has_advanced(self) -> bool:
        """Whether another run would begin further on than this one did."""
        return self._rebuild != self._began_at

    def must_stop(self) -> bool:
        """Whether the rest is for the next run; asked after a page, so that each run does some."""
        return self._is_over.is_set() or self._is_time_up()

    def give_up(self) -> None:
        """Have every shard stop after its page: the rest is another's."""
        self._is_over.set()

    def restored(self, shard: int, page: Sequence[Placed]) -> None:
        """Tell that a page of a shard's line is restored."""
        with self._lock:
            last = page[-1]
            self._rebuild = self._rebuild.after(shard, last.rank or 0, last.entry_id, len(page))

    def read_journal(self, shard: int, stamp: int) -> None:
        """Note that a shard of the journal is restored up to a stamp."""
        with self._lock:
            self._rebuild = self._rebuild.after_stamp(shard, stamp)

    def finished(self, shard: int) -> None:
        """Note that a shard is done with the stage."""
        with self._lock:
            self._rebuild = self._rebuild.after_shard(shard)

    def begin(self, stage: Stage) -> None:
        """Go on to a stage, in all shards."""
        with self._lock:
            self._rebuild = self._rebuild.at(stage)
