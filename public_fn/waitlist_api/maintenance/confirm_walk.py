"""Walks through the waiting entries of a list whose customers are asked if they still wait."""

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.entries.questions import Clocks, Questions, due_at, due_of
from waitlist_api.records.waitlists import ConfirmWalk, WaitlistRecord, WaitlistRecords
from waitlist_shared import contracts as c
from waitlist_shared.limits import MAX_PAGE
from waitlist_shared.ranks import millis_of

# A run looks at so many pages, so at 500 entries; the next run goes on.
PAGES = 5
# Entries that were off the queue, or not ready, during a walk are found by the next one.
LONGEST_PAUSE_MILLIS = 3600_000


class ConfirmWalker(Struct, frozen=True):
    """Does what is due of questions, some entries a run."""

    questions: Questions
    waitlists: WaitlistRecords
    now_millis: NowMillis

    def walk(self, waitlist: WaitlistRecord, stats: c.StatsResult) -> None:
        """Look at the next entries; note where to go on, or when to begin again."""
        rules, before = waitlist.settings.confirm, waitlist.confirm_walk
        now_millis = self.now_millis()
        if rules is None or not is_due(waitlist, now_millis):
            return
        clocks = Clocks(here=now_millis, redis=millis_of(stats.clock_stamp))
        after, earliest = before.after, before.earliest_millis
        if after is None:
            earliest = now_millis + LONGEST_PAUSE_MILLIS
        for _ in range(PAGES):
            records, after = self.questions.page(waitlist.waitlist_id, after, MAX_PAGE, rules)
            errors = self.questions.act(records, rules, clocks, waitlist.version)
            times = [due_at(one, rules) for one in records if due_of(one, rules, clocks) is None]
            earliest = min([earliest, *times, *(now_millis for error in errors if error)])
            if after is None:
                break
        walk = ConfirmWalk(next_millis=earliest)
        if after is not None:
            walk = ConfirmWalk(after=after, earliest_millis=earliest)
        self.waitlists.note_confirm_walk(waitlist.waitlist_id, walk)


def is_due(waitlist: WaitlistRecord, now_millis: int) -> bool:
    """Return whether a walk is under way or to begin."""
    is_asking = waitlist.settings.confirm is not None
    return is_asking and waitlist.confirm_walk.next_millis <= now_millis
