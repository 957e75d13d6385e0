"""Response bodies for services that verify passes."""

from typing import Literal

from pydantic import Field

from waitlist_api.http.schemas.common import Model


class DiscoveryAnswer(Model):
    """The fields of OpenID Connect Discovery 1.0 that a service needs to verify tokens."""

    issuer: str = Field(description="The `iss` claim of every pass.")
    jwks_uri: str
    response_types_supported: list[str]
    subject_types_supported: list[str]
    id_token_signing_alg_values_supported: list[str]
    claims_supported: list[str]


class PassKey(Model):
    """A public RSA key as a JSON Web Key (RFC 7517)."""

    kty: Literal["RSA"]
    use: Literal["sig"]
    alg: Literal["RS256"]
    kid: str = Field(description="The key's thumbprint (RFC 7638).")
    n: str
    e: str


class KeysAnswer(Model):
    """A JSON Web Key Set (RFC 7517).

    The first key signs passes. The other keys have signed earlier passes, or will sign future ones.
    """

    keys: list[PassKey]
