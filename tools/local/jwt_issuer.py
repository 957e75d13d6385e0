"""A local OIDC issuer that signs tokens with its own key."""

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
    """The public keys cannot be read from the URL. The message says why."""


class LocalIssuer:
    """A token issuer. Its key is in a file, so older tokens stay valid after a restart."""

    def __init__(self, issuer: str, audience: str, key_path: Path = KEY_PATH) -> None:
        self._issuer = issuer
        self._audience = audience
        self._key = kept_key(key_path)

    @property
    def keys(self) -> KeySet:
        return KeySet([RSAKey.import_key(self._key.as_dict(private=False))])

    def token(self, subject: str, now_seconds: int) -> str:
        claims = {
            "iss": self._issuer,
            "aud": self._audience,
            "sub": subject,
            "iat": now_seconds,
            "exp": now_seconds + TOKEN_SECONDS,
        }
        return jwt.encode({"alg": ALGORITHM, "kid": self._key.kid}, claims, self._key)


def read_keys(url: str) -> KeySet:
    """Read the public keys from a URL, or from the URL in a discovery document.

    Raise JwksError if the keys cannot be read.
    """
    # Import httpx only when it is needed, because the import takes 0.1 s.
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
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent) as file:
            json.dump(new_key().as_dict(private=True), file)
            file.flush()
            # If two local services start at the same time, both use whichever key was written
            # first.
            with contextlib.suppress(FileExistsError):
                os.link(file.name, path)
    return RSAKey.import_key(json.loads(path.read_text()))
