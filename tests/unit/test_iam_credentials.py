"""Tokens of an IAM user: as ElastiCache reads them, and never too old."""

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
    """The role's keys; counts how often they are asked for."""

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
def without_keys(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """No keys in the environment."""
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "CREDENTIAL_EXPIRATION"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)
    for kind in ("FULL", "RELATIVE"):
        monkeypatch.delenv(f"AWS_CONTAINER_CREDENTIALS_{kind}_URI", raising=False)
    return monkeypatch


@pytest.fixture
def bare_environment(without_keys: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Nor an answer: every network request fails."""

    def unreachable(*_arguments: object, **_options: object) -> None:
        raise AssertionError("the network was asked")

    without_keys.setattr("socket.socket.connect", unreachable)
    without_keys.setattr("socket.getaddrinfo", unreachable)
    return without_keys


def token_of(user: IamUser, keys: Credentials = KEYS) -> str:
    name, token = IamCredentials(user, lambda: keys, NEW_YEAR.timestamp).get_credentials()
    assert name == user.name
    return token


def parameters(token: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(f"http://{token}").query, strict_parsing=True))


def signature(token: str, secret_key: str) -> str:
    """Return what AWS computes for a presigned GET, by its document of Signature Version 4."""
    given = parameters(token)
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


def test_a_token_is_a_signed_question_without_its_scheme() -> None:
    token = token_of(SERVERLESS)
    assert token.startswith("waitlist-0a1b/?")
    given = parameters(token)
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


def test_a_cache_of_nodes_has_no_resource_type() -> None:
    token = token_of(OF_NODES)
    assert token.startswith("orders/?")
    assert "ResourceType" not in parameters(token)
    assert "/us-east-1/elasticache/" in parameters(token)["X-Amz-Credential"]


@pytest.mark.parametrize("user", [SERVERLESS, OF_NODES])
def test_the_signature_is_the_one_that_aws_computes(user: IamUser) -> None:
    token = token_of(user)
    assert KEYS.secret_key is not None
    assert parameters(token)["X-Amz-Signature"] == signature(token, KEYS.secret_key)
    assert parameters(token)["X-Amz-Signature"] != signature(token, "another secret key")


def test_keys_without_a_session_sign_a_token_without_one() -> None:
    token = token_of(SERVERLESS, Credentials("AKIDEXAMPLE", "a secret key"))
    assert "X-Amz-Security-Token" not in parameters(token)
    assert parameters(token)["X-Amz-Signature"] == signature(token, "a secret key")


def test_a_token_serves_all_connections_until_it_is_twelve_minutes_old(clock: WallClock) -> None:
    keys = Keys(KEYS)
    credentials = IamCredentials(SERVERLESS, keys, clock)
    first = credentials.get_credentials()
    clock.seconds += RENEWAL_SECONDS - 1
    assert credentials.get_credentials() == first
    assert keys.loads == 1
    clock.seconds += 1
    second = credentials.get_credentials()
    assert second != first
    assert parameters(second[1])["X-Amz-Date"] == "20260101T001200Z"
    clock.seconds += RENEWAL_SECONDS - 1
    assert credentials.get_credentials() == second


def test_there_is_time_left_when_a_token_is_renewed() -> None:
    assert VALID_SECONDS == 900
    assert VALID_SECONDS - RENEWAL_SECONDS == 180


def test_a_clock_that_is_put_back_brings_a_new_token(clock: WallClock) -> None:
    """The old one would be from the future."""
    credentials = IamCredentials(SERVERLESS, Keys(KEYS), clock)
    first = credentials.get_credentials()
    clock.seconds -= 60
    assert credentials.get_credentials() != first


def test_a_new_token_is_signed_with_the_keys_of_its_moment(clock: WallClock) -> None:
    later = Credentials("AKIDLATER", "another secret key", "another session")
    credentials = IamCredentials(SERVERLESS, Keys(KEYS, later), clock)
    credentials.get_credentials()
    clock.seconds += RENEWAL_SECONDS
    _, token = credentials.get_credentials()
    assert parameters(token)["X-Amz-Credential"].startswith("AKIDLATER/")
    assert parameters(token)["X-Amz-Signature"] == signature(token, "another secret key")


def test_connections_that_are_made_at_once_share_a_token(clock: WallClock) -> None:
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


def test_a_function_signs_with_the_keys_that_lambda_puts_into_its_environment(
    bare_environment: pytest.MonkeyPatch,
) -> None:
    """Without asking the network, from which nothing would answer."""
    bare_environment.setenv("AWS_ACCESS_KEY_ID", "AKIDLAMBDA")
    bare_environment.setenv("AWS_SECRET_ACCESS_KEY", "the role's key")
    bare_environment.setenv("AWS_SESSION_TOKEN", "the role's session")
    _, token = IamCredentials(SERVERLESS).get_credentials()
    assert parameters(token)["X-Amz-Security-Token"] == "the role's session"
    assert parameters(token)["X-Amz-Signature"] == signature(token, "the role's key")


@contextmanager
def machine_that_answers(status: int, **keys: str) -> Iterator[str]:
    """Yield where Lambda's machine would tell a snapshot that it restores the role's keys."""

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


def test_with_snapstart_the_keys_come_from_the_functions_own_machine(
    without_keys: pytest.MonkeyPatch,
) -> None:
    keys = {
        "AccessKeyId": "AKIDSNAP",
        "SecretAccessKey": "a restored key",
        "Token": "a restored session",
        "Expiration": "2126-01-01T00:00:00Z",
    }
    with machine_that_answers(200, **keys) as address:
        without_keys.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", address)
        _, token = IamCredentials(SERVERLESS).get_credentials()
    assert parameters(token)["X-Amz-Security-Token"] == "a restored session"
    assert parameters(token)["X-Amz-Signature"] == signature(token, "a restored key")


def test_a_machine_without_keys_refuses_at_once(
    without_keys: pytest.MonkeyPatch,
) -> None:
    """P9: botocore would pause for a second between its attempts."""

    def sleep(_seconds: float) -> None:
        raise AssertionError("a call has no time to sleep")

    # Where it is kept, as it is no longer looked up by its name.
    without_keys.setattr(ContainerMetadataFetcher.__init__, "__defaults__", (None, sleep))
    with machine_that_answers(500) as address:
        without_keys.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", address)
        with pytest.raises(AuthenticationError, match="no AWS keys to sign a token with"):
            IamCredentials(SERVERLESS).get_credentials()


def test_without_keys_no_token_is_signed_and_no_request_sent(
    bare_environment: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(AuthenticationError, match="no AWS keys to sign a token with"):
        IamCredentials(SERVERLESS).get_credentials()


def test_half_a_pair_of_keys_is_none(bare_environment: pytest.MonkeyPatch) -> None:
    bare_environment.setenv("AWS_ACCESS_KEY_ID", "AKIDLAMBDA")
    with pytest.raises(AuthenticationError, match="AWS_SECRET_ACCESS_KEY"):
        IamCredentials(SERVERLESS).get_credentials()


def test_a_failure_to_sign_is_not_remembered(clock: WallClock) -> None:
    credentials = IamCredentials(SERVERLESS, Keys(None, KEYS), clock)
    with pytest.raises(AuthenticationError):
        credentials.get_credentials()
    assert credentials.get_credentials()[1]
