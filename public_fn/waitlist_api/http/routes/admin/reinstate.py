"""Operator route that returns an entry to its former position in the queue."""

from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.auth.credentials import identify_operator
from waitlist_api.entries.reinstate import ReinstateCommand, Reinstatements
from waitlist_api.http.routes.params import EntryId, ReinstateKey, WaitlistId
from waitlist_api.http.schemas.entries import EntryAnswer, ReinstateBody


def admin_reinstate_routes(reinstatements: Reinstatements) -> APIGatewayHttpRouter:
    router = APIGatewayHttpRouter()

    @router.post(
        "/v1/admin/waitlists/<waitlist_id>/entries/<entry_id>/reinstate", operation_id="reinstate"
    )
    def reinstate(
        waitlist_id: WaitlistId,
        entry_id: EntryId,
        body: ReinstateBody,
        idempotency_key: ReinstateKey = None,
    ) -> EntryAnswer:
        view = reinstatements.reinstate(
            ReinstateCommand(
                waitlist_id=waitlist_id,
                entry_id=entry_id,
                by=identify_operator(router.current_event.raw_event),
                reason=body.reason,
                idempotency_key=idempotency_key or "",
            )
        )
        return EntryAnswer(**view.answer)

    return router
