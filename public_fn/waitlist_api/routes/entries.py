"""What customers do: sign up, look where they stand, leave."""

from dataclasses import asdict
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.auth import EntryTokens
from waitlist_api.joining import Joining, SignupCommand
from waitlist_api.leaving import Leaving
from waitlist_api.routes.documentation import ENTRY_TOKEN, answers
from waitlist_api.routes.parameters import EntryId, IdempotencyKey, WaitlistId
from waitlist_api.schemas import EntryAnswer, SignupAnswer, SignupBody
from waitlist_api.standing import Standings

ENTRIES = "/v1/waitlists/<waitlist_id>/entries"
ENTRY = f"{ENTRIES}/<entry_id>"


def entry_routes(
    tokens: EntryTokens, joining: Joining, standings: Standings, leaving: Leaving
) -> APIGatewayHttpRouter:
    """Return the routes of customers."""
    router = APIGatewayHttpRouter()

    def authorization() -> str | None:
        return router.current_event.headers.get("authorization")

    @router.post(
        ENTRIES,
        summary="Sign a customer up",
        description="Send an Idempotency-Key: only with it does a repeat get the token again.",
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
        summary="Where a customer stands",
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
    def get_entry(waitlist_id: WaitlistId, entry_id: EntryId) -> EntryAnswer:
        tokens.check(waitlist_id, entry_id, authorization())
        return EntryAnswer(**asdict(standings.of(waitlist_id, entry_id)))

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
