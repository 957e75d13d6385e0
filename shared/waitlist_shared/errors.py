"""The domain errors. Only the public function sends them over HTTP."""

from collections.abc import Mapping
from typing import Any, ClassVar


class WaitlistError(Exception):
    """An error that callers are expected to handle.

    Its `code` never changes, and its message says what to do next. The HTTP response has the status
    `status`, its headers include `headers`, and its body includes `fields`. If
    `retry_after_seconds` is set, clients should repeat the request after this time. If clients
    would not understand an error of the private function, they get the `shown_as` error instead.
    """

    code: ClassVar[str] = "internal_error"
    status: ClassVar[int] = 500
    retry_after_seconds: int | None = None
    headers: Mapping[str, str] = {}
    fields: Mapping[str, Any] = {}
    shown_as: ClassVar[type["WaitlistError"] | None] = None
    advice: ClassVar[str] = "This is a defect in the service. See the service's log for details."

    def __init__(self, message: str | None = None) -> None:
        self.message = message or self.advice
        super().__init__(self.message)


class Rebuilding(WaitlistError):
    """The queue is being rebuilt in Redis. Clients retry after `Retry-After` seconds."""

    code = "rebuilding"
    status = 503
    retry_after_seconds = 2
    advice = "This waitlist's queue is being rebuilt. Try again in a few seconds."


class Cold(WaitlistError):
    """Redis does not have this waitlist's queue."""

    code = "cold"
    shown_as = Rebuilding
    advice = "Redis does not have this waitlist's queue. Call `init` to start a rebuild."


class StaleEpoch(WaitlistError):
    """Redis has lost the queue again since this rebuild began."""

    code = "stale_epoch"
    shown_as = Rebuilding
    advice = "Redis has lost the queue again since this rebuild began. Start a new rebuild."


class Outdated(WaitlistError):
    """Redis has lost changes to the queue that maintenance has already seen."""

    code = "outdated"
    advice = (
        "Redis has lost too many changes to repair this queue. Discard the queue and rebuild it."
    )


class SegmentsBuilding(WaitlistError):
    """The waitlist's segments have changed, and the new segment index is not complete yet."""

    code = "segments_building"
    shown_as = Rebuilding
    advice = "This waitlist's segments are being indexed. Try again in a few seconds."


class StaleSegments(WaitlistError):
    """The request was made with segment settings that the waitlist no longer has."""

    code = "stale_segments"
    shown_as = Rebuilding
    advice = (
        "The waitlist's segments have changed. Read its current settings, and send the request "
        "again."
    )


class CountsHidden(WaitlistError):
    """The waitlist hides its counts, so it has no public board."""

    code = "counts_hidden"
    status = 404
    advice = "This waitlist hides how many people are waiting. Get an entry to see its position."


class WaitlistFull(WaitlistError):
    """The waitlist has reached its capacity."""

    code = "waitlist_full"
    status = 409
    advice = "The waitlist has reached its capacity. Try again after people have left it."


class WaitlistClosed(WaitlistError):
    """The waitlist does not accept signups."""

    code = "waitlist_closed"
    status = 409
    advice = "The waitlist is not accepting signups at the moment."


class NotOpenYet(WaitlistError):
    """The waitlist does not accept signups before its `opens_at`."""

    code = "not_open_yet"
    status = 409
    advice = "The waitlist does not accept signups before `opens_at`."


class NotWaiting(WaitlistError):
    """The entry is not waiting in the queue."""

    code = "not_waiting"
    status = 409
    advice = "The entry is not waiting in the queue, so it cannot be moved."


class Gone(WaitlistError):
    """The request is about a signup that has already ended."""

    code = "gone"
    shown_as = NotWaiting
    advice = "This signup has ended. Sign up again to get a new place on the waitlist."


class EntryNotReady(WaitlistError):
    """The entry is waiting, but it is not ready.

    For example, the customer is letting others pass, or an operator is holding the entry back.
    """

    code = "entry_not_ready"
    status = 409
    advice = (
        "The entry is not ready, and its `not_ready` field says why. If an operator is holding "
        "the entry back, call `ready`. If the address is unverified, it must be verified first. "
        "Otherwise, wait until the entry is ready."
    )


