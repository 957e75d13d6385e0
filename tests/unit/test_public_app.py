"""The public function's environment variables determine how it checks and answers requests."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from tests.support.gateway import Caller, Context
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.config import ConfigError
from waitlist_api.handlers import public
from waitlist_api.http.edge import HEADER

KEY = "a-key-of-the-deployed-service-0123456789"
ENTRY_ID = "a" * 26
PATH = f"/v1/waitlists/bakery/entries/{ENTRY_ID}"


@pytest.fixture
def environ(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("TABLE_NAME", "table")
    monkeypatch.setenv("PRIVATE_FUNCTION_NAME", "private")
    for name in ("ENTRY_TOKEN_SECRET", "ENTRY_TOKEN_SECRET_ARN", "JWT_ISSUER", "EDGE_KEY_ARNS"):
        monkeypatch.delenv(name, raising=False)
    for cached in (public.api, public.request_log):
        cached.cache_clear()
    with mock_aws():
        yield monkeypatch
    for cached in (public.api, public.request_log):
        cached.cache_clear()


def request_status(token: str) -> int:
    return Caller(public.lambda_handler).request("GET", PATH, token=token).status


def test_entry_tokens_are_signed_by_the_key_in_secrets_manager(
    environ: pytest.MonkeyPatch,
) -> None:
    """P5"""
    secrets: Any = boto3.client("secretsmanager")
    arn = secrets.create_secret(Name="tokens", SecretString=KEY)["ARN"]
    environ.setenv("ENTRY_TOKEN_SECRET_ARN", arn)
    another = EntryTokens("another-key-of-32-characters-or-more")
    assert request_status(another.issue("bakery", ENTRY_ID, 1)) == 403
    # No private function runs in this test, so a request whose token is accepted ends with a server
    # error.
    assert request_status(EntryTokens(KEY).issue("bakery", ENTRY_ID, 1)) >= 500


def test_edge_keys_are_read_from_secrets_manager(environ: pytest.MonkeyPatch) -> None:
    """If a CDN is in front of the API, each request must contain a key that is stored in Secrets
    Manager.

    The API checks the key even if customers sign in with an issuer's tokens (promise P5).
    """
    secrets: Any = boto3.client("secretsmanager")
    keys = ["b" * 64, "g" * 64]
    arns = [secrets.create_secret(Name=key[0], SecretString=key)["ARN"] for key in keys]
    environ.setenv("JWT_ISSUER", "https://issuer.example.com")
    environ.setenv("EDGE_KEY_ARNS", ",".join(arns))
    caller = Caller(public.lambda_handler)
    assert caller.request("GET", PATH).code == "edge_only"
    for key in keys:
        assert caller.request("GET", PATH, headers={HEADER: key}).code == "unauthorized"


def test_a_stack_with_an_issuer_needs_no_token_key_and_refuses_entry_tokens(
    environ: pytest.MonkeyPatch,
) -> None:
    """P5"""
    environ.setenv("JWT_ISSUER", "https://issuer.example.com")
    assert request_status(EntryTokens(KEY).issue("bakery", ENTRY_ID, 1)) == 401


def test_without_an_issuer_and_a_token_key_the_error_names_the_missing_variable(
    environ: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(ConfigError, match="ENTRY_TOKEN_SECRET_ARN"):
        public.lambda_handler({}, Context())


def test_the_error_for_an_unknown_bot_check_names_the_providers(
    environ: pytest.MonkeyPatch,
) -> None:
    environ.setenv("ENTRY_TOKEN_SECRET", KEY)
    environ.setenv("BOT_CHECK", "captcha")
    with pytest.raises(ConfigError, match="BOT_CHECK=captcha must be one of turnstile, "):
        public.lambda_handler({}, Context())
