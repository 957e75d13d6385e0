"""Tests of the tokens with which the functions log in to ElastiCache as an IAM user. The functions
create the tokens and renew them in time.
"""

import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qsl, quote, urlsplit

import pytest
from botocore.credentials import Credentials
from botocore.utils import ContainerMetadataFetcher
from redis.exceptions import AuthenticationError

from tests.support.iam import KEYS, NEW_YEAR, WallClock
from waitlist_queue.config import Cache, IamUser
from waitlist_queue.iam_credentials import RENEWAL_SECONDS, VALID_SECONDS, IamCredentials

SERVERLESS = IamUser("waitlist-user", Cache("waitlist-0a1b", "eu-west-1", is_serverless=True))
OF_NODES = IamUser("waitlist-user", Cache("orders", "us-east-1", is_serverless=False))


class Keys:
    """`loads` counts how many times the AWS keys were loaded."""

    def __init__(self, *keys: Credentials | None) -> None:
        self._keys = keys
        self.loads = 0

    def __call__(self) -> Credentials | None:
        self.loads += 1
        return self._keys[min(self.loads, len(self._keys)) - 1]


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> WallClock:
    return WallClock(monkeypatch)


@pytest.fixture
def environment_without_keys(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "CREDENTIAL_EXPIRATION"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)
    for kind in ("FULL", "RELATIVE"):
        monkeypatch.delenv(f"AWS_CONTAINER_CREDENTIALS_{kind}_URI", raising=False)
    return monkeypatch


@pytest.fixture
def bare_environment(environment_without_keys: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    def unreachable(*_arguments: object, **_options: object) -> None:
        raise AssertionError("the network was asked")

    environment_without_keys.setattr("socket.socket.connect", unreachable)
    environment_without_keys.setattr("socket.getaddrinfo", unreachable)
    return environment_without_keys


def issue_token(user: IamUser, keys: Credentials = KEYS) -> str:
    name, token = IamCredentials(user, lambda: keys, NEW_YEAR.timestamp).get_credentials()
    assert name == user.name
    return token


def read_parameters(token: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(f"http://{token}").query, strict_parsing=True))


def compute_signature(token: str, secret_key: str) -> str:
    """Compute a signature as AWS documents Signature Version 4, without using AWS's own
    libraries.
    """
    given = read_parameters(token)
    del given["X-Amz-Signature"]
    query = "&".join(f"{quote(k, '')}={quote(v, '')}" for k, v in sorted(given.items()))
    host = token.partition("/")[0]
    no_body = hashlib.sha256(b"").hexdigest()
    request = f"GET\n/\n{query}\nhost:{host}\n\nhost\n{no_body}"
    _, *scope = given["X-Amz-Credential"].split("/")
    hashed = hashlib.sha256(request.encode()).hexdigest()
    text = f"AWS4-HMAC-SHA256\n{given['X-Amz-Date']}\n{'/'.join(scope)}\n{hashed}"
    key = f"AWS4{secret_key}".encode()
    for part in (*scope, text):
        key = hmac.digest(key, part.encode(), "sha256")
    return key.hex()


def test_a_token_is_a_presigned_url_without_its_scheme() -> None:
    token = issue_token(SERVERLESS)
    assert token.startswith("waitlist-0a1b/?")
    given = read_parameters(token)
    given.pop("X-Amz-Signature")
    assert given == {
        "Action": "connect",
        "User": "waitlist-user",
        "ResourceType": "ServerlessCache",
        "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
        "X-Amz-Credential": "AKIDEXAMPLE/20260101/eu-west-1/elasticache/aws4_request",
        "X-Amz-Date": "20260101T000000Z",
        "X-Amz-Expires": "900",
        "X-Amz-SignedHeaders": "host",
        "X-Amz-Security-Token": "a session/token+=",
    }


def test_a_token_for_a_node_based_cache_has_no_resource_type() -> None:
    token = issue_token(OF_NODES)
    assert token.startswith("orders/?")
    assert "ResourceType" not in read_parameters(token)
    assert "/us-east-1/elasticache/" in read_parameters(token)["X-Amz-Credential"]


@pytest.mark.parametrize("user", [SERVERLESS, OF_NODES])
def test_the_signature_is_the_signature_that_aws_computes(user: IamUser) -> None:
    token = issue_token(user)
    assert KEYS.secret_key is not None
    assert read_parameters(token)["X-Amz-Signature"] == compute_signature(token, KEYS.secret_key)
    assert read_parameters(token)["X-Amz-Signature"] != compute_signature(
        token, "another secret key"
    )


def test_keys_without_a_session_token_sign_a_token_without_a_session() -> None:
    token = issue_token(SERVERLESS, Credentials("AKIDEXAMPLE", "a secret key"))
    assert "X-Amz-Security-Token" not in read_parameters(token)
    assert read_parameters(token)["X-Amz-Signature"] == compute_signature(token, "a secret key")


def test_a_token_is_reused_until_it_is_twelve_minutes_old(clock: WallClock) -> None:
    keys = Keys(KEYS)
    credentials = IamCredentials(SERVERLESS, keys, clock)
    first = credentials.get_credentials()
    clock.seconds += RENEWAL_SECONDS - 1
    assert credentials.get_credentials() == first
    assert keys.loads == 1
    clock.seconds += 1
    second = credentials.get_credentials()
    assert second != first
    assert read_parameters(second[1])["X-Amz-Date"] == "20260101T001200Z"
    clock.seconds += RENEWAL_SECONDS - 1
    assert credentials.get_credentials() == second


