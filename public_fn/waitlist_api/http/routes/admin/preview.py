"""Operator route that estimates waits under an admission policy without saving the policy."""

from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.clock import iso
from waitlist_api.http.routes.admin.waitlists import WAITLIST
from waitlist_api.http.routes.params import WaitlistId
from waitlist_api.http.schemas.preview import (
    InstantAnswer,
    PositionAnswer,
    PreviewAnswer,
    PreviewBody,
)
from waitlist_api.http.schemas.settings import settings_in
from waitlist_api.http.schemas.wait import estimate_fields
from waitlist_api.settings.admission import AdmissionPolicy
from waitlist_api.waitlists.preview import Previews


def admin_preview_routes(previews: Previews) -> APIGatewayHttpRouter:
    router = APIGatewayHttpRouter()

    @router.post(f"{WAITLIST}/preview", operation_id="previewAdmission")
    def preview(waitlist_id: WaitlistId, body: PreviewBody) -> PreviewAnswer:
        admission = body.admission
        policy = settings_in(AdmissionPolicy, admission) if admission else None
        found = previews.preview(waitlist_id, policy, body.people)
        return PreviewAnswer(
            waiting=found.waiting,
            estimates=[
                PositionAnswer(position=position, **estimate_fields(wait))
                for position, wait in found.waits.items()
            ],
            scheduled=[
                InstantAnswer(at=iso(instant.millis), count=instant.count)
                for instant in found.instants
            ],
        )

    return router
