"""Phase 1 of an import: write an intent for each row, in file order, with its ticket."""

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from itertools import count
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.clock import NowMillis, millis_of
from waitlist_api.entries.join import Joins
from waitlist_api.entries.leave import Leaves
from waitlist_api.errors import AlreadyAdmitted, Banned, EntryNotFound, Forbidden, Throttled
from waitlist_api.imports.rows import ImportedRow, ImportRow
from waitlist_api.queue.client import QueueClient
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.alias import Alias
from waitlist_api.records.asks import MINUTE_MILLIS
from waitlist_api.records.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import READINESS_CHANGE, EntryRecord
from waitlist_api.records.imports import MAX_INTENTS, ImportRecords, Intent
from waitlist_api.records.ledger import EntryChanged
from waitlist_api.records.recipients import Recipients
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_api.settings.identity import IdentityRules
from waitlist_shared import contracts as c
from waitlist_shared.ids import new_join_id
from waitlist_shared.ranks import TICKETS_PER_MILLISECOND, rank_of

WORKERS = 4
REPLACED = "replaced by an import"


class TicketAllocation(Struct, frozen=True):
    """The ticket for each entry, and the stamp at which they were allocated."""

    stamp: int
    tickets: dict[str, int]


class IntentWriter(Struct, frozen=True):
    """Writes a `joining` intent for every row, one transaction at a time.

    If the call is cut off, the rows not yet written are the last ones, so they get later tickets
    on retry. If another request wrote one of these entries first, the remaining rows get new
    tickets, so that they sort after it.
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
        """Write the intents of the rows that may join; set the outcome of the others.

        The rows have the records that `look_up` has read.
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
        """Write one transaction; return the allocation and how many rows are done."""
        some = rest[:MAX_INTENTS]
        for _ in range(MAX_CONFLICT_RETRIES):
            may_join = [one for one in some if self._is_new(one)]
            if not may_join:
                return allocation, len(some)
            if replaced := [one for one in may_join if one.is_replacing]:
                self._end_stays(waitlist, replaced, by)
                # The new stays come later than the end of the former ones.
                allocation = TicketAllocation(0, {})
                continue
            if any(one.entry_id not in allocation.tickets for one in may_join):
                allocation = self._allocate(waitlist, rest)
            intents = self.imports.first_of(
                [self._intent(one, by, allocation, waitlist) for one in may_join]
            )
            new = may_join[: len(intents)]
            self._list_unreached(intents)
            try:
                self.imports.begin(intents)
            except EntryChanged:
                self.look(waitlist, some)
                allocation = TicketAllocation(0, {})
                continue
            for one, intent in zip(new, intents, strict=True):
                one.record, one.is_new = intent.begun, True
            is_all = len(new) == len(may_join)
            return allocation, len(some) if is_all else some.index(may_join[len(new)])
        raise Throttled

    def look(self, waitlist: WaitlistRecord, rows: Sequence[ImportedRow]) -> None:
        """Read the record of each row's entry; raise Throttled if one has just moved here."""
        if self.look_up(waitlist, rows):
            raise Throttled

    def look_up(
        self, waitlist: WaitlistRecord, rows: Sequence[ImportedRow]
    ) -> dict[str, EntryRecord]:
        """Read the record of each row's entry; return the entries that have moved to such an id."""
        ids = [one.entry_id for one in rows]
        found = self.entries.resolve_many(waitlist.waitlist_id, ids)
        moved = {}
        for one in rows:
            known = found.get(one.entry_id)
            if isinstance(known, EntryRecord) and known.entry_id != one.entry_id:
                moved[one.entry_id] = known
            one.replace_record(known if isinstance(known, EntryRecord) else None)
            one.alias = known if isinstance(known, Alias) else None
        return moved

    def _is_new(self, one: ImportedRow) -> bool:
        """Return whether the row needs an intent; if not, set its outcome."""
        if one.state(self.now_millis()) == "under_way":
            self._finish(one)
        match one.state(self.now_millis()):
            case "under_way":
                raise Throttled
            case "present":
                one.keep("joined" if one.has_joined else "already")
            case "ended":
                one.keep("ended")
            case "banned":
                one.refuse(Banned())
            case "new":
                return True
        return False

    def _finish(self, one: ImportedRow) -> None:
        """Finish another request's signup or leave, and read the record again."""
        record = one.record
        if record is None:
            return
        if record.status == "leaving":
            self.leaves.finish(record)
        else:
            self.joins.try_to_finish(record)
        one.record = self.entries.get(*record.key)

    def _end_stays(self, waitlist: WaitlistRecord, rows: Sequence[ImportedRow], by: str) -> None:
        """End the stays that guests made, and read the records again.

        Raises Rebuilding before it ends one, if the rows could not be placed afterwards.
        """
        self.recovering_queue.read(c.AllocateTickets(waitlist_id=waitlist.waitlist_id))

        def end(one: ImportedRow) -> None:
            stay = one.recorded_ticket
            # Otherwise the stay has ended meanwhile, and the record has another state.
            with suppress(AlreadyAdmitted, EntryNotFound, Forbidden):
                self.leaves.leave(one.waitlist_id, one.entry_id, by, REPLACED, stay)

        if len(rows) == 1:
            end(rows[0])
        else:
            with ThreadPoolExecutor(max_workers=WORKERS) as pool:
                list(pool.map(end, rows))
        self.look(waitlist, rows)

    def _allocate(self, waitlist: WaitlistRecord, rows: Sequence[ImportedRow]) -> TicketAllocation:
        """Allocate a ticket for every row that may join, behind all events of its entry."""
        now_millis = self.now_millis()
        new = [one for one in rows if one.state(now_millis) == "new"]
        shared = Counter(one.joined_ticket for one in new if one.joined_ticket is not None)
        reserved: c.AllocateTicketsResult = self.recovering_queue.read(
            c.AllocateTickets(
                waitlist_id=waitlist.waitlist_id,
                known_stamp=max([one.known_stamp for one in new], default=0),
                count=len(new) - shared.total(),
                crowds=tuple(c.SharedMillisecond(*crowd) for crowd in shared.items()),
            )
        )
        tickets = {None: count(reserved.first, reserved.apart)} | {
            ticket: count(ticket + offset)
            for ticket, offset in zip(shared, reserved.offsets, strict=True)
        }
        return TicketAllocation(
            reserved.stamp, {one.entry_id: next(tickets[one.joined_ticket]) for one in new}
        )

    def _list_unreached(self, intents: Sequence[Intent]) -> None:
        """Let the stays be listed whose people get no messages: before the record says so."""
        for intent in intents:
            record = intent.record
            if record.messages or record.unreachable:
                self.recipients.list_stay(*record.key, record.requested_ticket or 0)

    def _intent(
        self,
        one: ImportedRow,
        by: str,
        allocation: TicketAllocation,
        waitlist: WaitlistRecord,
    ) -> Intent:
        ticket, earlier = allocation.tickets[one.entry_id], one.recorded_ticket
        if earlier is not None and ticket <= earlier < ticket + TICKETS_PER_MILLISECOND:
            # The ticket numbers the stay, and tokens of an earlier stay must not fit this one.
            ticket = earlier + 1
        now_millis, row = self.now_millis(), one.row
        rank = row.rank
        if rank is not None:
            # Redis' clock may be behind: signups from now on are to stand behind each row.
            rank = min(rank, rank_of(row.priority, allocation.stamp))
        record = EntryRecord(
            waitlist_id=one.waitlist_id,
            entry_id=one.entry_id,
            customer_id=row.customer_id,
            status="joining",
            join_id=new_join_id(),
            created_millis=now_millis,
            updated_millis=now_millis,
            profile=row.profile,
            attributes=row.attributes,
            signup_key=one.signup_key,
            requested_ticket=ticket,
            requested_priority=row.priority,
            requested_rank=rank,
            allocated_stamp=allocation.stamp,
            joining_by=by,
            confirmed_millis=_millis(row.confirmed_at),
            language=row.language,
            messages=row.messages,
            unreachable=row.unreachable,
        )
        record = not_ready(record, row, waitlist.settings.identity, now_millis)
        return Intent(record, former=one.record, alias=one.alias)


def not_ready(
    record: EntryRecord, row: ImportRow, rules: IdentityRules | None, now_millis: int
) -> EntryRecord:
    """Return the record with the reasons why the entry is passed over from its beginning."""
    fields: dict[str, Any] = {}
    if not row.ready:
        fields |= {"held_back": True, "held_back_reason": row.reason}
    rest_until = _millis(row.rest_until) or 0
    if rest_until > now_millis:
        fields |= {"rest_until_millis": rest_until, "rests": 1}
    if not row.verified and rules is not None and rules.verifies:
        until = now_millis + rules.verify_minutes * MINUTE_MILLIS
        fields |= {"verify_until_millis": until}
    return replace(record, attributes_version=READINESS_CHANGE, **fields) if fields else record


def _millis(moment: datetime | None) -> int | None:
    return None if moment is None else millis_of(moment)
