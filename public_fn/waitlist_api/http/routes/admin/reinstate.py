"""Operators' route that gives an entry its former place back."""

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.auth.credentials import EntryTokens, operator_of
from waitlist_api.entries.issue_token import link_with
from waitlist_api.entries.reinstate import ReinstateCommand, Reinstatements
from waitlist_api.http.routes.no_store import secret
from waitlist_api.http.routes.params import EntryId, ReinstateKey, WaitlistId
from waitlist_api.http.routes.passes import base_url_of
from waitlist_api.http.schemas.entries import ReinstateAnswer, ReinstateBody


def admin_reinstate_routes(
    reinstatements: Reinstatements, tokens: EntryTokens | None, public_url: str = ""
) -> APIGatewayHttpRouter:
    """Return the operators' route of reinstatements."""
    router = APIGatewayHttpRouter()

    @router.post(
        "/v1/admin/waitlists/<waitlist_id>/entries/<entry_id>/reinstate", operation_id="reinstate"
    )
    def reinstate(
        waitlist_id: WaitlistId,
        entry_id: EntryId,
        body: ReinstateBody,
        idempotency_key: ReinstateKey = None,
    ) -> Response[ReinstateAnswer]:
        view = reinstatements.reinstate(
            ReinstateCommand(
                waitlist_id=waitlist_id,
                entry_id=entry_id,
                by=operator_of(router.current_event.raw_event),
                reason=body.reason,
                idempotency_key=idempotency_key or "",
            )
        )
        token = link = None
        if tokens is not None:
            token = tokens.issue(waitlist_id, entry_id, view.ticket or 0)
            base_url = public_url or base_url_of(router.current_event.raw_event)
            link = link_with(waitlist_id, entry_id, token, base_url)
        return secret(ReinstateAnswer(**view.answer, entry_token=token, link=link))

    return router
