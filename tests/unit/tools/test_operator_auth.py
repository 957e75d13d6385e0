from datetime import UTC, datetime

import httpx
import pytest

from tools.local.http_message import HttpRequest
from tools.local.operator_auth import OperatorAuth
from tools.local.signature import SignatureError, verified_access_key


def sent(auth: OperatorAuth, request: httpx.Request) -> HttpRequest:
    """The request as the front would see it."""
    requests: list[httpx.Request] = []

    def keep(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(200)

    with httpx.Client(transport=httpx.MockTransport(keep), auth=auth) as client:
        client.send(request)
    [one] = requests
    headers = tuple(one.headers.items())
    return HttpRequest(one.method, one.url.raw_path.decode(), headers, one.content)


@pytest.mark.parametrize(
    "request_",
    [
        httpx.Request("GET", "http://127.0.0.1:8080/v1/admin/waitlists"),
        httpx.Request("GET", "http://localhost/v1/admin/x", params={"z": "1", "cursor": "a/b=+ é"}),
        httpx.Request("PUT", "http://127.0.0.1:8080/v1/admin/café x", json={"name": "Zoë"}),
        httpx.Request("POST", "http://127.0.0.1:8080/v1/admin/x", content=b"\x00\xff"),
    ],
)
def test_the_front_accepts_what_is_signed(request_: httpx.Request) -> None:
    assert verified_access_key(sent(OperatorAuth(), request_), datetime.now(UTC)) == "local"


def test_the_front_refuses_another_secret() -> None:
    request = httpx.Request("GET", "http://127.0.0.1:8080/v1/admin/waitlists")
    with pytest.raises(SignatureError):
        verified_access_key(sent(OperatorAuth(secret_key="guess"), request), datetime.now(UTC))


def test_a_role_signs_with_its_session_token_in_the_region_that_it_calls() -> None:
    auth = OperatorAuth("AKIA", "secret", "the-session", "eu-central-1")
    headers = dict(sent(auth, httpx.Request("GET", "https://api.example.com/v1/admin")).headers)
    assert headers["x-amz-security-token"] == "the-session"
    assert "/eu-central-1/execute-api/aws4_request" in headers["authorization"]
    assert "x-amz-security-token" in headers["authorization"]
