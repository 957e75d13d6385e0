"""An OIDC issuer for the local run: a key of its own, and tokens signed by it."""

import contextlib
import json
import os
import tempfile
from pathlib import Path

import httpx
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet, RSAKey

ALGORITHM = "RS256"
KEY_PATH = Path(__file__).resolve().parents[2] / ".local" / "jwt-key.json"
TOKEN_SECONDS = 12 * 3600
JWKS_SECONDS = 5


class JwksError(Exception):
    """An address gives no keys; the message says why."""


class LocalIssuer:
    """Signs tokens; its key outlives the run, so that yesterday's shell history still works."""

    def __init__(self, issuer: str, audience: str, key_path: Path = KEY_PATH) -> None:
        self._issuer = issuer
        self._audience = audience
        self._key = _kept_key(key_path)

    @property
    def keys(self) -> KeySet:
        """What an issuer publishes as its JWKS."""
        return KeySet([RSAKey.import_key(self._key.as_dict(private=False))])

    def token(self, subject: str, now_seconds: int) -> str:
        """Return a token of a customer, good for 12 hours."""
        claims = {
            "iss": self._issuer,
            "aud": self._audience,
            "sub": subject,
            "iat": now_seconds,
            "exp": now_seconds + TOKEN_SECONDS,
        }
        return jwt.encode({"alg": ALGORITHM, "kid": self._key.kid}, claims, self._key)


def read_keys(url: str) -> KeySet:
    """The JWKS at an address. Raises JwksError."""
    try:
        answer = httpx.get(url, timeout=JWKS_SECONDS, follow_redirects=True).raise_for_status()
        return KeySet.import_key_set(answer.json())
    except (httpx.HTTPError, JoseError, ValueError, KeyError, TypeError) as error:
        raise JwksError(str(error)) from error


def _kept_key(path: Path) -> RSAKey:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        new = RSAKey.generate_key(2048, {"use": "sig", "alg": ALGORITHM}, auto_kid=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent) as file:
            json.dump(new.as_dict(private=True), file)
            file.flush()
            # Of two runs that start together, both take the key of the first.
            with contextlib.suppress(FileExistsError):
                os.link(file.name, path)
    return RSAKey.import_key(json.loads(path.read_text()))
