"""Leases on waitlists: of several maintainers one works on a list at a time."""

import secrets
from dataclasses import dataclass

from waitlist_api.clock import NowMillis
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords
from waitlist_shared.errors import WaitlistError

LEASE_MILLIS = 60_000


class LeaseLost(WaitlistError):
    """The lease ran out and passed to another: whatever is left to do is theirs."""

    code = "lease_lost"
    advice = "Another maintainer has taken over; this one stops."


@dataclass(frozen=True)
class Lease:
    """One maintainer's hold on one waitlist."""

    waitlists: WaitlistRecords
    now_millis: NowMillis
    waitlist_id: str
    owner: str

    def renew(self) -> None:
        """Hold on for another minute; raise LeaseLost if another has it by now."""
        until_millis = self.now_millis() + LEASE_MILLIS
        if not self.waitlists.renew_lease(self.waitlist_id, self.owner, until_millis):
            raise LeaseLost

    def release(self) -> None:
        """Let the next one in."""
        self.waitlists.release_lease(self.waitlist_id, self.owner)


class Leases:
    """Hands out leases."""

    def __init__(self, waitlists: WaitlistRecords, now_millis: NowMillis) -> None:
        self._waitlists = waitlists
        self._now_millis = now_millis

    def take(self, waitlist: WaitlistRecord) -> Lease | None:
        """Return a lease, or None while another maintainer holds one."""
        owner = secrets.token_hex(8)
        now_millis = self._now_millis()
        until_millis = now_millis + LEASE_MILLIS
        if not self._waitlists.take_lease(waitlist, owner, now_millis, until_millis):
            return None
        return Lease(self._waitlists, self._now_millis, waitlist.waitlist_id, owner)
