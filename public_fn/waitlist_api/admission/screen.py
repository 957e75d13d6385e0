"""Read the call numbers that a waitlist's public screen shows."""

from collections.abc import Iterator

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.call import current_call
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord
from waitlist_api.records.facets import Call
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_shared import contracts as c
from waitlist_shared.limits import MAX_PAGE

# The maximum number of called numbers on the screen.
MOST_CALLED = 6
# The maximum number of upcoming numbers on the screen.
MOST_NEXT = 8


class CalledNumber(Struct, frozen=True):
    """A customer's call number, and the time and place of the customer's latest call."""

    number: str
    call: Call


class Screen(Struct, frozen=True):
    """The call numbers that the screen shows.

    In `called`, the latest call comes first. `following` contains the numbers that come next, in
    serving order.
    """

    called: list[CalledNumber]
    following: list[str]


class Screens(Struct, frozen=True):
    """Reads what the public screens of waitlists with call numbers show."""

    recovering_queue: RecoveringQueue
    entries: EntryRecords
    now_millis: NowMillis

    def read(self, waitlist: WaitlistRecord) -> Screen:
        """Return the call numbers that a waitlist's public screen shows.

        The called numbers come from the 100 claims and offers with the earliest deadlines. If the
        waitlist hides its counts, the screen does not show which numbers come next.
        """
        waitlist_id = waitlist.waitlist_id
        held: c.ListOffQueueResult = self.recovering_queue.read(
            c.ListOffQueue(waitlist_id=waitlist_id, which="held", limit=MAX_PAGE)
        )
        held_ids = [entry.entry_id for entry in held.entries]
        # If only a few people are waiting, the list of the next numbers is short and would reveal
        # how many people are waiting. Leave out the list if the waitlist hides its counts.
        next_ids = [] if waitlist.settings.hide_counts else self._next_ids(waitlist_id)
        records = self.entries.get_many(waitlist_id, [*held_ids, *next_ids])
        called = self._called(records[id_] for id_ in held_ids if id_ in records)
        newest_first = sorted(called, key=lambda each: each.call.stamp, reverse=True)
        # Redis decides who comes next. The records contain the call numbers, and show which
        # customers have just left or been admitted. If a claim or an offer has just expired, the
        # record may still have the status `offered`.
        waiting = [records[id_] for id_ in next_ids if id_ in records and id_ not in held_ids]
        following = [each.joined.call_number for each in waiting if each.status in PRESENT]
        return Screen(newest_first[:MOST_CALLED], [number for number in following if number])

    def _next_ids(self, waitlist_id: str) -> list[str]:
        page: c.ListWaitingResult = self.recovering_queue.read(
            c.ListWaiting(waitlist_id=waitlist_id, limit=MOST_NEXT, ready=True)
        )
        return [entry.entry_id for entry in page.entries]

    def _called(self, records: Iterator[EntryRecord]) -> Iterator[CalledNumber]:
        now_millis = self.now_millis()
        for record in records:
            call = current_call(record, now_millis)
            if call is not None and record.joined.call_number:
                yield CalledNumber(record.joined.call_number, call)
