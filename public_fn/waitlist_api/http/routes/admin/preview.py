"""Operator route that estimates waits under an admission policy without saving it."""

from msgspec import Struct

from waitlist_api.clock import iso
from waitlist_api.http.operation import Answer, operator
from waitlist_api.http.request import Request
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


class Routes(Struct, frozen=True):
    previews: Previews
    request: Request

    @operator(
        "Estimate waits under an admission policy without saving it",
        Answer(200, "The estimates by position"),
        problems=("rebuilding",),
    )
    def preview_admission(self, waitlist_id: WaitlistId, body: PreviewBody) -> PreviewAnswer:
        """The request saves nothing.

        If you send the policy that the waitlist already has, the estimates use the waitlist's
        measured pace. If you send a different policy, the estimates are what customers would see
        right after a change to this policy. If the waitlist is paused, the estimates assume that it
        resumes now.
        """
        admission = body.admission
        policy = settings_in(AdmissionPolicy, admission) if admission else None
        found = self.previews.preview(waitlist_id, policy, body.people)
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
