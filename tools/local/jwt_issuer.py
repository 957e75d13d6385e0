"""An OIDC issuer for the local run, which signs tokens with its own key."""

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet, RSAKey

ALGORITHM = "RS256"
KEY_PATH = Path(__file__).resolve().parents[2] / ".local" / "jwt-key.json"
TOKEN_SECONDS = 12 * 3600
JWKS_SECONDS = 5


class JwksError(Exception):
    """The public keys at a URL cannot be read. The message states the cause."""


class LocalIssuer:
    """An issuer of tokens.

    Its key is stored in a file, so that tokens of earlier runs stay valid.
    """

    def __init__(self, issuer: str, audience: str, key_path: Path = KEY_PATH) -> None:
        self._issuer = issuer
        self._audience = audience
        self._key = kept_key(key_path)

    @property
    def keys(self) -> KeySet:
        """The public keys, as an issuer publishes them in its JWKS."""
        return KeySet([RSAKey.import_key(self._key.as_dict(private=False))])

    def token(self, subject: str, now_seconds: int) -> str:
        """Return a token for a customer. The token is valid for 12 hours."""
        claims = {
            "iss": self._issuer,
            "aud": self._audience,
            "sub": subject,
            "iat": now_seconds,
            "exp": now_seconds + TOKEN_SECONDS,
        }
        return jwt.encode({"alg": ALGORITHM, "kid": self._key.kid}, claims, self._key)


def read_keys(url: str) -> KeySet:
    """Read the JWKS at a URL. If there is a discovery document at the URL, read the JWKS that the
    document names.

    Raise JwksError if the JWKS cannot be read.
    """
    # Import httpx only here, because the import takes 0.1 s, and httpx is only needed if another
    # issuer signs the tokens.
    import httpx

    def json_at(address: str) -> Any:
        answer = httpx.get(address, timeout=JWKS_SECONDS, follow_redirects=True)
        return answer.raise_for_status().json()

    try:
        document = json_at(url)
        if "jwks_uri" in document:
            document = json_at(document["jwks_uri"])
        return KeySet.import_key_set(document)
    except (httpx.HTTPError, JoseError, ValueError, KeyError, TypeError) as error:
        raise JwksError(str(error)) from error


def new_key() -> RSAKey:
    return RSAKey.generate_key(2048, {"use": "sig", "alg": ALGORITHM}, auto_kid=True)


def kept_key(path: Path) -> RSAKey:
    """Read the key from a file. If the file does not exist, create a key and store it there."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent) as file:
            json.dump(new_key().as_dict(private=True), file)
            file.flush()
            # If two local runs start at the same time, both use the key that was written to the
            # file first.
            with contextlib.suppress(FileExistsError):
                os.link(file.name, path)
    return RSAKey.import_key(json.loads(path.read_text()))
