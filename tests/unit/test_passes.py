"""Tests of admission passes: what they contain, how they are signed, and what happens if
KMS fails.
"""

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
from waitlist_api.errors import KeysUnavailable
from waitlist_shared.errors import Throttled

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


def create_key(kms: Any) -> str:
    made = kms.create_key(KeySpec="RSA_2048", KeyUsage="SIGN_VERIFY")
    return str(made["KeyMetadata"]["Arn"])


def create_passes(kms: Any, *arns: str) -> Passes:
    return Passes(KmsKeys(arns, lambda: kms))


def issue(passes: Passes) -> str:
    return passes.issue(**ADMISSION, base_url=URL)


def verify(token: str, passes: Passes, **options: Any) -> dict[str, Any]:
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
    passes = create_passes(kms, create_key(kms))
    token = issue(passes)
    without_time = {"verify_exp": False, "verify_iat": False, "verify_nbf": False}
    assert verify(token, passes, options=without_time) == CLAIMS
    header = jwt.get_unverified_header(token)
    assert header == {"alg": "RS256", "typ": "JWT", "kid": passes.jwks()["keys"][0]["kid"]}


def test_every_process_issues_the_same_pass_for_an_admission(kms: Any) -> None:
    arn = create_key(kms)
    assert issue(create_passes(kms, arn)) == issue(create_passes(kms, arn))


def test_a_changed_pass_is_refused(kms: Any) -> None:
    """P5"""
    passes = create_passes(kms, create_key(kms))
    header, _, signature = issue(passes).split(".")
    for changed in ({"aud": "other"}, {"sub": "c" * 26}, {"exp": CLAIMS["exp"] + 1}):
        content = base64.urlsafe_b64encode(json.dumps({**CLAIMS, **changed}).encode())
        forged = f"{header}.{content.rstrip(b'=').decode()}.{signature}"
        with pytest.raises(jwt.InvalidSignatureError):
            verify(forged, passes)


def test_other_libraries_read_the_same_keys_and_thumbprints(kms: Any) -> None:
    arn = create_key(kms)
    der = kms.get_public_key(KeyId=arn)["PublicKey"]
    theirs = RSAKey.import_key(der)
    ours = jwk_of(der)
    assert {name: ours[name] for name in ("kty", "n", "e")} == theirs.as_dict(private=False)
    assert ours["kid"] == theirs.thumbprint()
    assert (ours["use"], ours["alg"]) == ("sig", "RS256")


@pytest.mark.parametrize("bits", [2048, 3072])
def test_keys_of_different_lengths_are_read(bits: int) -> None:
    key = RSAKey.generate_key(bits)
    ours = jwk_of(key.as_der(private=False))
    assert (ours["n"], ours["e"]) == (key.as_dict()["n"], key.as_dict()["e"])


def test_no_pass_is_refused_during_a_rotation(kms: Any) -> None:
    """No pass is refused while the signing key is replaced.

    At each step of docs/app/admission-pass.md, the previous step's passes and public keys still
    work (promise P5).
    """
    blue, green = create_key(kms), create_key(kms)
    steps = [(blue,), (blue, green), (green, blue), (green,)]
    before, *later = [create_passes(kms, *step) for step in steps]
    token, both, turned, after = issue(before), *later
    for passes in (before, both, turned):
        assert verify(token, passes)["sub"] == CLAIMS["sub"]
    assert issue(both) == token, "a published key does not sign yet"
    new = issue(turned)
    assert verify(new, both) == verify(new, turned) == verify(new, after)
    assert [one["kid"] for one in turned.jwks()["keys"]][::-1] == [
        one["kid"] for one in both.jwks()["keys"]
    ]
    with pytest.raises(KeyError):
        verify(token, after)


def test_a_process_reads_each_public_key_once(kms: Any) -> None:
    passes = create_passes(kms, create_key(kms), create_key(kms))
    published = passes.jwks()
    gone = Passes(replace(passes.keys, client=failing_client(KeyError("no call is expected"))))
    assert gone.jwks() == published
    assert len(published["keys"]) == 2


class Signing:
    def __init__(self, kms: Any) -> None:
        self.kms, self.calls = kms, 0

    def get_public_key(self, **asked: Any) -> Any:
        return self.kms.get_public_key(**asked)

    def sign(self, **asked: Any) -> Any:
        self.calls += 1
        return self.kms.sign(**asked)


def test_a_repeated_request_for_a_pass_needs_no_second_signature(kms: Any) -> None:
    signing = Signing(kms)
    passes = Passes(KmsKeys((create_key(kms),), lambda: signing))
    assert issue(passes) == issue(passes)
    assert signing.calls == 1
    other = passes.issue(**{**ADMISSION, "pass_id": "c" * 26}, base_url=URL)
    assert verify(other, passes)["jti"] == "c" * 26
    assert signing.calls == 2


def test_a_process_keeps_only_the_newest_signatures(
    kms: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_SIGNED", 2)
    signing = Signing(kms)
    passes = Passes(KmsKeys((create_key(kms),), lambda: signing))
    for pass_id in ("b", "c", "d", "d", "c"):
        passes.issue(**{**ADMISSION, "pass_id": pass_id}, base_url=URL)
    assert signing.calls == 3
    passes.issue(**{**ADMISSION, "pass_id": "b"}, base_url=URL)
    assert signing.calls == 4


def test_a_signature_that_kms_refused_is_requested_again(kms: Any) -> None:
    arn = create_key(kms)
    passes = Passes(KmsKeys((arn,), lambda: kms))
    passes.jwks()
    throttled = Passes(
        replace(passes.keys, client=failing_client(refusal("ThrottlingException", 400)))
    )
    with pytest.raises(Throttled):
        issue(throttled)
    assert verify(issue(passes), passes)["sub"] == CLAIMS["sub"]


def test_the_discovery_document_leads_to_the_keys() -> None:
    found = create_passes(None).discovery(URL)
    assert found["issuer"] == URL
    assert found["jwks_uri"] == f"{URL}/.well-known/jwks.json"
    assert set(found["claims_supported"]) == set(CLAIMS)


def test_a_custom_domain_is_the_issuer_whatever_url_the_request_used(kms: Any) -> None:
    own = "https://queue.example.com"
    passes = Passes(KmsKeys((create_key(kms),), lambda: kms), own)
    assert verify(issue(passes), passes, issuer=own)["iss"] == own
    found = passes.discovery(URL)
    assert (found["issuer"], found["jwks_uri"]) == (own, f"{own}/.well-known/jwks.json")


def failing_client(failure: Exception) -> Any:
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
def test_an_outage_of_kms_is_retryable_and_a_wrong_configuration_is_not(
    failure: Exception, expected: type[Exception]
) -> None:
    passes = Passes(KmsKeys(("arn",), failing_client(failure)))
    with pytest.raises(expected):
        issue(passes)
    with pytest.raises(expected):
        passes.jwks()


def test_without_a_key_no_pass_is_issued() -> None:
    with pytest.raises(ConfigError, match="PASS_KEY_ARNS"):
        issue(create_passes(None))
    assert create_passes(None).jwks() == {"keys": []}
