"""Tests what happens if Redis refuses a login or denies the user a command.

The log must say how to fix this.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.support.line import Line, accepted
from tests.support.redis_access import ACCESS
from tests.support.redis_servers import Server
from tools.local.ports import HOST
from waitlist_queue.config import Config
from waitlist_queue.connections import connect

USER, PASSWORD = "waitlist", "a-password"
RIGHTS = "give the Redis user the permissions in docs/operate/policies/redis-user.acl"
As = Callable[[str, str], Line]


@pytest.fixture
def as_user(valkey: Server) -> Iterator[As]:
    acl = valkey.client.execute_command
    acl("ACL", "SETUSER", USER, f">{PASSWORD}", *ACCESS.split())

    def line(user: str, password: str) -> Line:
        url = f"redis://{user}:{password}@{HOST}:{valkey.port}"
        config = Config(url, redis_cluster=False, log_level="INFO")
        return Line(valkey.client, connect=lambda: connect(config))

    yield line
    acl("ACL", "DELUSER", USER)


@contextmanager
def without(server: Server, command: str) -> Iterator[None]:
    server.client.execute_command("ACL", "SETUSER", USER, f"-{command}")
    try:
        yield
    finally:
        server.client.execute_command("ACL", "SETUSER", USER, f"+{command}")


def test_a_user_with_few_rights_has_all_that_are_needed(as_user: As) -> None:
    """The Redis user needs only the documented permissions.

    The tests in tests/queue/tls try every other command (promise P8).
    """
    line = as_user(USER, PASSWORD)
    accepted(line.init())
    accepted(line.signup("ann"))
    assert accepted(line.position("ann"))["position"] == 1


def test_a_wrong_password_is_an_outage_and_the_log_has_the_remedy(
    as_user: As, caplog: pytest.LogCaptureFixture
) -> None:
    line = as_user(USER, "another-password")
    batch = {"op": "batch", "requests": [line.message("stats")]}
    for answer in (line.init(), line.handle({"op": "ping"}), line.handle(batch)):
        assert answer["code"] == "queue_unavailable"
    for record in caplog.records:
        assert "check the user and password in REDIS_URL" in record.getMessage()
        assert record.exc_info is None, "no traceback"
    assert len(caplog.records) == 3
    assert "another-password" not in caplog.text


def test_a_missing_right_is_an_outage_and_the_log_has_the_remedy(
    valkey: Server, as_user: As, caplog: pytest.LogCaptureFixture
) -> None:
    line = as_user(USER, PASSWORD)
    with without(valkey, "info"):
        assert line.init()["code"] == "queue_unavailable"
    assert RIGHTS in caplog.text
    accepted(line.init())


def test_a_script_that_misses_a_right_is_a_defect_and_the_log_has_the_remedy(
    valkey: Server, as_user: As, caplog: pytest.LogCaptureFixture
) -> None:
    """If Redis denies a command within a script, the script may have stopped halfway. The response
    is `internal_error`, which tells the caller not to retry.
    """
    line = as_user(USER, PASSWORD)
    accepted(line.init())
    with without(valkey, "zadd"), caplog.at_level(logging.ERROR):
        assert line.signup("ann")["code"] == "internal_error"
    assert RIGHTS in caplog.text
