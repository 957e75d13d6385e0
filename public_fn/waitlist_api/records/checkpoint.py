"""Checkpoint: the last state of a waitlist's order in Redis that maintenance has seen."""

from collections.abc import Mapping
from typing import Any, Self

from msgspec import Struct, field
from msgspec.structs import asdict, replace

Counts = dict[str, int]


class Checkpoint(Struct, frozen=True, kw_only=True):
    """The last audited heartbeat with its stamp and counters, and the stamp of the one before.

    If Redis has lost the last heartbeat, it still has everything older than the one before. A
    rebuilt order continues counting from the counters. `audited` is the stamp up to which an
    unfinished audit has come, or 0; the next run continues there if Redis still has `beat`.

    `is_unfinished` if the run before the heartbeat could not do all that was due, so that the next
    run maintains the list again. `told` is a digest of the first entries that are ready,
    if all of their people have been told that their turn is near, else empty.
    """

    epoch: str = ""
    beat: int = 0
    stamp: int = 0
    counters: Counts = field(default_factory=dict)
    previous_stamp: int = 0
    audited: int = 0
    is_unfinished: bool = False
    told: str = ""

    @property
    def present(self) -> int:
        """How many entries had a place at the last heartbeat, by its counters; 0 without one."""
        counters = self.counters
        ended = counters.get("left", 0) + counters.get("admitted", 0)
        return max(0, counters.get("signed_up", 0) - ended)

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        # During a deployment the newer version may store more fields.
        return cls(**{name: item[name] for name in cls.__struct_fields__ if name in item})

    def to_item(self) -> dict[str, Any]:
        return asdict(self)

    def audited_until(self, epoch: str, beat: int, stamp: int, *, since: int) -> "Checkpoint":
        """Return the checkpoint of an audit that has come to a stamp and is to be continued.

        If Redis has lost the heartbeat by then, changes `since` the first run are audited again.
        """
        return replace(self, epoch=epoch, beat=beat, audited=stamp, previous_stamp=since)

    @property
    def stamp_before_last(self) -> int:
        """The stamp of the heartbeat before the last, 0 without one.

        An earlier version noted that of the first heartbeat as the one before it. If Redis loses
        the first heartbeat, it may also lose what was acknowledged before it.
        """
        return self.previous_stamp if self.previous_stamp < self.stamp else 0

    def after(
        self, epoch: str, beat: int, stamp: int, counters: Counts, told: str | None = ""
    ) -> "Checkpoint":
        """Return the checkpoint after the next heartbeat; unfinished if `told` is None."""
        return Checkpoint(
            epoch=epoch,
            beat=beat,
            stamp=stamp,
            counters=counters,
            previous_stamp=self.stamp,
            is_unfinished=told is None,
            told=told or "",
        )


NO_CHECKPOINT = Checkpoint()
