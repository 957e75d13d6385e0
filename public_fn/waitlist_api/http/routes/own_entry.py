"""Routes of customers with tokens of an OIDC issuer: each for their own entry only."""

from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.auth.credentials import customer_of
from waitlist_api.entries.leave import Leaves
from waitlist_api.entries.signup import Signups
from waitlist_api.entries.signup_step import SignupCommand
from waitlist_api.errors import Forbidden
from waitlist_api.http.routes.admission import CustomerAdmission
from waitlist_api.http.routes.entries import ENTRIES, ENTRY
from waitlist_api.http.routes.entry_responses import EntryResponses
from waitlist_api.http.routes.params import IdempotencyKey, OwnEntryId, SegmentNames, WaitlistId
from waitlist_api.http.routes.passes import base_url_of
from waitlist_api.http.schemas.admission import AdmittedAnswer, DeclineBody, PassAnswer
from waitlist_api.http.schemas.common import ME
from waitlist_api.http.schemas.entries import (
    CustomersEntryAnswer,
    LookAnswer,
    OwnSignupAnswer,
    OwnSignupBody,
)
from waitlist_shared.ids import entry_id_of


def own_entry_routes(
    signups: Signups, responses: EntryResponses, leaves: Leaves, admission: CustomerAdmission
) -> APIGatewayHttpRouter:
    """Return the routes of customers that API Gateway's JWT authorizer identifies."""
    router = APIGatewayHttpRouter()

    def customer() -> str:
        return customer_of(router.current_event.raw_event)

    def own(waitlist_id: str, entry_id: str) -> str:
        mine = entry_id_of(waitlist_id, customer())
        if entry_id not in (ME, mine):
            raise Forbidden("This entry belongs to another customer; use `me` for your own.")
        return mine

    @router.post(ENTRIES, operation_id="signUp")
    def sign_up(
        waitlist_id: WaitlistId, body: OwnSignupBody, idempotency_key: IdempotencyKey = None
    ) -> Response[OwnSignupAnswer]:
        if body.customer_id not in (None, customer()):
            raise Forbidden("This token belongs to another customer; leave customer_id out.")
        command = SignupCommand(
            waitlist_id=waitlist_id,
            customer_id=customer(),
            profile=body.profile,
            attributes=body.attributes,
            idempotency_key=idempotency_key or "",
            proven=True,
        )
        signed_up = signups.sign_up(command)
        answer = OwnSignupAnswer(**responses.fields(signed_up.view))
        return Response(201 if signed_up.is_new else 200, "application/json", answer)

    @router.get(ENTRY, operation_id="getEntry")
    def get_entry(
        waitlist_id: WaitlistId, entry_id: OwnEntryId, segment: SegmentNames = None
    ) -> Response[LookAnswer]:
        return responses.get(waitlist_id, own(waitlist_id, entry_id), segment)

    @router.delete(ENTRY, operation_id="leave")
    def leave(waitlist_id: WaitlistId, entry_id: OwnEntryId) -> Response[Any]:
        leaves.leave(waitlist_id, own(waitlist_id, entry_id), by="customer")
        return Response(204)

    @router.post(f"{ENTRY}/enter", operation_id="enter")
    def enter(waitlist_id: WaitlistId, entry_id: OwnEntryId) -> Response[PassAnswer]:
        base_url = base_url_of(router.current_event.raw_event)
        return admission.enter(waitlist_id, own(waitlist_id, entry_id), None, base_url)

    @router.get(f"{ENTRY}/pass", operation_id="getPass")
    def get_pass(waitlist_id: WaitlistId, entry_id: OwnEntryId) -> Response[PassAnswer]:
        base_url = base_url_of(router.current_event.raw_event)
        return admission.get_pass(waitlist_id, own(waitlist_id, entry_id), None, base_url)

    @router.post(f"{ENTRY}/decline", operation_id="decline")
    def decline(
        waitlist_id: WaitlistId,
        entry_id: OwnEntryId,
        body: DeclineBody,
        idempotency_key: IdempotencyKey = None,
    ) -> CustomersEntryAnswer:
        mine = own(waitlist_id, entry_id)
        return admission.decline(waitlist_id, mine, None, body, idempotency_key)

    @router.post(f"{ENTRY}/exit", operation_id="exitEntry")
    def exit_(waitlist_id: WaitlistId, entry_id: OwnEntryId) -> AdmittedAnswer:
        return admission.exit(waitlist_id, own(waitlist_id, entry_id), None)

    return router
