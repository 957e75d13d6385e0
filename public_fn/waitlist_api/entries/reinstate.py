"""Reinstate: a stay that has ended goes on as a new one, at its former rank.

The intent to join has rank and ticket, as that of an import has its ticket: so the request, its
retry and maintenance finish it at the same place (docs/decisions/0054-reinstated-stays.md).
"""

import hashlib
import hmac
from contextlib import suppress

from msgspec import Struct

from waitlist_api.clock import NowMillis
from waitlist_api.entries.join import Joins
from waitlist_api.entries.leave import Leaves
from waitlist_api.entries.position import EntryView, Positions
from waitlist_api.entries.signup_step import Create, FinishLeave, Refuse, Replay, Resume
from waitlist_api.errors import (
    AlreadyAdmitted,
    AlreadyOnList,
    Banned,
    EntryNotFound,
    Forbidden,
    NoFormerPlace,
    Throttled,
)
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.decisions import reason_to_leave
from waitlist_api.records.entries import EntryChanged, EntryRecords
from waitlist_api.records.entry import ENDED, EntryRecord
from waitlist_api.records.question import was_taken_since
from waitlist_api.records.recipients import Recipients
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone, IdempotencyKeyReused, WaitlistFull
from waitlist_shared.ids import new_join_id
from waitlist_shared.ranks import ticket_of_stay

# The reason of the leave that ends a parked stay.
REINSTATED = "reinstated"
ON_LIST = (
    "This customer is on the waitlist, so there is no place to give back. To move the entry, bump "
    "it; a parked one can be reinstated."
)
ADMITTED = "This customer was admitted: only a stay that ended without an admission comes back."


class ReinstateCommand(Struct, frozen=True, kw_only=True):
    """The entry whose place an operator gives back, and why."""

    waitlist_id: str
    entry_id: str
    by: str
    reason: str = ""
    idempotency_key: str = ""

    @property
    def key(self) -> str:
        """A digest, by which the record recognises a repeat; never equal to that of a signup."""
        if not self.idempotency_key:
            return ""
        text = f"reinstate\0{self.entry_id}\0{self.by}\0{self.idempotency_key}"
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def body(self) -> str:
        """A digest of the reason, keyed so that it cannot be guessed without the key."""
        if not self.idempotency_key:
            return ""
        return hmac.digest(self.idempotency_key.encode(), self.reason.encode(), "sha256").hex()


class EndPresent(Struct, frozen=True):
    """End the stay if the entry is parked or did not come, then decide again."""

    record: EntryRecord


Step = Refuse | Replay | FinishLeave | Resume | EndPresent | Create


def next_step(command: ReinstateCommand, record: EntryRecord) -> Step:
    """Decide what a reinstatement does, given the recorded entry."""
    if record.ban_stamp:
        return Refuse(Banned())
    is_repeat = record.signup_key != "" and record.signup_key == command.key
    if is_repeat and record.signup_body != command.body:
        return Refuse(IdempotencyKeyReused())
    match record.status:
        case "leaving":
            return FinishLeave(record)
        case "joining":
            return Resume(record)
        # A late copy does not bring a customer back who has left since.
        case _ if is_repeat:
            return Replay(record)
        case "admitted":
            return Refuse(AlreadyAdmitted(ADMITTED))
        case "left" if record.rank is None or record.ticket is None:
            return Refuse(NoFormerPlace())
        case "left":
            return Create(record)
    return EndPresent(record)


