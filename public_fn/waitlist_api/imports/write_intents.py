"""The first phase of an import. It writes a record with the status `joining` for each row."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from itertools import count

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.clock import NowMillis, millis_of
from waitlist_api.entries.join import Joins
from waitlist_api.entries.leave import Leaves
from waitlist_api.errors import AlreadyAdmitted, Banned, EntryNotFound, Forbidden
from waitlist_api.imports.rows import ImportedRow, ImportRow
from waitlist_api.parallel import run_all
from waitlist_api.queue.client import QueueClient
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records import facets
from waitlist_api.records.asks import MINUTE_MILLIS
from waitlist_api.records.call_numbers import numbering_of
from waitlist_api.records.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import READINESS_CHANGE, EntryRecord
from waitlist_api.records.facets import Contact, Joined, Pauses, Question, Verification
from waitlist_api.records.imports import MAX_INTENTS, ImportRecords, Intent
from waitlist_api.records.leaves import Leave
from waitlist_api.records.ledger import EntryChanged
from waitlist_api.records.recipients import Recipients
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_api.settings.identity import IdentityRules
from waitlist_shared import contracts as c
from waitlist_shared.errors import Throttled
from waitlist_shared.ids import new_join_id
from waitlist_shared.ranks import TICKETS_PER_MILLISECOND, rank_of

REPLACED = "replaced by an import"


class TicketAllocation(Struct, frozen=True):
    """The tickets that Redis allocated for the imported entries, and the logical timestamp of
    the allocation.
    """

    stamp: int
    tickets: dict[str, int]


class IntentWriter(Struct, frozen=True):
    """Writes an unfinished record for every row of an import.

    If the import is interrupted, a retry continues it.
    """

    queue: QueueClient
    recovering_queue: RecoveringQueue
    entries: EntryRecords
    imports: ImportRecords
    recipients: Recipients
    joins: Joins
    leaves: Leaves
    now_millis: NowMillis

    def begin(self, waitlist: WaitlistRecord, rows: Sequence[ImportedRow], by: str) -> None:
        """Write the records for the rows that can be added, and set the outcomes of the other
        rows.
        """
        allocation, rest = TicketAllocation(0, {}), rows
        while rest:
            allocation, begun = self._begin(waitlist, rest, by, allocation)
            rest = rest[begun:]

    def _begin(
        self,
        waitlist: WaitlistRecord,
        rest: Sequence[ImportedRow],
        by: str,
        allocation: TicketAllocation,
    ) -> tuple[TicketAllocation, int]:
        """Write the records for the next rows in one transaction. Return the allocated tickets and
        the number of finished rows.
        """
        batch = rest[:MAX_INTENTS]
        for _ in range(MAX_CONFLICT_RETRIES):
            may_join = [item for item in batch if self._is_new(item)]
            if not may_join:
                return allocation, len(batch)
            if replaced := [item for item in may_join if item.is_replacing]:
                self._end_stays(waitlist, replaced, by)
                # The guests' entries have just been removed. The tickets allocated earlier are
                # older than these removals, so allocate new ones.
                allocation = TicketAllocation(0, {})
                continue
            if any(item.entry_id not in allocation.tickets for item in may_join):
                allocation = self._allocate(waitlist, rest)
            intents = self.imports.first_of(
                [self._intent(item, by, allocation, waitlist) for item in may_join]
            )
            new = may_join[: len(intents)]
            self._list_unreachable(intents)
            try:
                self.imports.begin(intents)
            except EntryChanged:
                self.reread(waitlist, batch)
                allocation = TicketAllocation(0, {})
                continue
            for item, intent in zip(new, intents, strict=True):
                item.record, item.is_new = intent.begun, True
            is_all = len(new) == len(may_join)
            return allocation, len(batch) if is_all else batch.index(may_join[len(new)])
        raise Throttled

    def reread(self, waitlist: WaitlistRecord, rows: Sequence[ImportedRow]) -> None:
        """Read each row's record again, because another request may have changed it.

        Raise Throttled if the address in a row has become the new address of a different entry.
        """
        if self.look_up(waitlist, rows):
            raise Throttled

    def look_up(
        self, waitlist: WaitlistRecord, rows: Sequence[ImportedRow]
    ) -> dict[str, EntryRecord]:
        """Read each row's record.

        The address in a row may have become the new address of an existing entry, which has a
        different id. Return the records of such entries, by the id in the row.
        """
        ids = [item.entry_id for item in rows]
        found = self.entries.resolve_many(waitlist.waitlist_id, ids)
        moved = {}
        for item in rows:
            known = found.get(item.entry_id)
            if known is not None and known.entry_id != item.entry_id:
                moved[item.entry_id] = known
            item.replace_record(known)
        return moved

    def _is_new(self, item: ImportedRow) -> bool:
        """Return whether the row can be added to the waitlist. If not, set its outcome."""
        if item.state(self.now_millis()) == "under_way":
            self._finish(item)
        match item.state(self.now_millis()):
            case "under_way":
                raise Throttled
            case "present":
                item.keep("joined" if item.has_joined else "already")
            case "ended":
                item.keep("ended")
            case "banned":
                item.refuse(Banned())
            case "new":
                return True
        return False

    def _finish(self, item: ImportedRow) -> None:
        """If the entry's signup or removal was interrupted, finish it.

        Then read the record again.
        """
        record = item.record
        if record is None:
            return
        if record.status == "leaving":
            self.leaves.finish(record)
        else:
            self.joins.try_to_finish(record)
        item.record = self.entries.get(*record.key)

    def _end_stays(self, waitlist: WaitlistRecord, rows: Sequence[ImportedRow], by: str) -> None:
        """Remove the entries that guests created, and read the records again."""
        self.recovering_queue.read(c.AllocateTickets(waitlist_id=waitlist.waitlist_id))

        def end(item: ImportedRow) -> None:
            leave = Leave(by=by, reason=REPLACED, stay=item.recorded_ticket)
            # The customer has left or was admitted, so there is nothing to remove. The record is
            # read again below.
            with suppress(AlreadyAdmitted, EntryNotFound, Forbidden):
                self.leaves.leave(item.waitlist_id, item.entry_id, leave)

        run_all(end, rows)
        self.reread(waitlist, rows)

    def _allocate(self, waitlist: WaitlistRecord, rows: Sequence[ImportedRow]) -> TicketAllocation:
        """Allocate a ticket for every row that can be added.

        If a row has `joined_at`, its ticket is from that time. The tickets of the other rows are
        later than every known event in the history of any of these entries.
        """
        now_millis = self.now_millis()
        new = [item for item in rows if item.state(now_millis) == "new"]
        shared = Counter(item.joined_ticket for item in new if item.joined_ticket is not None)
        reserved: c.AllocateTicketsResult = self.recovering_queue.read(
            c.AllocateTickets(
                waitlist_id=waitlist.waitlist_id,
                known_stamp=max([item.known_stamp for item in new], default=0),
                count=len(new) - shared.total(),
                shared_milliseconds=tuple(c.SharedMillisecond(*each) for each in shared.items()),
            )
        )
        tickets = {None: count(reserved.first, reserved.apart)} | {
            ticket: count(ticket + offset)
            for ticket, offset in zip(shared, reserved.offsets, strict=True)
        }
        return TicketAllocation(
            reserved.stamp, {item.entry_id: next(tickets[item.joined_ticket]) for item in new}
        )

    def _list_unreachable(self, intents: Sequence[Intent]) -> None:
        """Add customers who have turned off messages, or whose address does not accept messages, to
        the list of unreachable recipients.
        """
        for intent in intents:
            record = intent.record
            if record.contact.messages or record.contact.unreachable:
                self.recipients.list_stay(*record.key, record.intent.ticket or 0)

    def _intent(
        self,
        item: ImportedRow,
        by: str,
        allocation: TicketAllocation,
        waitlist: WaitlistRecord,
    ) -> Intent:
        ticket, earlier = allocation.tickets[item.entry_id], item.recorded_ticket
        if earlier is not None and ticket <= earlier < ticket + TICKETS_PER_MILLISECOND:
            # The new ticket must differ from the earlier signup's ticket. Otherwise, entry tokens
            # from the earlier signup would be valid for the new one.
            ticket = earlier + 1
        now_millis, row = self.now_millis(), item.row
        rank = row.rank
        if rank is not None:
            # The row's rank comes from another waitlist. If Redis' clock is behind, new signups get
            # lower ranks than this one, and would be served before this customer. Limit the row's
            # rank to the rank that a new signup would get now.
            rank = min(rank, rank_of(row.priority, allocation.stamp))
        record = EntryRecord(
            waitlist_id=item.waitlist_id,
            entry_id=item.entry_id,
            customer_id=row.customer_id,
            status="joining",
            join_id=new_join_id(),
            updated_millis=now_millis,
            profile=row.profile,
            attributes=row.attributes,
            joined=Joined(
                millis=now_millis,
                key=item.signup_key,
                tell_stamp=allocation.stamp if row.tell else 0,
            ),
            intent=facets.Intent(
                ticket=ticket,
                priority=row.priority,
                rank=rank,
                stamp=allocation.stamp,
                joining_by=by,
                numbering=numbering_of(waitlist.settings),
            ),
            question=Question(confirmed_millis=_millis(row.confirmed_at)),
            contact=Contact(
                language=row.language, messages=row.messages, unreachable=row.unreachable
            ),
        )
        record = with_readiness(record, row, waitlist.settings.identity, now_millis)
        return Intent(record, former=item.record)


def with_readiness(
    record: EntryRecord, row: ImportRow, rules: IdentityRules | None, now_millis: int
) -> EntryRecord:
    """Store in the imported entry's record why the entry is not ready."""
    pauses, verification = Pauses(), Verification()
    if not row.ready:
        pauses = Pauses(held_back=True, held_back_reason=row.reason)
    rest_until = _millis(row.rest_until) or 0
    if rest_until > now_millis:
        pauses = replace(pauses, rest_until_millis=rest_until, rests=1)
    if not row.verified and rules is not None and rules.verifies:
        until = now_millis + rules.verify_minutes * MINUTE_MILLIS
        verification = Verification(until_millis=until)
    if (pauses, verification) == (Pauses(), Verification()):
        return record
    return replace(
        record,
        attributes_version=READINESS_CHANGE,
        pauses=pauses,
        verification=verification,
    )


def _millis(moment: datetime | None) -> int | None:
    return None if moment is None else millis_of(moment)
