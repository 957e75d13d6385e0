"""Claims: hold people at the head of the line or of a segment, and record the offer to each."""

import hashlib
import json
import secrets
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Literal

from msgspec import structs

from waitlist_api.clock import NowMillis
from waitlist_api.queue.client import QueueClient, send_batch
from waitlist_api.queue.messages import leave_of
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.decisions import expired_event
from waitlist_api.records.entries import EntryChanged, EntryRecords
from waitlist_api.records.entry import PRESENT, EntryRecord, HistoryEvent, Status
from waitlist_api.records.segments import Segment, Segments
from waitlist_api.records.transitions import Transition, Transitions
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.segments.index import SegmentIndex
from waitlist_api.segments.validate import checked
from waitlist_shared import contracts as c
from waitlist_shared.errors import WaitlistError
from waitlist_shared.limits import INTERNAL_ONCE_SECONDS, ONCE_SECONDS

WORKERS = 16
NO_STAY = "00000000"


@dataclass(frozen=True, kw_only=True)
class ClaimCommand:
    """Who is wanted; `filter` names a segment and None the whole line.

    `complete` admits them at once, and then no token is of use.
    """

    waitlist_id: str
    count: int
    by: str
    lease_seconds: int | None = None
    filter: Segment | None = None
    order: Literal["oldest", "newest"] = "oldest"
    complete: bool = False
    idempotency_key: str = ""


@dataclass(frozen=True)
class Offer:
    """One person held for whoever claimed."""

    claim: c.Claimed
    record: EntryRecord


@dataclass(frozen=True, slots=True)
class Claims:
    """Gives people out, each to one claimer."""

    queue: QueueClient
    recovering_queue: RecoveringQueue
    entries: EntryRecords
    transitions: Transitions
    now_millis: NowMillis
    waitlist_cache: WaitlistCache
    segment_index: SegmentIndex

    def claim(self, command: ClaimCommand) -> list[Offer]:
        """Hold up to `count` people in serving order.

        Fewer if fewer wait, or if some of those whom Redis had at the head were leaving.
        """
        offers = self._offer_all(command, self._hold(command))
        if command.complete:
            self._finish(command, offers)
        return offers

    def _hold(self, command: ClaimCommand) -> c.ClaimResult:
        request = c.Claim(
            waitlist_id=command.waitlist_id,
            count=command.count,
            lease_seconds=command.lease_seconds,
            order=command.order,
            once_key=_once_key(command),
            once_body=_once_body(command),
            once_seconds=ONCE_SECONDS if command.idempotency_key else INTERNAL_ONCE_SECONDS,
        )
        if command.filter is None:
            return self._send(request)
        within = partial(_within, request, command.filter)
        checked(self.waitlist_cache, command.waitlist_id, within)
        return self.segment_index.send(command.waitlist_id, lambda all_: self._send(within(all_)))

    def _send(self, request: c.Claim) -> c.ClaimResult:
        held: c.ClaimResult = self.recovering_queue.read(request)
        return held

    def _offer_all(self, command: ClaimCommand, result: c.ClaimResult) -> list[Offer]:
        now_millis = self.now_millis()
        transitions = [
            _transition(command, claim, result.stamp, now_millis) for claim in result.entries
        ]
        with ThreadPoolExecutor(max_workers=WORKERS) as pool:
            made = list(pool.map(partial(self._offer, command), result.entries, transitions))
        claims = [claim for claim, is_made in zip(result.entries, made, strict=True) if is_made]
        records = self.entries.get_many(command.waitlist_id, [claim.entry_id for claim in claims])
        return [
            Offer(_with_deadline(claim, records[claim.entry_id]), records[claim.entry_id])
            for claim in claims
            if claim.entry_id in records
        ]

    def _offer(self, command: ClaimCommand, claim: c.Claimed, transition: Transition) -> bool:
        """Record one offer; False for whom the record no longer has on the list."""
        try:
            self.transitions.record(transition, self.now_millis())
        except EntryChanged as changed:
            return self._offer_changed(command, claim, transition, changed.record)
        return True

    def _offer_changed(
        self,
        command: ClaimCommand,
        claim: c.Claimed,
        transition: Transition,
        record: EntryRecord | None,
    ) -> bool:
        if record is not None and record.claim_token == claim.token:
            # The repeat of a claim that was answered, or was to be.
            return record.status == transition.status
        if record is not None and record.status == "joining":
            return self._offer_joining(claim, transition, record)
        if record is None or record.status not in PRESENT:
            self._drop(command.waitlist_id, claim, record)
        # Otherwise somebody else has decided later about this person: not ours to give.
        return False

    def _offer_joining(self, claim: c.Claimed, transition: Transition, record: EntryRecord) -> bool:
        """Finish a signup that got its place and is not recorded yet, then offer."""
        if not _is_unrecorded(claim, record):
            # The place is that of the stay before, whose end has not reached Redis yet.
            self._drop(record.waitlist_id, claim, record)
            return False
        placed = c.SignupResult(
            outcome="already", rank=claim.rank, ticket=claim.ticket, stamp=claim.ticket
        )
        try:
            self.entries.finish_join(record, placed, self.now_millis())
        except EntryChanged as changed:
            if changed.record is None or changed.record.join_id != record.join_id:
                return False
            # Somebody else has recorded the place meanwhile.
        try:
            self.transitions.record(transition, self.now_millis())
        except EntryChanged:
            return False
        return True

    def _drop(self, waitlist_id: str, claim: c.Claimed, record: EntryRecord | None) -> None:
        self.queue.send(_drop_of(waitlist_id, claim, record))

    def _finish(self, command: ClaimCommand, offers: list[Offer]) -> None:
        """End the holds of those who are admitted already.

        Where Redis knows of no hold (its time was over, or Redis was rebuilt meanwhile), they
        may stand in line: there is no place for them any more.
        """
        requests: list[c.Single] = [
            c.Complete(
                waitlist_id=command.waitlist_id,
                entry_id=offer.claim.entry_id,
                token=offer.claim.token,
            )
            for offer in offers
        ]
        if not requests:
            return
        answers = send_batch(self.queue, requests)
        lost: list[c.Single] = [
            _drop_of(command.waitlist_id, offer.claim, offer.record)
            for offer, answer in zip(offers, answers, strict=True)
            if isinstance(answer, WaitlistError)
        ]
        if lost:
            send_batch(self.queue, lost)


