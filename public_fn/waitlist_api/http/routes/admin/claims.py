"""Operator routes for claims, which reserve entries for a limited time."""

import secrets
from collections.abc import Sequence

from msgspec import Struct
from pydantic import BaseModel

from waitlist_api.admission.call import CallCommand, Calls
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
from waitlist_api.clock import NowMillis, iso, iso_of, millis_of
from waitlist_api.entries.once import once_key_of
from waitlist_api.entries.position import EntryView
from waitlist_api.http.operation import ENTRY, Answer, operator
from waitlist_api.http.request import Request
from waitlist_api.http.routes.params import EntryId, IdempotencyKey, WaitlistId
from waitlist_api.http.schemas.call import call_answer
from waitlist_api.http.schemas.claims import (
    CallAgainBody,
    CalledAnswer,
    ClaimAnswer,
    ClaimBody,
    ClaimOneBody,
    ClaimsAnswer,
    CompleteBody,
    ExtendBody,
    HeldAnswer,
    ParkBody,
    RedriveBody,
    ReleaseBody,
)
from waitlist_api.http.schemas.entries import EntryAnswer
from waitlist_api.records.call import current_call
from waitlist_api.records.segments import Segment
from waitlist_shared.ranks import priority_of, time_of

HOLD = (*ENTRY, "claim_expired", "claim_mismatch", "not_waiting", "already_admitted")


