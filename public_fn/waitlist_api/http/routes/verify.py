"""Routes that guests use to request a link and verify their address."""

from aws_lambda_powertools.event_handler import Response
from msgspec import Struct

from waitlist_api.entries.identify import Identities
from waitlist_api.entries.unproven_signup import UnprovenSignups
from waitlist_api.entries.verify import Verifications
from waitlist_api.errors import NoEntryTokens
from waitlist_api.http.even_times import EvenTimes
from waitlist_api.http.operation import Answer, anyone
from waitlist_api.http.routes.entry_responses import EntryResponses
from waitlist_api.http.routes.no_store import secret
from waitlist_api.http.routes.params import WaitlistId
from waitlist_api.http.schemas.signup import InboxAnswer, SignupAnswer
from waitlist_api.http.schemas.verify import AddressBody, VerifyBody


class Routes(Struct, frozen=True):
    verifications: Verifications
    responses: EntryResponses
    identities: Identities | None
    unproven: UnprovenSignups
    even_times: EvenTimes

    @anyone(
        "Request a message with a link to one's own entry",
        Answer(202, "The request was accepted. The response is the same for every address."),
        problems=("no_entry_tokens",),
    )
    def send_link(self, waitlist_id: WaitlistId, body: AddressBody) -> Response[InboxAnswer]:
        """Sends a link to the address if an entry has this address.

        The service publishes the `link_asked` event, or `verification_asked` if the address is not
        verified yet. After the first link, one minute must pass before another can be sent to the
        address. The wait doubles with each link. The operation works only if the waitlist has
        `identity` set. If customers sign in with an OIDC issuer, the request fails with
        `no_entry_tokens`.
        """
        if self.identities is None:
            raise NoEntryTokens
        began = self.even_times.now()
        entry_id = self.identities.find_entry_id(waitlist_id, body.model_dump(exclude_unset=True))
        with self.even_times.since(began):
            self.unproven.request_link(waitlist_id, entry_id)
        return Response(202, "application/json", InboxAnswer())

    @anyone(
        "Verify an entry's address",
        Answer(200, "The entry and its entry token", links="entry", headers="no_store"),
        problems=("code_refused", "already_on_list", "no_entry_tokens", "rebuilding"),
    )
    def verify(self, waitlist_id: WaitlistId, body: VerifyBody) -> Response[SignupAnswer]:
        """Send the code from the link that the address has received. The code is the part after
        `#v=`. Call the operation only after a click, because programs that scan email open links
        automatically. If the code was sent to a new address, the entry moves to that address. If
        another entry already has the new address, the request fails with `already_on_list` and
        nothing changes. A repeated request returns the same response. If customers sign in with an
        OIDC issuer, the request fails with `no_entry_tokens`.
        """
        verified = self.verifications.verify(waitlist_id, body.code)
        fields = self.responses.fields(waitlist_id, verified.view)
        return secret(SignupAnswer(**fields, entry_token=verified.token))
