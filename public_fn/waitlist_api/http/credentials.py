"""Customers' credentials, which are either entry tokens or tokens from an OIDC issuer."""

from msgspec import Struct

from waitlist_api.auth.credentials import EntryTokens, Proof, identify_customer
from waitlist_api.errors import Forbidden
from waitlist_api.http.request import Request
from waitlist_api.http.schemas.common import ME
from waitlist_shared.ids import entry_id_of


class Credentials(Struct, frozen=True):
    """Checks the credentials of the current request.

    Guests send an entry token, which `tokens` checks. If `tokens` is None, customers have accounts
    and send a JWT from an OIDC issuer, which API Gateway has already verified.
    """

    tokens: EntryTokens | None
    request: Request

    def check(self, waitlist_id: str, entry_id: str) -> Proof:
        """Return the entry that the credentials give access to.

        Raise Forbidden if the request names a different entry.
        """
        if self.tokens is not None:
            return self.tokens.check(waitlist_id, entry_id, self.request.header("authorization"))
        own_id = entry_id_of(waitlist_id, identify_customer(self.request.event))
        if entry_id not in (ME, own_id):
            raise Forbidden(
                "This entry belongs to another customer. To get your own entry, use `me` as the "
                "entry id."
            )
        return Proof(own_id)
