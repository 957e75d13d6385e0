"""The route by which the reader of a message proves to have the address."""

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.entries.verify import Verifications
from waitlist_api.http.routes.entry_responses import EntryResponses
from waitlist_api.http.routes.no_store import secret
from waitlist_api.http.routes.params import WaitlistId
from waitlist_api.http.schemas.entries import SignupAnswer, VerifyBody


def verify_routes(verifications: Verifications, responses: EntryResponses) -> APIGatewayHttpRouter:
    """Return the route; the code in its body is the only credential."""
    router = APIGatewayHttpRouter()

    @router.post("/v1/waitlists/<waitlist_id>/verify", operation_id="verify")
    def verify(waitlist_id: WaitlistId, body: VerifyBody) -> Response[SignupAnswer]:
        verified = verifications.verify(waitlist_id, body.code)
        fields = responses.fields(verified.view)
        return secret(SignupAnswer(**fields, entry_token=verified.token))

    return router
