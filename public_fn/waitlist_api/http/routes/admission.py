"""Customer operations on offers and admissions, for guests and for customers with accounts."""

from aws_lambda_powertools.event_handler import Response
from msgspec import Struct

from waitlist_api.admission.decline import DeclineCommand, Declines
from waitlist_api.admission.exit import Exits
from waitlist_api.admission.own_admission import OwnAdmissions
from waitlist_api.auth.credentials import Proof
from waitlist_api.auth.passes import Passes
from waitlist_api.clock import NowMillis, iso, millis_of
from waitlist_api.http.routes.entry_responses import EntryResponses
from waitlist_api.http.routes.no_store import secret
from waitlist_api.http.schemas.admission import (
    AdmittedAnswer,
    DeclineAnswer,
    DeclineBody,
    PassAnswer,
)
from waitlist_api.records.decisions import CUSTOMER
from waitlist_api.records.entry import EntryRecord
from waitlist_shared.errors import NotOffered


class CustomerAdmission(Struct, frozen=True):
    """Handles customer operations on offers and admissions, after the credentials have been
    checked.
    """

    admissions: OwnAdmissions
    declines: Declines
    exits: Exits
    passes: Passes
    responses: EntryResponses
    now_millis: NowMillis

    def enter(self, waitlist_id: str, proof: Proof, base_url: str) -> Response[PassAnswer]:
        record = self.admissions.enter(waitlist_id, proof.entry_id, proof.stay)
        return self._with_pass(record, base_url)

    def get_pass(self, waitlist_id: str, proof: Proof, base_url: str) -> Response[PassAnswer]:
        """Return the admission with its pass.

        Raise NotInside unless the customer is currently admitted.
        """
        record = self.admissions.find(waitlist_id, proof.entry_id, proof.stay)
        return self._with_pass(record, base_url)

    def _with_pass(self, record: EntryRecord, base_url: str) -> Response[PassAnswer]:
        issued = None
        if until := record.pass_until(self.now_millis()):
            admitted = record.end.admitted_millis or 0
            issued = self.passes.issue(*record.key, record.pass_id, admitted, until, base_url)
        return secret(PassAnswer(**{**admitted_answer(record).model_dump(), "pass": issued}))

    def decline(
        self,
        waitlist_id: str,
        proof: Proof,
        body: DeclineBody,
        idempotency_key: str | None,
    ) -> DeclineAnswer:
        """Decline an offer. The policy decides whether the entry stays on the waitlist."""
        command = DeclineCommand(
            waitlist_id=waitlist_id,
            entry_id=proof.entry_id,
            stay=proof.stay,
            to=body.to,
            offered_until_millis=millis_of(body.offered_until) if body.offered_until else None,
            idempotency_key=idempotency_key,
        )
        declined = self.declines.decline(command)
        fields = self.responses.fields(waitlist_id, declined.view)
        return DeclineAnswer(**fields, declines_left=declined.left)

    def exit(self, waitlist_id: str, proof: Proof) -> AdmittedAnswer:
        """Record that an admitted customer has exited. A repeated call changes nothing."""
        return admitted_answer(
            self.exits.exit(waitlist_id, proof.entry_id, CUSTOMER, stay=proof.stay)
        )


def admitted_answer(record: EntryRecord) -> AdmittedAnswer:
    """Return the response for an admitted entry. Raise NotOffered if the entry is not admitted."""
    if record.status != "admitted" or record.end.admitted_millis is None:
        raise NotOffered
    exited, inside_until = record.went_out_millis, record.end.inside_until_millis
    return AdmittedAnswer(
        entry_id=record.entry_id,
        status=record.status,
        admitted_at=iso(record.end.admitted_millis),
        exited_at=None if exited is None else iso(exited),
        inside_until=None if inside_until is None else iso(inside_until),
    )
