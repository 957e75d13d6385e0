"""Requests of AWS clients are signed as botocore would sign them."""

from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSPreparedRequest, AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import NoCredentialsError
from botocore.session import Session

from waitlist_api.aws.signing import Signer

KEYS = Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
ROLE = Credentials("ASIAEXAMPLE", "another/secret", "session-token/of==a+role")
NOW = datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)
INVOKE = "https://lambda.eu-west-1.amazonaws.com/2015-03-31/functions/{}/invocations"


def request_to(url: str, body: bytes = b'{"name": "\xc5\xbd"}', **headers: str) -> AWSRequest:
    given = {"User-Agent": "waitlist", "Content-Type": "application/x-amz-json-1.0"}
    targets = {name.replace("_", "-"): value for name, value in headers.items()}
    return AWSRequest("POST", url, headers=given | targets, data=body)


@pytest.mark.parametrize("keys", [KEYS, ROLE])
@pytest.mark.parametrize(
    "request_",
    [
        request_to("https://dynamodb.eu-west-1.amazonaws.com/", X_Amz_Target="DynamoDB.PutItem"),
        request_to("https://dynamodb.eu-west-1.amazonaws.com"),
        request_to("http://127.0.0.1:8000/", X_Amzn_Trace_Id="Root=1-2-3"),
        request_to("https://vpce-1.lambda.eu-west-1.vpce.amazonaws.com:443/2015-03-31/functions/"),
        request_to(INVOKE.format("waitlist-PrivateFunction"), X_Amz_Invocation_Type="Event"),
        request_to(INVOKE.format("arn%3Aaws%3Alambda%3Aeu-west-1%3A1%3Afunction%3Aprivate%3Alive")),
        request_to(INVOKE.format("private"), body=b""),
    ],
)
def test_a_signature_equals_that_of_botocore(
    request_: AWSRequest, keys: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botocore.auth.get_current_datetime", lambda: NOW)
    ours, theirs = (
        AWSRequest("POST", request_.url, headers=dict(request_.headers), data=request_.data)
        for _ in range(2)
    )
    Signer(keys, lambda: NOW).sign(ours, "lambda", "eu-west-1")
    SigV4Auth(keys, "lambda", "eu-west-1").add_auth(theirs)
    assert dict(ours.headers) == dict(theirs.headers)


def test_the_next_day_has_another_key() -> None:
    def signature_at(now: datetime) -> str:
        request = request_to(INVOKE.format("private"))
        Signer(KEYS, lambda: now).sign(request, "lambda", "eu-west-1")
        return str(request.headers["Authorization"])

    assert "/20260203/eu-west-1/" in signature_at(NOW)
    assert "/20260204/eu-west-1/" in signature_at(NOW.replace(day=4))


def test_renewed_credentials_sign_the_next_request() -> None:
    keys = Credentials("AKIDEXAMPLE", "before")
    signer = Signer(keys, lambda: NOW)
    first, second = request_to(INVOKE.format("private")), request_to(INVOKE.format("private"))
    signer.sign(first, "lambda", "eu-west-1")
    keys.secret_key = "after"
    signer.sign(second, "lambda", "eu-west-1")
    assert first.headers["Authorization"] != second.headers["Authorization"]


def test_a_call_without_credentials_fails_as_with_botocore() -> None:
    with pytest.raises(NoCredentialsError):
        Signer(None).sign(request_to(INVOKE.format("private")), "lambda", "eu-west-1")


class Sent(Exception):
    """The request reached the HTTP session."""


def test_a_client_sends_this_signature_only() -> None:
    session = Session()
    session.set_credentials("AKIDEXAMPLE", "secret", "token")
    client: Any = session.create_client("dynamodb", region_name="eu-west-1")
    Signer(session.get_credentials(), lambda: NOW).attach(client)
    sent = []

    def send(request: AWSPreparedRequest, **_: object) -> None:
        sent.append(request)
        raise Sent

    client.meta.events.register("before-send.dynamodb", send)
    with pytest.raises(Sent):
        client.get_item(TableName="t", Key={"pk": {"S": "a"}})
    [request] = sent
    names = [name.lower() for name in request.headers]
    assert names.count("authorization") == names.count("x-amz-date") == 1
    assert request.headers["X-Amz-Date"] == b"20260203T040506Z"
    assert request.headers["X-Amz-Security-Token"] == b"token"
