"""Authentication: entry tokens or JWTs for customers, IAM for operators."""

import base64
import hmac
import re
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from waitlist_api.auth.token_keys import ENTRY_BYTES, STAY_BYTES, InCode, KeptKeys, stay_of
from waitlist_api.clock import NowMillis, now_millis
from waitlist_api.errors import CodeRefused, Forbidden, Unauthorized
from waitlist_shared.errors import WaitlistError
from waitlist_shared.ids import CUSTOMER_ID

ADMIN_PATH = "/v1/admin"
MINUTE_MILLIS = 60_000
TOKEN = re.compile(r"[0-9a-f]{8}\.[A-Za-z0-9_-]{43}")
CODE = re.compile(r"[0-9a-f]{8}\.[A-Za-z0-9_-]{80}(?:[A-Za-z0-9_-]{35})?")
# The entry, as text, its stay and a MAC: 57 bytes.
UNSUBSCRIBE_CODE = re.compile(r"[A-Za-z0-9_-]{76}")
UNSUBSCRIBE_MAC_BYTES = 25


class EntryTokens:
    """Signs and checks entry tokens, with which a guest reads and leaves one stay of an entry.

    A token is an HMAC over waitlist, entry and stay. It begins with the id of its key, so that
    keys can be rotated while tokens are valid. The stay is its ticket, which no later stay gets.
    """

    def __init__(self, secret: str | Callable[[], str], now_millis: NowMillis = now_millis) -> None:
        """Take a secret, or a function that reads it. Raises BadSecret if it has no keys."""
        read = secret if callable(secret) else lambda: secret
        self._kept = KeptKeys(read, now_millis)

    def issue(self, waitlist_id: str, entry_id: str, stay: int) -> str:
        """Return the token of a stay. It changes only with the signing key."""
        return self._kept.signing().token(waitlist_id, entry_id, stay)

    def check(self, waitlist_id: str, entry_id: str, authorization: str | None) -> "Proof":
        """Return the stay that a token proves; the caller compares it with the entry's.

        Raises Unauthorized without a token, Forbidden for a token of another entry.
        """
        token = bearer_token(authorization)
        if token is None:
            raise Unauthorized
        key, stay = self._kept.keys().of_token(token), stay_of(token)
        if key is None or not hmac.compare_digest(token, key.token(waitlist_id, entry_id, stay)):
            raise Forbidden
        signing = self._kept.signing()
        renewed = None if signing == key else signing.token(waitlist_id, entry_id, stay)
        return Proof(entry_id, stay, renewed)

    def issue_code(
        self, waitlist_id: str, entry_id: str, stay: int, millis: int, to: str = ""
    ) -> str:
        """Return the code by which a stay is verified, of the minute of a time.

        With `to` it verifies the address with this id, to which the entry then moves.
        """
        said = InCode(entry_id, stay, millis // MINUTE_MILLIS, to)
        return self._kept.signing().code(waitlist_id, said)

    def check_code(self, waitlist_id: str, code: str) -> InCode:
        """Return what a code of this waitlist says. Raises CodeRefused."""
        key = self._kept.keys().of_token(code)
        if key is None or not CODE.fullmatch(code):
            raise CodeRefused
        said = InCode.of(code)
        signed = key.code(waitlist_id, said)
        if not hmac.compare_digest(code, signed):
            raise CodeRefused
        return said

    def unsubscribe_code(self, waitlist_id: str, entry_id: str, stay: int) -> str:
        """Return the code that ends the messages of a stay; no rotation changes it.

        So the link in an old mail works. No digest of an address is of this text: ids have no
        slash.
        """
        text = f"unsubscribe/{waitlist_id}/{entry_id}/{stay}".encode()
        mac = hmac.digest(self._kept.keys().identity.encode(), text, "sha256")
        content = entry_id.encode() + stay.to_bytes(STAY_BYTES) + mac[:UNSUBSCRIBE_MAC_BYTES]
        return base64.urlsafe_b64encode(content).decode()

    def check_unsubscribe_code(self, waitlist_id: str, code: str) -> "Proof":
        """Return the entry and the stay of a code of this waitlist. Raises CodeRefused."""
        if not UNSUBSCRIBE_CODE.fullmatch(code):
            raise CodeRefused
        content = base64.urlsafe_b64decode(code)
        entry_id, rest = content[:ENTRY_BYTES].decode("latin-1"), content[ENTRY_BYTES:]
        stay = int.from_bytes(rest[:STAY_BYTES])
        if not hmac.compare_digest(code, self.unsubscribe_code(waitlist_id, entry_id, stay)):
            raise CodeRefused
        return Proof(entry_id, stay)

    def identity_key(self, waitlist_id: str) -> bytes:
        """Return the key of a waitlist's digests of addresses; no rotation changes it."""
        root = self._kept.keys().identity
        return hmac.digest(root.encode(), waitlist_id.encode(), "sha256")

    def target_digest(self, address: str) -> str:
        """Return the keyed digest of an address to which messages go, the same for all waitlists.

        No rotation changes it. No digest of a person is of this text: ids of waitlists have no
        slash.
        """
        key = self.identity_key("messages/targets")
        return base64.b32encode(hmac.digest(key, address.encode(), "sha256")).decode().lower()[:32]

    def stay_shown(self, waitlist_id: str, entry_id: str, authorization: str | None) -> int | None:
        """Return the stay of this entry that a token proves; None without a valid token."""
        try:
            return self.check(waitlist_id, entry_id, authorization).stay
        except WaitlistError:
            return None


class Proof(Struct, frozen=True):
    """The entry that credentials prove, and the stay, which a token of an issuer does not name.

    `renewed` is a new token for the same stay if the key of the sent one is being rotated out.
    """

    entry_id: str
    stay: int | None = None
    renewed: str | None = None


def bearer_token(authorization: str | None) -> str | None:
    """Return the entry token of an Authorization header, or None if it holds none."""
    scheme, _, token = (authorization or "").partition(" ")
    token = token.strip()
    return token if scheme.lower() == "bearer" and TOKEN.fullmatch(token) else None


def operator_of(event: Mapping[str, Any]) -> str:
    """Return the ARN of the operator who calls, or raise Unauthorized.

    API Gateway has checked the signature. A request that did not pass its authorizer, because of
    a wrong deployment, is refused here.
    """
    arn = _authorized(event, "iam").get("userArn")
    if not arn:
        raise Unauthorized(
            "Operators' routes take requests signed with AWS Signature Version 4 for the service "
            "execute-api; the `waitlist` command and AWS' SDKs sign so."
        )
    return str(arn)


def customer_of(event: Mapping[str, Any]) -> str:
    """Return the `sub` of the token that API Gateway's JWT authorizer has checked.

    A request that did not pass the authorizer is refused here.
    """
    subject = str(_authorized(event, "jwt").get("claims", {}).get("sub", ""))
    if not subject:
        raise Unauthorized("Send a token of the service's issuer as Authorization: Bearer.")
    if not re.fullmatch(CUSTOMER_ID, subject):
        raise Forbidden("The token's `sub` must have 1 to 256 visible ASCII characters.")
    return subject


def _authorized(event: Mapping[str, Any], authorizer: str) -> Mapping[str, Any]:
    """Return the output of one of API Gateway's authorizers; empty if it did not run."""
    found = event.get("requestContext", {}).get("authorizer") or {}
    return found.get(authorizer) or {}
