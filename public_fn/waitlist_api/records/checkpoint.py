"""Define checkpoints.

A checkpoint is a waitlist's state in Redis at the time of a maintenance run.
"""

from collections.abc import Mapping
from typing import Any, Self

from msgspec import Struct, field
from msgspec.structs import asdict, replace

Counts = dict[str, int]


class Checkpoint(Struct, frozen=True, kw_only=True):
    """A waitlist's state in Redis at the last maintenance run.

    `beat` is a counter that maintenance increments in Redis. If the counter in Redis is lower than
    `beat`, Redis has lost writes.
    """

    # The id of the queue in Redis. A rebuild gives the queue a new id.
    epoch: str = ""
    beat: int = 0
    stamp: int = 0
    # The counters that a rebuild restores in Redis.
    counters: Counts = field(default_factory=dict)
    # The timestamp of the second-to-last maintenance run. If Redis has lost only the last run's
    # increment of `beat`, it may also have lost changes since this timestamp.
    previous_stamp: int = 0
    # The timestamp up to which an unfinished audit has compared the recorded changes with Redis, or
    # 0 if the last audit is finished.
    audited: int = 0
    # True if the last maintenance run could not finish its work.
    is_unfinished: bool = False
    # A digest of the entries at the head of the queue, or an empty string. It is stored only if all
    # their customers have been told that their turn is near. If a later run computes a different
    # digest, the head of the queue has changed.
    told: str = ""

    @property
    def present(self) -> int:
        """The number of entries that were on the waitlist at the last maintenance run, or 0
        before the first run.
        """
        counters = self.counters
        ended = counters.get("left", 0) + counters.get("admitted", 0)
        return max(0, counters.get("signed_up", 0) - ended)

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        # During a deployment, a newer version of the service may have stored additional fields.
        # Ignore them.
        return cls(**{name: item[name] for name in cls.__struct_fields__ if name in item})

    def to_item(self) -> dict[str, Any]:
        return asdict(self)

    def audited_until(self, epoch: str, beat: int, stamp: int, *, since: int) -> "Checkpoint":
        """Return a checkpoint for an audit that is not finished. The audit has compared the changes
        between `since` and `stamp` with Redis.
        """
        return replace(self, epoch=epoch, beat=beat, audited=stamp, previous_stamp=since)

    @property
    def stamp_before_last(self) -> int:
        """The timestamp of the second-to-last maintenance run, or 0 if there was only one run."""
        return self.previous_stamp if self.previous_stamp < self.stamp else 0

    def after(
        self, epoch: str, beat: int, stamp: int, counters: Counts, told: str | None = ""
    ) -> "Checkpoint":
        """Return the checkpoint to store after a maintenance run."""
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
