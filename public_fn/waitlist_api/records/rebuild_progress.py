"""Progress of a rebuild, stored in the waitlist's record so that the next run can continue."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from msgspec import Struct, field
from msgspec.structs import asdict, replace

Stage = Literal["line", "changes", "journal"]
# The progress of a shard that has finished the stage; no key has this name.
THE_END = "end"
SEPARATOR = "#"


class RebuildProgress(Struct, frozen=True, kw_only=True):
    """The rebuild of one epoch of an order, for one version of its segments.

    `began_millis` is the start of its first run: later changes are checked again. `reached` has,
    for each shard, the last key that is completely restored, or the end of the `stage`. `done`
    counts the entries restored from the index; `expected` is their number by the checkpoint.
    """

    epoch: str
    segments_version: int
    began_millis: int
    stage: Stage = "line"
    reached: Mapping[str, str] = field(default_factory=dict)
    done: int = 0
    expected: int = 0

    @property
    def total(self) -> int:
        """The expected number of entries, never less than `done`."""
        return max(self.expected, self.done)

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        # During a deployment the newer version may store more fields.
        return cls(**{name: item[name] for name in cls.__struct_fields__ if name in item})

    def to_item(self) -> dict[str, Any]:
        return asdict(self)

    def is_at_end(self, shard: int) -> bool:
        return self.reached.get(str(shard)) == THE_END

    def last_key(self, shard: int) -> tuple[int, str] | None:
        """Return rank and entry after which a shard continues; None at its beginning."""
        reached = self.reached.get(str(shard))
        if reached is None:
            return None
        rank, _, entry_id = reached.partition(SEPARATOR)
        return int(rank), entry_id

    def last_stamp(self, shard: int) -> int:
        """Return the stamp after which a shard of the journal continues; 0 at its beginning."""
        return int(self.reached.get(str(shard), 0))

    def after(self, shard: int, rank: int, entry_id: str, restored: int) -> Self:
        """Return the progress after a page of the index."""
        reached = {**self.reached, str(shard): f"{rank}{SEPARATOR}{entry_id}"}
        return replace(self, reached=reached, done=self.done + restored)

    def after_stamp(self, shard: int, stamp: int) -> Self:
        """Return the progress after a page of the journal."""
        return replace(self, reached={**self.reached, str(shard): str(stamp)})

    def after_shard(self, shard: int) -> Self:
        """Return the progress after a shard has finished the stage."""
        return replace(self, reached={**self.reached, str(shard): THE_END})

    def at(self, stage: Stage) -> Self:
        """Return the progress at the start of a stage; after the first all entries are counted."""
        return replace(self, stage=stage, reached={}, expected=self.done)
