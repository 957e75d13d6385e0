"""Lease waitlists to maintenance runs, so that only one run at a time rebuilds, indexes or deletes
a waitlist.
"""

import secrets

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.records.rebuild_progress import RebuildProgress
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords
from waitlist_shared.errors import WaitlistError

LEASE_MILLIS = 60_000


class LeaseLost(WaitlistError):
    """Raised if a maintenance run's lease has expired and another run has taken it."""

    code = "lease_lost"
    advice = "Another maintenance run has taken over, so this run stops."


class Lease(Struct, frozen=True):
    """A lease that gives one maintenance run exclusive access to a waitlist."""

    waitlists: WaitlistRecords
    now_millis: NowMillis
    waitlist: WaitlistRecord
    owner: str

    def renew(self, rebuild: RebuildProgress | None = None) -> None:
        """Extend the lease by a minute, and store the rebuild's progress if it is given.

        Raise LeaseLost if another run has taken the lease.
        """
        until_millis = self.now_millis() + LEASE_MILLIS
        waitlist_id = self.waitlist.waitlist_id
        if not self.waitlists.renew_lease(waitlist_id, self.owner, until_millis, rebuild):
            raise LeaseLost

    def release(self, *, is_rebuilt: bool = False) -> None:
        """End the lease. If a rebuild has finished, also delete its progress."""
        self.waitlists.release_lease(
            self.waitlist.waitlist_id, self.owner, forget_rebuild=is_rebuilt
        )


class Leases(Struct, frozen=True):
    waitlists: WaitlistRecords
    now_millis: NowMillis

    def take(self, waitlist: WaitlistRecord) -> Lease | None:
        """Take the lease on a waitlist. Return None if another run holds it."""
        owner = secrets.token_hex(8)
        now_millis = self.now_millis()
        until_millis = now_millis + LEASE_MILLIS
        taken = self.waitlists.take_lease(waitlist, owner, now_millis, until_millis)
        return Lease(self.waitlists, self.now_millis, taken, owner) if taken else None
