"""What the minute's watch over a waitlist notes down of Redis."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

Counts = dict[str, int]


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """The last beat that was compared, its stamp and counters, and the stamp of the beat before.

    The beat before is what a loss can be measured from: if Redis has lost the last beat, it has
    lost nothing that was older than the one before. The counters are the checkpoint from which a
    lost order counts on. `audited` is the stamp up to which an audit has come that is not over, 0
    for none: the next run goes on behind it if Redis still has `beat`.
    """

    epoch: str = ""
    beat: int = 0
    stamp: int = 0
    counters: Counts = field(default_factory=dict)
    previous_stamp: int = 0
    audited: int = 0

    @property
    def present(self) -> int:
        """How many had a place at the last beat, by its counters; 0 if none was ever noted."""
        counters = self.counters
        ended = counters.get("left", 0) + counters.get("admitted", 0)
        return max(0, counters.get("signed_up", 0) - ended)

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        # Older versions noted more.
        return cls(**{name: item[name] for name in cls.__dataclass_fields__ if name in item})

    def to_item(self) -> dict[str, Any]:
        """Return what is stored; an earlier version reads it while no audit is under way."""
        fields = asdict(self)
        if not self.audited:
            del fields["audited"]
        return fields

    def audited_until(self, epoch: str, beat: int, stamp: int, *, since: int) -> "Checkpoint":
        """Return what to note when an audit has come to a stamp, and the next run is to go on.

        If Redis has lost the beat by then, everything `since` the first run is compared again.
        """
        return replace(self, epoch=epoch, beat=beat, audited=stamp, previous_stamp=since)

    def after(self, epoch: str, beat: int, stamp: int, counters: Counts) -> "Checkpoint":
        """Return what to note after the next beat."""
        return Checkpoint(
            epoch=epoch,
            beat=beat,
            stamp=stamp,
            counters=counters,
            # The first beat has none before it.
            previous_stamp=self.stamp or stamp,
        )


NO_CHECKPOINT = Checkpoint()
