"""Passes: JWTs, signed with an RSA key in AWS KMS, that prove a customer was admitted."""

import base64
import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from msgspec import Struct, field

from waitlist_api.config import ConfigError
from waitlist_api.errors import KeysUnavailable
from waitlist_shared.errors import Throttled

ALGORITHM = "RS256"
KMS_ALGORITHM = "RSASSA_PKCS1_V1_5_SHA_256"
# The maximum number of cached signatures. Each one takes about 1 KB of memory.
MOST_SIGNED = 5000
CLAIMS = ("iss", "aud", "sub", "jti", "iat", "nbf", "exp")
DISCOVERY_PATH = "/.well-known/openid-configuration"
KEYS_PATH = "/.well-known/jwks.json"

Jwk = dict[str, str]


class KmsKeys(Struct, frozen=True):
    """RSA keys in AWS KMS. The first key signs passes, and all public keys are published."""

    arns: tuple[str, ...]
    client: Callable[[], Any]
    # Public keys by ARN. A KMS key never changes, so each process fetches each public key only
    # once.
    _published: dict[str, Jwk] = field(default_factory=dict)
    # Cached signatures, by signed message. A customer may request the same pass every second, and
    # KMS charges for each signature.
    _signed: dict[bytes, bytes] = field(default_factory=dict)

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message of up to 4096 bytes.

        The newest signatures are cached.
        """
        if message not in self._signed:
            if len(self._signed) >= MOST_SIGNED:
                del self._signed[next(iter(self._signed))]
            self._signed[message] = self._sign(message)
        return self._signed[message]

    def _sign(self, message: bytes) -> bytes:
        with _translated_errors():
            answer = self.client().sign(
                KeyId=self._signing(),
                Message=message,
                MessageType="RAW",
                SigningAlgorithm=KMS_ALGORITHM,
            )
        return bytes(answer["Signature"])

    def signing_key_id(self) -> str:
        return self._jwk(self._signing())["kid"]

    def public(self) -> list[Jwk]:
        """Return the public keys. The first key in the list is the signing key."""
        return [self._jwk(arn) for arn in self.arns]

    def _signing(self) -> str:
        if not self.arns:
            raise ConfigError("PASS_KEY_ARNS must be set")
        return self.arns[0]

    def _jwk(self, arn: str) -> Jwk:
        if arn not in self._published:
            with _translated_errors():
                answer = self.client().get_public_key(KeyId=arn)
            self._published[arn] = jwk_of(bytes(answer["PublicKey"]))
        return self._published[arn]


class Passes(Struct, frozen=True):
    """Issues passes, and publishes the keys that websites use to verify them.

    If `issuer` is empty, a pass's issuer is the base URL of the request.
    """

    keys: KmsKeys
    issuer: str = ""

    def issue(
        self,
        waitlist_id: str,
        entry_id: str,
        pass_id: str,
        admitted_millis: int,
        inside_until_millis: int,
        base_url: str,
    ) -> str:
        """Return the pass for an admission. Raise KeysUnavailable or Throttled if KMS fails."""
        begins = admitted_millis // 1000
        claims = {
            "iss": self.issuer or base_url,
            "aud": waitlist_id,
            "sub": entry_id,
            "jti": pass_id,
            "iat": begins,
            "nbf": begins,
            "exp": inside_until_millis // 1000,
        }
        header = {"alg": ALGORITHM, "typ": "JWT", "kid": self.keys.signing_key_id()}
        content = f"{_encoded(_json(header))}.{_encoded(_json(claims))}"
        return f"{content}.{_encoded(self.keys.sign(content.encode()))}"

    def jwks(self) -> dict[str, list[Jwk]]:
        """Return the public keys as a JSON Web Key Set (RFC 7517)."""
        return {"keys": self.keys.public()}

    def discovery(self, base_url: str) -> dict[str, Any]:
        """Return the OpenID Connect discovery document, which contains the keys' URL."""
        issuer = self.issuer or base_url
        return {
            "issuer": issuer,
            "jwks_uri": issuer + KEYS_PATH,
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [ALGORITHM],
            "claims_supported": list(CLAIMS),
        }


def jwk_of(der: bytes) -> Jwk:
    """Convert a DER-encoded RSA public key to a JWK."""
    (info,) = _elements(der)
    _algorithm, bits = _elements(info)
    # A DER bit string begins with a byte that says how many bits of its last byte are unused. In a
    # public key, no bits are unused.
    (numbers,) = _elements(bits[1:])
    modulus, exponent = (_encoded(number.lstrip(b"\0")) for number in _elements(numbers))
    required = {"e": exponent, "kty": "RSA", "n": modulus}
    kid = _encoded(hashlib.sha256(_json(required)).digest())
    return {**required, "alg": ALGORITHM, "use": "sig", "kid": kid}


def _elements(der: bytes) -> list[bytes]:
    """Split DER data into its elements, and return their contents."""
    contents = []
    at = 0
    while at < len(der):
        length, at = der[at + 1], at + 2
        if length & 0x80:
            size = length & 0x7F
            length, at = int.from_bytes(der[at : at + size]), at + size
        contents.append(der[at : at + length])
        at += length
    return contents


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


@contextmanager
def _translated_errors() -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        response: Any = error.response
        if response["Error"]["Code"] == "ThrottlingException":
            raise Throttled from error
        if int(response["ResponseMetadata"]["HTTPStatusCode"]) >= 500:
            raise KeysUnavailable from error
        raise
    except BotoCoreError as error:
        raise KeysUnavailable from error
