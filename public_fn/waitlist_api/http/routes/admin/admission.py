"""Operators' routes of admission: offer places by hand, let a customer go out."""

from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.admission.admit import Admissions, AdmitCommand
from waitlist_api.admission.exit import Exits
from waitlist_api.auth.credentials import operator_of
from waitlist_api.claims.offers import Offer
from waitlist_api.clock import iso
from waitlist_api.entries.position import EntryView
from waitlist_api.http.routes.admission import admitted_answer
from waitlist_api.http.routes.params import EntryId, IdempotencyKey, WaitlistId
from waitlist_api.http.schemas.admission import (
    AdmitAnswer,
    AdmitBody,
    AdmittedAnswer,
    ExitBody,
    OfferAnswer,
)

ADMIT = "/v1/admin/waitlists/<waitlist_id>/admit"
EXIT = "/v1/admin/waitlists/<waitlist_id>/entries/<entry_id>/exit"


def admin_admission_routes(admissions: Admissions, exits: Exits) -> APIGatewayHttpRouter:
    """Return the operators' routes of admission."""
    router = APIGatewayHttpRouter()

    def by() -> str:
        return operator_of(router.current_event.raw_event)

    @router.post(ADMIT, operation_id="admit")
    def admit(
        waitlist_id: WaitlistId, body: AdmitBody, idempotency_key: IdempotencyKey = None
    ) -> AdmitAnswer:
        command = AdmitCommand(
            waitlist_id=waitlist_id,
            count=body.count,
            filter=body.filter,
            by=by(),
            idempotency_key=idempotency_key or "",
        )
        return AdmitAnswer(entries=[_offer(one) for one in admissions.admit(command).offers])

    @router.post(EXIT, operation_id="exitPerson")
    def exit_entry(waitlist_id: WaitlistId, entry_id: EntryId, body: ExitBody) -> AdmittedAnswer:
        return admitted_answer(exits.exit(waitlist_id, entry_id, by(), reason=body.reason))

    return router


def _offer(offer: Offer) -> OfferAnswer:
    claim, record = offer.claim, offer.record
    view = EntryView.placed(claim.entry_id, record.status, claim.rank, claim.ticket)
    is_offered = record.status == "offered"
    admitted = record.admitted_millis
    return OfferAnswer(
        **{**view.answer, "offered_until": iso(claim.deadline_millis) if is_offered else None},
        customer_id=record.customer_id or None,
        admitted_at=None if admitted is None else iso(admitted),
    )
