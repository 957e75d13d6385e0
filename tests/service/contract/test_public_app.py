"""Tests that the public function returns an error in time, whatever fails."""

import base64
import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from tests.support.gateway import Context, event
from waitlist_api.auth.secret import SecretUnavailable
from waitlist_api.aws.clients import ANSWER_SECONDS
from waitlist_api.aws.deadline import Deadline
from waitlist_api.handlers import public
from waitlist_api.http.errors import CODE_HEADER

HEALTH = event("GET", "/v1/unknown", {}, None)


class Timed(Context):
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def get_remaining_time_in_millis(self) -> int:
        return int(self.seconds * 1000)


class Secrets:
    """A stand-in for Secrets Manager whose calls raise `failure` if one is set."""

    def __init__(self) -> None:
        self.failure: Exception | None = None

    def get_secret_value(self, **_: Any) -> dict[str, str]:
        if self.failure is not None:
            raise self.failure
        return {"SecretString": "a-secret-for-tests-of-32-characters-or-more"}


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> Iterator[Secrets]:
    secrets = Secrets()
    monkeypatch.setenv("TABLE_NAME", "table")
    monkeypatch.setenv("PRIVATE_FUNCTION_NAME", "private")
    monkeypatch.setenv("ENTRY_TOKEN_SECRET_ARN", "arn:aws:secretsmanager:us-east-1:1:secret:s")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("LOG_LEVEL", "CRITICAL")
    monkeypatch.setattr(public, "secrets_client", lambda _: secrets)
    caches = (public.api, public.request_log)
    for cached in caches:
        cached.cache_clear()
    yield secrets
    for cached in caches:
        cached.cache_clear()


def refused(code: str, status: int) -> ClientError:
    response: Any = {
        "Error": {"Code": code, "Message": "secret words of AWS"},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    return ClientError(response, "GetSecretValue")


@pytest.mark.parametrize(
    "failure",
    [
        EndpointConnectionError(endpoint_url="https://aws.example.com"),
        refused("ThrottlingException", 400),
        refused("InternalServiceError", 500),
    ],
    ids=["no route", "throttled", "broken"],
)
def test_a_key_that_is_not_to_be_had_is_an_outage_that_passes(
    secrets: Secrets, failure: Exception
) -> None:
    secrets.failure = failure
    answer = public.lambda_handler(HEALTH, Timed(10))
    assert (answer["statusCode"], json.loads(answer["body"])["code"]) == (503, "not_ready")
    assert answer["headers"]["Retry-After"] == "2"
    assert answer["headers"]["Content-Type"] == "application/problem+json"
    assert "secret words" not in answer["body"]
    secrets.failure = None
    assert public.lambda_handler(HEALTH, Timed(10))["statusCode"] == 404


def test_a_key_that_may_not_be_read_is_a_mistake_in_the_deployment(secrets: Secrets) -> None:
    secrets.failure = refused("AccessDeniedException", 400)
    with pytest.raises(SecretUnavailable, match="the function's role allows it"):
        public.lambda_handler(HEALTH, Timed(10))


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    ("path", "code", "part"),
    [
        ("/assets/latest/missing.js", "not_found", '"code": "not_found"'),
        ("/w/bakery/missing", "not_found", '"code": "not_found"'),
        ("/w/Not-an-id", "waitlist_not_found", "</html>"),
        ("/v1/waitlists/Not-an-id", "invalid_request", '"code": "invalid_request"'),
    ],
    ids=["a file", "a view", "a page", "a waitlist"],
)
def test_a_browser_that_accepts_compression_gets_the_error(
    secrets: Secrets, method: str, path: str, code: str, part: str
) -> None:
    asked = event(method, path, {"accept-encoding": "gzip, deflate, br"}, None)
    answer = public.lambda_handler(asked, Timed(10))
    assert answer["statusCode"] in (404, 422)
    assert answer["headers"][CODE_HEADER] == code
    is_compressed = answer["headers"].get("Content-Encoding") == "gzip"
    assert is_compressed != path.startswith("/v1/")
    body = answer["body"]
    if method == "HEAD":
        assert body == ""
    elif is_compressed:
        assert part in gzip.decompress(base64.b64decode(body)).decode()
    else:
        assert part in body


def test_a_request_has_the_time_that_lambda_gives_it_less_what_its_answer_takes(
    secrets: Secrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P9"""
    left: list[float] = []

    class Asked:
        def handle(self, _event: object, _context: object) -> dict[str, Any]:
            left.append(public.DEADLINE.left())
            return {"statusCode": 204}

    monkeypatch.setattr(public, "api", Asked)
    monkeypatch.setattr(public, "DEADLINE", Deadline(lambda: 0.0))
    public.lambda_handler({}, Timed(10))
    assert left == [10 - ANSWER_SECONDS]
    assert public.DEADLINE.left() == float("inf")
