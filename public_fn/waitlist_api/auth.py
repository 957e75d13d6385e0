"""Who may do what: entry tokens or an issuer's for customers, IAM for operators."""

import base64
import hashlib
import hmac
import re
from collections.abc import Mapping
from typing import Any

from waitlist_api.errors import Forbidden, Unauthorized
from waitlist_shared.errors import WaitlistError
from waitlist_shared.ids import CUSTOMER_ID

ADMIN_PATH = "/v1/admin"
TOKEN = re.compile(r"[0-9a-f]{8}\.[A-Za-z0-9_-]{43}")
MIN_SECRET_LENGTH = 32


class EntryTokens:
    """Tokens that let their holder see and leave one entry: an HMAC over list and entry.

    A token begins with an id of its key, so that a changed key can be told from a forged token.
    """

    def __init__(self, secret: str) -> None:
        if len(secret) < MIN_SECRET_LENGTH:
            raise ValueError("the entry token secret needs at least 32 characters")
        self._key = secret.encode()
        self._key_id = hashlib.sha256(self._key).hexdigest()[:8]

    def issue(self, waitlist_id: str, entry_id: str) -> str:
        """Return the token of an entry: the same at every call."""
        mac = hmac.digest(self._key, f"{waitlist_id}/{entry_id}".encode(), "sha256")
        return f"{self._key_id}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"

    def check(self, waitlist_id: str, entry_id: str, authorization: str | None) -> None:
        """Raise Unauthorized without a token, Forbidden for a token of something else."""
        token = bearer_token(authorization)
        if token is None:
            raise Unauthorized
        if not hmac.compare_digest(token, self.issue(waitlist_id, entry_id)):
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
