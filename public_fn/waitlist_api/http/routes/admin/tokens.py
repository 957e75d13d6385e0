"""Operator routes that issue entry tokens and links for guests."""

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.entries.issue_token import TokenIssuer
from waitlist_api.http.routes.no_store import secret
from waitlist_api.http.routes.params import EntryId, WaitlistId
from waitlist_api.http.routes.passes import base_url_of
from waitlist_api.http.schemas.entries import EntryTokenAnswer, LinkAnswer, NewAddress


def admin_token_routes(token_issuer: TokenIssuer, public_url: str = "") -> APIGatewayHttpRouter:
    """Return the operator routes that issue entry tokens and links. `public_url` is their base URL.

    If `public_url` is empty, the base URL is the URL of CloudFront or of the API.
    """
    router = APIGatewayHttpRouter()

    @router.post(
        "/v1/admin/waitlists/<waitlist_id>/entries/<entry_id>/token", operation_id="issueToken"
    )
    def issue_token(waitlist_id: WaitlistId, entry_id: EntryId) -> Response[EntryTokenAnswer]:
        token = token_issuer.issue_token(waitlist_id, entry_id)
        return secret(EntryTokenAnswer(entry_id=entry_id, entry_token=token))

    @router.post(
        "/v1/admin/waitlists/<waitlist_id>/entries/<entry_id>/link", operation_id="getLink"
    )
    def get_link(waitlist_id: WaitlistId, entry_id: EntryId) -> Response[LinkAnswer]:
        base_url = public_url or base_url_of(router.current_event.raw_event)
        links = token_issuer.issue_links(waitlist_id, entry_id, base_url)
        move = None if links.move is None else NewAddress(to=links.move[0], url=links.move[1])
        return secret(LinkAnswer(url=links.url, new_address=move))

    return router