class Routes(Struct, frozen=True):
    claims: Claims
    holds: Holds
    calls: Calls
    now_millis: NowMillis
    request: Request

    @operator(
        "Claim the next entries, optionally within one segment",
        Answer(200, "The claimed entries, in serving order"),
        problems=("waitlist_paused", "idempotency_key_reused", "rebuilding"),
    )
    def claim(
        self, waitlist_id: WaitlistId, body: ClaimBody, idempotency_key: IdempotencyKey = None
    ) -> ClaimsAnswer:
        """A claim reserves an entry for one caller.

        A request that is repeated with the same Idempotency-Key returns the same claims with the
        same claim tokens, except for claims that have ended in the meantime. Each filter must match
        a declared segment. If there are several `filters`, the entries that match the first filter
        come first. While the service prepares new segments, the request fails with `503
        rebuilding`.
        """
        fields = body.model_dump(exclude={"call"})
        claimed = self.claims.claim(
            ClaimCommand(
                waitlist_id=waitlist_id,
                by=self.request.operator,
                idempotency_key=idempotency_key or "",
                call_to="" if body.call is None else body.call.to,
                **fields,
            )
        )
        return ClaimsAnswer(
            claims=[_claim(offer, body.filters) for offer in claimed.offers], limit=claimed.limit
        )

    @operator(
        "Claim one entry",
        Answer(200, "The claim"),
        problems=(
            *ENTRY,
            "not_waiting",
            "already_admitted",
            "claims_full",
            "waitlist_paused",
            "idempotency_key_reused",
        ),
    )
    def claim_person(
        self,
        waitlist_id: WaitlistId,
        entry_id: EntryId,
        body: ClaimOneBody,
        idempotency_key: IdempotencyKey = None,
    ) -> ClaimAnswer:
        """The entry may be anywhere in the queue. If another operator has claimed the entry, the
        request is refused with `409 not_waiting`. A repeated request with the same Idempotency-Key
        returns the same claim token.
        """
        command = ClaimCommand(
            waitlist_id=waitlist_id,
            entry_id=entry_id,
            by=self.request.operator,
            reason=body.reason,
            lease_seconds=body.lease_seconds,
            call_to="" if body.call is None else body.call.to,
            idempotency_key=idempotency_key or "",
        )
        return _claim(self.claims.claim_one(command), None)

    def _act(
        self, verb: ClaimAction, waitlist_id: str, entry_id: str, body: BaseModel
    ) -> ActionResult:
        fields = body.model_dump()
        token = fields.pop("claim_token", "")
        if parked_at := fields.pop("parked_at", None):
            fields["parked_millis"] = millis_of(parked_at)
        return self.holds.act(
            verb,
            HoldCommand(
                waitlist_id=waitlist_id,
                entry_id=entry_id,
                by=self.request.operator,
                token=token,
                **fields,
            ),
        )

    @operator(
        "Call a claimed customer to a place",
        Answer(200, "The entry and the call"),
        problems=(*HOLD, "idempotency_key_reused"),
    )
    def call(
        self,
        waitlist_id: WaitlistId,
        entry_id: EntryId,
        body: CallAgainBody,
        idempotency_key: IdempotencyKey = None,
    ) -> CalledAnswer:
        """The customer's page shows the new call, and the customer gets a new message.

        Every new request calls the customer again. A request that is repeated with the same
        Idempotency-Key does not. A call does not extend the claim's lease. Once the claim has
        ended, a repeated request is refused like a new one.
        """
        by = self.request.operator
        record = self.calls.call(
            CallCommand(
                waitlist_id=waitlist_id,
                entry_id=entry_id,
                by=by,
                token=body.claim_token,
                to=body.to,
                key=once_key_of(by, idempotency_key or secrets.token_hex(16)),
            )
        )
        called = call_answer(current_call(record, self.now_millis()))
        view = EntryView.recorded(record)
        return CalledAnswer(**view.answer, call_number=view.call_number, call=called)

    @operator(
        "Admit a claimed entry for good",
        Answer(200, "The entry is admitted"),
        problems=HOLD,
    )
    def complete(
        self, waitlist_id: WaitlistId, entry_id: EntryId, body: CompleteBody
    ) -> EntryAnswer:
        """A repeated request with the same claim token returns the same response. Any other claim
        token is refused.
        """
        return EntryAnswer(**self._act(COMPLETE, waitlist_id, entry_id, body).view.answer)

    @operator(
        "Return a claimed entry to the queue",
        Answer(200, "The entry and its position"),
        problems=HOLD,
    )
    def release(self, waitlist_id: WaitlistId, entry_id: EntryId, body: ReleaseBody) -> EntryAnswer:
        """A repeated request with the same claim token returns the same response, and does not
        extend the delay that the first request set.
        """
        return EntryAnswer(**self._act(RELEASE, waitlist_id, entry_id, body).view.answer)

    @operator(
        "Renew the lease of a claim (heartbeat)",
        Answer(200, "The entry and its new deadline"),
        problems=HOLD,
    )
    def extend(self, waitlist_id: WaitlistId, entry_id: EntryId, body: ExtendBody) -> HeldAnswer:
        """The new lease begins with this request, and replaces the old one."""
        held = self._act(EXTEND, waitlist_id, entry_id, body)
        return HeldAnswer(**held.view.answer, claimed_until=iso(held.deadline_millis))

    @operator(
        "Park a claimed entry until an operator redrives it",
        Answer(200, "The entry is parked", links="parked_entry"),
        problems=HOLD,
    )
    def park(self, waitlist_id: WaitlistId, entry_id: EntryId, body: ParkBody) -> EntryAnswer:
        return EntryAnswer(**self._act(PARK, waitlist_id, entry_id, body).view.answer)

    @operator(
        "Return a parked entry to the queue",
        Answer(200, "The entry and its position"),
        problems=(*ENTRY, "not_parked", "already_admitted"),
    )
    def redrive(self, waitlist_id: WaitlistId, entry_id: EntryId, body: RedriveBody) -> EntryAnswer:
        return EntryAnswer(**self._act(REDRIVE, waitlist_id, entry_id, body).view.answer)


def _claim(offer: Offer, filters: Sequence[Segment] | None) -> ClaimAnswer:
    call = offer.record.call
    called = call if call.token == offer.claim.token else None
    return ClaimAnswer(
        entry_id=offer.claim.entry_id,
        status=offer.record.status,
        claim_token=offer.claim.token,
        claimed_until=iso(offer.claim.deadline_millis),
        attempts=offer.claim.attempts,
        call_number=offer.record.joined.call_number or None,
        customer_id=offer.record.customer_id or None,
        profile=offer.record.profile,
        attributes=offer.record.attributes,
        priority=priority_of(offer.claim.rank),
        joined_at=iso_of(time_of(offer.claim.ticket)),
        filter_index=offer.claim.filter_index if filters else None,
        call=call_answer(called),
    )
