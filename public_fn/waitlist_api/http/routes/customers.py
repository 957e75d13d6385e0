"""Routes that customers use to manage their own entries."""

from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from msgspec import Struct
from msgspec.structs import asdict

from waitlist_api.admission.polls import Polls
from waitlist_api.clock import millis_of
from waitlist_api.entries.identify import Identities
from waitlist_api.entries.leave import Leaves
from waitlist_api.entries.own_data import OwnData, OwnDataCommand
from waitlist_api.entries.questions import Questions
from waitlist_api.entries.readiness import ReadinessChanges, RestCommand, ResumeCommand
from waitlist_api.http.credentials import Credentials
from waitlist_api.http.operation import ENTRY, Answer, customer
from waitlist_api.http.request import Request
from waitlist_api.http.routes.admission import CustomerAdmission
from waitlist_api.http.routes.entry_responses import EntryResponses
from waitlist_api.http.routes.no_store import secret
from waitlist_api.http.routes.params import (
    DeclineKey,
    EntryId,
    RestKey,
    WaitlistId,
)
from waitlist_api.http.schemas.admission import (
    AdmittedAnswer,
    DeclineAnswer,
    DeclineBody,
    PassAnswer,
)
from waitlist_api.http.schemas.customers import (
    LookAnswer,
    NewAddressAnswer,
    OwnDataAnswer,
    OwnDataBody,
    RestAnswer,
    RestBody,
    ResumeBody,
)
from waitlist_api.http.schemas.entries import CustomersEntryAnswer
from waitlist_api.http.schemas.segments import SEGMENT_NAMES, SegmentPlaceAnswer
from waitlist_api.records.leaves import Leave
from waitlist_api.settings.stack import Stack

SegmentNames = Annotated[
    str | None,
    Query(
        pattern=SEGMENT_NAMES,
        max_length=512,
        description="The attribute names of a declared segment, separated by commas. The response "
        "then contains the entry's position within this segment.",
        examples=["language", "gender,language"],
    ),
]


