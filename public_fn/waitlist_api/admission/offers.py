"""Record the entries that a claim or an admission has taken from the queue."""

from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct, structs

from waitlist_api.clock import NowMillis, iso
from waitlist_api.entries.position import EntryView, Positions
from waitlist_api.parallel import run_all
from waitlist_api.queue.client import QueueClient
from waitlist_api.queue.messages import leave_of
from waitlist_api.records.decisions import invitation_detail, previous_end_events
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord, HistoryEvent, Status
from waitlist_api.records.ledger import EntryChanged
from waitlist_api.records.transitions import Alter, Transition, Transitions
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone

WORKERS = 16


class Offer(Struct, frozen=True):
    """An entry that was taken from the queue. `claim` is the reply from Redis for this entry."""

    claim: c.Claimed
    record: EntryRecord

    @property
    def view(self) -> EntryView:
        """The entry as shown to the caller.

        If the entry was admitted at once, it has no `offered_until`.
        """
        claim, status = self.claim, self.record.status
        view = EntryView.placed(claim.entry_id, status, claim.rank, claim.ticket)
        until = iso(claim.deadline_millis) if status == "offered" else None
        return structs.replace(view, offered_until=until)


class OfferWriter(Struct, frozen=True):
    """Records many claims or offers in parallel."""

    queue: QueueClient
    entries: EntryRecords
    transitions: Transitions
    positions: Positions
    now_millis: NowMillis

    def write_all(
        self,
        waitlist_id: str,
        claims: Sequence[c.Claimed],
        transitions: Sequence[Transition],
        state: c.PlaceState,
    ) -> list[Offer]:
        """Record each claim or offer. Return only the entries whose record could be updated."""
        found = self.entries.get_many(waitlist_id, [claim.entry_id for claim in claims])
        before = [found.get(claim.entry_id) for claim in claims]
        written = run_all(
            lambda each: self._write(*each, state),
            zip(claims, transitions, before, strict=True),
            workers=WORKERS,
        )
        return [
            Offer(_with_deadline(claim, record), record)
            for claim, record in zip(claims, written, strict=True)
            if record is not None
        ]

    def _write(
        self,
        claim: c.Claimed,
        transition: Transition,
        before: EntryRecord | None,
        state: c.PlaceState,
    ) -> EntryRecord | None:
        """Record a claim or an offer, and return the changed record.

        Return None if the entry is no longer available and must not be given to the caller.
        """
        try:
            return self.transitions.record(transition, self.now_millis(), before)
        except EntryChanged as changed:
            return self._write_changed(claim, transition, changed.record, state)

    def _write_changed(
        self,
        claim: c.Claimed,
        transition: Transition,
        record: EntryRecord | None,
        state: c.PlaceState,
    ) -> EntryRecord | None:
        if record is not None and record.hold.token == claim.token:
            # The record already contains the claim, because an earlier attempt at the same request
            # has recorded it.
            return record if record.status == transition.status else None
        if record is not None and record.status == "joining":
            return self._write_joining(claim, transition, record)
        if record is None or record.status not in PRESENT:
            self.queue.send(give_up_message(transition.waitlist_id, claim, record))
        elif transition.is_refuted_by(record):
            # The entry that Redis has taken from the queue is outdated, so restore the entry's
            # place from its record.
            with suppress(Gone):
                self.positions.restore_place(record, c.Seen(state=state, rank=claim.rank))
        return None

    def _write_joining(
        self, claim: c.Claimed, transition: Transition, record: EntryRecord
    ) -> EntryRecord | None:
        """Record a claim or an offer for an entry whose signup is not finished yet. Finish the
        signup first.
        """
        if not _is_of_joining_stay(claim, record):
            # The entry that Redis has taken belongs to an earlier signup, which has already ended.
            self.queue.send(give_up_message(transition.waitlist_id, claim, record))
            return None
        placed = c.SignupResult(
            outcome="already", rank=claim.rank, ticket=claim.ticket, stamp=claim.ticket
        )
        try:
            self.entries.finish_join(record, placed, self.now_millis())
        except EntryChanged as changed:
            # Another request has changed the record. If the record still belongs to this signup,
            # the other request has finished the signup, so continue.
            if changed.record is None or changed.record.join_id != record.join_id:
                return None
        try:
            return self.transitions.record(transition, self.now_millis())
        except EntryChanged:
            return None


def transition_of_take(
    waitlist_id: str,
    claim: c.Claimed,
    stamp: int,
    status: Status,
    by: str,
    alter: Alter,
    reason: str = "",
) -> Transition:
    """Return the change to the record of an entry that a claim or an admission has taken from the
    queue.
    """
    return Transition(
        waitlist_id=waitlist_id,
        entry_id=claim.entry_id,
        status=status,
        stamp=stamp,
        rank=claim.rank,
        attempts=claim.attempts,
        alter=lambda record: alter(
            structs.replace(record, hold=structs.replace(record.hold, token=claim.token))
        ),
        events=(
            *previous_end_events(claim),
            HistoryEvent(
                stamp=stamp,
                event=status,
                by=by,
                reason=reason,
                detail=invitation_detail(claim.token),
            ),
        ),
        unless_token=claim.token,
        ticket=claim.ticket,
        basis=claim.basis_stamp,
        placed=claim.placed_stamp,
        is_about_waiting=True,
    )


def give_up_message(
    waitlist_id: str, claim: c.Claimed, record: EntryRecord | None
) -> c.Drop | c.Leave:
    """Build the message that removes the claimed entry from Redis. If the customer has signed up
    again by then, the new signup's entry stays.
    """
    is_same_stay = record is not None and record.ticket == claim.ticket
    # If the customer is leaving, send a Leave message, which removes the entry and counts the
    # customer as having left. Otherwise, send a Drop message, which only removes the entry.
    is_left = record is not None and (is_same_stay or _is_of_joining_stay(claim, record))
    if record is not None and is_left and record.status == "leaving" and not record.intent.erase:
        return leave_of(record)
    return c.Drop(
        waitlist_id=waitlist_id,
        entry_id=claim.entry_id,
        join_id=_join_id_of(claim, record),
        ticket=claim.ticket,
        is_admitted=is_same_stay and record is not None and record.status == "admitted",
    )


def _join_id_of(claim: c.Claimed, record: EntryRecord | None) -> str:
    """Return the id of the signup that an entry in Redis belongs to.

    Return NO_STAY if the record does not contain this signup.
    """
    if record is None:
        return c.NO_STAY
    if _is_of_joining_stay(claim, record) or record.ticket == claim.ticket:
        return record.join_id
    if (former := record.former) is not None and former.ticket == claim.ticket:
        return former.join_id
    return c.NO_STAY


def _is_of_joining_stay(claim: c.Claimed, record: EntryRecord) -> bool:
    """Return whether the entry in Redis belongs to the signup that is in progress."""
    is_later = claim.ticket > record.stamp or claim.ticket == record.intent.ticket
    return record.ticket is None and is_later


def _with_deadline(claim: c.Claimed, record: EntryRecord) -> c.Claimed:
    """Return the claim with its deadline.

    If Redis returned no deadline, take it from the record.
    """
    if claim.deadline_millis:
        return claim
    return structs.replace(claim, deadline_millis=record.hold.until_millis or 0)
