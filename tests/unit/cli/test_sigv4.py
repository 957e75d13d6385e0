"""The command line signs requests with the credentials from the usual AWS configuration."""

from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from tools.local.http_message import HttpRequest
from tools.local.signature import verified_access_key
from waitlist_cli.client.configuration import Target
from waitlist_cli.client.sigv4 import OperatorAuth, operator_auth
from waitlist_cli.errors import Unauthorised, WrongUsage

URL = "http://127.0.0.1:8080"


@pytest.fixture
def aws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    return tmp_path / "credentials"


def sign(auth: httpx.Auth, query: str = "limit=2&cursor=a%3D", **more: object) -> httpx.Request:
    request = httpx.Request("POST", f"{URL}/v1/admin/waitlists?{query}", json=more)
    return next(auth.sync_auth_flow(request))


@pytest.mark.parametrize(
    "query",
    ["limit=2&cursor=a%3D", "since=2026-11-21T09:30:00Z&limit=2", "z=a+b&a=%2B&a='~*/", "", "all"],
)
def test_the_local_service_accepts_the_signature(query: str) -> None:
    request = sign(operator_auth(Target(URL, is_local=True)), query, name="Bäckerei")
    target = request.url.raw_path.decode()
    received = HttpRequest(
        method=request.method,
        target=target,
        headers=tuple(request.headers.items()),
        body=request.content,
        source_ip="127.0.0.1",
    )
    assert verified_access_key(received, datetime.now(UTC)) == "local"
    sent = parse_qsl(urlsplit(target).query, keep_blank_values=True)
    assert sent == parse_qsl(query, keep_blank_values=True)


def test_a_request_is_signed_with_the_key_of_the_profile_for_the_region(aws: Path) -> None:
    aws.write_text(
        "[ops]\naws_access_key_id = AKIAOPS\naws_secret_access_key = s\n", encoding="utf-8"
    )
    request = sign(operator_auth(Target(URL, "ops", "eu-central-1")))
    assert "Credential=AKIAOPS/" in request.headers["authorization"]
    assert "/eu-central-1/execute-api/aws4_request" in request.headers["authorization"]


def test_the_session_token_of_a_role_is_renewed_for_each_request() -> None:
    tokens = iter(["first", "second"])
    auth = OperatorAuth(
        lambda: Credentials("k", "s", next(tokens)).get_frozen_credentials(), "eu-central-1"
    )
    assert sign(auth).headers["x-amz-security-token"] == "first"
    again = sign(auth)
    assert again.headers["x-amz-security-token"] == "second"
    assert "x-amz-security-token" in again.headers["authorization"]


@pytest.mark.parametrize(
    ("key", "token", "region"),
    [
        ("k", "t\r", "eu-central-1"),
        ("k", "t\n", "eu-central-1"),
        ("ä", None, "x"),
        ("k", None, "ä"),
    ],
)
def test_credentials_that_no_header_can_contain_are_an_error(
    key: str, token: str | None, region: str
) -> None:
    auth = OperatorAuth(lambda: Credentials(key, "s", token).get_frozen_credentials(), region)
    with pytest.raises(Unauthorised, match="Set the credentials and the region again"):
        sign(auth)


def test_the_error_about_missing_credentials_names_an_option(aws: Path) -> None:
    with pytest.raises(Unauthorised, match="--profile"):
        operator_auth(Target(URL, None, "eu-central-1"))


def test_an_unknown_profile_is_an_error(aws: Path) -> None:
    with pytest.raises(Unauthorised, match="nobody"):
        operator_auth(Target(URL, "nobody", "eu-central-1"))


@pytest.mark.parametrize(
    "error",
    [
        ClientError({"Error": {"Code": "AccessDenied", "Message": "not yours."}}, "AssumeRole"),
        ValueError("no JSON"),
        EOFError(),
    ],
    ids=["role", "credential_process", "MFA"],
)
def test_the_error_about_unavailable_credentials_names_an_option(
    aws: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(_credentials: object) -> None:
        raise error

    aws.write_text(
        "[ops]\naws_access_key_id = AKIAOPS\naws_secret_access_key = s\n", encoding="utf-8"
    )
    monkeypatch.setattr(Credentials, "get_frozen_credentials", fail)
    auth = operator_auth(Target(URL, "ops", "eu-central-1"))
    with pytest.raises(Unauthorised, match="--profile NAME"):
        sign(auth)


def test_the_error_about_a_missing_region_names_an_option(
    aws: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "k")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    with pytest.raises(WrongUsage, match="--region"):
        operator_auth(Target(URL))
