"""Loads the keys that sign entry tokens, and reloads them regularly."""

import base64
import hashlib
import hmac
import json
import logging
from collections.abc import Callable
from typing import Self

from msgspec import Struct

from waitlist_api.clock import NowMillis

logger = logging.getLogger(__name__)

MIN_LENGTH = 32
READ_EACH_SECONDS = 300
RETRY_SECONDS = 30
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


class SecretUnavailable(Exception):
    """Raised when the secret cannot be read. `is_temporary` is true if a retry may succeed."""

    def __init__(self, *, is_temporary: bool = True) -> None:
        super().__init__("the secret cannot be read. Check that the function's role allows it")
        self.is_temporary = is_temporary


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


class ReloadedKeys:
    """Token keys that are reloaded every 5 minutes. If a reload fails, the old keys stay in use."""

    def __init__(self, read: Callable[[], str], now_millis: NowMillis) -> None:
        """Read the secret for the first time.

        Raise SecretUnavailable or BadSecret if this fails.
        """
        self._read = read
        self._now_millis = now_millis
        self._keys = TokenKeys.parse(read())
        self._read_again_millis = now_millis() + READ_EACH_SECONDS * 1000

    def keys(self) -> TokenKeys:
        if self._now_millis() >= self._read_again_millis:
            self._read_again()
        return self._keys

    def signing(self) -> TokenKey:
        return self.keys().signing(self._now_millis() / 1000)

    def _read_again(self) -> None:
        wait_seconds = READ_EACH_SECONDS
        try:
            self._keys = TokenKeys.parse(self._read())
        except (SecretUnavailable, BadSecret):
            wait_seconds = RETRY_SECONDS
            logger.warning("the entry token secret could not be reloaded", exc_info=True)
        self._read_again_millis = self._now_millis() + wait_seconds * 1000


def _first_identity(secret: str) -> str:
    """Derive the key for address digests from the signing key of a secret that has no `identity`
    field.
    """
    return hmac.digest(secret.encode(), b"identity", "sha256").hex()


def _key(secret: object) -> TokenKey:
    if not isinstance(secret, str) or len(secret) < MIN_LENGTH:
        raise BadSecret
    return TokenKey(secret)
