"""Routes with which customers sign up and manage their own entries."""

from typing import Annotated, Any, Protocol

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.auth.credentials import Proof
from waitlist_api.clock import millis_of
from waitlist_api.entries.identify import Identities
from waitlist_api.entries.leave import Leaves
from waitlist_api.entries.own_data import OwnData, OwnDataCommand
from waitlist_api.entries.questions import Questions
from waitlist_api.entries.readiness import ReadinessChanges, RestCommand, ResumeCommand
from waitlist_api.entries.signup import Signups
from waitlist_api.http.routes.admission import CustomerAdmission
from waitlist_api.http.routes.entry_responses import EntryResponses
from waitlist_api.http.routes.no_store import secret
from waitlist_api.http.routes.params import IdempotencyKey, RestKey, SegmentNames, WaitlistId
from waitlist_api.http.routes.passes import base_url_of
from waitlist_api.http.schemas.admission import AdmittedAnswer, DeclineBody, PassAnswer
from waitlist_api.http.schemas.entries import (
    CustomersEntryAnswer,
    LookAnswer,
    NewAddressAnswer,
    OwnDataAnswer,
    OwnDataBody,
    RestAnswer,
    RestBody,
    ResumeBody,
)

ENTRIES = "/v1/waitlists/<waitlist_id>/entries"
ENTRY = f"{ENTRIES}/<entry_id>"


class Credentials(Protocol):
    """The credentials of customers, which are either entry tokens or tokens of an OIDC issuer."""

    @property
    def entry_id(self) -> Any:
        """The declaration of the path parameter `entry_id`."""

    def check(self, event: Any, waitlist_id: str, entry_id: str) -> Proof:
        """Return the entry that the credentials give access to.

        Raise Forbidden if the request names another entry.
        """

    def add_sign_up(
        self, router: APIGatewayHttpRouter, signups: Signups, responses: EntryResponses
    ) -> None:
        """Add the signup route. The route differs between guests and customers with accounts."""


def customer_routes(
    credentials: Credentials,
    signups: Signups,
    responses: EntryResponses,
    leaves: Leaves,
    admission: CustomerAdmission,
    readiness: ReadinessChanges,
    questions: Questions,
    own_data: OwnData,
    identities: Identities | None,
) -> APIGatewayHttpRouter:
    """Return the routes for customers who use these credentials."""
    router = APIGatewayHttpRouter()
    credentials.add_sign_up(router, signups, responses)
    path = credentials.entry_id

    def check(waitlist_id: str, entry_id: str) -> Proof:
        return credentials.check(router.current_event, waitlist_id, entry_id)

    def base_url() -> str:
        return base_url_of(router.current_event.raw_event)

    @router.get(ENTRY, operation_id="getEntry")
    def get_entry(
        waitlist_id: WaitlistId, entry_id: Annotated[str, path], segment: SegmentNames = None
    ) -> Response[LookAnswer]:
        return responses.get(waitlist_id, segment, check(waitlist_id, entry_id))

    @router.delete(ENTRY, operation_id="leave")
    def leave(waitlist_id: WaitlistId, entry_id: Annotated[str, path]) -> Response[Any]:
        proof = check(waitlist_id, entry_id)
        leaves.leave(waitlist_id, proof.entry_id, by="customer", stay=proof.stay)
        return Response(204)

    @router.patch(ENTRY, operation_id="changeOwnData")
    def change_own_data(
        waitlist_id: WaitlistId, entry_id: Annotated[str, path], body: OwnDataBody
    ) -> Response[Any]:
        proof = check(waitlist_id, entry_id)
        command = OwnDataCommand(
            waitlist_id=waitlist_id,
            entry_id=proof.entry_id,
            stay=proof.stay,
            patch=body.profile,
            messages=body.messages,
        )
        own = own_data.change(command, identities)
        kind, status = (NewAddressAnswer, 202) if own.is_asked else (OwnDataAnswer, 200)
        answer = kind(entry_id=proof.entry_id, profile=own.profile, messages=own.messages)
        return secret(answer, status)

    @router.post(f"{ENTRY}/enter", operation_id="enter")
    def enter(waitlist_id: WaitlistId, entry_id: Annotated[str, path]) -> Response[PassAnswer]:
        return admission.enter(waitlist_id, check(waitlist_id, entry_id), base_url())

    @router.get(f"{ENTRY}/pass", operation_id="getPass")
    def get_pass(waitlist_id: WaitlistId, entry_id: Annotated[str, path]) -> Response[PassAnswer]:
        return admission.get_pass(waitlist_id, check(waitlist_id, entry_id), base_url())

    @router.post(f"{ENTRY}/decline", operation_id="decline")
    def decline(
        waitlist_id: WaitlistId,
        entry_id: Annotated[str, path],
        body: DeclineBody,
        idempotency_key: IdempotencyKey = None,
    ) -> CustomersEntryAnswer:
        proof = check(waitlist_id, entry_id)
        return admission.decline(waitlist_id, proof, body, idempotency_key)

    @router.post(f"{ENTRY}/rest", operation_id="rest")
    def rest(
        waitlist_id: WaitlistId,
        entry_id: Annotated[str, path],
        body: RestBody,
        idempotency_key: RestKey = None,
    ) -> RestAnswer:
        proof = check(waitlist_id, entry_id)
        command = RestCommand(
            waitlist_id=waitlist_id,
            entry_id=proof.entry_id,
            stay=proof.stay,
            until_millis=millis_of(body.until),
            idempotency_key=idempotency_key,
        )
        rested = readiness.rest(command)
        return RestAnswer(**responses.fields(rested.view), rests_left=rested.rests_left)

    @router.post(f"{ENTRY}/resume", operation_id="resume")
    def resume(
        waitlist_id: WaitlistId, entry_id: Annotated[str, path], body: ResumeBody
    ) -> RestAnswer:
        proof = check(waitlist_id, entry_id)
        command = ResumeCommand(
            waitlist_id=waitlist_id,
            entry_id=proof.entry_id,
            stay=proof.stay,
            until_millis=millis_of(body.rest_until),
        )
        rested = readiness.resume(command)
        return RestAnswer(**responses.fields(rested.view), rests_left=rested.rests_left)

    @router.post(f"{ENTRY}/confirm", operation_id="confirm")
    def confirm(waitlist_id: WaitlistId, entry_id: Annotated[str, path]) -> CustomersEntryAnswer:
        proof = check(waitlist_id, entry_id)
        view = questions.confirm(waitlist_id, proof.entry_id, proof.stay)
        return CustomersEntryAnswer(**responses.fields(view))

    @router.post(f"{ENTRY}/exit", operation_id="exitEntry")
    def exit_(waitlist_id: WaitlistId, entry_id: Annotated[str, path]) -> AdmittedAnswer:
        return admission.exit(waitlist_id, check(waitlist_id, entry_id))

    return router
