"""Read pages of entries, or a single entry with its history, for operators."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api import cursors
from waitlist_api.entries.position import EntryView, Positions
from waitlist_api.errors import EntryNotFound
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.deliveries import Deliveries, Note
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord, HistoryEvent
from waitlist_api.records.histories import Histories
from waitlist_shared import contracts as c
from waitlist_shared.errors import Rebuilding
from waitlist_shared.limits import MAX_PAGE

# A filtered request stops reading after this many entries, even if its page is not full.
LOOKED_AT = 1_000
Only = Literal["unverified", "asked"]


class Begin(Struct, frozen=True):
    """The point at which a page of waiting entries begins."""

    after: int | None
    first: int | None
    # True selects only ready entries, and False only entries that are not ready. None selects both.
    ready: bool | None


class EntryDetails(Struct, frozen=True):
    """An entry's status and position, its record, and the requested part of its history."""

    view: EntryView
    record: EntryRecord | None
    history: list[HistoryEvent]


def is_among(person: EntryDetails, only: Only) -> bool:
    """Return whether an entry matches the filter."""
    match only:
        case "unverified":
            return person.record is not None and person.record.verification.until_millis is not None
        case "asked":
            return person.view.confirm_by_millis > 0


class EntryQueries(Struct, frozen=True):
    """Reads entries for operators."""

    recovering_queue: RecoveringQueue
    entries: EntryRecords
    histories: Histories
    positions: Positions
    deliveries: Deliveries

    def page(
        self,
        waitlist_id: str,
        cursor: str | None,
        limit: int,
        first: int | None = None,
        *,
        ready: bool | None = None,
        only: Only | None = None,
    ) -> tuple[list[EntryDetails], str | None]:
        """Return a page of waiting entries in serving order, and the cursor for the next page.

        The page may have fewer than `limit` entries even if more entries follow.
        """
        if only == "unverified":
            # Unverified entries are never ready.
            ready = False if ready is None else ready
        begin = Begin(cursors.decode_rank(cursor), first, ready)
        if only is None:
            found, following = self._page(waitlist_id, begin, limit)
            return found, cursors.encode(following)
        found, following = [], begin.after
        for _ in range(LOOKED_AT // MAX_PAGE):
            page, following = self._page(waitlist_id, begin, MAX_PAGE)
            found += [details for details in page if is_among(details, only)]
            if len(found) > limit:
                found, following = found[:limit], found[limit - 1].view.rank
            if following is None or len(found) == limit:
                break
            begin = Begin(following, None, ready)
        return found, cursors.encode(following)

    def _page(
        self, waitlist_id: str, begin: Begin, limit: int
    ) -> tuple[list[EntryDetails], int | None]:
        """Return a page of waiting entries, and the rank after which the next page starts."""
        page: c.ListWaitingResult = self.recovering_queue.read(
            c.ListWaiting(
                waitlist_id=waitlist_id,
                after=begin.after,
                first=begin.first,
                limit=limit,
                ready=begin.ready,
            )
        )
        views = [
            replace(
                EntryView.placed(
                    entry.entry_id, "waiting", entry.rank, entry.ticket, entry.position, page.total
                ),
                ready_ahead=entry.ready_ahead,
                not_ready=entry.not_ready,
            )
            for entry in page.entries
        ]
        return self._with_records(waitlist_id, views), page.next_rank

    def list_off_queue(
        self, waitlist_id: str, which: Literal["held", "parked"], cursor: str | None, limit: int
    ) -> tuple[list[EntryDetails], str | None]:
        """Return a page of entries taken from the queue, and the cursor for the next page.

        If `which` is `held`, the page contains claimed and offered entries, sorted by deadline. If
        `which` is `parked`, it contains the entries that were set aside for an operator.
        """
        after_time, after_id = cursors.decode_off_queue(cursor)
        page: c.ListOffQueueResult = self.recovering_queue.read(
            c.ListOffQueue(
                waitlist_id=waitlist_id,
                which=which,
                after=after_time,
                after_id=after_id,
                limit=limit,
            )
        )
        status = "offered" if which == "held" else "parked"
        views = [
            EntryView.placed(entry.entry_id, status, entry.rank, entry.ticket)
            for entry in page.entries
        ]
        entries = self._with_records(waitlist_id, views)
        if len(entries) < limit:
            return entries, None
        last = page.entries[-1]
        return entries, cursors.encode([last.time_millis, last.entry_id])

    def _with_records(self, waitlist_id: str, views: Sequence[EntryView]) -> list[EntryDetails]:
        records = self.entries.get_many(waitlist_id, [view.entry_id for view in views])
        both = [(view, records.get(view.entry_id)) for view in views]
        return [
            EntryDetails(self._with_question(view, record), record, []) for view, record in both
        ]

    def _with_question(self, view: EntryView, record: EntryRecord | None) -> EntryView:
        """Add the confirmation deadline from the record to the view."""
        if record is None or record.question.confirm_by_millis is None:
            return view
        asked = replace(view, confirm_by_millis=record.question.confirm_by_millis)
        return self.positions.without_old_question(record.waitlist_id, asked)

    def details(self, waitlist_id: str, entry_id: str) -> EntryDetails:
        """Return an entry with the newest 100 events of its history."""
        found = self.histories.with_record(waitlist_id, entry_id)
        if found is None or found[0].intent.erase:
            raise EntryNotFound
        record, history = found
        return EntryDetails(self._view(record), record, history)

    def details_of_address(self, waitlist_id: str, entry_id: str) -> EntryDetails:
        """Return the details of the entry that uses an address.

        `entry_id` is the entry id computed from the address. An entry that was moved to this
        address has a different id, and is found by its address.
        """
        try:
            return self.details(waitlist_id, entry_id)
        except EntryNotFound:
            found = self.entries.resolve(waitlist_id, entry_id)
            if found is None or found.entry_id == entry_id:
                raise
        return self.details(waitlist_id, found.entry_id)

    def details_with_history(
        self, waitlist_id: str, entry_id: str, cursor: str | None, limit: int
    ) -> tuple[EntryDetails, str | None]:
        """Return an entry with a page of its history, and the cursor for the next page."""
        after = cursors.decode_event(cursor)
        record = self.entries.find(waitlist_id, entry_id)
        history, following = self.histories.page(waitlist_id, entry_id, after, limit)
        return EntryDetails(self._view(record), record, history), cursors.encode(following)

    def messages(self, waitlist_id: str, entry_id: str) -> list[Note]:
        """Return the delivery status of the entry's newest messages, oldest message first."""
        record = self.entries.find(waitlist_id, entry_id)
        return self.deliveries.list_notes(waitlist_id, entry_id, record.ticket or 0)

    def _view(self, record: EntryRecord) -> EntryView:
        recorded = self._with_question(EntryView.recorded(record), record)
        if record.status not in PRESENT:
            return recorded
        try:
            return self.positions.read(record.waitlist_id, record.entry_id, to_operator=True)
        except Rebuilding:
            # While the queue in Redis is being rebuilt, only the position is unknown. The record
            # contains all the entry's other data.
            return recorded
