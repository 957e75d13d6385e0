"""Operator routes that issue entry tokens and links for guests."""

from aws_lambda_powertools.event_handler import Response
from msgspec import Struct

from waitlist_api.auth.passes import Passes
from waitlist_api.entries.issue_token import TokenIssuer
from waitlist_api.http.operation import ENTRY, Answer, operator
from waitlist_api.http.request import Request
from waitlist_api.http.routes.no_store import secret
from waitlist_api.http.routes.params import EntryId, WaitlistId
from waitlist_api.http.schemas.admin_entries import EntryTokenAnswer, LinkAnswer, NewAddress


class Routes(Struct, frozen=True):
    token_issuer: TokenIssuer
    passes: Passes
    request: Request

    @operator(
        "Issue an entry token for a guest",
        Answer(200, "The entry token", headers="no_store"),
        problems=(*ENTRY, "no_entry_tokens"),
        audit="each_request",
    )
    def issue_token(self, waitlist_id: WaitlistId, entry_id: EntryId) -> Response[EntryTokenAnswer]:
        """Use this operation for a customer who was imported, or who has lost their token.

        Keep the token secret, because anyone who has it can act as the customer. The token is valid
        until the customer signs up again. The request does not change the entry, and earlier tokens
        for the same signup remain valid. If customers sign in with an OIDC issuer, the request
        fails with `no_entry_tokens`.
        """
        token = self.token_issuer.issue_token(waitlist_id, entry_id)
        return secret(EntryTokenAnswer(entry_id=entry_id, entry_token=token))

    @operator(
        "Get the link that opens a guest's entry",
        Answer(200, "The link", headers="no_store"),
        problems=(*ENTRY, "no_entry_tokens"),
        audit="each_request",
    )
    def get_link(self, waitlist_id: WaitlistId, entry_id: EntryId) -> Response[LinkAnswer]:
        """Use this operation if your own system sends the link to the guest by email or SMS.

        Send the link only to the address in the entry's profile. If the address is not verified
        yet, the link verifies the address and is valid for `verify_minutes`. Otherwise the link
        opens the entry. The request sends no message and does not change the entry.
        """
        base_url = self.passes.issuer or self.request.base_url
        links = self.token_issuer.issue_links(waitlist_id, entry_id, base_url)
        move = None if links.move is None else NewAddress(to=links.move[0], url=links.move[1])
        return secret(LinkAnswer(url=links.url, new_address=move))
