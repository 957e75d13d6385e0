"""Routes with which guests request a link and verify their address."""

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.entries.identify import Identities
from waitlist_api.entries.unproven_signup import UnprovenSignups
from waitlist_api.entries.verify import Verifications
from waitlist_api.errors import NoEntryTokens
from waitlist_api.http.even_times import EvenTimes
from waitlist_api.http.routes.entry_responses import EntryResponses
from waitlist_api.http.routes.no_store import secret
from waitlist_api.http.routes.params import WaitlistId
from waitlist_api.http.schemas.entries import AddressBody, InboxAnswer, SignupAnswer, VerifyBody


def verify_routes(
    verifications: Verifications,
    responses: EntryResponses,
    identities: Identities | None,
    unproven: UnprovenSignups,
    even_times: EvenTimes,
) -> APIGatewayHttpRouter:
    """Return the routes that send links and verify addresses. They need no credentials."""
    router = APIGatewayHttpRouter()

    @router.post("/v1/waitlists/<waitlist_id>/links", operation_id="sendLink")
    def send_link(waitlist_id: WaitlistId, body: AddressBody) -> Response[InboxAnswer]:
        if identities is None:
            raise NoEntryTokens
        began = even_times.now()
        entry_id = identities.find_entry_id(waitlist_id, body.model_dump(exclude_unset=True))
        with even_times.since(began):
            unproven.request_link(waitlist_id, entry_id)
        return Response(202, "application/json", InboxAnswer())

    @router.post("/v1/waitlists/<waitlist_id>/verify", operation_id="verify")
    def verify(waitlist_id: WaitlistId, body: VerifyBody) -> Response[SignupAnswer]:
        verified = verifications.verify(waitlist_id, body.code)
        fields = responses.fields(verified.view)
        return secret(SignupAnswer(**fields, entry_token=verified.token))

    return router
