"""Track the progress of rebuilding a waitlist in Redis, so that the next run can continue the
rebuild.
"""

from collections.abc import Mapping
from typing import Any, Literal, Self

from msgspec import Struct, field
from msgspec.structs import asdict, replace

Stage = Literal["line", "changes", "journal"]
# The value in `reached` for a shard that has finished the current stage. No entry has this value as
# its key.
THE_END = "end"
SEPARATOR = "#"


class RebuildProgress(Struct, frozen=True, kw_only=True):
    """How far the rebuild of a waitlist in Redis has progressed.

    `reached` says how far each shard has been restored: up to the key of an entry, or up to a
    timestamp in the journal. `done` is the number of entries restored so far.
    """

    epoch: str
    segments_version: int
    # When the rebuild began. Entries that have changed since then are checked again, because the
    # rebuild may have restored an older version of them.
    began_millis: int
    stage: Stage = "line"
    reached: Mapping[str, str] = field(default_factory=dict)
    done: int = 0
    # The number of entries at the last maintenance run before the rebuild.
    expected: int = 0

    @property
    def total(self) -> int:
        """The estimated number of entries that the rebuild restores.

        It is never lower than the number of entries restored so far.
        """
        return max(self.expected, self.done)

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        # During a deployment, a newer version of the service may have stored additional fields.
        # Ignore them.
        return cls(**{name: item[name] for name in cls.__struct_fields__ if name in item})

    def to_item(self) -> dict[str, Any]:
        return asdict(self)

    def is_at_end(self, shard: int) -> bool:
        return self.reached.get(str(shard)) == THE_END

    def last_key(self, shard: int) -> tuple[int, str] | None:
        """Return the rank and id of the last restored entry in a shard, or None if no entry has
        been restored yet.
        """
        reached = self.reached.get(str(shard))
        if reached is None:
            return None
        rank, _, entry_id = reached.partition(SEPARATOR)
        return int(rank), entry_id

    def last_stamp(self, shard: int) -> int:
        """Return the timestamp up to which a shard of the journal has been restored, or 0 if none
        of it has been restored yet.
        """
        return int(self.reached.get(str(shard), 0))

    def after(self, shard: int, rank: int, entry_id: str, restored: int) -> Self:
        """Return the rebuild's progress after a page of the index has been restored."""
        reached = {**self.reached, str(shard): f"{rank}{SEPARATOR}{entry_id}"}
        return replace(self, reached=reached, done=self.done + restored)

    def after_stamp(self, shard: int, stamp: int) -> Self:
        """Return the rebuild's progress after part of the journal has been restored."""
        return replace(self, reached={**self.reached, str(shard): str(stamp)})

    def after_shard(self, shard: int) -> Self:
        """Return the rebuild's progress after it has finished the current stage for a shard."""
        return replace(self, reached={**self.reached, str(shard): THE_END})

    def at(self, stage: Stage) -> Self:
        """Return the rebuild's progress at the beginning of a stage, before any shard has been
        restored.
        """
        return replace(self, stage=stage, reached={}, expected=self.done)
