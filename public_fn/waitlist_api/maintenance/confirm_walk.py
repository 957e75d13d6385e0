"""Go through the waiting entries, and ask the customers whether they are still waiting."""

from msgspec import Struct

from waitlist_api.clock import IsTimeUp, NowMillis
from waitlist_api.entries.questions import Clocks, Questions, find_due_step, next_due_millis
from waitlist_api.records.waitlists import ConfirmWalk, WaitlistRecord, WaitlistRecords
from waitlist_shared import contracts as c
from waitlist_shared.limits import MAX_PAGE
from waitlist_shared.ranks import millis_of

# The maximum number of pages, with 100 entries each, that one run processes.
PAGES = 5
# The maximum time between two checks of all entries. The next check also finds the entries that the
# last check missed, for example because they were not ready at that moment.
LONGEST_PAUSE_MILLIS = 3600_000


class ConfirmWalker(Struct, frozen=True):
    """Asks customers whether they are still waiting. If a customer does not answer in time, the
    waitlist's settings decide what happens to the entry.
    """

    questions: Questions
    waitlists: WaitlistRecords
    now_millis: NowMillis

    def is_due(self, waitlist: WaitlistRecord, _stats: c.StatsResult) -> bool:
        """Return whether the waiting entries must be checked now. They must if the last check is
        unfinished or was too long ago.
        """
        is_asking = waitlist.settings.confirm is not None
        return is_asking and waitlist.confirm_walk.next_millis <= self.now_millis()

    def run(self, waitlist: WaitlistRecord, stats: c.StatsResult, _is_time_up: IsTimeUp) -> bool:
        """Ask the next customers whether they are still waiting, and save where the next run
        continues.
        """
        rules, before = waitlist.settings.confirm, waitlist.confirm_walk
        if rules is None or not self.is_due(waitlist, stats):
            return True
        now_millis = self.now_millis()
        clocks = Clocks(here=now_millis, redis=millis_of(stats.clock_stamp))
        after, earliest = before.after, before.earliest_millis
        if after is None:
            earliest = now_millis + LONGEST_PAUSE_MILLIS
        for _ in range(PAGES):
            records, after = self.questions.page(waitlist.waitlist_id, after, MAX_PAGE, rules)
            errors = self.questions.act(records, rules, clocks, waitlist.version)
            times = [
                next_due_millis(record, rules)
                for record in records
                if find_due_step(record, rules, clocks) is None
            ]
            earliest = min([earliest, *times, *(now_millis for error in errors if error)])
            if after is None:
                break
        walk = ConfirmWalk(next_millis=earliest)
        if after is not None:
            walk = ConfirmWalk(after=after, earliest_millis=earliest)
        self.waitlists.note_confirm_walk(waitlist.waitlist_id, walk)
        return True
