"""Tests logins to Redis with a password, and with an AWS IAM user's tokens, which expire and are
renewed.
"""

import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from tests.queue.tls.servers import PASSWORD, USER, Place
from tests.support.iam import KEYS, WallClock
from tests.support.line import Line, accepted
from tests.support.redis_access import ACCESS
from waitlist_queue import app
from waitlist_queue.config import Cache, IamUser
from waitlist_queue.connections import connect
from waitlist_queue.iam_credentials import RENEWAL_SECONDS, IamCredentials

IAM_USER = IamUser("iam-user", Cache("waitlist-0a1b", "eu-west-1", is_serverless=True))
CACHE_ARN = "arn:aws:elasticache:eu-west-1:123456789012:serverlesscache:waitlist-0a1b"
REMEDY = "check the user and password in REDIS_URL, or check REDIS_IAM_USER"
Asked = Callable[[Line], dict[str, Any]]


def ping(line: Line) -> dict[str, Any]:
    return line.handle({"v": 1, "op": "ping"})


def signup(line: Line) -> dict[str, Any]:
    return line.signup("ann")


def batch(line: Line) -> dict[str, Any]:
    requests = [line.message("stats"), line.message("position", entry_id=line.id_of("ann"))]
    answer = line.handle({"v": 1, "op": "batch", "requests": requests})
    if not answer["ok"]:
        return answer
    return min(answer["results"], key=lambda one: bool(one["ok"]))


QUESTIONS: list[Asked] = [ping, signup, batch]
each_question = pytest.mark.parametrize("ask", QUESTIONS)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> WallClock:
    return WallClock(monkeypatch)


@pytest.fixture
def credentials(clock: WallClock, monkeypatch: pytest.MonkeyPatch) -> IamCredentials:
    made = IamCredentials(IAM_USER, lambda: KEYS, clock)
    monkeypatch.setattr(
        "waitlist_queue.iam_credentials.IamCredentials", lambda user: {IAM_USER: made}[user]
    )
    return made


@pytest.fixture
def iam_line(place: Place, credentials: IamCredentials) -> Iterator[Line]:
    accept_only_token(place, credentials.get_credentials()[1])
    url = place.nodes[0].url(user="")
    line = Line(None, connect=lambda: connect(place.config(url, iam_user=IAM_USER)))
    accepted(line.init())
    accepted(line.signup("ann"))
    yield line
    place.on_each("ACL", "DELUSER", IAM_USER.name)


def accept_only_token(place: Place, token: str) -> None:
    place.on_each("ACL", "SETUSER", IAM_USER.name, "resetpass", f">{token}", *ACCESS.split())


def close_connections(place: Place) -> None:
    """Closes the IAM user's connections, as ElastiCache does after 12 hours."""
    place.on_each("CLIENT", "KILL", "USER", IAM_USER.name)


def count_logins(place: Place) -> int:
    found = 0
    for node in place.nodes:
        found += node.client.info("commandstats").get("cmdstat_auth", {}).get("calls", 0)
    return found


@each_question
@pytest.mark.parametrize("who", [(USER, "another password"), ("nobody", PASSWORD), ("", "")])
def test_a_wrong_password_is_an_outage_and_the_log_has_the_remedy(
    place: Place, who: tuple[str, str], ask: Asked, caplog: pytest.LogCaptureFixture
) -> None:
    url = place.nodes[0].url(*who)
    line = Line(None, connect=lambda: connect(place.config(url)))
    with caplog.at_level(logging.WARNING):
        assert ask(line)["code"] == "queue_unavailable"
    assert "AuthenticationError" in caplog.text
    assert REMEDY in caplog.text
    assert not [record for record in caplog.records if record.exc_info], "no traceback"
    assert "another password" not in caplog.text
    assert PASSWORD not in caplog.text


@each_question
def test_a_client_logs_in_again_when_its_token_is_valid(
    place: Place, ask: Asked, iam_line: Line, credentials: IamCredentials
) -> None:
    accept_only_token(place, "x" * 20)
    close_connections(place)
    assert ask(iam_line)["code"] == "queue_unavailable"
    accept_only_token(place, credentials.get_credentials()[1])
    accepted(ask(iam_line))


@each_question
def test_a_token_is_the_password_of_an_iam_user(ask: Asked, iam_line: Line) -> None:
    accepted(ask(iam_line))


@each_question
def test_a_connection_outlives_its_token(
    place: Place, ask: Asked, iam_line: Line, clock: WallClock
) -> None:
    """Redis checks the token only at login, so a connection can be used even after its token has
    expired.
    """
    accepted(ask(iam_line))
    before = count_logins(place)
    accept_only_token(place, "x" * 20)
    clock.seconds += 3600
    accepted(ask(iam_line))
    assert count_logins(place) == before


@each_question
def test_a_connection_that_is_cut_is_made_again_with_a_new_token(
    place: Place, ask: Asked, iam_line: Line, clock: WallClock, credentials: IamCredentials
) -> None:
    """If a call finds its connection closed, it logs in again with a new token and succeeds
    (promise P2).
    """
    _, first = credentials.get_credentials()
    clock.seconds += RENEWAL_SECONDS
    _, second = credentials.get_credentials()
    assert second != first
    accept_only_token(place, second)
    close_connections(place)
    accepted(ask(iam_line))


def test_a_token_that_redis_does_not_take_is_refused(
    place: Place, iam_line: Line, clock: WallClock, caplog: pytest.LogCaptureFixture
) -> None:
    """If Redis refuses the client's token, the log says which permission may be missing, but does
    not contain the token.
    """
    accept_only_token(place, "x" * 20)
    clock.seconds += RENEWAL_SECONDS - 1
    close_connections(place)
    assert signup(iam_line)["code"] == "queue_unavailable"
    assert "elasticache:Connect" in caplog.text
    assert "X-Amz-Signature" not in caplog.text


def test_without_keys_to_sign_with_no_login_is_tried(
    place: Place, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(
        "waitlist_queue.iam_credentials.IamCredentials",
        partial(IamCredentials, load_keys=lambda: None),
    )
    url = place.nodes[0].url(user="")
    line = Line(None, connect=lambda: connect(place.config(url, iam_user=IAM_USER)))
    before = count_logins(place)
    for ask in QUESTIONS:
        assert ask(line)["code"] == "queue_unavailable"
    assert "no AWS keys to sign a token with" in caplog.text
    assert not [record for record in caplog.records if record.exc_info], "no traceback"
    assert count_logins(place) == before


def test_the_function_logs_in_as_the_user_of_its_environment(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Redis accepts any password here, because the test cannot know the exact token in advance.
    place.on_each("ACL", "SETUSER", IAM_USER.name, "nopass", *ACCESS.split())
    for name, value in {
        "REDIS_URL": place.nodes[0].url(user=""),
        "REDIS_CLUSTER": str(place.is_cluster).lower(),
        "REDIS_IAM_USER": IAM_USER.name,
        "REDIS_IAM_CACHE_ARN": CACHE_ARN,
        "AWS_ACCESS_KEY_ID": "AKIDLAMBDA",
        "AWS_SECRET_ACCESS_KEY": "the role's key",
    }.items():
        monkeypatch.setenv(name, value)
    app.service.cache_clear()
    try:
        assert app.lambda_handler({"v": 1, "op": "ping"}, None)["outcome"] == "pong"
        users = [one["user"] for node in place.nodes for one in node.client.client_list()]
        assert IAM_USER.name in users
    finally:
        app.service.cache_clear()
        place.on_each("ACL", "DELUSER", IAM_USER.name)
