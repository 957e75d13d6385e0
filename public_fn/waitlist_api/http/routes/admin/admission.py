"""Operator routes that offer slots, withdraw offers and check customers out."""

from collections.abc import Sequence

from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.admission.admit import Admissions, AdmitCommand, AdmitOneCommand
from waitlist_api.admission.exit import Exits
from waitlist_api.admission.holds import HoldCommand
from waitlist_api.admission.offers import Offer
from waitlist_api.admission.withdraw import Withdrawals
from waitlist_api.auth.credentials import identify_operator
from waitlist_api.clock import iso, millis_of
from waitlist_api.entries.position import EntryView
from waitlist_api.http.routes.admission import admitted_answer
from waitlist_api.http.routes.params import EntryId, IdempotencyKey, WaitlistId
from waitlist_api.http.schemas.admission import (
    AdmitAnswer,
    AdmitBody,
    AdmitOneBody,
    AdmittedAnswer,
    AdmittedByFilter,
    ExitBody,
    OfferAnswer,
    WithdrawBody,
)
from waitlist_api.http.schemas.entries import EntryAnswer
from waitlist_api.records.entry import EntryRecord
from waitlist_api.records.segments import Segment

ADMIT = "/v1/admin/waitlists/<waitlist_id>/admit"
ENTRY = "/v1/admin/waitlists/<waitlist_id>/entries/<entry_id>"


def admin_admission_routes(
    admissions: Admissions, withdrawals: Withdrawals, exits: Exits
) -> APIGatewayHttpRouter:
    router = APIGatewayHttpRouter()

    def by() -> str:
        return identify_operator(router.current_event.raw_event)

    @router.post(ADMIT, operation_id="admit")
    def admit(
        waitlist_id: WaitlistId, body: AdmitBody, idempotency_key: IdempotencyKey = None
    ) -> AdmitAnswer:
        command = AdmitCommand(
            waitlist_id=waitlist_id,
            count=body.count,
            filter=body.filter,
            filters=body.filters,
            refill=body.refill,
            by=by(),
            idempotency_key=idempotency_key or "",
        )
        offers = admissions.admit(command).offers
        return AdmitAnswer(entries=[_offer(offer, body.filters) for offer in offers])

    @router.post(f"{ENTRY}/admit", operation_id="admitPerson")
    def admit_entry(
        waitlist_id: WaitlistId,
        entry_id: EntryId,
        body: AdmitOneBody,
        idempotency_key: IdempotencyKey = None,
    ) -> OfferAnswer:
        command = AdmitOneCommand(
            waitlist_id=waitlist_id,
            entry_id=entry_id,
            by=by(),
            reason=body.reason,
            idempotency_key=idempotency_key or "",
        )
        return _offer_answer(*admissions.admit_one(command))

    @router.post(f"{ENTRY}/withdraw", operation_id="withdraw")
    def withdraw(waitlist_id: WaitlistId, entry_id: EntryId, body: WithdrawBody) -> EntryAnswer:
        until = body.offered_until
        command = HoldCommand(
            waitlist_id=waitlist_id,
            entry_id=entry_id,
            by=by(),
            reason=body.reason,
            offered_until_millis=None if until is None else millis_of(until),
        )
        return EntryAnswer(**withdrawals.withdraw(command).answer)

    @router.post(f"{ENTRY}/exit", operation_id="exitPerson")
    def exit_entry(waitlist_id: WaitlistId, entry_id: EntryId, body: ExitBody) -> AdmittedAnswer:
        return admitted_answer(exits.exit(waitlist_id, entry_id, by(), reason=body.reason))

    return router


def _offer(offer: Offer, filters: Sequence[Segment] | None) -> AdmittedByFilter:
    return AdmittedByFilter(
        **_offer_answer(offer.view, offer.record).model_dump(),
        filter_index=offer.claim.filter_index if filters else None,
    )


def _offer_answer(view: EntryView, record: EntryRecord) -> OfferAnswer:
    admitted = record.admitted_millis
    return OfferAnswer(
        **view.answer,
        customer_id=record.customer_id or None,
        admitted_at=None if admitted is None else iso(admitted),
    )
