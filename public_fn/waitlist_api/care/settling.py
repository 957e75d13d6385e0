"""Brings records in line with what Redis decided where nobody did: expired holds, cut-off calls."""

from collections.abc import Sequence

from waitlist_api.clock import NowMillis
from waitlist_api.leaving import drop_of
from waitlist_api.queue_client import QueueClient, send_batch
from waitlist_api.records.entries import EntryChanged, EntryRecords
from waitlist_api.records.entry import ENDED, PRESENT, EntryRecord, HistoryEvent, Status
from waitlist_api.records.transitions import OUT_OF_ATTEMPTS, Transition, Transitions
from waitlist_api.segments.declared import Segments
from waitlist_api.segments.tagging import Tagger, tag_of
from waitlist_shared import contracts as c
from waitlist_shared.errors import Gone, WaitlistError
from waitlist_shared.ranks import ticket_of_millis

BY = "maintenance"
# Pages of 500 in one run; the next goes on.
PAGES = 100
STATUS_OF_PLACE: dict[str, Status] = {
    "held": "offered",
    "waiting": "waiting",
    "parked": "parked",
    "done": "admitted",
}
# How somebody ends a hold without admitting.
HOLD_ENDS = ("released", "parked", "redriven")
# What brings somebody into line who is recorded elsewhere; who is recorded there has moved in it.
BACK_IN_LINE = {"parked": "redriven", "offered": "released"}


class Settling:
    """Ends expired holds and records where people stand."""

    def __init__(
        self,
        queue: QueueClient,
        entries: EntryRecords,
        transitions: Transitions,
        tagger: Tagger,
        now_millis: NowMillis,
    ) -> None:
        self._queue = queue
        self._entries = entries
        self._transitions = transitions
        self._tagger = tagger
        self._now_millis = now_millis

    def settle(self, waitlist_id: str, known_until: int = 0) -> None:
        """End what has expired; record what changed over a minute ago and nobody recorded.

        Or before `known_until`, the stamp of a run that is over a minute ago.
        """
        request = c.Expire(waitlist_id=waitlist_id, known_until=known_until)
        for _ in range(PAGES):
            expired: c.ExpireResult = self._queue.send(request)
            if expired.places:
                self._settle_page(waitlist_id, expired)
            if expired.is_all and not expired.places:
                return

    def _settle_page(self, waitlist_id: str, expired: c.ExpireResult) -> None:
        ids = [place.entry_id for place in expired.places]
        records = self._entries.get_many(waitlist_id, ids)
        self._tag(waitlist_id, [one for one in records.values() if one.status in PRESENT])
        settled: list[c.Single] = []
        for place in expired.places:
            record = records.get(place.entry_id)
            if record is not None and record.status in PRESENT:
                self._record(record, place, expired)
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

    def _tag(self, waitlist_id: str, records: Sequence[EntryRecord]) -> None:
        """Tell Redis the recorded attributes again: who changed them may have been cut off."""

        def tag(segments: Segments) -> None:
            if not segments.declared:
                return
            for answer in send_batch(self._queue, [tag_of(one, segments) for one in records]):
                if isinstance(answer, WaitlistError) and not isinstance(answer, Gone):
                    raise answer

        if records:
            self._tagger.send(waitlist_id, tag)

    def _record(self, record: EntryRecord, place: c.Unsettled, expired: c.ExpireResult) -> None:
        now_millis = self._now_millis()
        transition = catch_up(record, place, expired, now_millis)
        if transition is None:
            return
        try:
            self._transitions.record(transition, now_millis)
        except EntryChanged:
            # Somebody has recorded a later change meanwhile: nothing is left to catch up with.
            return


def catch_up(
    record: EntryRecord, place: c.Unsettled, expired: c.ExpireResult, now_millis: int
) -> Transition | None:
    """Decide what a record lacks of what Redis did; None if it lacks nothing."""
    status = STATUS_OF_PLACE.get(place.state)
    if status is None or not _is_behind(record, status, place):
        return None
    if status == "offered":
        return _extension(record, place, expired.stamp)
    event = _event(record, status, place, expired)
    return Transition(
        waitlist_id=record.waitlist_id,
        entry_id=record.entry_id,
        status=status,
        stamp=expired.stamp,
        rank=place.rank,
        attempts=place.attempts,
        changes={
            "claimed_until_millis": None,
            "hold_end": event.event if event.event in HOLD_ENDS and not event.reason else None,
            "parked_millis": place.time_millis if status == "parked" else None,
            "park_reason": event.reason or None,
            "admitted_millis": now_millis if status == "admitted" else None,
        },
        events=(event,),
        counts="admitted" if status == "admitted" else "",
        counted_at=place.seen_stamp,
    )


def _extension(record: EntryRecord, place: c.Unsettled, stamp: int) -> Transition:
    return Transition(
        waitlist_id=record.waitlist_id,
        entry_id=record.entry_id,
        status="offered",
        stamp=stamp,
        rank=place.rank,
        attempts=place.attempts,
        changes={"claimed_until_millis": place.time_millis},
    )


def _is_behind(record: EntryRecord, status: Status, place: c.Unsettled) -> bool:
    if status == "offered":
        # A claim that nobody has recorded ends by itself.
        return record.claim_token == place.token and record.stamp < place.seen_stamp
    if record.status == status and record.rank == place.rank:
        return record.attempts != place.attempts
    # Of something later than that, it is Redis that does not know: the watch finds it. Nothing
    # of a stay comes later than its admission.
    return status == "admitted" or record.stamp < place.seen_stamp


def expired_event(record: EntryRecord, latest: int) -> HistoryEvent:
    """Tell of the end of the recorded hold, the same whoever tells it; `latest` if none is.

    No two events of a person have one stamp: whoever tells of another has to ask for less.
    """
    stamp = latest
    if record.claimed_until_millis is not None:
        stamp = min(latest, max(record.stamp + 1, ticket_of_millis(record.claimed_until_millis)))
    return HistoryEvent(stamp=stamp, event="expired", by=BY)


def _event(
    record: EntryRecord, status: Status, place: c.Unsettled, expired: c.ExpireResult
) -> HistoryEvent:
    """Name what must have happened to lead from the record to the place."""
    if status == "waiting" and place.attempts > record.attempts:
        return expired_event(record, expired.stamp)
    is_worn_out = status == "parked" and place.attempts >= expired.max_attempts
    event: str = status
    if status == "waiting":
        event = BACK_IN_LINE.get(record.status, "bumped")
    return HistoryEvent(
        stamp=expired.stamp, event=event, by=BY, reason=OUT_OF_ATTEMPTS if is_worn_out else ""
    )