def _within(request: c.Claim, segment: Segment, segments: Segments) -> c.Claim:
    """Return a claim of those alone who are in a segment; raise InvalidFields if it is none."""
    return structs.replace(
        request,
        segment=segments.named(segment, "body.filter"),
        segments_version=segments.version,
    )


def _drop_of(waitlist_id: str, claim: c.Claimed, record: EntryRecord | None) -> c.Drop | c.Leave:
    """Return the message that gives up the place that was claimed, and no later stay's."""
    is_theirs = record is not None and record.ticket == claim.ticket
    # The place may be of a signup that was cut off before its record: its leave counts once, here.
    is_left = record is not None and (is_theirs or _is_unrecorded(claim, record))
    if record is not None and is_left and record.status == "leaving" and not record.erase:
        return leave_of(record)
    return c.Drop(
        waitlist_id=waitlist_id,
        entry_id=claim.entry_id,
        join_id=_stay_of(claim, record),
        ticket=claim.ticket,
        is_admitted=is_theirs and record is not None and record.status == "admitted",
    )


def _stay_of(claim: c.Claimed, record: EntryRecord | None) -> str:
    """Return which stay had the place, as far as the record knows it."""
    if record is None:
        return NO_STAY
    if _is_unrecorded(claim, record) or record.ticket == claim.ticket:
        return record.join_id
    former = record.previous or {}
    return str(former["join_id"]) if former.get("ticket") == claim.ticket else NO_STAY


def _is_unrecorded(claim: c.Claimed, record: EntryRecord) -> bool:
    """Return whether a place is that of a stay which has none recorded, not of the one before."""
    # The ticket of an import is as old as the person's place elsewhere.
    is_later = claim.ticket > record.stamp or claim.ticket == record.wanted
    return record.ticket is None and is_later


def _transition(command: ClaimCommand, claim: c.Claimed, stamp: int, now_millis: int) -> Transition:
    """Return what to record of an offer, and of the hold before, if that has just expired."""
    status: Status = "admitted" if command.complete else "offered"
    events = [HistoryEvent(stamp=stamp, event=status, by=command.by)]
    if claim.expired_stamp:
        events.insert(0, expired_event(claim.expired_stamp))
    return Transition(
        waitlist_id=command.waitlist_id,
        entry_id=claim.entry_id,
        status=status,
        stamp=stamp,
        rank=claim.rank,
        attempts=claim.attempts,
        changes={
            "claim_token": claim.token,
            "claimed_until_millis": claim.deadline_millis,
            "hold_end": None,
            "parked_millis": None,
            "park_reason": None,
            "admitted_millis": now_millis if command.complete else None,
        },
        events=tuple(events),
        unless_token=claim.token,
    )


def _with_deadline(claim: c.Claimed, record: EntryRecord) -> c.Claimed:
    """Tell of whoever is admitted by now until when the hold would have lasted."""
    if claim.deadline_millis:
        return claim
    return structs.replace(claim, deadline_millis=record.claimed_until_millis or 0)


def _once_key(command: ClaimCommand) -> str:
    """Return the key by which Redis recognises a repeat of this claim."""
    # Without a key of the client's only the retries of this one call are recognised.
    key = command.idempotency_key or secrets.token_hex(16)
    # A key belongs to the operator who used it: another one must not get the claim tokens.
    return hashlib.sha256(f"{command.by}\0{key}".encode()).hexdigest()[:32]


def _once_body(command: ClaimCommand) -> str:
    """Return a digest of what a claim asks for: its repeat must ask for the same."""
    asked = [
        command.count,
        command.lease_seconds,
        command.filter,
        command.order,
        command.complete,
    ]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:32]
