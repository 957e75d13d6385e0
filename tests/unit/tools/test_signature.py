from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tools.local.http_message import Headers, HttpRequest
from tools.local.signature import SignatureError, verified_access_key

# The request that curl 7.88 sends with `--aws-sigv4 aws:amz:us-east-1:execute-api --user
# local:local`.
CURL_SCOPE = "Credential=local/20261121/us-east-1/execute-api/aws4_request"
CURL_NOW = datetime(2026, 11, 21, 2, 7, 37, tzinfo=UTC)
CURL_GET = HttpRequest(
    "GET",
    "/v1/admin/a%20b/x?limit=2&cursor=a%2Fb%3D&Z=1&flag",
    (
        ("Host", "127.0.0.1:9911"),
        (
            "Authorization",
            f"AWS4-HMAC-SHA256 {CURL_SCOPE}, SignedHeaders=host;x-amz-date, "
            "Signature=546baddfce54addf7cfc4c8bf889fc678222e2164126d92b28a32752616c5279",
        ),
        ("X-Amz-Date", "20261121T020737Z"),
        ("User-Agent", "curl/7.88.1"),
        ("Accept", "*/*"),
    ),
)
CURL_PUT = HttpRequest(
    "PUT",
    "/v1/admin/x",
    (
        ("Host", "127.0.0.1:9911"),
        (
            "Authorization",
            f"AWS4-HMAC-SHA256 {CURL_SCOPE}, SignedHeaders=content-type;host;x-amz-date, "
            "Signature=8f7b2dd812636d34d4612acb998cc4bbf215c1d95c6f1e3fa0ebb35e7f38767e",
        ),
        ("X-Amz-Date", "20261121T020737Z"),
        ("Content-Type", "application/json"),
        ("Content-Length", "13"),
    ),
    '{"name":"é"}'.encode(),
)


# pytest creates all tests' parameters before it runs the first test, so the signatures may be
# minutes old when a test runs.
COLLECTED = datetime.now(UTC)


def signed(
    method: str = "GET",
    target: str = "/v1/admin/waitlists",
    body: bytes = b"",
    headers: Headers = (),
    *,
    key: str = "local",
    secret: str = "local",
    region: str = "us-east-1",
    service: str = "execute-api",
) -> HttpRequest:
    aws_request = AWSRequest(method, f"http://127.0.0.1:8080{target}", dict(headers), body)
    SigV4Auth(Credentials(key, secret), service, region).add_auth(aws_request)
    sent = (("Host", "127.0.0.1:8080"), *aws_request.headers.items())
    return HttpRequest(method, target, sent, body)


def with_header(request: HttpRequest, name: str, value: str) -> HttpRequest:
    kept = tuple(header for header in request.headers if header[0].lower() != name.lower())
    return replace(request, headers=(*kept, (name, value)))


def now() -> datetime:
    return datetime.now(UTC)


@pytest.mark.parametrize("request_", [CURL_GET, CURL_PUT])
def test_a_request_signed_by_curl_is_accepted(request_: HttpRequest) -> None:
    assert verified_access_key(request_, CURL_NOW) == "local"


@pytest.mark.parametrize(
    "request_",
    [
        signed(),
        signed("GET", "/v1/admin/waitlists/a/entries?limit=2&cursor=a%2Fb%3D&Z=1&flag"),
        signed("GET", "/v1/admin/waitlists/a/entries?limit=2&cursor=a%2Fb%3D&limit=1"),
        signed("GET", "/v1/admin/caf%C3%A9/a%2Fb/c%20d"),
        signed("PUT", "/v1/admin/waitlists/a", '{"name":"é"}'.encode()),
        signed("PATCH", "/v1/admin/waitlists/a/entries/b", '{"profile":{"name":"é"}}'.encode()),
        signed("POST", "/v1/admin/x", b"{}", (("Idempotency-Key", "a  b"), ("Content-Type", "x"))),
    ],
)
def test_a_request_signed_by_botocore_is_accepted(request_: HttpRequest) -> None:
    assert verified_access_key(request_, COLLECTED) == "local"


def test_a_request_without_a_signature_is_not_an_error() -> None:
    assert verified_access_key(HttpRequest("GET", "/v1/admin/waitlists"), now()) is None
    bearer = HttpRequest("GET", "/v1/admin/waitlists", (("Authorization", "Bearer abc"),))
    assert verified_access_key(bearer, now()) is None


@pytest.mark.parametrize(
    "tampered",
    [
        replace(CURL_PUT, method="POST"),
        replace(CURL_PUT, target="/v1/admin/y"),
        replace(CURL_PUT, target="/v1/admin/x?limit=1"),
        replace(CURL_PUT, body=b"{}"),
        with_header(CURL_PUT, "Content-Type", "text/plain"),
        with_header(CURL_PUT, "Host", "elsewhere:9911"),
        with_header(CURL_PUT, "X-Amz-Date", "20261121T020738Z"),
        replace(CURL_GET, target=CURL_GET.target.replace("limit=2", "limit=3")),
    ],
)
def test_a_change_after_signing_is_refused(tampered: HttpRequest) -> None:
    """P5"""
    with pytest.raises(SignatureError, match="does not match"):
        verified_access_key(tampered, CURL_NOW)


def test_a_body_is_checked_even_if_the_client_states_its_hash() -> None:
    """P5"""
    request = signed("PUT", "/v1/admin/x", b"{}", (("X-Amz-Content-SHA256", "0" * 64),))
    with pytest.raises(SignatureError, match="not the hash"):
        verified_access_key(request, now())


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (signed(secret="wrong"), "does not match"),
        (signed(key="stranger"), "unknown"),
        (signed(region="eu-west-1"), "scoped to us-east-1"),
        (signed(service="s3"), "execute-api"),
        (with_header(signed(), "Authorization", "AWS4-HMAC-SHA256 Credential=x"), "not a complete"),
        (with_header(signed(), "X-Amz-Date", "yesterday"), "not a date"),
    ],
)
def test_a_wrong_signature_is_refused_with_a_reason(request_: HttpRequest, reason: str) -> None:
    with pytest.raises(SignatureError, match=reason):
        verified_access_key(request_, COLLECTED)


def test_a_signature_must_cover_host_and_date() -> None:
    authorization = (CURL_GET.header("authorization") or "").replace("host;x-amz-date", "host")
    with pytest.raises(SignatureError, match="must cover x-amz-date"):
        verified_access_key(with_header(CURL_GET, "Authorization", authorization), CURL_NOW)


@pytest.mark.parametrize("minutes", [-6, 6])
def test_a_signature_expires_and_cannot_come_from_the_future(minutes: int) -> None:
    with pytest.raises(SignatureError, match="over 5 minutes"):
        verified_access_key(CURL_GET, CURL_NOW + timedelta(minutes=minutes))
    assert verified_access_key(CURL_GET, CURL_NOW + timedelta(minutes=minutes) * 0.8) == "local"
