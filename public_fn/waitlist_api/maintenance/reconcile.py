"""Record what Redis has decided, such as the end of a claim, if no request has recorded it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.clock import IsTimeUp, NowMillis, never
from waitlist_api.entries.leave import Leaves
from waitlist_api.errors import AlreadyAdmitted, EntryNotFound, Forbidden
from waitlist_api.queue.client import QueueClient, raise_first, send_batch
from waitlist_api.queue.messages import Restoring, Tagging, drop_of, drop_of_place, renew_of
from waitlist_api.queue.renewals import send_renewals
from waitlist_api.queue.segmented import SegmentedQueue
from waitlist_api.records.decisions import (
    MAINTENANCE,
    NO_SHOW,
    UNANSWERED_ENDS,
    events_of,
    reason_to_leave,
    transition_of,
)
from waitlist_api.records.delay import with_delay
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import ENDED, PRESENT, EntryRecord, HistoryEvent
from waitlist_api.records.leaves import Leave
from waitlist_api.records.ledger import EntryChanged
from waitlist_api.records.transitions import Transition, Transitions
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone, WaitlistError
from waitlist_shared.limits import MAX_BATCH
from waitlist_shared.ranks import ticket_of_millis

# The maximum number of pages, with 500 entries each, that one run processes.
PAGES = 100


class Reconciler(Struct, frozen=True):
    """Ends expired claims and offers, and records what Redis has decided if no request has
    recorded it.
    """

    queue: QueueClient
    entries: EntryRecords
    transitions: Transitions
    segmented_queue: SegmentedQueue
    leaves: Leaves
    now_millis: NowMillis

    def reconcile(
        self, waitlist_id: str, known_until: int = 0, is_time_up: IsTimeUp = never
    ) -> None:
        """End expired claims and offers, and record what Redis has decided.

        A decision is recorded only if it is more than a minute old, or was made before the logical
        timestamp `known_until`.
        """
        request = c.Expire(waitlist_id=waitlist_id, known_until=known_until)
        for _ in range(PAGES):
            expired: c.ExpireResult = self.queue.send(request)
            is_settled = bool(expired.places) and self._reconcile_page(waitlist_id, expired)
            if (expired.is_all and not is_settled) or is_time_up():
                return

    def _reconcile_page(self, waitlist_id: str, expired: c.ExpireResult) -> bool:
        """Record what Redis has decided about the entries on a page.

        Return False if nothing could be done for any entry on the page.
        """
        ids = [place.entry_id for place in expired.places]
        records = self.entries.get_many(waitlist_id, ids)
        self._resend_edits(
            waitlist_id, [record for record in records.values() if record.status in PRESENT]
        )
        self._append_missing_events(records, expired)
        begun = self._start_time_inside(records, expired)
        ended: list[c.Drop] = []
        settled: list[c.Settle] = []
        others = 0
        for place in expired.places:
            record = records.get(place.entry_id)
            if record is not None and record.status in PRESENT:
                if is_refuted(record, place):
                    others += self._restore(record, place)
                    continue
                if place.state == "done":
                    # Record the admission and the end of the pass. Redis keeps its data about the
                    # admission until a later run has seen that the record contains both.
                    others += place.entry_id in begun and self._record(
                        record, replace(place, time_millis=begun[place.entry_id]), expired
                    )
                    continue
                if not self._record(record, place, expired):
                    continue
                if place.state == NO_SHOW:
                    # Each of these errors means that a different request is removing the entry, or
                    # that the customer is joining again. Either way, nothing is left to do.
                    last = place.decisions[-1].verb if place.decisions else ""
                    by, reason = reason_to_leave(is_silent=last == "unanswered_left")
                    with suppress(Forbidden, EntryNotFound, AlreadyAdmitted):
                        leave = Leave(by=by, reason=reason, stay=place.ticket)
                        self.leaves.leave(*record.key, leave)
            elif record is not None and record.status in ENDED:
                # The record says that the customer has left or was admitted, but Redis still has
                # the entry, so remove the entry from Redis. This can happen if a request to claim
                # and complete the entry is interrupted.
                ended.append(drop_of(record, counts=True, now_millis=self.now_millis()))
            if place.state != "absent" and (record is None or _is_former(record, place)):
                ended.append(drop_of_place(waitlist_id, place.entry_id, place.ticket))
            if record is not None and record.status == "leaving" and place.state == "done":
                # The record says that the customer is leaving, so this admission does not count.
                # Redis keeps the admission until the customer has left.
                continue
            settled.append(
                c.Settle(
                    waitlist_id=waitlist_id,
                    entry_id=place.entry_id,
                    seen_stamp=place.seen_stamp,
                    join_id=None
                    if record is None or place.ticket == record.former_ticket
                    else record.join_id,
                    ticket=record.ticket if record is not None else None,
                )
            )
        # If an entry could not be removed, do not tell Redis that its decisions have been recorded.
        # Redis then keeps these decisions, and the next run tries again.
        failed = {
            drop.entry_id
            for drop, answer in zip(ended, self._send_in_batches(ended), strict=True)
            if isinstance(answer, WaitlistError) and not isinstance(answer, Gone)
        }
        settled = [settle for settle in settled if settle.entry_id not in failed]
        self._send_in_batches(settled)
        return bool(settled or others)

    def _send_in_batches(self, requests: Sequence[c.Single]) -> list[c.Result | WaitlistError]:
        """Send requests in batches, because one page of entries may need more requests than a
        batch can contain.
        """
        starts = range(0, len(requests), MAX_BATCH)
        batches = [send_batch(self.queue, requests[start : start + MAX_BATCH]) for start in starts]
        return [answer for answers in batches for answer in answers]

    def _start_time_inside(
        self, records: Mapping[str, EntryRecord], expired: c.ExpireResult
    ) -> dict[str, int]:
        """Restart the passes of customers whom Redis has admitted but whose admission is not
        recorded yet.

        Return when each pass ends, by entry id.
        """
        late = [
            renew_of(record, place.ticket)
            for place in expired.places
            if place.state == "done"
            and (record := records.get(place.entry_id)) is not None
            and record.status in PRESENT
            and not is_refuted(record, place)
        ]
        return send_renewals(self.queue, late)

    def _restore(self, record: EntryRecord, place: c.DirtyPlace) -> bool:
        """Restore an entry in Redis from its record after Redis has changed it on the basis of
        outdated data.

        Return whether the entry was restored.
        """
        seen = c.Seen(state=cast("c.PlaceState", place.state), rank=place.rank)
        (answer,) = self.segmented_queue.send_batch([Restoring(record, seen)])
        return isinstance(answer, c.RestoreResult) and answer.outcome == "restored"

    def _append_missing_events(
        self, records: Mapping[str, EntryRecord], expired: c.ExpireResult
    ) -> None:
        """Add the events that are missing from each entry's history.

        An event can be missing if Redis ended a claim or an offer, and another request changed the
        record before this end was recorded.
        """
        decisions = [
            (record, decision)
            for place in expired.places
            if (record := records.get(place.entry_id)) is not None and not record.intent.erase
            for decision in place.decisions
            if _is_past(record, decision)
        ]
        for record, decision in decisions:
            self.transitions.note_delay(record, decision, self.now_millis())
            if decision.verb in UNANSWERED_ENDS:
                self.transitions.end_question(record, decision.ticket, self.now_millis())
        past = [
            (record.key, event) for record, decision in decisions for event in events_of(decision)
        ]
        for key, event in self.transitions.missing(past) if past else ():
            # The history of an erased entry must stay empty.
            with suppress(EntryChanged):
                self.transitions.append(key, event, self.now_millis())

    def _resend_edits(self, waitlist_id: str, records: Sequence[EntryRecord]) -> None:
        """Resend to Redis each entry's attributes and the reasons why the entry is not ready.

        An operator's edit may have been interrupted before it reached Redis.
        """
        declared = self.segmented_queue.waitlist_cache.find(waitlist_id).segments.declared
        edited = [Tagging(record) for record in records if declared or record.readiness is not None]
        if edited:
            raise_first(self.segmented_queue.send_batch(edited))

    def _record(self, record: EntryRecord, place: c.DirtyPlace, expired: c.ExpireResult) -> bool:
        """Record what Redis has decided about an entry.

        Return False if another request has just changed the record.
        """
        now_millis = self.now_millis()
        try:
            for transition in catch_up(record, place, expired, now_millis):
                record = self.transitions.record(transition, now_millis)
        except EntryChanged:
            return False
        for decision in place.decisions:
            self.transitions.invitees.note_late(record, decision)
        return True


def is_refuted(record: EntryRecord, place: c.DirtyPlace) -> bool:
    """Return whether Redis based its change to the entry on outdated data."""
    if place.state == "absent":
        return False
    if place.ticket != record.ticket or _has_ended(record, place):
        return True
    news = [decision for decision in place.decisions if decision.stamp > record.stamp]
    return bool(news) and transition_of(record.key, news[0], ()).is_refuted_by(record)


def catch_up(
    record: EntryRecord, place: c.DirtyPlace, expired: c.ExpireResult, now_millis: int
) -> Iterator[Transition]:
    """For this entry, yield Redis' decisions that are missing from the record, in chronological
    order.
    """
    news = [
        decision
        for decision in place.decisions
        if decision.stamp > record.stamp and decision.ticket == record.ticket
    ]
    if news and news[-1].verb == "offered" and place.state == "offered":
        # Redis shortens an offer if admissions end before the offer would have ended. Record the
        # offer's new deadline.
        news[-1] = replace(news[-1], at=place.time_millis)
    if news:
        events = tuple(event for decision in news for event in events_of(decision))
        transition = transition_of(record.key, news[-1], events, entered_at=expired.stamp)
        for decision in news[:-1]:
            # Even if a later decision has moved the entry, the delays and the declines from earlier
            # decisions must be recorded.
            transition = transition.then(partial(with_delay, decision))
        tokens = [decision.token for decision in news if decision.token]
        if tokens and not news[-1].token:
            # Keep the token of the last offer, because it contains the id of the offer's
            # invitation.
            transition = transition.then(partial(_with_token, tokens[-1]))
        if any(decision.verb in UNANSWERED_ENDS for decision in news):
            transition = transition.then(
                lambda record: replace(record, question=record.question.closed())
            )
        # `is_refuted` has already compared the record with what Redis decided, so the transition
        # need not compare them again.
        yield replace(transition, basis=None)
    elif _is_extended(record, place):
        extended = _decision(place, "extended", _newest_stamp(place), place.time_millis)
        extension = replace(extended, placed_stamp=0)
        yield transition_of(record.key, extension, (), entered_at=expired.stamp)
    if place.state == "done":
        # After a failover, an admission's timestamp can be older than the timestamp in the record.
        # Record the admission with Redis' newest timestamp instead.
        admission = _decision(place, "admitted", expired.stamp, now_millis)
        event = HistoryEvent(stamp=place.seen_stamp, event="admitted", by=MAINTENANCE)
        transition = transition_of(record.key, admission, (event,))
        yield transition.then(
            lambda record: replace(
                record, end=replace(record.end, inside_until_millis=place.time_millis or None)
            )
        )


def _with_token(token: str, record: EntryRecord) -> EntryRecord:
    return replace(record, hold=replace(record.hold, token=token))


def _is_past(record: EntryRecord, decision: c.Decision) -> bool:
    """Return whether Redis made this decision before the newest change in the record."""
    if record.ticket not in (None, decision.ticket):
        # The decision and the record belong to two different signups by the same customer. If Redis
        # made the decision before the recorded signup, the decision is in the past. Compare it with
        # both the ticket and the time of that signup, because the ticket of an imported or
        # reinstated entry can be older than the signup.
        return decision.stamp < max(record.ticket, ticket_of_millis(record.joined.millis))
    is_under_way = record.status in ("joining", "leaving")
    if is_under_way and decision.ticket != record.former_ticket:
        return decision.stamp != record.stamp
    return decision.stamp < (record.former or record).decided_stamp


def _is_former(record: EntryRecord, place: c.DirtyPlace) -> bool:
    """Return whether the recorded signup has ended and Redis has an entry from another signup."""
    return record.status in ENDED and place.ticket != record.ticket


def _newest_stamp(place: c.DirtyPlace) -> int:
    """Return when Redis last changed the entry's claim or offer, as a logical timestamp."""
    return place.stamp or place.seen_stamp


