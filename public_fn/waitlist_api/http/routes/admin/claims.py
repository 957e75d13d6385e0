"""How operators admit people: claim, complete, release, extend, park, redrive."""

from typing import Any

from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.auth.credentials import operator_of
from waitlist_api.claims.claim import ClaimCommand, Claims, Offer
from waitlist_api.claims.lifecycle import HoldCommand, Holds
from waitlist_api.clock import iso, iso_of
from waitlist_api.entries.position import EntryView
from waitlist_api.http.openapi import links
from waitlist_api.http.openapi.responses import SIGV4, answers
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
from waitlist_shared.ranks import priority_of, time_of

CLAIMS = "/v1/admin/waitlists/<waitlist_id>/claims"
CLAIM = f"{CLAIMS}/<entry_id>"
REDRIVE = "/v1/admin/waitlists/<waitlist_id>/parked/<entry_id>/redrive"
USUAL = (
    "unauthorized",
    "invalid_json",
    "waitlist_not_found",
    "unsupported_media_type",
    "rebuilding",
    "record_unavailable",
)
HOLD = (
    *USUAL,
    "entry_not_found",
    "claim_expired",
    "claim_mismatch",
    "not_waiting",
    "already_admitted",
)


def admin_claim_routes(claims: Claims, holds: Holds) -> APIGatewayHttpRouter:
    """Return the operators' routes of claims."""
    router = APIGatewayHttpRouter()

    def by() -> str:
        return operator_of(router.current_event.raw_event)

    @router.post(
        CLAIMS,
        summary="Hold people at the head of the line, or the first who match a filter",
        description="Nobody is given to two claimers. With an Idempotency-Key a repeat by the "
        "same operator gets those of the same people who are still held, with the same tokens. "
        "A filter that is no declared segment is refused by naming those that are; while segments "
        "are built, it is `503 rebuilding`.",
        tags=["operator"],
        operation_id="claim",
        security=SIGV4,
        responses=answers(
            200,
            "Whom you hold, in serving order",
            *USUAL,
            "waitlist_paused",
            "idempotency_key_reused",
        ),
    )
    def claim(
        waitlist_id: WaitlistId, body: ClaimBody, idempotency_key: IdempotencyKey = None
    ) -> ClaimsAnswer:
        offers = claims.claim(
            ClaimCommand(
                waitlist_id=waitlist_id,
                by=by(),
                idempotency_key=idempotency_key or "",
                **body.model_dump(),
            )
        )
        return ClaimsAnswer(claims=[_claim(offer) for offer in offers])

    @router.post(
        f"{CLAIM}/complete",
        summary="Admit a person, for good",
        description="The same token may say so again; nobody else's does.",
        tags=["operator"],
        operation_id="complete",
        security=SIGV4,
        responses=answers(200, "The person is admitted", *HOLD),
    )
    def complete(waitlist_id: WaitlistId, entry_id: EntryId, body: CompleteBody) -> EntryAnswer:
        return _entry(holds.complete(_command(waitlist_id, entry_id, by(), body.model_dump())))

    @router.post(
        f"{CLAIM}/release",
        summary="Give a person back to the line",
        tags=["operator"],
        operation_id="release",
        security=SIGV4,
        responses=answers(200, "Where the person stands", *HOLD),
    )
    def release(waitlist_id: WaitlistId, entry_id: EntryId, body: ReleaseBody) -> EntryAnswer:
        return _entry(holds.release(_command(waitlist_id, entry_id, by(), body.model_dump())))

    @router.post(
        f"{CLAIM}/extend",
        summary="Hold a person for longer (a heartbeat)",
        description="The new time counts from now on.",
        tags=["operator"],
        operation_id="extend",
        security=SIGV4,
        responses=answers(200, "Until when the person is held", *HOLD),
    )
    def extend(waitlist_id: WaitlistId, entry_id: EntryId, body: ExtendBody) -> HeldAnswer:
        held = holds.extend(_command(waitlist_id, entry_id, by(), body.model_dump()))
        return HeldAnswer(**held.view.answer, claimed_until=iso(held.deadline_millis))

    @router.post(
        f"{CLAIM}/park",
        summary="Put a person aside, for somebody to look at",
        tags=["operator"],
        operation_id="park",
        security=SIGV4,
        responses=answers(200, "The person is parked", *HOLD, links=links.OF_THE_PARKED),
    )
    def park(waitlist_id: WaitlistId, entry_id: EntryId, body: ParkBody) -> EntryAnswer:
        return _entry(holds.park(_command(waitlist_id, entry_id, by(), body.model_dump())))

    @router.post(
        REDRIVE,
        summary="Bring a parked person back into line",
        tags=["operator"],
        operation_id="redrive",
        security=SIGV4,
        responses=answers(
            200,
            "Where the person stands",
            *USUAL,
            "entry_not_found",
            "not_parked",
            "already_admitted",
        ),
    )
    def redrive(waitlist_id: WaitlistId, entry_id: EntryId, body: RedriveBody) -> EntryAnswer:
        return _entry(holds.redrive(_command(waitlist_id, entry_id, by(), body.model_dump())))

    return router


def _command(waitlist_id: str, entry_id: str, by: str, body: dict[str, Any]) -> HoldCommand:
    token = body.pop("claim_token", "")
    return HoldCommand(waitlist_id=waitlist_id, entry_id=entry_id, token=token, by=by, **body)


def _entry(view: EntryView) -> EntryAnswer:
    return EntryAnswer(**view.answer)


def _claim(offer: Offer) -> ClaimAnswer:
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
    )
