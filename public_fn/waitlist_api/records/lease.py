"""Leases: one maintenance run at a time works on a waitlist."""

import secrets

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.records.rebuild_progress import RebuildProgress
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords
from waitlist_shared.errors import WaitlistError

LEASE_MILLIS = 60_000


class LeaseLost(WaitlistError):
    """The lease expired and another run has taken it, with the rest of the work."""

    code = "lease_lost"
    advice = "Another maintenance run has taken over; this one stops."


class Lease(Struct, frozen=True):
    """One run's lease of a waitlist, with the record as it was when the lease began."""

    waitlists: WaitlistRecords
    now_millis: NowMillis
    waitlist: WaitlistRecord
    owner: str

    def renew(self, rebuild: RebuildProgress | None = None) -> None:
        """Extend the lease by a minute, store progress; raise LeaseLost if another run has it."""
        until_millis = self.now_millis() + LEASE_MILLIS
        waitlist_id = self.waitlist.waitlist_id
        if not self.waitlists.renew_lease(waitlist_id, self.owner, until_millis, rebuild):
            raise LeaseLost

    def release(self, *, is_rebuilt: bool = False) -> None:
        """End the lease; after a complete rebuild also delete its progress."""
        self.waitlists.release_lease(
            self.waitlist.waitlist_id, self.owner, forget_rebuild=is_rebuilt
        )


class Leases(Struct, frozen=True):
    """Issues leases."""

    waitlists: WaitlistRecords
    now_millis: NowMillis

    def take(self, waitlist: WaitlistRecord) -> Lease | None:
        """Return a lease, or None while another run has one."""
        owner = secrets.token_hex(8)
        now_millis = self.now_millis()
        until_millis = now_millis + LEASE_MILLIS
        taken = self.waitlists.take_lease(waitlist, owner, now_millis, until_millis)
        return Lease(self.waitlists, self.now_millis, taken, owner) if taken else None
