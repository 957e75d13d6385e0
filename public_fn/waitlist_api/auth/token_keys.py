"""The keys of entry tokens: the signing key, the previous one, and their periodic reload."""

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
# A token has its stay in clear text, so that the MAC can be checked before the entry is read.
# Together they are as long as one SHA-256: 8 and 35 characters of base64.
STAY_BYTES, MAC_BYTES = 6, 26
STAY_CHARACTERS = 8
# A code names its entry too, as text: 60 bytes are 80 characters of base64. One that moves an entry
# also names the id of the new address: 86 bytes are 115 characters.
ENTRY_BYTES, MINUTE_BYTES, CODE_MAC_BYTES = 26, 4, 24
CODE_BYTES = ENTRY_BYTES + STAY_BYTES + MINUTE_BYTES + CODE_MAC_BYTES
# A new key signs only after every process has read it, or a process would refuse its tokens:
# after twice the interval between two reads.
BEFORE_IT_SIGNS_SECONDS = 2 * READ_EACH_SECONDS


class SecretUnavailable(Exception):
    """The secret cannot be read. With `will_pass` false, the deployment is wrong."""

    def __init__(self, *, will_pass: bool = True) -> None:
        super().__init__("the entry token secret cannot be read: may the function read it?")
        self.will_pass = will_pass


class BadSecret(ValueError):
    """The secret has no valid keys; the message describes the format."""

    def __init__(self) -> None:
        super().__init__(
            f"the entry token secret must be a text of {MIN_LENGTH} characters or more, or JSON: "
            '{"current": KEY, "previous": KEY, "current_from": SECONDS_SINCE_1970, '
            '"identity": KEY}'
        )


class TokenKey(Struct, frozen=True):
    """One key. Its id, a digest, is the beginning of each of its tokens."""

    secret: str

    @property
    def id(self) -> str:
        return hashlib.sha256(self.secret.encode()).hexdigest()[:8]

    def token(self, waitlist_id: str, entry_id: str, stay: int) -> str:
        """Return the token of one stay of an entry: the same at every call."""
        text = f"{waitlist_id}/{entry_id}/{stay}".encode()
        mac = hmac.digest(self.secret.encode(), text, "sha256")[:MAC_BYTES]
        content = base64.urlsafe_b64encode(stay.to_bytes(STAY_BYTES) + mac)
        return f"{self.id}.{content.rstrip(b'=').decode()}"

    def code(self, waitlist_id: str, said: "InCode") -> str:
        """Return the code that proves to have the address of an entry.

        No token has the text that is signed here: ids have no slash.
        """
        what = f"move/{said.to}" if said.to else "verify"
        text = f"{what}/{waitlist_id}/{said.entry_id}/{said.stay}/{said.minute}".encode()
        mac = hmac.digest(self.secret.encode(), text, "sha256")[:CODE_MAC_BYTES]
        numbers = said.stay.to_bytes(STAY_BYTES) + said.minute.to_bytes(MINUTE_BYTES)
        content = said.entry_id.encode() + numbers + said.to.encode() + mac
        return f"{self.id}.{base64.urlsafe_b64encode(content).rstrip(b'=').decode()}"


class InCode(Struct, frozen=True):
    """What a code says, which is not verified here: of which stay it is, and of which minute.

    Minutes are counted from 1970. With `to` the entry moves to the address with this id.
    """

    entry_id: str
    stay: int
    minute: int
    to: str = ""

    @classmethod
    def of(cls, code: str) -> Self:
        """Read a code that matches CODE."""
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
    """Return the stay in a token, which is not verified here."""
    _, _, content = token.partition(".")
    return int.from_bytes(base64.urlsafe_b64decode(content[:STAY_CHARACTERS]))


class TokenKeys(Struct, frozen=True):
    """The keys in the secret. `current` signs from `current_from_seconds` (since 1970) on.

    `identity` is the key of the digests of addresses, which no rotation changes (decision 60).
    """

    current: TokenKey
    identity: str
    previous: TokenKey | None = None
    current_from_seconds: int = 0

    @classmethod
    def parse(cls, secret: str) -> Self:
        """Parse a secret: JSON with both keys, or the text of a single key. Raises BadSecret."""
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
        """Return the key of new tokens."""
        is_early = now_seconds < self.current_from_seconds
        return self.previous if self.previous is not None and is_early else self.current

    def of_token(self, token: str) -> TokenKey | None:
        """Return the key whose id the token begins with; None if it is no longer valid."""
        known = (key for key in (self.current, self.previous) if key is not None)
        return next((key for key in known if token.startswith(f"{key.id}.")), None)


class KeptKeys:
    """The keys, read again every 5 minutes. If that fails, the last ones stay valid."""

    def __init__(self, read: Callable[[], str], now_millis: NowMillis) -> None:
        """Read the secret once; raises SecretUnavailable or BadSecret."""
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
            logger.warning("the entry token secret cannot be read again", exc_info=True)
        self._read_again_millis = self._now_millis() + wait_seconds * 1000


def _first_identity(secret: str) -> str:
    """Return the identity key of a secret that has none, which its first rotation writes down."""
    return hmac.digest(secret.encode(), b"identity", "sha256").hex()


def _key(secret: object) -> TokenKey:
    if not isinstance(secret, str) or len(secret) < MIN_LENGTH:
        raise BadSecret
    return TokenKey(secret)
