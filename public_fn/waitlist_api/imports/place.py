"""Give the imported entries their places in the queue.

This is the second of an import's two phases. The first phase has written a record for each entry.
This phase adds the entries to Redis, then stores their places in the records.
"""

from collections.abc import Sequence

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.entries.join import Joins
from waitlist_api.imports.rows import ImportedRow
from waitlist_api.parallel import run_all
from waitlist_api.queue.client import QueueClient, send_all
from waitlist_api.queue.messages import Placing, drop_of_earlier
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.queue.segmented import SegmentedQueue
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord
from waitlist_api.records.imports import ImportRecords
from waitlist_api.records.ledger import EntryChanged
from waitlist_shared import contracts as c
from waitlist_shared.errors import Cold, Gone, NotWaiting, Rebuilding, WaitlistError, WaitlistFull

# A row of the import with its record, its place and its call number.
PlacedRow = tuple[ImportedRow, EntryRecord, c.SignupResult, str]
REMOVED = "This customer was removed during the import. Import the row again."


class Placement(Struct, frozen=True):
    """Finishes the signups of an import.

    Redis adds the entries to the queue in order. Their places are recorded afterwards.
    """

    queue: QueueClient
    recovering_queue: RecoveringQueue
    segmented_queue: SegmentedQueue
    entries: EntryRecords
    imports: ImportRecords
    joins: Joins
    now_millis: NowMillis

    def finish(self, rows: Sequence[ImportedRow]) -> None:
        """Add the entries to the queue, record their places, and set each row's outcome."""
        pairs = [(item, item.record) for item in rows if item.record is not None]
        if not pairs:
            return
        records = [record for _, record in pairs]
        answers = self._place(records)
        placed: list[tuple[ImportedRow, EntryRecord, c.SignupResult]] = []
        for (item, record), answer in zip(pairs, answers, strict=True):
            if isinstance(answer, c.SignupResult):
                item.ticket = answer.ticket
                placed.append((item, record, answer))
            else:
                self.joins.cancel(record)
                item.refuse(answer if isinstance(answer, WaitlistFull) else NotWaiting(REMOVED))
        numbers = self.entries.call_numbers.draw_all([record for _, record, _ in placed])
        self._record_all([(*row, number) for row, number in zip(placed, numbers, strict=True)])

    def _place(self, records: Sequence[EntryRecord]) -> list[c.SignupResult | WaitlistFull | Gone]:
        messages = [Placing(record) for record in records]
        answers = self.segmented_queue.send_batch(messages)
        earlier = [
            drop
            for record, answer in zip(records, answers, strict=True)
            if isinstance(answer, c.SignupResult)
            and (drop := drop_of_earlier(record, answer.ticket)) is not None
        ]
        if earlier:
            send_all(self.queue, earlier)
            answers = self.segmented_queue.send_batch(messages)
        final: list[c.SignupResult | WaitlistFull | Gone] = []
        for record, answer in zip(records, answers, strict=True):
            if isinstance(answer, c.SignupResult | WaitlistFull | Gone):
                final.append(answer)
            elif isinstance(answer, Cold):
                self.recovering_queue.start_rebuild(record.waitlist_id)
                raise Rebuilding
            elif isinstance(answer, WaitlistError):
                raise answer
        return final

    def _record_all(self, placed: Sequence[PlacedRow]) -> None:
        groups = self.imports.groups_of(placed, lambda item: item[1])
        run_all(self._record, groups)

    def _record(self, group: Sequence[PlacedRow]) -> None:
        try:
            self.imports.finish([row[1:] for row in group], self.now_millis())
        except EntryChanged:
            self._record_rest(group)
            return
        for item, *_ in group:
            item.outcome = "joined"

    def _record_rest(self, group: Sequence[PlacedRow]) -> None:
        """Record each entry's place separately.

        Skip entries whose place another request has already recorded.
        """
        (waitlist_id,) = {record.waitlist_id for _, record, _, _ in group}
        found = self.entries.get_many(waitlist_id, [item.entry_id for item, *_ in group])
        for item, record, place, _ in group:
            now = found.get(item.entry_id)
            if now is not None and now.join_id == record.join_id and now.status in PRESENT:
                item.outcome = "joined" if item.has_joined else "already"
            else:
                self._record_one(item, record, place)

    def _record_one(self, item: ImportedRow, record: EntryRecord, place: c.SignupResult) -> None:
        try:
            _, is_first = self.joins.record(record, place)
            item.outcome = "joined" if is_first or item.has_joined else "already"
        except NotWaiting:
            item.refuse(NotWaiting(REMOVED))
