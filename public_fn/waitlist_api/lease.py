"""Leases on waitlists: of several maintainers one works on a list at a time."""

import secrets
from dataclasses import dataclass

from waitlist_api.clock import NowMillis
from waitlist_api.records.waitlists import WaitlistRecords

LEASE_MILLIS = 60_000


@dataclass(frozen=True)
class Lease:
    """One maintainer's hold on one waitlist; two holders would waste work, not harm."""

    waitlists: WaitlistRecords
    now_millis: NowMillis
    waitlist_id: str
    owner: str

    def renew(self) -> None:
        """Hold on for another minute."""
        now_millis = self.now_millis()
        until_millis = now_millis + LEASE_MILLIS
        self.waitlists.take_lease(self.waitlist_id, self.owner, now_millis, until_millis)

    def release(self) -> None:
        """Let the next one in."""
        self.waitlists.release_lease(self.waitlist_id, self.owner)


class Leases:
    """Hands out leases."""

    def __init__(self, waitlists: WaitlistRecords, now_millis: NowMillis) -> None:
        self._waitlists = waitlists
        self._now_millis = now_millis

    def take(self, waitlist_id: str) -> Lease | None:
        """Return a lease, or None while another maintainer holds one."""
        owner = secrets.token_hex(8)
        now_millis = self._now_millis()
        until_millis = now_millis + LEASE_MILLIS
        if not self._waitlists.take_lease(waitlist_id, owner, now_millis, until_millis):
            return None
        return Lease(self._waitlists, self._now_millis, waitlist_id, owner)
