"""Reinstate an entry: return it to the place in the queue that it had before it left.

See docs/decisions/0054-reinstated-stays.md.
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
)
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.call_numbers import numbering_of
from waitlist_api.records.conflicts import MAX_CONFLICT_RETRIES
from waitlist_api.records.decisions import reason_to_leave
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import ENDED, EntryRecord
from waitlist_api.records.facets import Contact, Intent, Joined, Verification
from waitlist_api.records.leaves import Leave
from waitlist_api.records.ledger import EntryChanged
from waitlist_api.records.question import was_taken_since
from waitlist_api.records.recipients import Recipients
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import WaitlistRecord
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone, IdempotencyKeyReused, Throttled, WaitlistFull
from waitlist_shared.ids import new_join_id
from waitlist_shared.ranks import ticket_of_reinstated_stay

# The reason that the history gives for removing a parked entry in order to reinstate it.
REINSTATED = "reinstated"
ON_LIST = (
    "This customer is on the waitlist, so there is no former place to restore. Bump the "
    "entry to move it."
)
ADMITTED = (
    "This customer was admitted. Only customers who left without being admitted can be reinstated."
)


class ReinstateCommand(Struct, frozen=True, kw_only=True):
    """An operator's request to reinstate an entry."""

    waitlist_id: str
    entry_id: str
    by: str
    reason: str = ""
    idempotency_key: str = ""

    @property
    def key(self) -> str:
        """The digest of the Idempotency-Key.

        It is stored in the record, so that a repeated request can be recognised.
        """
        if not self.idempotency_key:
            return ""
        text = f"reinstate\0{self.entry_id}\0{self.by}\0{self.idempotency_key}"
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def body(self) -> str:
        """A digest of the reason, for comparing a repeated request with the first one.

        It is keyed with the Idempotency-Key, so nobody can guess the reason without that key.
        """
        if not self.idempotency_key:
            return ""
        return hmac.digest(self.idempotency_key.encode(), self.reason.encode(), "sha256").hex()


class EndPresent(Struct, frozen=True):
    """End the current signup, and then decide the next step again.

    Refuse the request unless Redis has removed the entry or parked it (set it aside).
    """

    record: EntryRecord


Step = Refuse | Replay | FinishLeave | Resume | EndPresent | Create


def next_step(command: ReinstateCommand, record: EntryRecord) -> Step:
    """Decide the next step of a reinstatement from the record."""
    if record.ban.stamp:
        return Refuse(Banned())
    is_repeat = record.joined.key != "" and record.joined.key == command.key
    if is_repeat and record.joined.body != command.body:
        return Refuse(IdempotencyKeyReused())
    match record.status:
        case "leaving":
            return FinishLeave(record)
        case "joining":
            return Resume(record)
        # A repeated request changes nothing. Otherwise, a delayed copy of a request could bring
        # back a customer who has left again in the meantime.
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
    """Reinstates entries. Each step is idempotent, so maintenance can repeat it."""

    waitlist_cache: WaitlistCache
    entries: EntryRecords
    recovering_queue: RecoveringQueue
    joins: Joins
    leaves: Leaves
    positions: Positions
    recipients: Recipients
    now_millis: NowMillis

    def reinstate(self, command: ReinstateCommand) -> EntryView:
        """Return the entry to its former place in the queue, even if the waitlist is closed."""
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
                case Resume() if record.joined.key != command.key or not command.key:
                    self.joins.try_to_finish(record)
                case Resume():
                    with suppress(Gone):
                        return self.joins.finish(record).view
                case EndPresent():
                    self._end_present(command, record, waitlist)
                case Create():
                    with suppress(EntryChanged, Gone):
                        again = self._joining(command, record, waitlist)
                        if again.contact.messages or again.contact.unreachable:
                            self.recipients.list_stay(*record.key, again.intent.ticket or 0)
                        begun = self.entries.begin_rejoin(again, record)
                        return self.joins.finish(begun).view
        raise Throttled

    def _view_of(self, record: EntryRecord) -> EntryView:
        if record.status in ENDED:
            return EntryView.recorded(record)
        return self.positions.read(*record.key, to_operator=True)

    def _joining(
        self, command: ReinstateCommand, former: EntryRecord, waitlist: WaitlistRecord
    ) -> EntryRecord:
        waitlist.segments.check(former.attributes)
        now_millis, number = self.now_millis(), former.joined.reinstated + 1
        return EntryRecord(
            waitlist_id=former.waitlist_id,
            entry_id=former.entry_id,
            customer_id=former.customer_id,
            status="joining",
            join_id=new_join_id(),
            updated_millis=now_millis,
            profile=former.profile,
            attributes=former.attributes,
            joined=Joined(
                millis=now_millis,
                key=command.key,
                body=command.body,
                by_guest=former.joined.by_guest,
                reinstated=number,
                call_number=former.joined.call_number,
            ),
            verification=Verification(verified=former.verification.verified),
            contact=Contact(
                language=former.contact.language,
                messages=former.contact.messages,
                unreachable=former.contact.unreachable,
            ),
            intent=Intent(
                ticket=ticket_of_reinstated_stay(former.ticket or 0, number),
                priority=former.priority,
                rank=former.rank,
                stamp=self._stamp(former),
                joining_by=command.by,
                joining_reason=command.reason,
                numbering=numbering_of(waitlist.settings),
            ),
        )

    def _stamp(self, former: EntryRecord) -> int:
        """Return a timestamp that is later than all the entry's events.

        Raise Rebuilding if the queue is being rebuilt.
        """
        drawn: c.AllocateTicketsResult = self.recovering_queue.read(
            c.AllocateTickets(waitlist_id=former.waitlist_id, known_stamp=former.known_stamp)
        )
        return drawn.stamp

    def _end_present(
        self, command: ReinstateCommand, record: EntryRecord, waitlist: WaitlistRecord
    ) -> None:
        """End the current signup if Redis has removed the entry or parked it (set it aside).

        Raise AlreadyOnList if the entry has any other state in Redis.
        """
        match self.positions.read(*record.key).status:
            case "parked":
                by, reason = command.by, REINSTATED
                self._check_room(record, waitlist)
            case "left":
                is_silent = record.question.unanswered and not was_taken_since(record)
                by, reason = reason_to_leave(is_silent=is_silent)
            case _ if self.entries.find(*record.key) == record:
                raise AlreadyOnList(ON_LIST)
            case _:
                # Another request changed the record in the meantime, so decide again.
                return
        # These errors mean that another request has changed the entry since the record was read.
        with suppress(AlreadyAdmitted, EntryNotFound, Forbidden):
            leave = Leave(by=by, reason=reason, stay=record.ticket, status=record.status)
            self.leaves.leave(*record.key, leave)

    def _check_room(self, record: EntryRecord, waitlist: WaitlistRecord) -> None:
        """Raise WaitlistFull if the number of entries on the waitlist exceeds its capacity.

        Raise InvalidFields if the entry would belong to too many segments.
        """
        waitlist.segments.check(record.attributes)
        if waitlist.settings.capacity is None:
            return
        counts: c.StatsResult = self.recovering_queue.read(c.Stats(waitlist_id=record.waitlist_id))
        if counts.waiting + counts.offered + counts.parked > waitlist.settings.capacity:
            raise WaitlistFull
