"""Routes of guests: sign up, then get the entry and leave with its entry token."""

from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.entries.leave import Leaves
from waitlist_api.entries.signup import Signups
from waitlist_api.entries.signup_step import SignupCommand
from waitlist_api.http.routes.admission import CustomerAdmission
from waitlist_api.http.routes.entry_responses import EntryResponses
from waitlist_api.http.routes.params import (
    EntryId,
    GuestsKey,
    IdempotencyKey,
    SegmentNames,
    WaitlistId,
)
from waitlist_api.http.routes.passes import base_url_of
from waitlist_api.http.schemas.admission import AdmittedAnswer, DeclineBody, PassAnswer
from waitlist_api.http.schemas.entries import (
    CustomersEntryAnswer,
    LookAnswer,
    SignupAnswer,
    SignupBody,
)

ENTRIES = "/v1/waitlists/<waitlist_id>/entries"
ENTRY = f"{ENTRIES}/<entry_id>"


def entry_routes(
    tokens: EntryTokens,
    signups: Signups,
    responses: EntryResponses,
    leaves: Leaves,
    admission: CustomerAdmission,
) -> APIGatewayHttpRouter:
    """Return the routes of customers who are identified by entry tokens."""
    router = APIGatewayHttpRouter()

    def authorization() -> str | None:
        return router.current_event.headers.get("authorization")

    @router.post(ENTRIES, operation_id="signUp")
    def sign_up(
        waitlist_id: WaitlistId, body: SignupBody, idempotency_key: GuestsKey = None
    ) -> Response[SignupAnswer]:
        command = SignupCommand(
            waitlist_id=waitlist_id,
            customer_id=body.customer_id,
            profile=body.profile,
            attributes=body.attributes,
            idempotency_key=idempotency_key or "",
        )
        stay = tokens.stay_shown(waitlist_id, command.entry_id, authorization())
        signed_up = signups.sign_up(command.with_stay_shown(stay))
        view = signed_up.view
        token = tokens.issue(waitlist_id, command.entry_id, view.ticket or 0)
        answer = SignupAnswer(**responses.fields(view), entry_token=token)
        return Response(201 if signed_up.is_new else 200, "application/json", answer)

    @router.get(ENTRY, operation_id="getEntry")
    def get_entry(
        waitlist_id: WaitlistId, entry_id: EntryId, segment: SegmentNames = None
    ) -> Response[LookAnswer]:
        proof = tokens.check(waitlist_id, entry_id, authorization())
        return responses.get(waitlist_id, entry_id, segment, proof)

    @router.delete(ENTRY, operation_id="leave")
    def leave(waitlist_id: WaitlistId, entry_id: EntryId) -> Response[Any]:
        proof = tokens.check(waitlist_id, entry_id, authorization())
        leaves.leave(waitlist_id, entry_id, by="customer", stay=proof.stay)
        return Response(204)

    def stay(waitlist_id: str, entry_id: str) -> int:
        return tokens.check(waitlist_id, entry_id, authorization()).stay

    @router.post(f"{ENTRY}/enter", operation_id="enter")
    def enter(waitlist_id: WaitlistId, entry_id: EntryId) -> Response[PassAnswer]:
        base_url = base_url_of(router.current_event.raw_event)
        return admission.enter(waitlist_id, entry_id, stay(waitlist_id, entry_id), base_url)

    @router.get(f"{ENTRY}/pass", operation_id="getPass")
    def get_pass(waitlist_id: WaitlistId, entry_id: EntryId) -> Response[PassAnswer]:
        base_url = base_url_of(router.current_event.raw_event)
        return admission.get_pass(waitlist_id, entry_id, stay(waitlist_id, entry_id), base_url)

    @router.post(f"{ENTRY}/decline", operation_id="decline")
    def decline(
        waitlist_id: WaitlistId,
        entry_id: EntryId,
        body: DeclineBody,
        idempotency_key: IdempotencyKey = None,
    ) -> CustomersEntryAnswer:
        proven = stay(waitlist_id, entry_id)
        return admission.decline(waitlist_id, entry_id, proven, body, idempotency_key)

    @router.post(f"{ENTRY}/exit", operation_id="exitEntry")
    def exit_(waitlist_id: WaitlistId, entry_id: EntryId) -> AdmittedAnswer:
        return admission.exit(waitlist_id, entry_id, stay(waitlist_id, entry_id))

    return router
