"""Signup for customers with accounts, who are identified by a token from an OIDC issuer."""

from aws_lambda_powertools.event_handler import Response
from msgspec import Struct

from waitlist_api.auth.credentials import identify_customer
from waitlist_api.entries.signup import Signups
from waitlist_api.entries.signup_step import SignupCommand
from waitlist_api.errors import Forbidden
from waitlist_api.http.operation import Answer, customer
from waitlist_api.http.request import Request
from waitlist_api.http.routes.entry_responses import SIGNUP_PROBLEMS, EntryResponses
from waitlist_api.http.routes.params import IdempotencyKey, WaitlistId
from waitlist_api.http.schemas.signup import OwnSignupAnswer, OwnSignupBody


class Routes(Struct, frozen=True):
    signups: Signups
    responses: EntryResponses
    request: Request

    @customer(
        "Sign up",
        Answer(201, "The new entry", headers="location", links="entry"),
        (
            Answer(
                200,
                "The existing entry, which an earlier request by the same client created",
                links="entry",
            ),
        ),
        problems=SIGNUP_PROBLEMS,
    )
    def sign_up(
        self, waitlist_id: WaitlistId, body: OwnSignupBody, idempotency_key: IdempotencyKey = None
    ) -> Response[OwnSignupAnswer]:
        """The token's `sub` claim identifies the customer, so a repeated signup returns the same
        entry. A signup is refused if its attributes would put the entry in too many segments.
        """
        customer = identify_customer(self.request.event)
        if body.customer_id not in (None, customer):
            raise Forbidden("The `customer_id` does not match your token. Leave it out.")
        command = SignupCommand(
            waitlist_id=waitlist_id,
            customer_id=customer,
            profile=body.profile,
            attributes=body.attributes,
            languages=self.request.header("accept-language"),
            idempotency_key=idempotency_key or "",
            proven=True,
        )
        signed_up = self.signups.sign_up(command)
        answer = OwnSignupAnswer(**self.responses.fields(waitlist_id, signed_up.view))
        return self.responses.signed_up(answer, is_new=signed_up.is_new)
