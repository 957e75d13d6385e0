"""Operators' route of entry tokens, for guests who were imported or have lost theirs."""

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.entries.issue_token import TokenIssuer
from waitlist_api.http.routes.no_store import secret
from waitlist_api.http.routes.params import EntryId, WaitlistId
from waitlist_api.http.schemas.entries import EntryTokenAnswer


def admin_token_routes(token_issuer: TokenIssuer) -> APIGatewayHttpRouter:
    """Return the operators' route of entry tokens."""
    router = APIGatewayHttpRouter()

    @router.post(
        "/v1/admin/waitlists/<waitlist_id>/entries/<entry_id>/token", operation_id="issueToken"
    )
    def issue_token(waitlist_id: WaitlistId, entry_id: EntryId) -> Response[EntryTokenAnswer]:
        token = token_issuer.token_of(waitlist_id, entry_id)
        return secret(EntryTokenAnswer(entry_id=entry_id, entry_token=token))

    return router