def _has_ended(record: EntryRecord, place: c.DirtyPlace) -> bool:
    """Return whether Redis still has a claim or an offer that the record says has ended.

    If so, Redis has lost the write that ended the claim or the offer. Timestamps do not always show
    this loss, because Redis has the newer timestamp if the deadline was changed later.
    """
    if place.state == "offered" and record.hold.token != place.token:
        if record.stamp > _newest_stamp(place):
            # The record has changed since Redis sent its list of entries, so the offer may have
            # ended in Redis too.
            return False
        # Redis lists each offer among its decisions until the offer is recorded. If this offer is
        # not listed, it was recorded, and a later change to the record has ended it.
        news = [decision for decision in place.decisions if decision.stamp > record.stamp]
        return all(decision.token != place.token for decision in news)
    is_held = place.state in ("held", "offered") and record.status in ("waiting", "parked")
    return is_held and bool(place.token) and record.hold.token == place.token


def _is_extended(record: EntryRecord, place: c.DirtyPlace) -> bool:
    """Return whether the deadline of a claim or an offer in Redis differs from the recorded one.

    This happens if an operator has extended the claim, or if admissions end before the offer would
    have ended.
    """
    is_same_hold = place.state in ("held", "offered") and record.hold.token == place.token
    return is_same_hold and record.status == "offered" and record.stamp < _newest_stamp(place)


def _decision(place: c.DirtyPlace, verb: c.Verb, stamp: int, at: int) -> c.Decision:
    return c.Decision(
        verb=verb,
        token=place.token,
        stamp=stamp,
        rank=place.rank,
        ticket=place.ticket,
        attempts=place.attempts,
        at=at,
    )
