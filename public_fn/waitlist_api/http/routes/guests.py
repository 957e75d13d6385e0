"""Routes for guests. A signup returns an entry token, with which the guest can act on the entry."""

from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter
from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.auth.credentials import EntryTokens, Proof
from waitlist_api.bots.check import BotCheck, BotProof
from waitlist_api.entries.identify import Identities
from waitlist_api.entries.signup import Signups
from waitlist_api.entries.signup_step import SignupCommand
from waitlist_api.entries.unproven_signup import UnprovenSignups
from waitlist_api.http.edge import edge_url_of
from waitlist_api.http.even_times import EvenTimes
from waitlist_api.http.routes.customers import ENTRIES
from waitlist_api.http.routes.entry_responses import EntryResponses
from waitlist_api.http.routes.params import ENTRY_PATH, GuestsKey, WaitlistId
from waitlist_api.http.schemas.entries import InboxAnswer, SignupAnswer, SignupBody


class GuestCredentials(Struct, frozen=True):
    """Credentials of guests, who get an entry token when they sign up."""

    tokens: EntryTokens
    identities: Identities
    unproven: UnprovenSignups
    even_times: EvenTimes
    bot_check: BotCheck | None
    entry_id: Any = ENTRY_PATH

    def check(self, event: Any, waitlist_id: str, entry_id: str) -> Proof:
        return self.tokens.check(waitlist_id, entry_id, event.headers.get("authorization"))

    def add_sign_up(
        self, router: APIGatewayHttpRouter, signups: Signups, responses: EntryResponses
    ) -> None:
        tokens, identities, unproven = self.tokens, self.identities, self.unproven

        @router.post(ENTRIES, operation_id="signUp")
        def sign_up(
            waitlist_id: WaitlistId, body: SignupBody, idempotency_key: GuestsKey = None
        ) -> Response[Any]:
            began = self.even_times.now()
            person = identities.identify(waitlist_id, body.customer_id, body.profile)
            command = SignupCommand(
                waitlist_id=waitlist_id,
                customer_id=person.customer_id,
                profile=body.profile,
                attributes=body.attributes,
                domain=person.domain,
                languages=router.current_event.headers.get("accept-language") or "",
                idempotency_key=idempotency_key or "",
            )
            # If the waitlist verifies addresses, an Idempotency-Key has no effect.
            digest = "" if person.verify_minutes else command.signup_body
            proof = self._proof_of(router.current_event, body.bot_token, digest)
            command = replace(command, bot_proof=proof)
            if person.verify_minutes:
                with self.even_times.since(began):
                    unproven.sign_up(command, person.verify_minutes)
                return Response(202, "application/json", InboxAnswer())
            shown = router.current_event.headers.get("authorization")
            stay = tokens.find_proven_stay(waitlist_id, command.entry_id, shown)
            if shown and stay is None:
                # The entry may have moved to this address, so look up the entry's current id.
                command = signups.resolve_entry(command)
                stay = tokens.find_proven_stay(waitlist_id, command.entry_id, shown)
            signed_up = signups.sign_up(command.with_stay_shown(stay))
            view = signed_up.view
            token = tokens.issue(waitlist_id, view.entry_id, view.ticket or 0)
            answer = SignupAnswer(**responses.fields(view), entry_token=token)
            return responses.signed_up(answer, is_new=signed_up.is_new)

    def _proof_of(self, event: Any, bot_token: str | None, request_digest: str) -> BotProof | None:
        if self.bot_check is None:
            return None
        host = event.raw_event["requestContext"].get("domainName", "")
        edge_url = edge_url_of(event.raw_event)
        return self.bot_check.make_proof(host, edge_url, bot_token, request_digest)
