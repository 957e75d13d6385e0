"""Define the checkpoint, the state of a waitlist in Redis that maintenance last saw."""

from collections.abc import Mapping
from typing import Any, Self

from msgspec import Struct, field
from msgspec.structs import asdict, replace

Counts = dict[str, int]


class Checkpoint(Struct, frozen=True, kw_only=True):
    """The last audited heartbeat of a waitlist's epoch in Redis.

    `stamp` and `counters` belong to the heartbeat `beat`. `previous_stamp` is the stamp of the
    heartbeat before it. If Redis has lost the last heartbeat, it still has everything that is older
    than the previous heartbeat. After a rebuild, Redis continues counting from `counters`.

    `audited` is the stamp up to which an unfinished audit has come, or 0. The next run continues
    from there if Redis still has the heartbeat.

    `is_unfinished` means that the run before the heartbeat could not do all its work, so the next
    run maintains the waitlist again. `told` is a digest of the first entries that are ready. It is
    only set if all their customers have been told that their turn is near.
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
        """The number of entries on the waitlist at the last heartbeat, or 0 without a heartbeat."""
        counters = self.counters
        ended = counters.get("left", 0) + counters.get("admitted", 0)
        return max(0, counters.get("signed_up", 0) - ended)

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Self:
        # During a deployment, a newer version may have stored more fields.
        return cls(**{name: item[name] for name in cls.__struct_fields__ if name in item})

    def to_item(self) -> dict[str, Any]:
        return asdict(self)

    def audited_until(self, epoch: str, beat: int, stamp: int, *, since: int) -> "Checkpoint":
        """Return the checkpoint of an unfinished audit, which has come to the given stamp.

        If Redis loses the heartbeat before the audit continues, all changes after `since` are
        audited again. `since` is where the first run of the audit began.
        """
        return replace(self, epoch=epoch, beat=beat, audited=stamp, previous_stamp=since)

    @property
    def stamp_before_last(self) -> int:
        """The stamp of the heartbeat before the last one, or 0 if there was only one.

        An earlier version stored the stamp of the first heartbeat as the previous stamp too. That
        must not count. If Redis loses the first heartbeat, it may have lost everything before it.
        """
        return self.previous_stamp if self.previous_stamp < self.stamp else 0

    def after(
        self, epoch: str, beat: int, stamp: int, counters: Counts, told: str | None = ""
    ) -> "Checkpoint":
        """Return the checkpoint after the next heartbeat.

        `told` is None if the run could not finish its work.
        """
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
