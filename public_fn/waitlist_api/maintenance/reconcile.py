"""Writes decisions of Redis that no request recorded: expired holds, requests cut off."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
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
from waitlist_api.records.entries import EntryChanged, EntryRecords
from waitlist_api.records.entry import ENDED, NO_LONGER_NEAR, PRESENT, EntryRecord, HistoryEvent
from waitlist_api.records.transitions import QUESTION_FIELDS, Transition, Transitions
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone, WaitlistError
from waitlist_shared.limits import MAX_BATCH
from waitlist_shared.ranks import ticket_of_millis

# Pages of 500 in one run; the next run continues.
PAGES = 100


class Reconciler(Struct, frozen=True):
    """Ends expired holds, and records pending decisions."""

    queue: QueueClient
    entries: EntryRecords
    transitions: Transitions
    segmented_queue: SegmentedQueue
    leaves: Leaves
    now_millis: NowMillis

    def reconcile(
        self, waitlist_id: str, known_until: int = 0, is_time_up: IsTimeUp = never
    ) -> None:
        """End expired holds; record decisions that are pending for over a minute.

        Also decisions before `known_until`, the stamp of a run that is over a minute ago.
        """
        request = c.Expire(waitlist_id=waitlist_id, known_until=known_until)
        for _ in range(PAGES):
            expired: c.ExpireResult = self.queue.send(request)
            is_settled = bool(expired.places) and self._reconcile_page(waitlist_id, expired)
            if (expired.is_all and not is_settled) or is_time_up():
                return

    def _reconcile_page(self, waitlist_id: str, expired: c.ExpireResult) -> bool:
        """Record the decisions of a page; return whether any entry was reconciled."""
        ids = [place.entry_id for place in expired.places]
        records = self.entries.get_many(waitlist_id, ids)
        self._tag(waitlist_id, [one for one in records.values() if one.status in PRESENT])
        self._append(records, expired)
        begun = self._begin_now(records, expired)
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
                    # Settled in the next round, by the end that the record has then.
                    others += place.entry_id in begun and self._record(
                        record, replace(place, time_millis=begun[place.entry_id]), expired
                    )
                    continue
                if not self._record(record, place, expired):
                    continue
                if place.state == NO_SHOW:
                    # Another request may end the stay, or begin the next one, at this moment.
                    last = place.decisions[-1].verb if place.decisions else ""
                    by, reason = reason_to_leave(is_silent=last == "unanswered_left")
                    with suppress(Forbidden, EntryNotFound, AlreadyAdmitted):
                        self.leaves.leave(*record.key, by=by, reason=reason, stay=place.ticket)
            elif record is not None and record.status in ENDED:
                # The claim admitted it at once and was cut off: remove the place of its hold.
                ended.append(drop_of(record, counts=True, now_millis=self.now_millis()))
            if place.state != "absent" and (record is None or _is_former(record, place)):
                ended.append(drop_of_place(waitlist_id, place.entry_id, place.ticket))
            if record is not None and record.status == "leaving" and place.state == "done":
                # The leave will take this admission back, so Redis must keep it until then.
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
        # Redis must not forget yet that a place is to be given up if that has failed.
        failed = {
            drop.entry_id
            for drop, answer in zip(ended, self._send(ended), strict=True)
            if isinstance(answer, WaitlistError) and not isinstance(answer, Gone)
        }
        settled = [one for one in settled if one.entry_id not in failed]
        self._send(settled)
        return bool(settled or others)

    def _send(self, requests: Sequence[c.Single]) -> list[c.Result | WaitlistError]:
        """Return the answers; a page of decisions may need more messages than a batch has."""
        starts = range(0, len(requests), MAX_BATCH)
        batches = [send_batch(self.queue, requests[start : start + MAX_BATCH]) for start in starts]
        return [answer for answers in batches for answer in answers]

    def _begin_now(
        self, records: Mapping[str, EntryRecord], expired: c.ExpireResult
    ) -> dict[str, int]:
        """Let the time inside of admissions begin that the records lack; return the ends by entry.

        One whose time was over is not among them if there is no room: it is recorded later.
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

    def _restore(self, record: EntryRecord, place: c.Unsettled) -> bool:
        """Restore a recorded place; Redis has decided about one that it had before.

        Return whether Redis has taken it: the stay may end at this moment.
        """
        seen = c.Seen(state=cast("c.PlaceState", place.state), rank=place.rank)
        (answer,) = self.segmented_queue.send_batch([Restoring(record, seen)])
        return isinstance(answer, c.RestoreResult) and answer.outcome == "restored"

    def _append(self, records: Mapping[str, EntryRecord], expired: c.ExpireResult) -> None:
        """Write missing events of decisions that are older than the record."""
        decisions = [
            (record, decision)
            for place in expired.places
            if (record := records.get(place.entry_id)) is not None and not record.erase
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
            # An erased entry has no history.
            with suppress(EntryChanged):
                self.transitions.append(key, event, self.now_millis())

    def _tag(self, waitlist_id: str, records: Sequence[EntryRecord]) -> None:
        """Send recorded attributes and readiness again: an edit may have been cut off before.

        All entries are indexed anew where segments are declared that the cache does not know yet.
        """
        declared = self.segmented_queue.waitlist_cache.find(waitlist_id).segments.declared
        edited = [Tagging(one) for one in records if declared or one.readiness is not None]
        if edited:
            raise_first(self.segmented_queue.send_batch(edited))

    def _record(self, record: EntryRecord, place: c.Unsettled, expired: c.ExpireResult) -> bool:
        """Record pending decisions; return False if another request has just changed the record."""
        now_millis = self.now_millis()
        try:
            for transition in catch_up(record, place, expired, now_millis):
                self.transitions.record(transition, now_millis)
        except EntryChanged:
            return False
        return True


def is_refuted(record: EntryRecord, place: c.Unsettled) -> bool:
    """Return whether Redis has decided about a place that the record does not have any more.

    It is that of an earlier stay, or the record has a decision that Redis has lost.
    """
    if place.state == "absent":
        return False
    if place.ticket != record.ticket:
        return True
    news = [one for one in place.decisions if one.stamp > record.stamp]
    return bool(news) and transition_of(record.key, news[0], ()).is_refuted_by(record)


def catch_up(
    record: EntryRecord, place: c.Unsettled, expired: c.ExpireResult, now_millis: int
) -> Iterator[Transition]:
    """Yield the transitions that a record lacks, in the order of Redis' decisions."""
    news = [
        one for one in place.decisions if one.stamp > record.stamp and one.ticket == record.ticket
    ]
    if news:
        events = tuple(event for one in news for event in events_of(one))
        transition = transition_of(record.key, news[-1], events, entered_at=expired.stamp)
        delays = [one.at for one in news if one.verb == "released" and one.at]
        if delays:
            # Also if a move has followed the release.
            transition = transition.with_changes(delayed_until_millis=delays[-1], **NO_LONGER_NEAR)
        if any(one.verb in UNANSWERED_ENDS for one in news):
            transition = transition.with_changes(**dict.fromkeys(QUESTION_FIELDS))
        # All of them begin where the record is (see is_refuted).
        yield replace(transition, basis=None)
    elif _is_extended(record, place):
        stamp = place.stamp or place.seen_stamp
        extension = replace(_decision(place, "extended", stamp, place.time_millis), placed_stamp=0)
        yield transition_of(record.key, extension, (), entered_at=expired.stamp)
    if place.state == "done":
        # After a failover its own stamp may be older than the record's.
        admission = _decision(place, "admitted", expired.stamp, now_millis)
        event = HistoryEvent(stamp=place.seen_stamp, event="admitted", by=MAINTENANCE)
        transition = transition_of(record.key, admission, (event,))
        yield transition.with_changes(inside_until_millis=place.time_millis or None)


def _is_past(record: EntryRecord, decision: c.Decision) -> bool:
    """Return whether the record is newer than a decision, so that only its event may be missing.

    A record with the same stamp was written together with the decision's event. A decision about a
    stay after its end, by a Redis that had lost the end, has no event.
    """
    if record.ticket not in (None, decision.ticket):
        # The ticket of an import, or of a place that was given back, is older than the stay.
        return decision.stamp < max(record.ticket, ticket_of_millis(record.created_millis))
    is_under_way = record.status in ("joining", "leaving")
    if is_under_way and decision.ticket != record.former_ticket:
        return decision.stamp != record.stamp
    return decision.stamp < (record.former or record).decided_stamp


def _is_former(record: EntryRecord, place: c.Unsettled) -> bool:
    """Return whether Redis has an earlier stay's place of a customer whose stay has ended."""
    return record.status in ENDED and place.ticket != record.ticket


def _is_extended(record: EntryRecord, place: c.Unsettled) -> bool:
    """Return whether Redis holds an entry for longer than recorded.

    An unrecorded claim expires by itself.
    """
    is_same_hold = place.state == "held" and record.claim_token == place.token
    return (
        is_same_hold
        and record.status == "offered"
        and record.stamp < (place.stamp or place.seen_stamp)
    )


def _decision(place: c.Unsettled, verb: c.Verb, stamp: int, at: int) -> c.Decision:
    return c.Decision(
        verb=verb,
        token=place.token,
        stamp=stamp,
        rank=place.rank,
        ticket=place.ticket,
        attempts=place.attempts,
        at=at,
    )
