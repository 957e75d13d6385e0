import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import KeySet, OctKey, RSAKey

from tests.unit.tools.fakes import FakeFunction, serving, url_of
from tools.local.http_message import HttpRequest, HttpResponse
from tools.local.jwt_authorizer import JwtAuthorizer, TokenError, guarded_routes
from tools.local.jwt_issuer import LocalIssuer, read_keys
from tools.local.local_gateway import LocalGateway
from tools.local.routes import Routes
from tools.local.table import read_template

NOW = 1_790_000_000
ISSUER = "https://issuer.example.com"
KEY = RSAKey.generate_key(2048, {"use": "sig", "alg": "RS256"}, auto_kid=True)
OTHER_KEY = RSAKey.generate_key(2048, {"use": "sig", "alg": "RS256"}, auto_kid=True)
CLAIMS: dict[str, Any] = {"iss": ISSUER, "aud": "waitlist", "sub": "ada", "exp": NOW + 60}
ENTRY = "/v1/waitlists/bakery/entries/me"


def authorizer() -> JwtAuthorizer:
    keys = KeySet([RSAKey.import_key(KEY.as_dict(private=False))])
    return JwtAuthorizer(ISSUER, ("other", "waitlist"), keys, guarded_routes(read_template()))


def make_token(claims: Mapping[str, Any] = CLAIMS, key: Any = KEY, **header: str) -> str:
    kid = key.kid if key.kid else KEY.kid
    return jwt.encode({"alg": "RS256", "kid": kid, **header}, dict(claims), key)


def read_claims(authorization: str) -> dict[str, str]:
    request = HttpRequest("GET", ENTRY, (("Authorization", authorization),))
    return authorizer().claims(request, NOW)


def claims_without(name: str) -> dict[str, Any]:
    return {key: value for key, value in CLAIMS.items() if key != name}


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", ""])
def test_a_tokens_claims_are_passed_on_as_text(scheme: str) -> None:
    claims = {**CLAIMS, "scope": "a b", "groups": ["x", "y"], "email_verified": True}
    assert read_claims(scheme + make_token(claims)) == {
        "iss": ISSUER,
        "aud": "waitlist",
        "sub": "ada",
        "exp": str(NOW + 60),
        "scope": "a b",
        "groups": "[x y]",
        "email_verified": "true",
    }


@pytest.mark.parametrize(
    "claims",
    [
        {**CLAIMS, "iss": "https://other.example.com"},
        {**CLAIMS, "aud": "somebody"},
        {**CLAIMS, "aud": "somebody", "client_id": "waitlist"},
        {**CLAIMS, "exp": NOW - 1},
        {**CLAIMS, "nbf": NOW + 60},
        {**CLAIMS, "iat": NOW + 60},
        claims_without("iss"),
        claims_without("aud"),
        claims_without("exp"),
    ],
    ids=["iss", "aud", "client_id", "exp", "nbf", "iat", "no iss", "no aud", "no exp"],
)
def test_a_token_with_wrong_claims_is_refused(claims: dict[str, Any]) -> None:
    """P5"""
    with pytest.raises(TokenError):
        read_claims(f"Bearer {make_token(claims)}")


def test_a_token_with_a_wrong_signature_is_refused() -> None:
    """A token without a valid signature is refused.

    The signature may be missing, or made with a shared secret, or made with a different key that
    has the same id. The text may also not be a token at all (promise P5).
    """
    whole = make_token()
    header, payload, _ = whole.split(".")
    secret = OctKey.import_key(json.dumps(KEY.as_dict(private=False)))
    shared = jwt.encode({"alg": "HS256", "kid": KEY.kid}, CLAIMS, secret)
    forged = make_token(key=OTHER_KEY, kid=str(KEY.kid))
    for wrong in (forged, f"{header}.{payload}.", shared, whole[:-8], "nonsense", "a.b.c", "☕"):
        with pytest.raises(TokenError):
            read_claims(f"Bearer {wrong}")
    with pytest.raises(TokenError):
        read_claims(f"Bearer {make_token(key=OTHER_KEY)}")


def gateway(public: FakeFunction) -> LocalGateway:
    return LocalGateway(
        public,
        {},
        Routes.from_template(read_template()),
        utc_now=lambda: datetime.fromtimestamp(NOW, UTC),
        jwt_authorizer=authorizer(),
    )


def test_the_local_gateway_passes_the_claims_to_the_function() -> None:
    public = FakeFunction(lambda _: {"statusCode": 200})
    request = HttpRequest("GET", ENTRY, (("authorization", f"Bearer {make_token()}"),))
    assert gateway(public)(request).status == 200
    (event,) = public.events
    assert event["requestContext"]["authorizer"]["jwt"]["claims"]["sub"] == "ada"
    assert event["requestContext"]["authorizer"]["jwt"]["scopes"] is None


def test_the_local_gateway_refuses_a_wrong_token_as_api_gateway_does() -> None:
    """P5"""
    public = FakeFunction(lambda _: {"statusCode": 200})
    none = gateway(public)(HttpRequest("GET", ENTRY))
    assert (none.status, json.loads(none.body)) == (401, {"message": "Unauthorized"})
    assert dict(none.headers)["www-authenticate"] == "Bearer"
    wrong = gateway(public)(HttpRequest("GET", ENTRY, (("authorization", "Bearer x"),)))
    assert wrong.status == 401
    assert 'error="invalid_token"' in dict(wrong.headers)["www-authenticate"]
    assert public.events == []


@pytest.mark.parametrize("path", ["/v1/health", "/v1/waitlists/bakery", "/docs"])
def test_the_local_gateway_needs_no_token_on_other_routes(path: str) -> None:
    public = FakeFunction(lambda _: {"statusCode": 200})
    assert gateway(public)(HttpRequest("GET", path)).status == 200
    assert "authorizer" not in public.events[0]["requestContext"]


def test_the_local_issuer_keeps_its_key(tmp_path: Path) -> None:
    path = tmp_path / "made" / "key.json"
    first, second = (LocalIssuer(ISSUER, "waitlist", path) for _ in range(2))
    assert first.keys.as_dict() == second.keys.as_dict()
    assert "d" not in first.keys.as_dict()["keys"][0], "what is published must not sign"
    assert path.stat().st_mode & 0o077 == 0
    issued = JwtAuthorizer(ISSUER, ("waitlist",), second.keys, frozenset())
    sent = HttpRequest("GET", ENTRY, (("authorization", f"Bearer {first.token('bob', NOW)}"),))
    assert issued.claims(sent, NOW)["sub"] == "bob"


def test_the_keys_of_another_issuer_are_read_from_their_url() -> None:
    document = json.dumps(KeySet([RSAKey.import_key(KEY.as_dict(private=False))]).as_dict())
    with serving(lambda _: HttpResponse(200, (), document.encode())) as server:
        assert read_keys(url_of(server)).as_dict()["keys"][0]["kid"] == KEY.kid
