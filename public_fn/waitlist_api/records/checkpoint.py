"""Define the checkpoint, which is the state of a waitlist in Redis at the last maintenance run."""

from collections.abc import Mapping
from typing import Any, Self

from msgspec import Struct, field
from msgspec.structs import asdict, replace

Counts = dict[str, int]


class Checkpoint(Struct, frozen=True, kw_only=True):
    """The state of a waitlist in Redis when maintenance last incremented its heartbeat.

    The heartbeat is a number that Redis increments for each epoch, which is the time since the
    waitlist was last built in Redis. `stamp` and `counters` were read together with the heartbeat
    `beat`. `previous_stamp` is the stamp of the heartbeat before it. If Redis has lost the newest
    heartbeat, it still has all changes up to `previous_stamp`. A rebuild restores the `counters` in
    Redis.

    `audited` is the stamp that an unfinished audit has reached, or 0. The next run continues the
    audit from there if Redis still has the heartbeat.

    `is_unfinished` is true if the last run could not finish its work, so the next run must maintain
    the waitlist again. `told` is a digest of the first entries that can be admitted. It is only set
    if all of these customers have been told that their turn is near.
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
        """The number of entries on the waitlist at the last heartbeat.

        The number is 0 if there is no heartbeat.
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
        """Return the checkpoint of an audit that has not finished yet.

        The audit has compared all changes up to `stamp`. It started at `since`. If Redis loses the
        heartbeat before the audit continues, the audit starts again from `since`.
        """
        return replace(self, epoch=epoch, beat=beat, audited=stamp, previous_stamp=since)

    @property
    def stamp_before_last(self) -> int:
        """The stamp of the heartbeat before the last one, or 0 if there was only one heartbeat.

        After a long pause, an unfinished audit may have stored a stamp that is later than the last
        heartbeat. Such a stamp is ignored.
        """
        return self.previous_stamp if self.previous_stamp < self.stamp else 0

    def after(
        self, epoch: str, beat: int, stamp: int, counters: Counts, told: str | None = ""
    ) -> "Checkpoint":
        """Return the checkpoint after the next heartbeat.

        Pass `told=None` if the run could not finish its work.
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