class Routes(Struct, frozen=True):
    credentials: Credentials
    responses: EntryResponses
    polls: Polls
    leaves: Leaves
    admission: CustomerAdmission
    readiness: ReadinessChanges
    questions: Questions
    own_data: OwnData
    identities: Identities | None
    stack: Stack
    request: Request

    @customer(
        "Get an entry's position",
        Answer(200, "The entry, with its exact current position", headers="no_store"),
        problems=ENTRY,
    )
    def get_entry(
        self, waitlist_id: WaitlistId, entry_id: EntryId, segment: SegmentNames = None
    ) -> Response[LookAnswer]:
        """To get the entry's position within a segment, send the segment's attribute names in
        `segment`.

        If the entry has several values for an attribute, the response contains several positions.
        If the waitlist does not declare the segment, the request is refused. While the service
        prepares new segments, the request fails with `503 rebuilding`.
        """
        proof = self.credentials.check(waitlist_id, entry_id)
        names = None if segment is None else segment.split(",")
        view, places = self.polls.poll(waitlist_id, proof.entry_id, names, proof.stay)
        segments = None
        if places is not None:
            segments = [SegmentPlaceAnswer(**asdict(place)) for place in places]
        fields = self.responses.fields(
            waitlist_id, view, *(place.position for place in places or ())
        )
        answer = LookAnswer(**fields, segments=segments, entry_token=proof.renewed)
        return Response(200, "application/json", answer)

    @customer(
        "Leave the waitlist",
        Answer(204, "The customer has left the waitlist"),
        problems=(*ENTRY, "already_admitted"),
    )
    def leave(self, waitlist_id: WaitlistId, entry_id: EntryId) -> Response[Any]:
        """A repeated request returns the same response."""
        proof = self.credentials.check(waitlist_id, entry_id)
        self.leaves.leave(waitlist_id, proof.entry_id, Leave(by="customer", stay=proof.stay))
        return Response(204)

    @customer(
        "Change the customer's own data",
        Answer(200, "The customer's own profile", headers="no_store", model=OwnDataAnswer),
        (
            Answer(
                202,
                "The new address must be verified first. The response does not reveal whether "
                "another entry has this address.",
                model=NewAddressAnswer,
                is_only_for_guests=True,
            ),
        ),
        problems=(*ENTRY, "already_admitted", "not_waiting", "too_many_changes"),
    )
    def change_own_data(
        self, waitlist_id: WaitlistId, entry_id: EntryId, body: OwnDataBody
    ) -> Response[Any]:
        """A field that the waitlist requires cannot be removed. Only operators can change form
        fields that are stored as attributes. If the request changes the address that identifies the
        customer, the response is `202`. The service then publishes the `address_change_asked` event
        and sends a code to the new address. The entry moves to the new address when `verify` is
        called with this code. Only the newest requested address can be verified. To cancel the
        change, send the current address. A customer can request three new addresses in a row. After
        that, a request that comes too early fails with `too_many_changes`. A repeated request
        returns the same response.
        """
        proof = self.credentials.check(waitlist_id, entry_id)
        command = OwnDataCommand(
            waitlist_id=waitlist_id,
            entry_id=proof.entry_id,
            stay=proof.stay,
            patch=body.profile,
            messages=body.messages,
            channels=self.stack.channels,
        )
        own = self.own_data.change(command, self.identities)
        kind, status = (NewAddressAnswer, 202) if own.is_asked else (OwnDataAnswer, 200)
        answer = kind(
            entry_id=proof.entry_id,
            profile=own.profile,
            messages=own.messages,
            messages_to=own.messages_to,
        )
        return secret(answer, status)

    @customer(
        "Accept an offer and be admitted",
        Answer(200, "The admission", headers="no_store"),
        problems=(
            *ENTRY,
            "not_offered",
            "already_admitted",
            "not_waiting",
            "offer_expired",
            "keys_unavailable",
        ),
    )
    def enter(self, waitlist_id: WaitlistId, entry_id: EntryId) -> Response[PassAnswer]:
        """A repeated request returns the same admission and the same pass."""
        return self.admission.enter(
            waitlist_id, self.credentials.check(waitlist_id, entry_id), self.request.base_url
        )

    @customer(
        "Get the pass for an admission",
        Answer(200, "The admission and its pass", headers="no_store"),
        problems=("entry_not_found", "not_inside", "keys_unavailable"),
    )
    def get_pass(self, waitlist_id: WaitlistId, entry_id: EntryId) -> Response[PassAnswer]:
        """The pass is available until it expires."""
        return self.admission.get_pass(
            waitlist_id, self.credentials.check(waitlist_id, entry_id), self.request.base_url
        )

    @customer(
        "Decline an offer",
        Answer(
            200, "The entry, which keeps its place, is now at the end of the queue, or has left"
        ),
        problems=(
            *ENTRY,
            "not_offered",
            "already_admitted",
            "not_waiting",
            "offer_expired",
            "too_many_changes",
            "idempotency_key_reused",
        ),
    )
    def decline(
        self,
        waitlist_id: WaitlistId,
        entry_id: EntryId,
        body: DeclineBody,
        idempotency_key: DeclineKey = None,
    ) -> DeclineAnswer:
        """When a customer declines an offer, the next customer gets an offer at once. Send
        `offered_until` or an `Idempotency-Key`, so that a repeated request cannot decline a later
        offer.
        """
        proof = self.credentials.check(waitlist_id, entry_id)
        return self.admission.decline(waitlist_id, proof, body, idempotency_key)

    @customer(
        "Let others pass until a given time",
        Answer(200, "The entry, which is not ready until the given time"),
        problems=(
            *ENTRY,
            "already_admitted",
            "not_waiting",
            "rest_not_allowed",
            "rests_used_up",
            "too_many_changes",
        ),
    )
    def rest(
        self,
        waitlist_id: WaitlistId,
        entry_id: EntryId,
        body: RestBody,
        idempotency_key: RestKey = None,
    ) -> RestAnswer:
        """The customer is letting others pass until the time in `until`.

        Until then, the entry keeps its position in the queue, but other customers are served first.
        Repeating a request with the same `until` changes nothing.
        """
        proof = self.credentials.check(waitlist_id, entry_id)
        command = RestCommand(
            waitlist_id=waitlist_id,
            entry_id=proof.entry_id,
            stay=proof.stay,
            until_millis=millis_of(body.until),
            idempotency_key=idempotency_key,
        )
        rested = self.readiness.rest(command)
        fields = self.responses.fields(waitlist_id, rested.view)
        return RestAnswer(**fields, rests_left=rested.rests_left)

    @customer(
        "Stop letting others pass",
        Answer(200, "The entry after the change"),
        problems=(*ENTRY, "already_admitted", "not_waiting"),
    )
    def resume(self, waitlist_id: WaitlistId, entry_id: EntryId, body: ResumeBody) -> RestAnswer:
        """The customer stops letting others pass.

        If the customer is not letting others pass, nothing changes. The same applies if the
        customer has since chosen a time other than the `rest_until` in the request. A repeated
        request returns the same response.
        """
        proof = self.credentials.check(waitlist_id, entry_id)
        command = ResumeCommand(
            waitlist_id=waitlist_id,
            entry_id=proof.entry_id,
            stay=proof.stay,
            until_millis=millis_of(body.rest_until),
        )
        rested = self.readiness.resume(command)
        fields = self.responses.fields(waitlist_id, rested.view)
        return RestAnswer(**fields, rests_left=rested.rests_left)

    @customer(
        "Confirm that the customer is still waiting",
        Answer(200, "The entry after the confirmation"),
        problems=(*ENTRY, "already_admitted", "not_waiting"),
    )
    def confirm(self, waitlist_id: WaitlistId, entry_id: EntryId) -> CustomersEntryAnswer:
        """Some waitlists ask customers from time to time whether they are still waiting.

        This operation confirms that they are. If the customer has not been asked, nothing changes.
        Once the service has recorded that the customer did not answer in time, the request fails
        with `not_waiting`.
        """
        proof = self.credentials.check(waitlist_id, entry_id)
        view = self.questions.confirm(waitlist_id, proof.entry_id, proof.stay)
        return CustomersEntryAnswer(**self.responses.fields(waitlist_id, view))

    @customer(
        "Exit, which makes room for another customer",
        Answer(200, "The admission"),
        problems=(*ENTRY, "not_inside"),
    )
    def exit_entry(self, waitlist_id: WaitlistId, entry_id: EntryId) -> AdmittedAnswer:
        """An admitted customer counts towards `max_inside` until their pass ends or until they exit
        with this request. If the policy's `customer_exit` is `frees_at_end`, a customer who exits
        with this request counts until their pass ends. A repeated request returns the same
        response.
        """
        return self.admission.exit(waitlist_id, self.credentials.check(waitlist_id, entry_id))
