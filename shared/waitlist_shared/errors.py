"""The errors of the domain; only the public function knows what they mean in HTTP."""

from typing import ClassVar


class WaitlistError(Exception):
    """An expected refusal: a stable `code`, and a message that says what to do next."""

    code: ClassVar[str] = "internal_error"
    advice: ClassVar[str] = "This is a defect: the log holds the details of it."

    def __init__(self, message: str | None = None) -> None:
        self.message = message or self.advice
        super().__init__(self.message)


class Cold(WaitlistError):
    """Redis does not know the waitlist: it is new, deleted, or its order was lost."""

    code = "cold"
    advice = "The order of this waitlist is not in Redis: start a rebuild with init."


class Rebuilding(WaitlistError):
    """The service is restoring the order: repeat after `Retry-After` seconds."""

    code = "rebuilding"
    advice = "The order of this waitlist is being rebuilt; try again in a few seconds."


class StaleEpoch(WaitlistError):
    """The order was lost again since this rebuild began."""

    code = "stale_epoch"
    advice = "The order was lost again since this rebuild began: begin a new one."


class Outdated(WaitlistError):
    """The order in Redis is older than one that maintenance has seen."""

    code = "outdated"
    advice = "Redis has lost more than the last minute: forget this order and rebuild it."


class SegmentsBuilding(WaitlistError):
    """The waitlist's segments have changed, and the index is not complete yet."""

    code = "segments_building"
    advice = "The segments of this waitlist are being built; try again in a few seconds."


class StaleSegments(WaitlistError):
    """The caller used other segments than the waitlist has now."""

    code = "stale_segments"
    advice = "The waitlist's segments have changed: read its configuration again."


class CountsHidden(WaitlistError):
    """The waitlist hides its counts, and so the board that shows them."""

    code = "counts_hidden"
    advice = "This waitlist hides how many people wait: get the entry for its own position."


class WaitlistFull(WaitlistError):
    """The waitlist has reached its capacity."""

    code = "waitlist_full"
    advice = "The waitlist has reached its capacity; try again when people have left it."


class WaitlistClosed(WaitlistError):
    """The waitlist takes no signups."""

    code = "waitlist_closed"
    advice = "The waitlist takes no signups now."


class NotOpenYet(WaitlistError):
    """The waitlist takes signups from its `opens_at` on."""

    code = "not_open_yet"
    advice = "The waitlist takes signups from `opens_at` on."


class Gone(WaitlistError):
    """This stay has ended; a late message cannot revive it."""

    code = "gone"
    advice = "This stay in line has ended; sign up again for a new place."


class NotWaiting(WaitlistError):
    """The entry is not in the line."""

    code = "not_waiting"
    advice = "The entry is not waiting in line, so it cannot be moved."


class EntryNotReady(WaitlistError):
    """The entry waits, but is not ready: it rests, or is held back."""

    code = "entry_not_ready"
    advice = (
        "The entry is not ready; its `not_ready` says why. One that is held back is let go by "
        "`ready`; a rest ends at `rest_until`, or by the customer's `resume`; a delay ends at "
        "`delayed_until`; an address is verified by its person, or by `verify`."
    )


class NoRoom(WaitlistError):
    """No rank of the entry's priority is left ahead of the place that was asked for."""

    code = "no_room"
    advice = "No room is left ahead within this priority; bump by priority instead."


class InsideFull(WaitlistError):
    """As many customers are inside, or have an offer, as `max_inside` allows."""

    code = "inside_full"
    advice = (
        "As many people are inside or have an offer as max_inside allows: try again when one of "
        "them goes out, or raise max_inside."
    )


class IdempotencyKeyReused(WaitlistError):
    """The same Idempotency-Key came with another body."""

    code = "idempotency_key_reused"
    advice = (
        "This Idempotency-Key was sent before with another body. Repeat a request as it was, or "
        "send a new key for a new one."
    )


class WaitlistPaused(WaitlistError):
    """The waitlist is paused: it gives no claims and makes no offers."""

    code = "waitlist_paused"
    advice = (
        "The waitlist is paused: it gives no claims and makes no offers until an operator "
        "resumes it."
    )


class NotHeld(WaitlistError):
    """Redis has no hold on the entry; the record has the reason."""

    code = "not_held"
    advice = "The entry is not held by a claim."


class ClaimExpired(WaitlistError):
    """The hold of this claim token has ended: its time is over, or it was given back."""

    code = "claim_expired"
    advice = "The claim has expired and the entry is back in the queue: claim again."


class ClaimMismatch(WaitlistError):
    """The claim token is not that of the current hold."""

    code = "claim_mismatch"
    advice = (
        "This claim_token is not that of the entry's hold: another claim may have the entry now."
    )


class NotParked(WaitlistError):
    """The entry is not parked."""

    code = "not_parked"
    advice = "The entry is not parked, so there is nothing to bring back."


class NotOffered(WaitlistError):
    """The customer has no offer that they could accept or decline."""

    code = "not_offered"
    advice = "There is no offer to accept, decline or take back: get the entry for its status."


class OfferExpired(WaitlistError):
    """The time of the offer is over."""

    code = "offer_expired"
    advice = "The time of this offer is over: get the entry for its status and position."


class Expiring(WaitlistError):
    """More holds have expired at once than one call can end."""

    code = "expiring"
    advice = "Many claims expire at this moment; try again at once."


class QueueUnavailable(WaitlistError):
    """Redis, or the function that owns it, did not answer in time."""

    code = "queue_unavailable"
    advice = "The order of the line cannot be reached; try again in a few seconds."


class InvalidRequest(WaitlistError):
    """The message does not follow the contract."""

    code = "invalid_request"
    advice = "The message does not follow the contract; see waitlist_shared/contracts/."


class UnsupportedVersion(WaitlistError):
    """The message has another contract version than this function."""

    code = "unsupported_version"
    advice = "The message has an unknown contract version: deploy both functions together."


class InternalError(WaitlistError):
    """The service has a defect: its log has the details."""


# Errors that the private function answers; those of the public function are not defined yet here.
BY_CODE = {error.code: error for error in WaitlistError.__subclasses__()}
