"""How far a rebuild has come: kept in the waitlist's record, so that the next run goes on."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, Self

Stage = Literal["line", "changes", "journal"]
# No key is called so: where a shard stands whose stage is done.
THE_END = "end"
SEPARATOR = "#"


@dataclass(frozen=True, kw_only=True)
class Rebuild:
    """A rebuild of one life of an order (`epoch`) by one declaration of segments.

    `began_millis` is when its first run began: whatever changed since then is looked at again.
    `reached` tells of each shard the last key of the line that is wholly restored, or that it is
    done with the `stage`. `done` are those who were restored from the line; `expected` is what the
    last watch knew of. `counted` are the journal's counts of the shards that are done.
    """

    epoch: str
    segments_version: int
    began_millis: int
    stage: Stage = "line"
    reached: Mapping[str, str] = field(default_factory=dict)
    done: int = 0
    expected: int = 0
    counted: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """How many there are to restore, as far as is known: never less than are done."""
        return max(self.expected, self.done)

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        return cls(**item)

    def to_item(self) -> dict[str, Any]:
        return asdict(self)

    def is_at_end(self, shard: int) -> bool:
        return self.reached.get(str(shard)) == THE_END

    def last_key(self, shard: int) -> tuple[int, str] | None:
        """Return rank and entry behind which a shard goes on; None at its beginning."""
        reached = self.reached.get(str(shard))
        if reached is None:
            return None
        rank, _, entry_id = reached.partition(SEPARATOR)
        return int(rank), entry_id

    def after(self, shard: int, rank: int, entry_id: str, restored: int) -> Self:
        """Return what to note after a page of the line."""
        reached = {**self.reached, str(shard): f"{rank}{SEPARATOR}{entry_id}"}
        return replace(self, reached=reached, done=self.done + restored)

    def after_shard(self, shard: int, counted: Mapping[str, int]) -> Self:
        """Return what to note after a shard; `counted` is what the journal has counted there."""
        names = {*self.counted, *counted}
        sums = {name: self.counted.get(name, 0) + counted.get(name, 0) for name in names}
        return replace(self, reached={**self.reached, str(shard): THE_END}, counted=sums)

    def at(self, stage: Stage) -> Self:
        """Return what to note when a stage begins; behind the line all who were to come have."""
        return replace(self, stage=stage, reached={}, expected=self.done)
