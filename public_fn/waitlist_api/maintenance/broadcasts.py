"""Continue broadcasts, which are messages to several people, if the request was interrupted before
everybody got the message.
"""

from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct

from waitlist_api.clock import IsTimeUp
from waitlist_api.maintenance.isolation import run_isolated
from waitlist_api.messages.broadcast import Broadcasts
from waitlist_api.records.broadcasts import Broadcast
from waitlist_api.records.waitlists import WaitlistRecords
from waitlist_shared.errors import Rebuilding


class BroadcastRunner(Struct, frozen=True):
    """Sends large or interrupted broadcasts to the recipients who have not got the message yet."""

    broadcasts: Broadcasts
    waitlists: WaitlistRecords

    def run_all(self, sort_keys: Sequence[str], is_time_up: IsTimeUp) -> None:
        """Continue the broadcasts with these sort keys, until all of them are complete or the time
        is up.
        """

        def run(broadcast: Broadcast) -> None:
            waitlist = self.waitlists.get(broadcast.waitlist_id)
            if waitlist is None or waitlist.deleting:
                return
            # The broadcast continues after the queue is rebuilt.
            with suppress(Rebuilding):
                self.broadcasts.run(broadcast, is_time_up)

        for broadcast in self.broadcasts.records.running(sort_keys):
            run_isolated(run, broadcast)
            if is_time_up():
                return
