"""How far a rebuild has come: kept in the waitlist's record, so that the next run goes on."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, Self

Stage = Literal["line", "changes", "journal"]
# No key is called so: where a shard stands whose stage is done.
THE_END = "end"
SEPARATOR = "#"


@dataclass(frozen=True, kw_only=True)
class RebuildProgress:
    """A rebuild of one life of an order (`epoch`) by one declaration of segments.

    `began_millis` is when its first run began: whatever changed since then is looked at again.
    `reached` tells of each shard the last key of the line that is wholly restored, or that it is
    done with the `stage`. `done` are those who were restored from the line; `expected` is what the
    last watch knew of.
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
        """How many there are to restore, as far as is known: never less than are done."""
        return max(self.expected, self.done)

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        # Older versions noted more.
        return cls(**{name: item[name] for name in cls.__dataclass_fields__ if name in item})

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

    def last_stamp(self, shard: int) -> int:
        """Return the stamp behind which a shard of the journal goes on; 0 at its beginning."""
        return int(self.reached.get(str(shard), 0))

    def after(self, shard: int, rank: int, entry_id: str, restored: int) -> Self:
        """Return what to note after a page of the line."""
        reached = {**self.reached, str(shard): f"{rank}{SEPARATOR}{entry_id}"}
        return replace(self, reached=reached, done=self.done + restored)

    def after_stamp(self, shard: int, stamp: int) -> Self:
        """Return what to note after a page of the journal."""
        return replace(self, reached={**self.reached, str(shard): str(stamp)})

    def after_shard(self, shard: int) -> Self:
        """Return what to note when a shard is done with the stage."""
        return replace(self, reached={**self.reached, str(shard): THE_END})

    def at(self, stage: Stage) -> Self:
        """Return what to note when a stage begins; behind the line all who were to come have."""
        return replace(self, stage=stage, reached={}, expected=self.done)