def test_a_token_is_renewed_three_minutes_before_it_expires() -> None:
    assert VALID_SECONDS == 900
    assert VALID_SECONDS - RENEWAL_SECONDS == 180


def test_a_clock_that_moves_back_causes_a_new_token(clock: WallClock) -> None:
    """If the clock is set back, a new token is created, because the old one would be dated in the
    future.
    """
    credentials = IamCredentials(SERVERLESS, Keys(KEYS), clock)
    first = credentials.get_credentials()
    clock.seconds -= 60
    assert credentials.get_credentials() != first


def test_a_new_token_is_signed_with_the_current_keys(clock: WallClock) -> None:
    later = Credentials("AKIDLATER", "another secret key", "another session")
    credentials = IamCredentials(SERVERLESS, Keys(KEYS, later), clock)
    credentials.get_credentials()
    clock.seconds += RENEWAL_SECONDS
    _, token = credentials.get_credentials()
    assert read_parameters(token)["X-Amz-Credential"].startswith("AKIDLATER/")
    assert read_parameters(token)["X-Amz-Signature"] == compute_signature(
        token, "another secret key"
    )


def test_connections_that_are_opened_at_once_share_a_token(clock: WallClock) -> None:
    """P9"""
    callers = 8
    together = threading.Barrier(callers)
    keys = Keys(KEYS)
    credentials = IamCredentials(SERVERLESS, keys, clock)

    def ask(_number: int) -> tuple[str, str]:
        together.wait()
        return credentials.get_credentials()

    with ThreadPoolExecutor(callers) as pool:
        assert len(set(pool.map(ask, range(callers)))) == 1
    assert keys.loads == 1


def test_a_function_signs_with_the_keys_in_its_environment(
    bare_environment: pytest.MonkeyPatch,
) -> None:
    """A function signs with the keys in its environment.

    It needs no network for this, since a VPC may have no internet access.
    """
    bare_environment.setenv("AWS_ACCESS_KEY_ID", "AKIDLAMBDA")
    bare_environment.setenv("AWS_SECRET_ACCESS_KEY", "the role's key")
    bare_environment.setenv("AWS_SESSION_TOKEN", "the role's session")
    _, token = IamCredentials(SERVERLESS).get_credentials()
    assert read_parameters(token)["X-Amz-Security-Token"] == "the role's session"
    assert read_parameters(token)["X-Amz-Signature"] == compute_signature(token, "the role's key")


@contextmanager
def serve_credentials(status: int, **keys: str) -> Iterator[str]:
    """After a restore, SnapStart functions read their AWS keys from an endpoint like this one."""

    class Keys(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(keys).encode())

        def log_message(self, *_arguments: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Keys)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1/credentials"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_with_snapstart_the_keys_come_from_the_local_credentials_endpoint(
    environment_without_keys: pytest.MonkeyPatch,
) -> None:
    keys = {
        "AccessKeyId": "AKIDSNAP",
        "SecretAccessKey": "a restored key",
        "Token": "a restored session",
        "Expiration": "2126-01-01T00:00:00Z",
    }
    with serve_credentials(200, **keys) as address:
        environment_without_keys.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", address)
        _, token = IamCredentials(SERVERLESS).get_credentials()
    assert read_parameters(token)["X-Amz-Security-Token"] == "a restored session"
    assert read_parameters(token)["X-Amz-Signature"] == compute_signature(token, "a restored key")


def test_a_credentials_endpoint_without_keys_fails_at_once(
    environment_without_keys: pytest.MonkeyPatch,
) -> None:
    """If the endpoint for AWS keys has no keys, the request fails immediately.

    By default, botocore would wait a second before each retry (promise P9).
    """

    def sleep(_seconds: float) -> None:
        raise AssertionError("a call has no time to sleep")

    # botocore uses `time.sleep` as a parameter's default value, so patching `time.sleep` has no
    # effect. Replace the default instead.
    environment_without_keys.setattr(
        ContainerMetadataFetcher.__init__, "__defaults__", (None, sleep)
    )
    with serve_credentials(500) as address:
        environment_without_keys.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", address)
        with pytest.raises(AuthenticationError, match="no AWS keys to sign a token with"):
            IamCredentials(SERVERLESS).get_credentials()


def test_without_keys_no_token_is_signed_and_no_request_is_sent(
    bare_environment: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(AuthenticationError, match="no AWS keys to sign a token with"):
        IamCredentials(SERVERLESS).get_credentials()


def test_an_access_key_without_its_secret_key_is_an_error(
    bare_environment: pytest.MonkeyPatch,
) -> None:
    bare_environment.setenv("AWS_ACCESS_KEY_ID", "AKIDLAMBDA")
    with pytest.raises(AuthenticationError, match="AWS_SECRET_ACCESS_KEY"):
        IamCredentials(SERVERLESS).get_credentials()


def test_signing_is_tried_again_after_a_failure(clock: WallClock) -> None:
    credentials = IamCredentials(SERVERLESS, Keys(None, KEYS), clock)
    with pytest.raises(AuthenticationError):
        credentials.get_credentials()
    assert credentials.get_credentials()[1]
