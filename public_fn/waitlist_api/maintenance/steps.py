"""Maintenance steps, each of which belongs to a single feature of waitlists."""

from collections.abc import Iterator
from typing import Protocol

from msgspec import Struct

from waitlist_api.clock import IsTimeUp
from waitlist_api.maintenance.confirm_walk import ConfirmWalker
from waitlist_api.maintenance.over import OverLeaver
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_shared import contracts as c


class Step(Protocol):
    """A maintenance step. Each maintenance run performs the step on every waitlist that the run
    does not skip.
    """

    def is_due(self, waitlist: WaitlistRecord, stats: c.StatsResult, /) -> bool:
        """Return whether the waitlist has work for this step. If so, the run must not skip it."""
        ...

    def run(self, waitlist: WaitlistRecord, stats: c.StatsResult, is_time_up: IsTimeUp, /) -> bool:
        """Do the work if it is due. Return False if time runs out before it is complete."""
        ...


class Steps(Struct, frozen=True):
    """All steps, in the order in which a maintenance run performs them."""

    over_leaver: OverLeaver
    confirm_walker: ConfirmWalker

    def __iter__(self) -> Iterator[Step]:
        return (getattr(self, name) for name in self.__struct_fields__)
