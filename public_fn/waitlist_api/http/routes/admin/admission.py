"""Operator routes that offer slots, withdraw offers and check customers out."""

from collections.abc import Sequence

from msgspec import Struct

from waitlist_api.admission.admit import Admissions, AdmitCommand, AdmitOneCommand
from waitlist_api.admission.exit import Exits
from waitlist_api.admission.holds import HoldCommand
from waitlist_api.admission.offers import Offer
from waitlist_api.admission.withdraw import Withdrawals
from waitlist_api.clock import iso, millis_of
from waitlist_api.entries.position import EntryView
from waitlist_api.http.operation import ENTRY, Answer, operator
from waitlist_api.http.request import Request
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


class Routes(Struct, frozen=True):
    admissions: Admissions
    withdrawals: Withdrawals
    exits: Exits
    request: Request

    @operator(
        "Offer slots to the next entries, optionally within one segment",
        Answer(200, "The entries that got a slot, in serving order"),
        problems=("waitlist_paused", "admission_over", "idempotency_key_reused", "rebuilding"),
    )
    def admit(
        self, waitlist_id: WaitlistId, body: AdmitBody, idempotency_key: IdempotencyKey = None
    ) -> AdmitAnswer:
        """These slots are offered in addition to the slots that the waitlist's policy allows.

        If `refill` is true, each slot that a customer does not use is offered to the next entry,
        until `count` people have entered. To stop this early, send a `count` of 0. A request that
        is repeated with the same Idempotency-Key makes no new offers. It returns the entries from
        the first request that still have their slot.
        """
        command = AdmitCommand(
            waitlist_id=waitlist_id,
            count=body.count,
            filter=body.filter,
            filters=body.filters,
            refill=body.refill,
            offer_seconds=body.offer_seconds,
            by=self.request.operator,
            idempotency_key=idempotency_key or "",
        )
        offers = self.admissions.admit(command).offers
        return AdmitAnswer(entries=[_offer(offer, body.filters) for offer in offers])

    @operator(
        "Offer a slot to one entry now",
        Answer(200, "The entry with its offer"),
        problems=(
            *ENTRY,
            "not_waiting",
            "already_admitted",
            "inside_full",
            "waitlist_paused",
            "admission_over",
            "idempotency_key_reused",
        ),
    )
    def admit_person(
        self,
        waitlist_id: WaitlistId,
        entry_id: EntryId,
        body: AdmitOneBody,
        idempotency_key: IdempotencyKey = None,
    ) -> OfferAnswer:
        """The entry may be anywhere in the queue. The policy's rate and schedule do not limit this
        offer. If the customer does not accept the offer, the slot is not offered to anyone else. A
        request that is repeated with the same Idempotency-Key makes no second offer.
        """
        command = AdmitOneCommand(
            waitlist_id=waitlist_id,
            entry_id=entry_id,
            by=self.request.operator,
            reason=body.reason,
            offer_seconds=body.offer_seconds,
            idempotency_key=idempotency_key or "",
        )
        return _offer_answer(*self.admissions.admit_one(command))

    @operator(
        "Take an offer back",
        Answer(200, "The entry, back in its former position"),
        problems=(*ENTRY, "not_offered", "offer_expired", "not_waiting", "already_admitted"),
    )
    def withdraw(
        self, waitlist_id: WaitlistId, entry_id: EntryId, body: WithdrawBody
    ) -> EntryAnswer:
        """If the slot is still available, it is offered to the next entry at once.

        Send the offer's `offered_until` to identify it, so that a repeated request cannot withdraw
        a later offer to the same customer.
        """
        until = body.offered_until
        command = HoldCommand(
            waitlist_id=waitlist_id,
            entry_id=entry_id,
            by=self.request.operator,
            reason=body.reason,
            offered_until_millis=None if until is None else millis_of(until),
        )
        return EntryAnswer(**self.withdrawals.withdraw(command).answer)

    @operator(
        "Check a customer out, which makes room for another customer",
        Answer(200, "The admission"),
        problems=(*ENTRY, "not_inside"),
    )
    def exit_person(
        self, waitlist_id: WaitlistId, entry_id: EntryId, body: ExitBody
    ) -> AdmittedAnswer:
        """A repeated request returns the same response."""
        return admitted_answer(
            self.exits.exit(waitlist_id, entry_id, self.request.operator, reason=body.reason)
        )


def _offer(offer: Offer, filters: Sequence[Segment] | None) -> AdmittedByFilter:
    return AdmittedByFilter(
        **_offer_answer(offer.view, offer.record).model_dump(),
        filter_index=offer.claim.filter_index if filters else None,
    )


def _offer_answer(view: EntryView, record: EntryRecord) -> OfferAnswer:
    admitted = record.end.admitted_millis
    return OfferAnswer(
        **view.answer,
        call_number=record.joined.call_number or None,
        customer_id=record.customer_id or None,
        admitted_at=None if admitted is None else iso(admitted),
    )
