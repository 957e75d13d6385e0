"""What customers do: sign up, look where they stand, leave."""

from dataclasses import asdict
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.auth import EntryTokens
from waitlist_api.joining import Joining, SignupCommand
from waitlist_api.leaving import Leaving
from waitlist_api.routes.documentation import ENTRY_TOKEN, answers
from waitlist_api.routes.parameters import EntryId, IdempotencyKey, SegmentNames, WaitlistId
from waitlist_api.schemas.entries import LookAnswer, SignupAnswer, SignupBody
from waitlist_api.schemas.segments import SegmentPlaceAnswer
from waitlist_api.segment_standing import SegmentStandings
from waitlist_api.standing import Standings
from waitlist_shared.limits import MAX_COMBINATIONS

ENTRIES = "/v1/waitlists/<waitlist_id>/entries"
ENTRY = f"{ENTRIES}/<entry_id>"


def entry_routes(
    tokens: EntryTokens,
    joining: Joining,
    standings: Standings,
    segment_standings: SegmentStandings,
    leaving: Leaving,
) -> APIGatewayHttpRouter:
    """Return the routes of customers."""
    router = APIGatewayHttpRouter()

    def authorization() -> str | None:
        return router.current_event.headers.get("authorization")

    @router.post(
        ENTRIES,
        summary="Sign a customer up",
        description="Send an Idempotency-Key: only with it does a repeat get the token again. "
        f"Attributes that would put somebody in more than {MAX_COMBINATIONS} segments are refused.",
        tags=["customer"],
        operation_id="signUp",
        responses={
            201: {"description": "The customer has a place"},
            **answers(
                200,
                "The place that an earlier request of the same client took",
                "invalid_json",
                "waitlist_not_found",
                "already_on_list",
                "already_left",
                "already_admitted",
                "waitlist_closed",
                "waitlist_full",
                "not_waiting",
                "too_large",
                "unsupported_media_type",
                "rebuilding",
                "record_unavailable",
            ),
        },
    )
    def sign_up(
        waitlist_id: WaitlistId, body: SignupBody, idempotency_key: IdempotencyKey = None
    ) -> Response[SignupAnswer]:
        command = SignupCommand(
            waitlist_id=waitlist_id,
            customer_id=body.customer_id,
            profile=body.profile,
            attributes=body.attributes,
            idempotency_key=idempotency_key or "",
        )
        command = command.with_proof(tokens.proves(waitlist_id, command.entry_id, authorization()))
        signed_up = joining.sign_up(command)
        token = tokens.issue(waitlist_id, command.entry_id)
        answer = SignupAnswer(**asdict(signed_up.standing), entry_token=token)
        return Response(201 if signed_up.is_new else 200, "application/json", answer)

    @router.get(
        ENTRY,
        summary="Where a customer stands, and within which segments",
        description="With `segment` also the place within each segment that the entry's values of "
        "those attributes make, in the same moment. Attributes that are no declared segment are "
        "refused by naming those that are; while segments are built, it is `503 rebuilding`.",
        tags=["customer"],
        operation_id="getEntry",
        security=ENTRY_TOKEN,
        responses=answers(
            200,
            "The entry, true at this moment",
            "unauthorized",
            "forbidden",
            "waitlist_not_found",
            "entry_not_found",
            "rebuilding",
            "record_unavailable",
        ),
    )
    def get_entry(
        waitlist_id: WaitlistId, entry_id: EntryId, segment: SegmentNames = None
    ) -> LookAnswer:
        tokens.check(waitlist_id, entry_id, authorization())
        if segment is None:
            return LookAnswer(**asdict(standings.of(waitlist_id, entry_id)), segments=None)
        standing, places = segment_standings.of(waitlist_id, entry_id, segment.split(","))
        return LookAnswer(
            **asdict(standing), segments=[SegmentPlaceAnswer(**asdict(place)) for place in places]
        )

    @router.delete(
        ENTRY,
        summary="Leave the line",
        description="Answers the same when it is repeated.",
        tags=["customer"],
        operation_id="leave",
        security=ENTRY_TOKEN,
        responses=answers(
            204,
            "The customer has left",
            "unauthorized",
            "forbidden",
            "waitlist_not_found",
            "entry_not_found",
            "already_admitted",
            "rebuilding",
            "record_unavailable",
        ),
    )
    def leave(waitlist_id: WaitlistId, entry_id: EntryId) -> Response[Any]:
        tokens.check(waitlist_id, entry_id, authorization())
        leaving.leave(waitlist_id, entry_id, by="customer")
        return Response(204)

    return router
