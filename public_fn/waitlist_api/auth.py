"""Who may do what: entry tokens or an issuer's for customers, IAM for operators."""

import hmac
import re
from collections.abc import Callable, Mapping
from typing import Any

from waitlist_api.clock import NowMillis, now_millis
from waitlist_api.errors import Forbidden, Unauthorized
from waitlist_api.token_keys import KeptKeys
from waitlist_shared.errors import WaitlistError
from waitlist_shared.ids import CUSTOMER_ID

ADMIN_PATH = "/v1/admin"
TOKEN = re.compile(r"[0-9a-f]{8}\.[A-Za-z0-9_-]{43}")


class EntryTokens:
    """Tokens that let their holder see and leave one entry: an HMAC over list and entry.

    A token begins with an id of its key, so that its key can be changed while it is good.
    """

    def __init__(self, secret: str | Callable[[], str], now_millis: NowMillis = now_millis) -> None:
        """Take a secret, or what reads it; raises BadSecret if it holds no keys."""
        read = secret if callable(secret) else lambda: secret
        self._kept = KeptKeys(read, now_millis)

    def issue(self, waitlist_id: str, entry_id: str) -> str:
        """Return the token of an entry: the same at every call, until another key signs."""
        return self._kept.signing().token(waitlist_id, entry_id)

    def renewed(self, waitlist_id: str, entry_id: str, authorization: str | None) -> str | None:
        """Return a token to show from now on in place of a good one whose key will go."""
        token = self.issue(waitlist_id, entry_id)
        return None if token == bearer_token(authorization) else token

    def check(self, waitlist_id: str, entry_id: str, authorization: str | None) -> None:
        """Raise Unauthorized without a token, Forbidden for a token of something else."""
        token = bearer_token(authorization)
        if token is None:
            raise Unauthorized
        key = self._kept.keys().of_token(token)
        if key is None or not hmac.compare_digest(token, key.token(waitlist_id, entry_id)):
            raise Forbidden

    def proves(self, waitlist_id: str, entry_id: str, authorization: str | None) -> bool:
        """Return whether a token is this entry's."""
        try:
            self.check(waitlist_id, entry_id, authorization)
        except WaitlistError:
            return False
        return True


def bearer_token(authorization: str | None) -> str | None:
    """Return the entry token of an Authorization header, or None if it holds none."""
    scheme, _, token = (authorization or "").partition(" ")
    token = token.strip()
    return token if scheme.lower() == "bearer" and TOKEN.fullmatch(token) else None


def operator_of(event: Mapping[str, Any]) -> str:
    """Return who calls an operator's route, or raise Unauthorized.

    API Gateway has checked the signature and says whose it is; a request that came without its
    authorizer (another route, a wrong deployment) is refused here once more.
    """
    arn = _authorized(event, "iam").get("userArn")
    if not arn:
        raise Unauthorized(
            "Operator routes take requests signed with AWS Signature Version 4, service "
            "execute-api: curl --aws-sigv4 aws:amz:REGION:execute-api --user KEY:SECRET"
        )
    return str(arn)


def customer_of(event: Mapping[str, Any]) -> str:
    """Return the customer whose token API Gateway's JWT authorizer has checked: its `sub`.

    A request that came without the authorizer is refused here once more.
    """
    subject = str(_authorized(event, "jwt").get("claims", {}).get("sub", ""))
    if not subject:
        raise Unauthorized("Send a token of the service's issuer as Authorization: Bearer.")
    if not re.fullmatch(CUSTOMER_ID, subject):
        raise Forbidden("The token's `sub` must have 1 to 256 visible ASCII characters.")
    return subject


def _authorized(event: Mapping[str, Any], authorizer: str) -> Mapping[str, Any]:
    """Return what one of API Gateway's authorizers says of a request, if it was asked."""
    found = event.get("requestContext", {}).get("authorizer") or {}
    return found.get(authorizer) or {}
