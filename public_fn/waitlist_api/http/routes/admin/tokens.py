"""What operators do for guests who have no entry token: who was imported, or has lost it."""

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.auth.issue_token import TokenIssuer
from waitlist_api.http.openapi.responses import SIGV4, answers
from waitlist_api.http.routes.no_store import secret, with_secret
from waitlist_api.http.routes.params import EntryId, WaitlistId
from waitlist_api.http.schemas.entries import EntryTokenAnswer


def admin_token_routes(token_issuer: TokenIssuer) -> APIGatewayHttpRouter:
    """Return the operators' route of guests' tokens."""
    router = APIGatewayHttpRouter()

    @router.post(
        "/v1/admin/waitlists/<waitlist_id>/entries/<entry_id>/token",
        summary="Issue an entry's token, for the guest whose entry it is",
        description="For a customer who was imported, or has lost the token. The token is good for "
        "looking at the last stay of the entry, and for leaving it. The request takes no body and "
        "changes nothing; earlier tokens of the same stay keep working. Where customers have an "
        "issuer's tokens, the answer is `no_entry_tokens`.",
        tags=["operator"],
        operation_id="issueToken",
        security=SIGV4,
        responses=with_secret(
            answers(
                200,
                "The token",
                "unauthorized",
                "waitlist_not_found",
                "entry_not_found",
                "no_entry_tokens",
                "unsupported_media_type",
                "rebuilding",
                "record_unavailable",
            )
        ),
    )
    def issue_token(waitlist_id: WaitlistId, entry_id: EntryId) -> Response[EntryTokenAnswer]:
        token = token_issuer.token_of(waitlist_id, entry_id)
        return secret(EntryTokenAnswer(entry_id=entry_id, entry_token=token))

    return router
