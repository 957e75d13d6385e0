"""Signup for guests. The response contains an entry token, which the guest sends with later
requests.
"""

from typing import Any

from aws_lambda_powertools.event_handler import Response
from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.bots.check import BotCheck, BotProof
from waitlist_api.entries.identify import Identities
from waitlist_api.entries.signup import Signups
from waitlist_api.entries.signup_step import SignupCommand
from waitlist_api.entries.unproven_signup import UnprovenSignups
from waitlist_api.http.edge import edge_url_of
from waitlist_api.http.even_times import EvenTimes
from waitlist_api.http.operation import Answer, customer
from waitlist_api.http.request import Request
from waitlist_api.http.routes.entry_responses import SIGNUP_PROBLEMS, EntryResponses
from waitlist_api.http.routes.params import GuestsKey, WaitlistId
from waitlist_api.http.schemas.signup import InboxAnswer, SignupAnswer, SignupBody


class Routes(Struct, frozen=True):
    tokens: EntryTokens
    identities: Identities
    unproven: UnprovenSignups
    even_times: EvenTimes
    bot_check: BotCheck | None
    signups: Signups
    responses: EntryResponses
    request: Request

    @customer(
        "Sign up",
        Answer(201, "The new entry", headers="location", links="entry", model=SignupAnswer),
        (
            Answer(
                200,
                "The existing entry, which an earlier request by the same client created",
                links="entry",
                model=SignupAnswer,
            ),
            Answer(
                202,
                "The response of a waitlist that verifies addresses. It is the same for every "
                "address, so it does not reveal who is on the waitlist.",
                model=InboxAnswer,
            ),
        ),
        problems=(*SIGNUP_PROBLEMS, "bot_check_failed", "bot_check_unavailable"),
        needs_credentials=False,
    )
    def sign_up(
        self, waitlist_id: WaitlistId, body: SignupBody, idempotency_key: GuestsKey = None
    ) -> Response[Any]:
        """Send an Idempotency-Key with each signup.

        If you lose the response, repeat the request with the same key to get the entry token again.
        A signup is refused if its attributes would put the entry in too many segments.
        """
        began = self.even_times.now()
        person = self.identities.identify(waitlist_id, body.customer_id, body.profile)
        command = SignupCommand(
            waitlist_id=waitlist_id,
            customer_id=person.customer_id,
            profile=body.profile,
            attributes=body.attributes,
            domain=person.domain,
            languages=self.request.header("accept-language"),
            idempotency_key=idempotency_key or "",
        )
        # If the waitlist verifies addresses, an Idempotency-Key has no effect.
        digest = "" if person.verify_minutes else command.signup_body
        proof = self._proof_of(body.bot_token, digest)
        command = replace(command, bot_proof=proof)
        if person.verify_minutes:
            with self.even_times.since(began):
                self.unproven.sign_up(command, person.verify_minutes)
            return Response(202, "application/json", InboxAnswer())
        shown = self.request.header("authorization")
        stay = self.tokens.find_proven_stay(waitlist_id, command.entry_id, shown)
        if shown and stay is None:
            # The entry id is computed from the address that the customer first signed up with. If
            # they have changed their address since, the address in this request leads to the wrong
            # id, so look the id up in the table.
            command = self.signups.resolve_entry(command)
            stay = self.tokens.find_proven_stay(waitlist_id, command.entry_id, shown)
        signed_up = self.signups.sign_up(command.with_stay_shown(stay))
        view = signed_up.view
        token = self.tokens.issue(waitlist_id, view.entry_id, view.ticket or 0)
        answer = SignupAnswer(**self.responses.fields(waitlist_id, view), entry_token=token)
        return self.responses.signed_up(answer, is_new=signed_up.is_new)

    def _proof_of(self, bot_token: str | None, request_digest: str) -> BotProof | None:
        if self.bot_check is None:
            return None
        event = self.request.event
        host = event["requestContext"].get("domainName", "")
        return self.bot_check.make_proof(host, edge_url_of(event), bot_token, request_digest)
