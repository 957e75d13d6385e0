"""Operator routes for claims, which reserve entries for a limited time."""

from collections.abc import Sequence

from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter
from pydantic import BaseModel

from waitlist_api.admission.claim import ClaimCommand, Claims
from waitlist_api.admission.holds import (
    COMPLETE,
    EXTEND,
    PARK,
    REDRIVE,
    RELEASE,
    ActionResult,
    ClaimAction,
    HoldCommand,
    Holds,
)
from waitlist_api.admission.offers import Offer
from waitlist_api.auth.credentials import identify_operator
from waitlist_api.clock import iso, iso_of, millis_of
from waitlist_api.http.routes.params import EntryId, IdempotencyKey, WaitlistId
from waitlist_api.http.schemas.claims import (
    ClaimAnswer,
    ClaimBody,
    ClaimsAnswer,
    CompleteBody,
    ExtendBody,
    HeldAnswer,
    ParkBody,
    RedriveBody,
    ReleaseBody,
)
from waitlist_api.http.schemas.entries import EntryAnswer
from waitlist_api.records.segments import Segment
from waitlist_shared.ranks import priority_of, time_of

CLAIMS = "/v1/admin/waitlists/<waitlist_id>/claims"
CLAIM = f"{CLAIMS}/<entry_id>"
PARKED = "/v1/admin/waitlists/<waitlist_id>/parked/<entry_id>"


def admin_claim_routes(claims: Claims, holds: Holds) -> APIGatewayHttpRouter:
    router = APIGatewayHttpRouter()

    def by() -> str:
        return identify_operator(router.current_event.raw_event)

    @router.post(CLAIMS, operation_id="claim")
    def claim(
        waitlist_id: WaitlistId, body: ClaimBody, idempotency_key: IdempotencyKey = None
    ) -> ClaimsAnswer:
        claimed = claims.claim(
            ClaimCommand(
                waitlist_id=waitlist_id,
                by=by(),
                idempotency_key=idempotency_key or "",
                **body.model_dump(),
            )
        )
        return ClaimsAnswer(
            claims=[_claim(offer, body.filters) for offer in claimed.offers], limit=claimed.limit
        )

    def act(verb: ClaimAction, waitlist_id: str, entry_id: str, body: BaseModel) -> ActionResult:
        fields = body.model_dump()
        token = fields.pop("claim_token", "")
        if parked_at := fields.pop("parked_at", None):
            fields["parked_millis"] = millis_of(parked_at)
        return holds.act(
            verb,
            HoldCommand(waitlist_id=waitlist_id, entry_id=entry_id, by=by(), token=token, **fields),
        )

    @router.post(f"{CLAIM}/complete", operation_id="complete")
    def complete(waitlist_id: WaitlistId, entry_id: EntryId, body: CompleteBody) -> EntryAnswer:
        return EntryAnswer(**act(COMPLETE, waitlist_id, entry_id, body).view.answer)

    @router.post(f"{CLAIM}/release", operation_id="release")
    def release(waitlist_id: WaitlistId, entry_id: EntryId, body: ReleaseBody) -> EntryAnswer:
        return EntryAnswer(**act(RELEASE, waitlist_id, entry_id, body).view.answer)

    @router.post(f"{CLAIM}/extend", operation_id="extend")
    def extend(waitlist_id: WaitlistId, entry_id: EntryId, body: ExtendBody) -> HeldAnswer:
        held = act(EXTEND, waitlist_id, entry_id, body)
        return HeldAnswer(**held.view.answer, claimed_until=iso(held.deadline_millis))

    @router.post(f"{CLAIM}/park", operation_id="park")
    def park(waitlist_id: WaitlistId, entry_id: EntryId, body: ParkBody) -> EntryAnswer:
        return EntryAnswer(**act(PARK, waitlist_id, entry_id, body).view.answer)

    @router.post(f"{PARKED}/redrive", operation_id="redrive")
    def redrive(waitlist_id: WaitlistId, entry_id: EntryId, body: RedriveBody) -> EntryAnswer:
        return EntryAnswer(**act(REDRIVE, waitlist_id, entry_id, body).view.answer)

    return router


def _claim(offer: Offer, filters: Sequence[Segment] | None) -> ClaimAnswer:
    return ClaimAnswer(
        entry_id=offer.claim.entry_id,
        status=offer.record.status,
        claim_token=offer.claim.token,
        claimed_until=iso(offer.claim.deadline_millis),
        attempts=offer.claim.attempts,
        customer_id=offer.record.customer_id or None,
        profile=offer.record.profile,
        attributes=offer.record.attributes,
        priority=priority_of(offer.claim.rank),
        joined_at=iso_of(time_of(offer.claim.ticket)),
        filter_index=offer.claim.filter_index if filters else None,
    )
