"""The errors of the domain. Only the public function maps them to HTTP status codes."""

from typing import ClassVar


class WaitlistError(Exception):
    """An expected refusal, with a stable `code` and a message that says what to do next."""

    code: ClassVar[str] = "internal_error"
    advice: ClassVar[str] = (
        "This is a defect of the service. The log of the service has the details."
    )

    def __init__(self, message: str | None = None) -> None:
        self.message = message or self.advice
        super().__init__(self.message)


class Cold(WaitlistError):
    """Redis does not know the waitlist, which is new or deleted, or Redis has lost its order."""

    code = "cold"
    advice = "Redis does not have the order of this waitlist. Call init to start a rebuild."


class Rebuilding(WaitlistError):
    """The order is being rebuilt. Clients retry after `Retry-After` seconds."""

    code = "rebuilding"
    advice = "The order of this waitlist is being rebuilt. Try again in a few seconds."


class StaleEpoch(WaitlistError):
    """Redis has lost the order again since this rebuild began."""

    code = "stale_epoch"
    advice = "The order was lost again after this rebuild had begun. Begin a new rebuild."


class Outdated(WaitlistError):
    """The order in Redis is older than an order that maintenance has already seen there."""

    code = "outdated"
    advice = (
        "Redis has lost more than the last minute of changes. Discard this order and rebuild it."
    )


class SegmentsBuilding(WaitlistError):
    """The waitlist's segments have changed, and the new segment index is not complete yet."""

    code = "segments_building"
    advice = "The segments of this waitlist are being indexed. Try again in a few seconds."


class StaleSegments(WaitlistError):
    """The caller used segments that the waitlist does not have any more."""

    code = "stale_segments"
    advice = "The waitlist's segments have changed. Read its configuration again."


class CountsHidden(WaitlistError):
    """The waitlist hides its counts, so it has no public board either."""

    code = "counts_hidden"
    advice = (
        "This waitlist hides how many people wait. Get the customer's own entry for its position."
    )


class WaitlistFull(WaitlistError):
    """The waitlist has reached its capacity."""

    code = "waitlist_full"
    advice = "The waitlist has reached its capacity. Try again when people have left it."


class WaitlistClosed(WaitlistError):
    """The waitlist accepts no signups."""

    code = "waitlist_closed"
    advice = "The waitlist accepts no signups at present."


class NotOpenYet(WaitlistError):
    """The waitlist accepts no signups before its `opens_at`."""

    code = "not_open_yet"
    advice = "The waitlist accepts no signups before `opens_at`."


class Gone(WaitlistError):
    """The stay has ended, and a late message cannot revive it."""

    code = "gone"
    advice = "This stay on the waitlist has ended. Sign up again to get a new place."


class NotWaiting(WaitlistError):
    """The entry is not waiting in the queue."""

    code = "not_waiting"
    advice = "The entry is not waiting in the queue, so it cannot be moved."


class EntryNotReady(WaitlistError):
    """The entry waits but is not ready. It rests, is held back or delayed, or is unverified."""

    code = "entry_not_ready"
    advice = (
        "The entry is not ready, and its `not_ready` says why. An entry that is held back needs "
        "`ready`. A rest ends at `rest_until` or when the customer calls `resume`. A delay ends "
        "at `delayed_until`. An unverified address is verified by its owner, or by an operator "
        "with `verify`."
    )


class NoRoom(WaitlistError):
    """The priority of the entry has no free rank ahead of the requested place."""

    code = "no_room"
    advice = (
        "This priority has no free rank ahead of the requested place. Move the entry to a higher "
        "priority instead."
    )


class InsideFull(WaitlistError):
    """The customers inside, the open offers and the claims have reached `max_inside`."""

    code = "inside_full"
    advice = (
        "The people inside, the open offers and the claims have reached `max_inside`. Try again "
        "when a place is free, or raise `max_inside`."
    )


class IdempotencyKeyReused(WaitlistError):
    """The client sent the same Idempotency-Key before, with a different body."""

    code = "idempotency_key_reused"
    advice = (
        "This Idempotency-Key was sent before with a different body. Repeat the request "
        "unchanged, or use a new key for a new request."
    )


class WaitlistPaused(WaitlistError):
    """The waitlist is paused, so it gives no claims and makes no offers."""

    code = "waitlist_paused"
    advice = (
        "The waitlist is paused. It gives no claims and makes no offers until an operator resumes "
        "it."
    )


class NotHeld(WaitlistError):
    """Redis has no hold on the entry. The record of the entry says why."""

    code = "not_held"
    advice = "No claim holds this entry."


class ClaimExpired(WaitlistError):
    """The hold of this claim token has ended, because it expired or was released."""

    code = "claim_expired"
    advice = "The claim has expired, and the entry is back in the queue. Claim it again."


class ClaimMismatch(WaitlistError):
    """The claim token does not belong to the current hold of the entry."""

    code = "claim_mismatch"
    advice = (
        "This claim_token does not belong to the entry's current hold. Another claim may hold the "
        "entry now."
    )


class NotParked(WaitlistError):
    """The entry is not parked."""

    code = "not_parked"
    advice = "The entry is not parked, so it cannot be brought back into the queue."


class NotOffered(WaitlistError):
    """The customer has no offer to accept or decline, or for an operator to take back."""

    code = "not_offered"
    advice = (
        "The entry has no open offer to accept, decline or take back. Get the entry for its status."
    )


class OfferExpired(WaitlistError):
    """The offer has expired."""

    code = "offer_expired"
    advice = "This offer has expired. Get the entry for its status and position."


class Expiring(WaitlistError):
    """More holds have expired at the same time than one call can end."""

    code = "expiring"
    advice = "Many claims are expiring at this moment. Try again immediately."


class QueueUnavailable(WaitlistError):
    """Redis, or the private function in front of it, did not answer in time."""

    code = "queue_unavailable"
    advice = "The queue cannot be reached. Try again in a few seconds."


class InvalidRequest(WaitlistError):
    """The message does not match the contract of the private function."""

    code = "invalid_request"
    advice = "The message does not match the contract in waitlist_shared/contracts/."


class UnsupportedVersion(WaitlistError):
    """The message has a different contract version than this function."""

    code = "unsupported_version"
    advice = "The message has an unknown contract version. Deploy both functions together."


class InternalError(WaitlistError):
    """The service has a defect. The log of the service has the details."""


# The errors that the private function can return, by code. The public function defines further
# subclasses later, so this dictionary does not contain them.
BY_CODE = {error.code: error for error in WaitlistError.__subclasses__()}
