"""Passes: their claims, their keys, and what happens when KMS fails."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import boto3
import jwt
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from joserfc.jwk import RSAKey
from moto import mock_aws
from msgspec.structs import replace

from waitlist_api.auth import passes as module
from waitlist_api.auth.passes import KmsKeys, Passes, jwk_of
from waitlist_api.config import ConfigError
from waitlist_api.errors import KeysUnavailable, Throttled

URL = "https://api.example.com"
ADMITTED, UNTIL = 1_790_000_000_999, 1_790_003_600_999
ADMISSION: dict[str, Any] = {
    "waitlist_id": "bakery",
    "entry_id": "a" * 26,
    "pass_id": "b" * 26,
    "admitted_millis": ADMITTED,
    "inside_until_millis": UNTIL,
}
CLAIMS: dict[str, Any] = {
    "iss": URL,
    "aud": "bakery",
    "sub": "a" * 26,
    "jti": "b" * 26,
    "iat": 1_790_000_000,
    "nbf": 1_790_000_000,
    "exp": 1_790_003_600,
}


@pytest.fixture
def kms(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    with mock_aws():
        yield boto3.client("kms", region_name="us-east-1")


def new_arn(kms: Any) -> str:
    made = kms.create_key(KeySpec="RSA_2048", KeyUsage="SIGN_VERIFY")
    return str(made["KeyMetadata"]["Arn"])


def passes_of(kms: Any, *arns: str) -> Passes:
    return Passes(KmsKeys(arns, lambda: kms))


def issued(passes: Passes) -> str:
    return passes.issue(**ADMISSION, base_url=URL)


def read(token: str, passes: Passes, **options: Any) -> dict[str, Any]:
    """Check a pass as any verifier does, by the published keys."""
    keys = jwt.PyJWKSet.from_dict(passes.jwks())
    key = keys[jwt.get_unverified_header(token)["kid"]]
    found: dict[str, Any] = jwt.decode(
        token,
        key,
        algorithms=["RS256"],
        **{"audience": "bakery", "issuer": URL, "options": {"verify_exp": False}, **options},
    )
    return found


def test_a_pass_has_the_claims_of_its_admission(kms: Any) -> None:
    passes = passes_of(kms, new_arn(kms))
    token = issued(passes)
    without_time = {"verify_exp": False, "verify_iat": False, "verify_nbf": False}
    assert read(token, passes, options=without_time) == CLAIMS
    header = jwt.get_unverified_header(token)
    assert header == {"alg": "RS256", "typ": "JWT", "kid": passes.jwks()["keys"][0]["kid"]}


def test_an_admission_has_one_pass_in_every_process(kms: Any) -> None:
    arn = new_arn(kms)
    assert issued(passes_of(kms, arn)) == issued(passes_of(kms, arn))


def test_a_changed_pass_is_refused(kms: Any) -> None:
    """P5"""
    passes = passes_of(kms, new_arn(kms))
    header, _, signature = issued(passes).split(".")
    for changed in ({"aud": "other"}, {"sub": "c" * 26}, {"exp": CLAIMS["exp"] + 1}):
        content = base64.urlsafe_b64encode(json.dumps({**CLAIMS, **changed}).encode())
        forged = f"{header}.{content.rstrip(b'=').decode()}.{signature}"
        with pytest.raises(jwt.InvalidSignatureError):
            read(forged, passes)


def test_the_keys_are_those_that_other_libraries_read_with_their_thumbprints(kms: Any) -> None:
    arn = new_arn(kms)
    der = kms.get_public_key(KeyId=arn)["PublicKey"]
    theirs = RSAKey.import_key(der)
    ours = jwk_of(der)
    assert {name: ours[name] for name in ("kty", "n", "e")} == theirs.as_dict(private=False)
    assert ours["kid"] == theirs.thumbprint()
    assert (ours["use"], ours["alg"]) == ("sig", "RS256")


@pytest.mark.parametrize("bits", [2048, 3072])
def test_a_key_of_any_length_is_read(bits: int) -> None:
    key = RSAKey.generate_key(bits)
    ours = jwk_of(key.as_der(private=False))
    assert (ours["n"], ours["e"]) == (key.as_dict()["n"], key.as_dict()["e"])


def test_a_rotation_refuses_no_pass(kms: Any) -> None:
    """P5: each step of docs/app/admission-pass.md, with passes and keys of the step before."""
    blue, green = new_arn(kms), new_arn(kms)
    steps = [(blue,), (blue, green), (green, blue), (green,)]
    before, *later = [passes_of(kms, *step) for step in steps]
    token, both, turned, after = issued(before), *later
    for passes in (before, both, turned):
        assert read(token, passes)["sub"] == CLAIMS["sub"]
    assert issued(both) == token, "a published key does not sign yet"
    new = issued(turned)
    assert read(new, both) == read(new, turned) == read(new, after)
    assert [one["kid"] for one in turned.jwks()["keys"]][::-1] == [
        one["kid"] for one in both.jwks()["keys"]
    ]
    with pytest.raises(KeyError):
        read(token, after)


def test_a_process_reads_each_public_key_once(kms: Any) -> None:
    passes = passes_of(kms, new_arn(kms), new_arn(kms))
    published = passes.jwks()
    gone = Passes(replace(passes.keys, client=failing(KeyError("no call is expected"))))
    assert gone.jwks() == published
    assert len(published["keys"]) == 2


class Signing:
    """Counts the calls of `kms:Sign`."""

    def __init__(self, kms: Any) -> None:
        self.kms, self.calls = kms, 0

    def get_public_key(self, **asked: Any) -> Any:
        return self.kms.get_public_key(**asked)

    def sign(self, **asked: Any) -> Any:
        self.calls += 1
        return self.kms.sign(**asked)


def test_a_customer_who_asks_again_costs_no_signature(kms: Any) -> None:
    signing = Signing(kms)
    passes = Passes(KmsKeys((new_arn(kms),), lambda: signing))
    assert issued(passes) == issued(passes)
    assert signing.calls == 1
    other = passes.issue(**{**ADMISSION, "pass_id": "c" * 26}, base_url=URL)
    assert read(other, passes)["jti"] == "c" * 26
    assert signing.calls == 2


def test_a_process_keeps_the_newest_signatures_alone(
    kms: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_SIGNED", 2)
    signing = Signing(kms)
    passes = Passes(KmsKeys((new_arn(kms),), lambda: signing))
    for pass_id in ("b", "c", "d", "d", "c"):
        passes.issue(**{**ADMISSION, "pass_id": pass_id}, base_url=URL)
    assert signing.calls == 3
    passes.issue(**{**ADMISSION, "pass_id": "b"}, base_url=URL)
    assert signing.calls == 4


def test_a_signature_that_kms_refused_is_asked_for_again(kms: Any) -> None:
    arn = new_arn(kms)
    passes = Passes(KmsKeys((arn,), lambda: kms))
    passes.jwks()
    throttled = Passes(replace(passes.keys, client=failing(refusal("ThrottlingException", 400))))
    with pytest.raises(Throttled):
        issued(throttled)
    assert read(issued(passes), passes)["sub"] == CLAIMS["sub"]


def test_the_discovery_document_leads_to_the_keys() -> None:
    found = passes_of(None).discovery(URL)
    assert found["issuer"] == URL
    assert found["jwks_uri"] == f"{URL}/.well-known/jwks.json"
    assert set(found["claims_supported"]) == set(CLAIMS)


def test_a_domain_of_ones_own_is_the_issuer_however_the_api_is_called(kms: Any) -> None:
    own = "https://queue.example.com"
    passes = Passes(KmsKeys((new_arn(kms),), lambda: kms), own)
    assert read(issued(passes), passes, issuer=own)["iss"] == own
    found = passes.discovery(URL)
    assert (found["issuer"], found["jwks_uri"]) == (own, f"{own}/.well-known/jwks.json")


def failing(failure: Exception) -> Any:
    class Kms:
        def sign(self, **_: Any) -> Any:
            raise failure

        get_public_key = sign

    return Kms


def refusal(code: str, status: int) -> ClientError:
    response: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(response, "Sign")


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (EndpointConnectionError(endpoint_url=URL), KeysUnavailable),
        (refusal("KMSInternalException", 500), KeysUnavailable),
        (refusal("DependencyTimeoutException", 500), KeysUnavailable),
        (refusal("ThrottlingException", 400), Throttled),
        (refusal("AccessDeniedException", 400), ClientError),
    ],
)
def test_an_outage_of_kms_is_an_error_that_passes_and_a_mistake_is_not(
    failure: Exception, expected: type[Exception]
) -> None:
    passes = Passes(KmsKeys(("arn",), failing(failure)))
    with pytest.raises(expected):
        issued(passes)
    with pytest.raises(expected):
        passes.jwks()


def test_without_a_key_no_pass_is_issued() -> None:
    with pytest.raises(ConfigError, match="PASS_KEY_ARNS"):
        issued(passes_of(None))
    assert passes_of(None).jwks() == {"keys": []}