class NoRoom(WaitlistError):
    """The entry cannot be moved to the requested place, because no rank is free ahead of it."""

    code = "no_room"
    status = 409
    advice = (
        "There is no free rank ahead of the requested place within this priority. Move the entry "
        "to a higher priority instead."
    )


class InsideFull(WaitlistError):
    """The customers inside, open offers and claims have together reached `max_inside`."""

    code = "inside_full"
    status = 409
    advice = (
        "The total number of people inside, open offers and claims has reached `max_inside`. Try "
        "again when a place is free, or raise `max_inside`."
    )


class ClaimsFull(WaitlistError):
    """The number of claimed entries has reached `max_claims`."""

    code = "claims_full"
    status = 409
    advice = (
        "The number of claimed entries has reached the waitlist's `max_claims`. Claim the entry "
        "again after another claim has ended, or raise `max_claims`."
    )


class IdempotencyKeyReused(WaitlistError):
    """The client has already sent this Idempotency-Key with a different body."""

    code = "idempotency_key_reused"
    status = 422
    advice = (
        "This Idempotency-Key was sent before with a different body. Repeat the request "
        "unchanged, or use a new key for a new request."
    )


class WaitlistPaused(WaitlistError):
    """The waitlist is paused. Entries cannot be claimed, and no offers are made."""

    code = "waitlist_paused"
    status = 409
    advice = (
        "The waitlist is paused. Entries cannot be claimed, and no offers are made, until an "
        "operator resumes the waitlist."
    )


class AdmissionOver(WaitlistError):
    """The `admission.until` time has passed, so nobody can be offered a slot."""

    code = "admission_over"
    status = 409
    advice = (
        "This waitlist's admissions have ended, so no offers are made. To make offers again, "
        "change the `admission.until` setting."
    )


class ClaimMismatch(WaitlistError):
    """The claim token is not the token of the entry's current claim."""

    code = "claim_mismatch"
    status = 409
    advice = (
        "This claim_token does not belong to the entry's current claim. The entry may have been "
        "claimed again."
    )


class NotHeld(WaitlistError):
    """No claim on the entry exists in Redis. The entry's record shows why."""

    code = "not_held"
    shown_as = ClaimMismatch
    advice = "No claim holds this entry."


class ClaimExpired(WaitlistError):
    """The claim has ended, because it expired or was released, or because the entry was parked."""

    code = "claim_expired"
    status = 409
    advice = (
        "The claim has ended. Get the entry to see its status. If the entry is waiting, claim it "
        "again."
    )


class NotParked(WaitlistError):
    """The entry is not parked."""

    code = "not_parked"
    status = 409
    advice = "The entry is not parked, so it cannot be brought back into the queue."


class NotOffered(WaitlistError):
    """The entry has no open offer."""

    code = "not_offered"
    status = 409
    advice = (
        "The entry has no open offer to accept, decline or take back. Get the entry to see its "
        "status."
    )


class OfferExpired(WaitlistError):
    """The offer has expired."""

    code = "offer_expired"
    status = 409
    advice = "This offer has expired. Get the entry to see its status and position."


class Throttled(WaitlistError):
    """Too many requests arrived at once. Repeat the request after `Retry-After` seconds."""

    code = "throttled"
    status = 429
    retry_after_seconds = 1
    advice = (
        "Too many requests arrived at once. Try again after the number of seconds in Retry-After."
    )


class Expiring(WaitlistError):
    """So many claims and offers have expired at once that one call cannot end all of them."""

    code = "expiring"
    shown_as = Throttled
    advice = "Many claims are expiring right now. Try again immediately."


class QueueUnavailable(WaitlistError):
    """Redis, or the private function in front of it, did not answer in time."""

    code = "queue_unavailable"
    status = 503
    retry_after_seconds = 2
    advice = "The queue cannot be reached. Try again in a few seconds."


class InvalidRequest(WaitlistError):
    """The message does not match the private function's contract."""

    code = "invalid_request"
    status = 422
    advice = "The message does not match the contract in waitlist_shared/contracts/."


class UnsupportedVersion(WaitlistError):
    """This function does not support the message's version of the contract."""

    code = "unsupported_version"
    advice = "The message has an unsupported contract version. Deploy both functions together."


class InternalError(WaitlistError):
    """The service has a defect. See its log for details."""


# Maps each of the private function's error codes to its class. Codes that only the public function
# uses are left out.
BY_CODE = {error.code: error for error in WaitlistError.__subclasses__()}
