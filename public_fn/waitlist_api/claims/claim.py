"""Claim: hold the first entries of the queue or of a segment, and record an offer for each."""

import hashlib
import json
import secrets
from dataclasses import dataclass
from functools import partial
from typing import Literal

from msgspec import structs

from waitlist_api.claims.offers import Offer, OfferWriter, give_up_message
from waitlist_api.clock import NowMillis
from waitlist_api.queue.client import QueueClient, send_batch
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.decisions import expired_event
from waitlist_api.records.entry import HistoryEvent, Status
from waitlist_api.records.segments import Segment, Segments
from waitlist_api.records.transitions import Transition
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.records.waitlists import pass_seconds_of
from waitlist_api.segments.index import SegmentIndex
from waitlist_shared import contracts as c
from waitlist_shared.errors import WaitlistError
from waitlist_shared.limits import INTERNAL_ONCE_SECONDS, ONCE_SECONDS


@dataclass(frozen=True, kw_only=True)
class ClaimCommand:
    """How many entries to claim, and from where: without a `filter` from the whole queue.

    With `complete` the entries are admitted at once, so their claim tokens have no use.
    """

    waitlist_id: str
    count: int
    by: str
    lease_seconds: int | None = None
    filter: Segment | None = None
    order: Literal["oldest", "newest"] = "oldest"
    complete: bool = False
    idempotency_key: str = ""


@dataclass(frozen=True, slots=True)
class Claims:
    """Holds entries for the operator who claims them, each entry for one claim at a time."""

    queue: QueueClient
    recovering_queue: RecoveringQueue
    offers: OfferWriter
    waitlist_cache: WaitlistCache
    segment_index: SegmentIndex
    now_millis: NowMillis

    def claim(self, command: ClaimCommand) -> list[Offer]:
        """Hold up to `count` entries; return them in serving order.

        There are fewer if fewer wait, or if some of the first entries were just leaving.
        """
        held = self._hold(command)
        now_millis = self.now_millis()
        inside_until = self._inside_until(command, now_millis)
        transitions = [
            _transition(command, one, held.stamp, now_millis).with_changes(
                inside_until_millis=inside_until
            )
            for one in held.entries
        ]
        offers = self.offers.write_all(command.waitlist_id, held.entries, transitions)
        if command.complete:
            self._finish(command, offers)
        return offers

    def _inside_until(self, command: ClaimCommand, now_millis: int) -> int | None:
        seconds = pass_seconds_of(self.waitlist_cache.find(command.waitlist_id).settings)
        return now_millis + seconds * 1000 if command.complete and seconds else None

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
        self.waitlist_cache.checked(command.waitlist_id, within)
        return self.segment_index.send(command.waitlist_id, lambda all_: self._send(within(all_)))

    def _send(self, request: c.Claim) -> c.ClaimResult:
        held: c.ClaimResult = self.recovering_queue.read(request)
        return held

    def _finish(self, command: ClaimCommand, offers: list[Offer]) -> None:
        """End the holds in Redis of the entries that are recorded as admitted.

        If Redis has no such hold, because it expired or Redis was rebuilt, the entry may be back
        in the queue, and its place is removed.
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
            give_up_message(command.waitlist_id, offer.claim, offer.record)
            for offer, answer in zip(offers, answers, strict=True)
            if isinstance(answer, WaitlistError)
        ]
        if lost:
            send_batch(self.queue, lost)


def _within(request: c.Claim, segment: Segment, segments: Segments) -> c.Claim:
    """Return the claim limited to a segment; raise InvalidFields if it is not declared."""
    return structs.replace(
        request, segment=segments.named(segment, "body.filter"), segments_version=segments.version
    )


def _transition(command: ClaimCommand, claim: c.Claimed, stamp: int, now_millis: int) -> Transition:
    """Return the transition of an offer, and of the previous hold if that has just expired."""
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
            "is_offer": None,
            "parked_millis": None,
            "park_reason": None,
            "admitted_millis": now_millis if command.complete else None,
        },
        events=tuple(events),
        unless_token=claim.token,
    )


def _once_key(command: ClaimCommand) -> str:
    """Return the key by which Redis recognises a repeat of this claim."""
    # Without the client's key, only retries within this call are recognised.
    key = command.idempotency_key or secrets.token_hex(16)
    # Keys are per operator, so that another operator's repeat cannot return the claim tokens.
    return hashlib.sha256(f"{command.by}\0{key}".encode()).hexdigest()[:32]


def _once_body(command: ClaimCommand) -> str:
    """Return a digest of the request, because a repeat must have the same content."""
    asked = [command.count, command.lease_seconds, command.filter, command.order, command.complete]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:32]
