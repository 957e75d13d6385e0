"""Authenticates customers by entry tokens or JWTs, and operators by their IAM identity."""

import base64
import hmac
import re
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from waitlist_api.auth.secret import Reloaded
from waitlist_api.auth.token_keys import (
    ENTRY_BYTES,
    STAY_BYTES,
    CodeContent,
    TokenKey,
    TokenKeys,
    stay_of,
)
from waitlist_api.clock import NowMillis, now_millis
from waitlist_api.errors import CodeRefused, Forbidden, Unauthorized
from waitlist_shared.errors import WaitlistError
from waitlist_shared.ids import CUSTOMER_ID

ADMIN_PATH = "/v1/admin"
MINUTE_MILLIS = 60_000
TOKEN = re.compile(r"[0-9a-f]{8}\.[A-Za-z0-9_-]{43}")
CODE = re.compile(r"[0-9a-f]{8}\.[A-Za-z0-9_-]{80}(?:[A-Za-z0-9_-]{35})?")
# An unsubscribe code consists of an entry id, the signup number and a signature, encoded in Base64.
UNSUBSCRIBE_CODE = re.compile(r"[A-Za-z0-9_-]{76}")
UNSUBSCRIBE_MAC_BYTES = 25


class EntryTokens:
    """Issues and checks entry tokens. With an entry token, a guest can read and change their own
    entry.

    A token becomes invalid when the customer signs up again, or when the entry is reinstated.
    """

    def __init__(self, secret: str | Callable[[], str], now_millis: NowMillis = now_millis) -> None:
        """Use the signing keys in a secret.

        `secret` is the text of the secret, or a function that reads the text. Raise BadSecret if
        the secret contains no valid keys.
        """
        read = secret if callable(secret) else lambda: secret
        self._keys = Reloaded("entry token secret", read, TokenKeys.parse, now_millis)
        self._now_millis = now_millis

    def issue(self, waitlist_id: str, entry_id: str, stay: int) -> str:
        """Return the entry token for a signup.

        `stay` is the signup number. The token stays the same until the signing key changes.
        """
        return self._signing_key().token(waitlist_id, entry_id, stay)

    def check(self, waitlist_id: str, entry_id: str, authorization: str | None) -> "Proof":
        """Return the signup that a token was issued for.

        Raise Unauthorized if there is no token, and Forbidden if the token does not match the
        entry.
        """
        token = bearer_token(authorization)
        if token is None:
            raise Unauthorized
        key, stay = self._keys.value().find_key(token), stay_of(token)
        if key is None or not hmac.compare_digest(token, key.token(waitlist_id, entry_id, stay)):
            raise Forbidden
        signing = self._signing_key()
        renewed = None if signing == key else signing.token(waitlist_id, entry_id, stay)
        return Proof(entry_id, stay, renewed)

    def issue_code(
        self, waitlist_id: str, entry_id: str, stay: int, millis: int, to: str = ""
    ) -> str:
        """Return a code to send to a customer's address. The customer verifies the address by
        sending the code back.

        If the customer has asked to change their address, `to` is the entry id computed from the
        new one.
        """
        content = CodeContent(entry_id, stay, millis // MINUTE_MILLIS, to)
        return self._signing_key().code(waitlist_id, content)

    def check_code(self, waitlist_id: str, code: str) -> CodeContent:
        """Return a code's content. Raise CodeRefused if the code is invalid for this waitlist."""
        key = self._keys.value().find_key(code)
        if key is None or not CODE.fullmatch(code):
            raise CodeRefused
        content = CodeContent.of(code)
        signed = key.code(waitlist_id, content)
        if not hmac.compare_digest(code, signed):
            raise CodeRefused
        return content

    def unsubscribe_code(self, waitlist_id: str, entry_id: str, stay: int) -> str:
        """Return the code that turns off messages for a signup.

        Key rotation does not change the code.
        """
        # This key also signs waitlist ids. No waitlist id contains a slash, but the signed text of
        # an unsubscribe code does, so neither signature can pass for the other.
        text = f"unsubscribe/{waitlist_id}/{entry_id}/{stay}".encode()
        mac = hmac.digest(self._keys.value().identity.encode(), text, "sha256")
        content = entry_id.encode() + stay.to_bytes(STAY_BYTES) + mac[:UNSUBSCRIBE_MAC_BYTES]
        return base64.urlsafe_b64encode(content).decode()

    def check_unsubscribe_code(self, waitlist_id: str, code: str) -> "Proof":
        """Return the entry and the signup that an unsubscribe code names.

        Raise CodeRefused if the code is invalid.
        """
        if not UNSUBSCRIBE_CODE.fullmatch(code):
            raise CodeRefused
        content = base64.urlsafe_b64decode(code)
        entry_id, rest = content[:ENTRY_BYTES].decode("latin-1"), content[ENTRY_BYTES:]
        stay = int.from_bytes(rest[:STAY_BYTES])
        if not hmac.compare_digest(code, self.unsubscribe_code(waitlist_id, entry_id, stay)):
            raise CodeRefused
        return Proof(entry_id, stay)

    def identity_key(self, waitlist_id: str) -> bytes:
        """Return the key for computing digests of a waitlist's addresses. Rotating the signing keys
        does not change it.
        """
        root = self._keys.value().identity
        return hmac.digest(root.encode(), waitlist_id.encode(), "sha256")

    def target_digest(self, address: str) -> str:
        """Return the keyed digest of a recipient's address.

        Key rotation does not change the digest.
        """
        # The key for recipients' addresses must differ from every waitlist's key.
        # `messages/targets` is never a waitlist id, because it contains a slash.
        key = self.identity_key("messages/targets")
        return base64.b32encode(hmac.digest(key, address.encode(), "sha256")).decode().lower()[:32]

    def find_proven_stay(
        self, waitlist_id: str, entry_id: str, authorization: str | None
    ) -> int | None:
        """Return the signup that a token was issued for, or None if the token is invalid."""
        try:
            return self.check(waitlist_id, entry_id, authorization).stay
        except WaitlistError:
            return None

    def _signing_key(self) -> TokenKey:
        return self._keys.value().signing(self._now_millis() / 1000)


class Proof(Struct, frozen=True):
    """The entry that a customer's credentials give access to.

    If the customer's entry token was signed with an old key, `renewed` is a token that replaces it.
    """

    entry_id: str
    stay: int | None = None
    renewed: str | None = None


def bearer_token(authorization: str | None) -> str | None:
    """Return the entry token in an Authorization header, or None if there is no entry token."""
    scheme, _, token = (authorization or "").partition(" ")
    token = token.strip()
    return token if scheme.lower() == "bearer" and TOKEN.fullmatch(token) else None


def identify_operator(event: Mapping[str, Any]) -> str:
    """Return the ARN of the operator who sent the request.

    Raise Unauthorized if there is no ARN.
    """
    arn = _authorized(event, "iam").get("userArn")
    if not arn:
        raise Unauthorized(
            "Sign the request with AWS Signature Version 4 for the `execute-api` service. The "
            "`waitlist` command and the AWS SDKs do this automatically."
        )
    return str(arn)


def identify_customer(event: Mapping[str, Any]) -> str:
    """Return the `sub` claim of the customer's JWT. Raise Unauthorized if there is no JWT."""
    subject = str(_authorized(event, "jwt").get("claims", {}).get("sub", ""))
    if not subject:
        raise Unauthorized(
            "Send a token from the configured OIDC issuer as a bearer token in the "
            "`Authorization` header."
        )
    if not re.fullmatch(CUSTOMER_ID, subject):
        raise Forbidden("The token's `sub` claim must be 1 to 256 printable ASCII characters.")
    return subject


def _authorized(event: Mapping[str, Any], authorizer: str) -> Mapping[str, Any]:
    """Return what an API Gateway authorizer has added to the request, or an empty dict if it has
    added nothing.
    """
    found = event.get("requestContext", {}).get("authorizer") or {}
    return found.get(authorizer) or {}
