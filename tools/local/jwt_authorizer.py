"""Checks a request's token as API Gateway's JWT authorizer does."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from tools.local.http_message import HttpRequest
from tools.local.routes import operations

# The only algorithms that API Gateway accepts.
ALGORITHMS = ["RS256", "RS384", "RS512"]


class TokenError(Exception):
    """The token is missing or invalid. A response header contains the message."""


@dataclass(frozen=True, slots=True)
class JwtAuthorizer:
    """Checks requests to routes that, according to the template, need a token."""

    issuer: str
    audiences: tuple[str, ...]
    keys: KeySet
    guarded: frozenset[str]

    def guards(self, route_key: str) -> bool:
        return route_key in self.guarded

    def claims(self, request: HttpRequest, now_seconds: int) -> dict[str, str]:
        """Return the claims in the request's token.

        As in API Gateway's events, all values are strings. Raise TokenError if the token is missing
        or invalid.
        """
        token = _bearer(request.header("authorization") or "")
        registry = jwt.JWTClaimsRegistry(
            now=now_seconds, iss={"essential": True, "value": self.issuer}, exp={"essential": True}
        )
        try:
            claims = jwt.decode(token, self.keys, algorithms=ALGORITHMS).claims
            registry.validate(claims)
        except (JoseError, ValueError) as error:
            raise TokenError(_described(error)) from error
        self._check_audience(claims)
        return {name: _text(value) for name, value in claims.items()}

    def _check_audience(self, claims: Mapping[str, Any]) -> None:
        stated = claims.get("aud", claims.get("client_id"))
        audiences = stated if isinstance(stated, list) else [stated]
        if not set(audiences) & set(self.audiences):
            raise TokenError("the token has no valid audience")


def guarded_routes(template: Mapping[str, Any]) -> frozenset[str]:
    """Return the keys of the routes that need a token when an issuer is configured."""
    return frozenset(
        route
        for route, operation in operations(template).items()
        if _condition(operation.get("security")) == "KnowsIssuer"
    )


def _condition(security: Any) -> str | None:
    return security["Fn::If"][0] if isinstance(security, dict) else None


def _bearer(authorization: str) -> str:
    scheme, _, token = authorization.partition(" ")
    # As in API Gateway, `Bearer` before the token is optional.
    token = token if scheme.lower() == "bearer" else authorization
    if not token.strip():
        raise TokenError("")
    return token.strip()


def _described(error: Exception) -> str:
    text = str(error).encode("ascii", "replace").decode()
    return text.replace('"', "'").replace("\r", " ").replace("\n", " ")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return f"[{' '.join(map(_text, value))}]"
    return json.dumps(value)
