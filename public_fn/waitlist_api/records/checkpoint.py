"""Define the state of a waitlist in Redis at the last maintenance run."""

from collections.abc import Mapping
from typing import Any, Self

from msgspec import Struct, field
from msgspec.structs import asdict, replace

Counts = dict[str, int]


class Checkpoint(Struct, frozen=True, kw_only=True):
    """The state of a waitlist in Redis at the last maintenance run.

    `beat` is a number that maintenance increments in Redis. If this number is lost, Redis has lost
    writes.
    """

    # The id of the queue in Redis. A rebuild gives the queue a new id.
    epoch: str = ""
    beat: int = 0
    stamp: int = 0
    # A rebuild restores these counters in Redis.
    counters: Counts = field(default_factory=dict)
    # If Redis has lost the newest counter, it still has all changes up to this timestamp.
    previous_stamp: int = 0
    # The timestamp that an unfinished audit has reached, or 0.
    audited: int = 0
    # True if the last run could not finish its work.
    is_unfinished: bool = False
    # A digest of the first entries in the queue, if all of their customers have been told that
    # their turn is near.
    told: str = ""

    @property
    def present(self) -> int:
        """The number of entries on the waitlist at the last maintenance run, or 0 if there was
        none.
        """
        counters = self.counters
        ended = counters.get("left", 0) + counters.get("admitted", 0)
        return max(0, counters.get("signed_up", 0) - ended)

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        # During a deployment, a newer version of the service may have stored more fields.
        return cls(**{name: item[name] for name in cls.__struct_fields__ if name in item})

    def to_item(self) -> dict[str, Any]:
        return asdict(self)

    def audited_until(self, epoch: str, beat: int, stamp: int, *, since: int) -> "Checkpoint":
        """Return the progress of an audit that has not finished yet.

        The audit has compared all changes from `since` up to `stamp`.
        """
        return replace(self, epoch=epoch, beat=beat, audited=stamp, previous_stamp=since)

    @property
    def stamp_before_last(self) -> int:
        """The timestamp of the last maintenance run but one, or 0 if there was only one run."""
        return self.previous_stamp if self.previous_stamp < self.stamp else 0

    def after(
        self, epoch: str, beat: int, stamp: int, counters: Counts, told: str | None = ""
    ) -> "Checkpoint":
        """Return the state after the counter in Redis has been incremented again."""
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
