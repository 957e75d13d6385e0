"""The keys that sign entry tokens."""

import base64
import hashlib
import hmac
import json
from typing import Self

from msgspec import Struct

from waitlist_api.auth.secret import READ_EACH_SECONDS

MIN_LENGTH = 32
# In a token, the signup number takes 8 Base64 characters and the signature takes 35.
STAY_BYTES, MAC_BYTES = 6, 26
STAY_CHARACTERS = 8
# A code contains an entry id, the signup number, the minute when the code was issued, and a
# signature. In Base64, that is 80 characters, or 115 if the code is for a new address.
ENTRY_BYTES, MINUTE_BYTES, CODE_MAC_BYTES = 26, 4, 24
CODE_BYTES = ENTRY_BYTES + STAY_BYTES + MINUTE_BYTES + CODE_MAC_BYTES
# A new key must not sign until every process has loaded it, because processes without the key would
# refuse its tokens.
BEFORE_IT_SIGNS_SECONDS = 2 * READ_EACH_SECONDS


class BadSecret(ValueError):
    """Raised when the secret contains no valid keys. The message describes the expected format."""

    def __init__(self) -> None:
        super().__init__(
            f"the entry token secret must have at least {MIN_LENGTH} characters, or be JSON: "
            '{"current": KEY, "previous": KEY, "current_from": SECONDS_SINCE_1970, '
            '"identity": KEY}'
        )


class TokenKey(Struct, frozen=True):
    """A signing key.

    Its id is a digest of the key, and every token starts with the id of the key that signed it.
    """

    secret: str

    @property
    def id(self) -> str:
        return hashlib.sha256(self.secret.encode()).hexdigest()[:8]

    def token(self, waitlist_id: str, entry_id: str, stay: int) -> str:
        """Return the token for a signup. The same signup always gets the same token."""
        text = f"{waitlist_id}/{entry_id}/{stay}".encode()
        mac = hmac.digest(self.secret.encode(), text, "sha256")[:MAC_BYTES]
        content = base64.urlsafe_b64encode(stay.to_bytes(STAY_BYTES) + mac)
        return f"{self.id}.{content.rstrip(b'=').decode()}"

    def code(self, waitlist_id: str, content: "CodeContent") -> str:
        """Return a code to send to an address. Whoever sends the code back proves that they receive
        messages at this address.
        """
        # The signed text has three parts in a token, and at least five in a code, so a code can
        # never pass for a token.
        purpose = f"move/{content.to}" if content.to else "verify"
        text = (
            f"{purpose}/{waitlist_id}/{content.entry_id}/{content.stay}/{content.minute}".encode()
        )
        mac = hmac.digest(self.secret.encode(), text, "sha256")[:CODE_MAC_BYTES]
        numbers = content.stay.to_bytes(STAY_BYTES) + content.minute.to_bytes(MINUTE_BYTES)
        data = content.entry_id.encode() + numbers + content.to.encode() + mac
        return f"{self.id}.{base64.urlsafe_b64encode(data).rstrip(b'=').decode()}"


class CodeContent(Struct, frozen=True):
    """The decoded content of a code. The code's signature may not have been verified."""

    entry_id: str
    stay: int
    # When the code was issued, in minutes since 1970.
    minute: int
    # The entry id computed from the new address, or an empty string if the code does not verify a
    # new address.
    to: str = ""

    @classmethod
    def of(cls, code: str) -> Self:
        """Parse a code without verifying its signature. The code must match the `CODE` pattern."""
        text = code.partition(".")[2]
        content = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        entry_id, rest = content[:ENTRY_BYTES], content[ENTRY_BYTES:]
        stay, rest = rest[:STAY_BYTES], rest[STAY_BYTES:]
        minute, rest = rest[:MINUTE_BYTES], rest[MINUTE_BYTES:]
        to = rest[: len(content) - CODE_BYTES]
        return cls(
            entry_id.decode("latin-1"),
            int.from_bytes(stay),
            int.from_bytes(minute),
            to.decode("latin-1"),
        )


def stay_of(token: str) -> int:
    """Return the signup number in a token, without verifying the token's signature."""
    _, _, content = token.partition(".")
    return int.from_bytes(base64.urlsafe_b64decode(content[:STAY_CHARACTERS]))


class TokenKeys(Struct, frozen=True):
    """The signing keys in the secret.

    `previous` signs until `current_from_seconds`, and `current` signs from then on.
    """

    current: TokenKey
    identity: str
    previous: TokenKey | None = None
    current_from_seconds: int = 0

    @classmethod
    def parse(cls, secret: str) -> Self:
        """Parse a secret, which is JSON or the text of a single key.

        Raise BadSecret if it is invalid.
        """
        if not secret.startswith("{"):
            return cls(_key(secret), _first_identity(secret))
        try:
            fields = json.loads(secret)
        except ValueError as error:
            raise BadSecret from error
        previous, since = fields.get("previous"), fields.get("current_from", 0)
        if not isinstance(since, int):
            raise BadSecret
        current = _key(fields.get("current"))
        identity = _key(fields.get("identity", _first_identity(current.secret))).secret
        return cls(current, identity, None if previous is None else _key(previous), since)

    def signing(self, now_seconds: float) -> TokenKey:
        """Return the key that signs new tokens."""
        is_early = now_seconds < self.current_from_seconds
        return self.previous if self.previous is not None and is_early else self.current

    def find_key(self, token: str) -> TokenKey | None:
        """Return the key that signed a token, or None if that key is no longer in the secret."""
        known = (key for key in (self.current, self.previous) if key is not None)
        return next((key for key in known if token.startswith(f"{key.id}.")), None)


def _first_identity(secret: str) -> str:
    """Derive the key for address digests from the signing key of a secret that has no `identity`
    field.
    """
    return hmac.digest(secret.encode(), b"identity", "sha256").hex()


def _key(secret: object) -> TokenKey:
    if not isinstance(secret, str) or len(secret) < MIN_LENGTH:
        raise BadSecret
    return TokenKey(secret)
