"""Brings records in line with what Redis decided where nobody did: expired holds, cut-off calls."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from waitlist_api.clock import NowMillis
from waitlist_api.queue.client import QueueClient, send_batch
from waitlist_api.queue.messages import drop_of, tag_of
from waitlist_api.records.decisions import MAINTENANCE, event_of, transition_of
from waitlist_api.records.entries import EntryChanged, EntryRecords
from waitlist_api.records.entry import ENDED, PRESENT, EntryRecord, HistoryEvent
from waitlist_api.records.segments import Segments
from waitlist_api.records.transitions import Transition, Transitions
from waitlist_api.segments.index import SegmentIndex
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone, WaitlistError

# Pages of 500 in one run; the next goes on.
PAGES = 100


class Reconciler:
    """Ends expired holds and records where people stand."""

    def __init__(
        self,
        queue: QueueClient,
        entries: EntryRecords,
        transitions: Transitions,
        segment_index: SegmentIndex,
        now_millis: NowMillis,
    ) -> None:
        self._queue = queue
        self._entries = entries
        self._transitions = transitions
        self._segment_index = segment_index
        self._now_millis = now_millis

    def reconcile(self, waitlist_id: str, known_until: int = 0) -> None:
        """End what has expired; record what changed over a minute ago and nobody recorded.

        Or before `known_until`, the stamp of a run that is over a minute ago.
        """
        request = c.Expire(waitlist_id=waitlist_id, known_until=known_until)
        for _ in range(PAGES):
            expired: c.ExpireResult = self._queue.send(request)
            is_settled = bool(expired.places) and self._reconcile_page(waitlist_id, expired)
            if expired.is_all and not is_settled:
                return

    def _reconcile_page(self, waitlist_id: str, expired: c.ExpireResult) -> bool:
        """Record what the records of a page lack; return whether any entry of it is settled."""
        ids = [place.entry_id for place in expired.places]
        records = self._entries.get_many(waitlist_id, ids)
        self._tag(waitlist_id, [one for one in records.values() if one.status in PRESENT])
        self._append(records, expired)
        settled: list[c.Single] = []
        for place in expired.places:
            record = records.get(place.entry_id)
            if record is not None and record.status in PRESENT:
                if not self._record(record, place, expired):
                    continue
            elif record is not None and record.status in ENDED:
                # Admitted at once, and the hold was not ended: its place must not stay behind.
                settled.append(drop_of(record, counts=True))
            if record is not None and record.status == "leaving" and place.state == "done":
                # That admission is none: leaving takes it back, and has to find it.
                continue
            settled.append(
                c.Settle(
                    waitlist_id=waitlist_id,
                    entry_id=place.entry_id,
                    seen_stamp=place.seen_stamp,
                    join_id=record.join_id if record is not None else None,
                )
            )
        send_batch(self._queue, settled)
        return bool(settled)

    def _append(self, records: Mapping[str, EntryRecord], expired: c.ExpireResult) -> None:
        """Write the events that are missing of decisions which the records have gone past."""
        past = [
            (record.key, event_of(decision))
            for place in expired.places
            if (record := records.get(place.entry_id)) is not None and not record.erase
            for decision in place.decisions
            if _is_past(record, decision)
        ]
        for key, event in self._transitions.missing(past) if past else ():
            # An erased entry takes no events.
            with suppress(EntryChanged):
                self._transitions.append(key, event, self._now_millis())

    def _tag(self, waitlist_id: str, records: Sequence[EntryRecord]) -> None:
        """Tell Redis the recorded attributes again: who changed them may have been cut off."""

        def tag(segments: Segments) -> None:
            if not segments.declared:
                return
            for answer in send_batch(self._queue, [tag_of(one, segments) for one in records]):
                if isinstance(answer, WaitlistError) and not isinstance(answer, Gone):
                    raise answer

        if records:
            self._segment_index.send(waitlist_id, tag)

    def _record(self, record: EntryRecord, place: c.Unsettled, expired: c.ExpireResult) -> bool:
        """Record what a record lacks; return False if another request has just changed it."""
        now_millis = self._now_millis()
        try:
            for transition in catch_up(record, place, expired, now_millis):
                self._transitions.record(transition, now_millis)
        except EntryChanged:
            return False
        return True


def catch_up(
    record: EntryRecord, place: c.Unsettled, expired: c.ExpireResult, now_millis: int
) -> Iterator[Transition]:
    """Yield what a record lacks of what Redis decided, in the order of the decisions."""
    news = [one for one in place.decisions if one.stamp > record.stamp]
    if news:
        events = tuple(map(event_of, news))
        yield transition_of(record.key, news[-1], events, entered_at=expired.stamp)
    elif _is_extended(record, place):
        yield _extension(record, place, expired.stamp)
    if place.state == "done":
        yield _admission(record, place, expired.stamp, now_millis)


def _is_past(record: EntryRecord, decision: c.Decision) -> bool:
    """Return whether the record went past a decision, which another request may have recorded.

    A record of just this stamp was written together with the decision's event.
    """
    if record.status in PRESENT and decision.stamp > record.stamp:
        return False
    return decision.stamp != record.stamp


def _is_extended(record: EntryRecord, place: c.Unsettled) -> bool:
    """Return whether Redis holds an entry for longer than recorded.

    A claim that is not recorded ends by itself.
    """
    is_same_hold = place.state == "held" and record.claim_token == place.token
    return is_same_hold and record.status == "offered" and record.stamp < place.seen_stamp


def _extension(record: EntryRecord, place: c.Unsettled, entered_at: int) -> Transition:
    return Transition(
        waitlist_id=record.waitlist_id,
        entry_id=record.entry_id,
        status="offered",
        stamp=place.seen_stamp,
        rank=place.rank,
        attempts=place.attempts,
        changes={"claimed_until_millis": place.time_millis},
        entered_at=entered_at,
    )


def _admission(record: EntryRecord, place: c.Unsettled, stamp: int, now_millis: int) -> Transition:
    """Return the admission; its own stamp may be earlier than the record's, after a failover."""
    return Transition(
        waitlist_id=record.waitlist_id,
        entry_id=record.entry_id,
        status="admitted",
        stamp=stamp,
        rank=place.rank,
        attempts=place.attempts,
        changes={"admitted_millis": now_millis, "claim_token": place.token},
        events=(HistoryEvent(stamp=place.seen_stamp, event="admitted", by=MAINTENANCE),),
    )
