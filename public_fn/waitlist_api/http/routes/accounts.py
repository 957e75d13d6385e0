"""Routes for customers with accounts, who can access only their own entries with an OIDC token."""

from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter
from msgspec import Struct

from waitlist_api.auth.credentials import Proof, identify_customer
from waitlist_api.entries.signup import Signups
from waitlist_api.entries.signup_step import SignupCommand
from waitlist_api.errors import Forbidden
from waitlist_api.http.routes.customers import ENTRIES
from waitlist_api.http.routes.entry_responses import EntryResponses
from waitlist_api.http.routes.params import OWN_ENTRY_PATH, IdempotencyKey, WaitlistId
from waitlist_api.http.schemas.common import ME
from waitlist_api.http.schemas.entries import OwnSignupAnswer, OwnSignupBody
from waitlist_shared.ids import entry_id_of


class AccountCredentials(Struct, frozen=True):
    """Credentials of customers who sign in at an OIDC issuer.

    API Gateway has already checked their JWTs.
    """

    entry_id: Any = OWN_ENTRY_PATH

    def check(self, event: Any, waitlist_id: str, entry_id: str) -> Proof:
        mine = entry_id_of(waitlist_id, identify_customer(event.raw_event))
        if entry_id not in (ME, mine):
            raise Forbidden(
                "This entry belongs to another customer. Use `me` as the entry id to get your own "
                "entry."
            )
        return Proof(mine)

    def add_sign_up(
        self, router: APIGatewayHttpRouter, signups: Signups, responses: EntryResponses
    ) -> None:
        @router.post(ENTRIES, operation_id="signUp")
        def sign_up(
            waitlist_id: WaitlistId, body: OwnSignupBody, idempotency_key: IdempotencyKey = None
        ) -> Response[OwnSignupAnswer]:
            customer = identify_customer(router.current_event.raw_event)
            if body.customer_id not in (None, customer):
                raise Forbidden("The `customer_id` does not match your token. Leave it out.")
            command = SignupCommand(
                waitlist_id=waitlist_id,
                customer_id=customer,
                profile=body.profile,
                attributes=body.attributes,
                languages=router.current_event.headers.get("accept-language") or "",
                idempotency_key=idempotency_key or "",
                proven=True,
            )
            signed_up = signups.sign_up(command)
            answer = OwnSignupAnswer(**responses.fields(signed_up.view))
            return responses.signed_up(answer, is_new=signed_up.is_new)
