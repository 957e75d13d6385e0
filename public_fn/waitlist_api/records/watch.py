"""What the minute's watch over a waitlist notes down of Redis."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

Counts = dict[str, int]


@dataclass(frozen=True, kw_only=True)
class Watch:
    """The last beat that was compared: its stamp and counters, and those of the beat before.

    The beat before is what a loss can be measured from: if Redis has lost the last beat, it has
    lost nothing that was older than the one before.
    """

    epoch: str = ""
    beat: int = 0
    stamp: int = 0
    counters: Counts = field(default_factory=dict)
    previous_stamp: int = 0
    previous_counters: Counts = field(default_factory=dict)

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        return cls(**item)

    def to_item(self) -> dict[str, Any]:
        return asdict(self)

    def after(self, epoch: str, beat: int, stamp: int, counters: Counts) -> "Watch":
        """Return what to note after the next beat."""
        return Watch(
            epoch=epoch,
            beat=beat,
            stamp=stamp,
            counters=counters,
            # The first beat has none before it.
            previous_stamp=self.stamp or stamp,
            previous_counters=self.counters or counters,
        )


UNWATCHED = Watch()
