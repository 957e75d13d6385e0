"""Operator routes that invite people, and show how many people an invitation has reached."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path
from msgspec import Struct
from msgspec.structs import asdict

from waitlist_api import cursors
from waitlist_api.admission.invite import Counted, Invitations, InviteCommand
from waitlist_api.clock import iso, millis_of
from waitlist_api.http.operation import Answer, operator
from waitlist_api.http.request import Request
from waitlist_api.http.routes.admin.params import Cursor, Limit
from waitlist_api.http.routes.params import IdempotencyKey, WaitlistId
from waitlist_api.http.schemas.invitations import (
    FunnelAnswer,
    InvitationAnswer,
    InvitationBody,
    InvitationsAnswer,
    PathInvitationId,
    texts_in,
)
from waitlist_api.http.schemas.settings import shown

InvitationId = Annotated[str, Path(pattern=PathInvitationId, examples=["019ac5f3d2a4b7c1"])]
# Counting how many people each invitation has reached takes time, so pages are small.
PAGE = 20


class Routes(Struct, frozen=True):
    invitations: Invitations
    request: Request

    @operator(
        "Invite people to accept an offer until a given time",
        Answer(200, "The invitation"),
        problems=(
            "waitlist_paused",
            "admission_over",
            "idempotency_key_reused",
            "record_unavailable",
        ),
    )
    def invite(
        self, waitlist_id: WaitlistId, body: InvitationBody, idempotency_key: IdempotencyKey = None
    ) -> InvitationAnswer:
        """Each invited person gets one offer, regardless of the rate and the schedule.

        They also get at most one reminder before the offer ends. An offer that is not accepted does
        not go to anyone else. People who join after this request are not invited. A large
        invitation stays `running` for a few minutes.
        """
        command = InviteCommand(
            waitlist_id=waitlist_id,
            by=self.request.operator,
            count=body.count or len(body.entries or ()),
            entries=tuple(body.entries or ()),
            filter=body.filter or {},
            until_millis=None if body.until is None else millis_of(body.until),
            offer_seconds=body.offer_seconds,
            message=texts_in(body.message),
            idempotency_key=idempotency_key or "",
        )
        return _answer(self.invitations.invite(command))

    @operator(
        "List a waitlist's invitations",
        Answer(200, "A page of invitations, newest first", links="next_page"),
    )
    def list_invitations(
        self, waitlist_id: WaitlistId, cursor: Cursor = None, limit: Limit = PAGE
    ) -> InvitationsAnswer:
        found, following = self.invitations.page(waitlist_id, cursors.decode_text(cursor), limit)
        return InvitationsAnswer(
            invitations=[_answer(counted) for counted in found], cursor=cursors.encode(following)
        )

    @operator(
        "Show an invitation, and how many people it has reached",
        Answer(200, "The invitation"),
        problems=("invitation_not_found",),
    )
    def get_invitation(
        self, waitlist_id: WaitlistId, invitation_id: InvitationId
    ) -> InvitationAnswer:
        return _answer(self.invitations.find(waitlist_id, invitation_id))


def _answer(counted: Counted) -> InvitationAnswer:
    invitation = counted.invitation
    return InvitationAnswer(
        invitation_id=invitation.invitation_id,
        created_at=iso(invitation.created_millis),
        until=iso(invitation.until_millis),
        state="running" if invitation.running else "done",
        count=invitation.count,
        filter=dict(invitation.filter) or None,
        message=shown(invitation.message) or None,
        funnel=FunnelAnswer(**asdict(counted.funnel)),
    )
