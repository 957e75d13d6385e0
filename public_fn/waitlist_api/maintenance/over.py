"""When a waitlist stops admitting customers, remove the customers who are still waiting."""

import logging
from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct

from waitlist_api.clock import IsTimeUp
from waitlist_api.entries.leave import Leaves
from waitlist_api.errors import AlreadyAdmitted, EntryNotFound, Forbidden
from waitlist_api.parallel import run_all
from waitlist_api.queue.client import QueueClient
from waitlist_api.records.decisions import MAINTENANCE
from waitlist_api.records.leaves import Leave
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords
from waitlist_api.settings.waitlist import is_over
from waitlist_shared import contracts as c
from waitlist_shared.ranks import millis_of

logger = logging.getLogger(__name__)
# The reason in a customer's history when they leave because admissions have ended.
OVER = "over"


def _ends_waits(waitlist: WaitlistRecord, redis_millis: int) -> bool:
    """Return whether admissions have ended and the policy says that waiting customers must then
    leave.
    """
    policy = waitlist.settings.admission
    is_to_leave = policy is not None and policy.then == "leave"
    return is_to_leave and is_over(waitlist.settings, redis_millis)


class OverLeaver(Struct, frozen=True):
    """Removes the waiting entries from a waitlist whose admissions have ended.

    Claimed and parked entries stay until an operator decides what happens to them. If a run has no
    time left, the next run continues.
    """

    queue: QueueClient
    waitlists: WaitlistRecords
    leaves: Leaves

    def is_due(self, waitlist: WaitlistRecord, stats: c.StatsResult) -> bool:
        """Return whether there are waiting customers who must leave because admissions have
        ended.
        """
        return stats.waiting > 0 and _ends_waits(waitlist, millis_of(stats.clock_stamp))

    def run(self, waitlist: WaitlistRecord, stats: c.StatsResult, is_time_up: IsTimeUp) -> bool:
        """Let the waiting entries leave, one page at a time.

        Return False if time runs out before every waiting entry has left.
        """
        request = c.ListWaiting(waitlist_id=waitlist.waitlist_id)
        redis_millis, is_due = millis_of(stats.clock_stamp), self.is_due(waitlist, stats)
        while is_due and not is_time_up():
            page: c.ListWaitingResult = self.queue.send(request)
            self._leave(waitlist.waitlist_id, page.entries)
            logger.info(
                "admissions have ended, and the waiting customers have left",
                extra={"waitlist_id": waitlist.waitlist_id, "waiting": page.total},
            )
            if page.next_rank is None:
                return True
            request = c.ListWaiting(waitlist_id=waitlist.waitlist_id, after=page.next_rank)
            # An operator may have changed when admissions end while the page was being processed,
            # so read the waitlist again.
            now = self.waitlists.get(waitlist.waitlist_id)
            is_due = now is not None and _ends_waits(now, redis_millis)
        return not is_due

    def _leave(self, waitlist_id: str, entries: Sequence[c.WaitingEntry]) -> None:
        def leave(entry: c.WaitingEntry) -> None:
            request = Leave(by=MAINTENANCE, reason=OVER, stay=entry.ticket, status="waiting")
            # If the customer has left or signed up again in the meantime, there is nothing to do.
            with suppress(Forbidden, EntryNotFound, AlreadyAdmitted):
                self.leaves.leave(waitlist_id, entry.entry_id, request)

        run_all(leave, entries)