class Reinstatements(Struct, frozen=True):
    """Gives ended stays their places back. Each step may be repeated, also by maintenance."""

    waitlist_cache: WaitlistCache
    entries: EntryRecords
    recovering_queue: RecoveringQueue
    joins: Joins
    leaves: Leaves
    positions: Positions
    recipients: Recipients
    now_millis: NowMillis

    def reinstate(self, command: ReinstateCommand) -> EntryView:
        """Put the customer back where the last stay was, also of a closed waitlist."""
        waitlist = self.waitlist_cache.look_up(command.waitlist_id)
        for _ in range(2 * MAX_CONFLICT_RETRIES):
            record = self.entries.find(command.waitlist_id, command.entry_id)
            match next_step(command, record):
                case Refuse(error):
                    raise error
                case Replay():
                    return self._view_of(record)
                case FinishLeave():
                    self.leaves.finish(record)
                case Resume() if record.signup_key != command.key or not command.key:
                    self.joins.try_to_finish(record)
                case Resume():
                    with suppress(Gone):
                        return self.joins.finish(record).view
                case EndPresent():
                    self._end_present(command, record, waitlist)
                case Create():
                    with suppress(EntryChanged, Gone):
                        intent = self._intent(command, record, waitlist)
                        if intent.messages or intent.unreachable:
                            self.recipients.list_stay(*record.key, intent.requested_ticket or 0)
                        begun = self.entries.begin_rejoin(intent, record)
                        return self.joins.finish(begun).view
        raise Throttled

    def _view_of(self, record: EntryRecord) -> EntryView:
        if record.status in ENDED:
            return EntryView.recorded(record)
        return self.positions.read(*record.key, to_operator=True)

    def _intent(
        self, command: ReinstateCommand, former: EntryRecord, waitlist: WaitlistRecord
    ) -> EntryRecord:
        waitlist.segments.check(former.attributes)
        now_millis, number = self.now_millis(), former.reinstated + 1
        return EntryRecord(
            waitlist_id=former.waitlist_id,
            entry_id=former.entry_id,
            customer_id=former.customer_id,
            status="joining",
            join_id=new_join_id(),
            created_millis=now_millis,
            updated_millis=now_millis,
            profile=former.profile,
            attributes=former.attributes,
            signup_key=command.key,
            signup_body=command.body,
            by_guest=former.by_guest,
            verified=former.verified,
            language=former.language,
            messages=former.messages,
            unreachable=former.unreachable,
            requested_ticket=ticket_of_stay(former.ticket or 0, number),
            requested_priority=former.priority,
            requested_rank=former.rank,
            allocated_stamp=self._stamp(former),
            joining_by=command.by,
            joining_reason=command.reason,
            reinstated=number,
        )

    def _stamp(self, former: EntryRecord) -> int:
        """Return a stamp behind all events; raise Rebuilding while ranks are being restored."""
        drawn: c.AllocateTicketsResult = self.recovering_queue.read(
            c.AllocateTickets(waitlist_id=former.waitlist_id, known_stamp=former.known_stamp)
        )
        return drawn.stamp

    def _end_present(
        self, command: ReinstateCommand, record: EntryRecord, waitlist: WaitlistRecord
    ) -> None:
        """End a stay that is parked, or that a no-show or silence has ended, as Redis has it.

        Refuse any other. Maintenance records a parking after too many attempts, and such a leave, a
        minute or two later.
        """
        match self.positions.read(*record.key).status:
            case "parked":
                by, reason = command.by, REINSTATED
                self._check_room(record, waitlist)
            case "left":
                is_silent = record.unanswered and not was_taken_since(record)
                by, reason = reason_to_leave(is_silent=is_silent)
            case _ if self.entries.find(*record.key) == record:
                raise AlreadyOnList(ON_LIST)
            case _:
                # A request, perhaps a repeat of this one, was faster: its stay decides.
                return
        # Otherwise another request has ended, redriven or claimed it since it was read.
        with suppress(AlreadyAdmitted, EntryNotFound, Forbidden):
            self.leaves.leave(*record.key, by, reason, record.ticket, status=record.status)

    def _check_room(self, record: EntryRecord, waitlist: WaitlistRecord) -> None:
        """Raise WaitlistFull if the list has more people than its capacity, which was lowered."""
        waitlist.segments.check(record.attributes)
        if waitlist.settings.capacity is None:
            return
        counts: c.StatsResult = self.recovering_queue.read(c.Stats(waitlist_id=record.waitlist_id))
        if counts.waiting + counts.offered + counts.parked > waitlist.settings.capacity:
            raise WaitlistFull
